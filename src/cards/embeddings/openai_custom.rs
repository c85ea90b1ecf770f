//! OpenAI Custom Embedding: any model name at any server that speaks OpenAI's protocol.

use crate::kit::models::openai_compatible::{ANY_MODEL, BASE_OPTIONS, BASE_PATH, TIMEOUT};
use crate::kit::models::provider_embeddings::{
    BATCH_SIZE, DIMENSIONS, ENCODING_FORMAT, STRIP_NEW_LINES, openai_like, provider_embeddings,
};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::OPENAI_BASE;

/// What is asked for when no name is typed, as by the card with a list of names.
const MODEL: &str = "text-embedding-ada-002";

pub(crate) const CARD: Card = Card {
    name: "openAIEmbeddingsCustom",
    label: "OpenAI Custom Embedding",
    version: 3.0,
    category: Category::Embeddings,
    description: "An embedding model of your own at OpenAI, or at any server that speaks its protocol.",
    base_classes: &["OpenAIEmbeddingsCustom", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["openAIApi"]),
        STRIP_NEW_LINES,
        BATCH_SIZE,
        TIMEOUT,
        BASE_PATH,
        BASE_OPTIONS,
        ANY_MODEL.optional(),
        DIMENSIONS,
        ENCODING_FORMAT,
    ],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        let model = inputs.optional_text("modelName").unwrap_or_else(|| MODEL.to_owned());
        Ok(provider_embeddings(inputs, openai_like(inputs, OPENAI_BASE, &model)?))
    }),
};
