//! OpenAI Embedding for engines.

use super::EMBEDDING;
use crate::kit::models::openai_compatible::{BASE_PATH, TIMEOUT};
use crate::kit::models::provider_embeddings::{openai_like, provider_embeddings};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::OPENAI_BASE;

pub(crate) const CARD: Card = Card {
    name: "openAIEmbedding_LlamaIndex",
    label: "OpenAI Embedding",
    version: 2.0,
    category: Category::Embeddings,
    description: "OpenAI's embedding models for engines.",
    base_classes: &["OpenAIEmbedding", EMBEDDING, "BaseEmbedding"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["openAIApi"]),
        Input::model(&["text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002"])
            .or("text-embedding-ada-002"),
        TIMEOUT,
        BASE_PATH,
    ],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        Ok(provider_embeddings(inputs, openai_like(inputs, OPENAI_BASE, &inputs.text("modelName")?)?))
    }),
};
