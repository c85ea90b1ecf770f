//! OpenAI's embeddings, and those of every server that speaks the same protocol behind another base address.

use crate::kit::models::openai_compatible::{BASE_OPTIONS, BASE_PATH, TIMEOUT};
use crate::kit::models::provider_embeddings::{
    BATCH_SIZE, DIMENSIONS, ENCODING_FORMAT, STRIP_NEW_LINES, openai_like, provider_embeddings,
};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::OPENAI_BASE;

pub(crate) const CARD: Card = Card {
    name: "openAIEmbeddings",
    label: "OpenAI Embedding",
    version: 4.0,
    category: Category::Embeddings,
    description: "OpenAI's embedding models, or any server that speaks the same protocol.",
    base_classes: &["OpenAIEmbeddings", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["openAIApi"]),
        Input::model(&["text-embedding-3-small", "text-embedding-3-large", "text-embedding-ada-002"])
            .or("text-embedding-ada-002"),
        STRIP_NEW_LINES,
        BATCH_SIZE,
        TIMEOUT,
        BASE_PATH,
        BASE_OPTIONS,
        DIMENSIONS,
        ENCODING_FORMAT,
    ],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        Ok(provider_embeddings(inputs, openai_like(inputs, OPENAI_BASE, &inputs.text("modelName")?)?))
    }),
};
