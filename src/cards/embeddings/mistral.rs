//! Mistral's embeddings.

use crate::kit::models::openai_compatible::{address, endpoint, with_version};
use crate::kit::models::provider_embeddings::{
    BATCH_SIZE, STRIP_NEW_LINES, provider_embeddings, with_settings,
};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::embeddings::{BatchLimits, OpenAiEmbeddings};

const HOME: &str = "https://api.mistral.ai/v1";
/// The provider takes 16,384 tokens in one request.
const BATCH: BatchLimits = BatchLimits { texts: 512, bytes: 40 * 1024 };

pub(crate) const CARD: Card = Card {
    name: "mistralAIEmbeddings",
    label: "MistralAI Embedding",
    version: 2.0,
    category: Category::Embeddings,
    description: "Mistral's embedding models.",
    base_classes: &["MistralAIEmbeddings", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["mistralAIApi"]),
        Input::model(&["mistral-embed", "codestral-embed"]).or("mistral-embed"),
        BATCH_SIZE.or("512"),
        STRIP_NEW_LINES.or("true"),
        Input::address("overrideEndpoint", "Override Endpoint").additional(),
    ],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        let base = address(inputs).map_or_else(|| HOME.to_owned(), |address| with_version(&address));
        let mut model = OpenAiEmbeddings::new(endpoint(inputs, &base, HOME)?, &inputs.text("modelName")?);
        model.batch = BATCH;
        Ok(provider_embeddings(inputs, with_settings(inputs, model)?))
    }),
};
