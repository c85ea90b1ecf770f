//! Azure OpenAI Embeddings for engines.

use super::EMBEDDING;
use crate::chat_models::azure_openai::{BASE_PATH, deployment};
use crate::kit::models::openai_compatible::TIMEOUT;
use crate::kit::models::provider_embeddings::{provider_embeddings, with_settings};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::KeyStyle;
use crate::llm::embeddings::OpenAiEmbeddings;

pub(crate) const CARD: Card = Card {
    name: "azureOpenAIEmbeddingsLlamaIndex",
    label: "Azure OpenAI Embeddings",
    version: 1.0,
    category: Category::Embeddings,
    description: "OpenAI's embedding models in an Azure deployment of your own, for engines.",
    base_classes: &["AzureOpenAIEmbeddings", EMBEDDING, "BaseEmbedding"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::credential(&["azureOpenAIApi"]), TIMEOUT, BASE_PATH],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        // The deployment decides which model answers, so none is named.
        let mut model = with_settings(inputs, OpenAiEmbeddings::new(deployment(inputs)?, ""))?;
        model.key_style = KeyStyle::ApiKeyHeader;
        Ok(provider_embeddings(inputs, model))
    }),
};
