//! Azure OpenAI: OpenAI's embedding models in deployments of your own.

use crate::chat_models::azure_openai::{BASE_PATH, deployment};
use crate::kit::models::openai_compatible::{BASE_OPTIONS, TIMEOUT};
use crate::kit::models::provider_embeddings::{BATCH_SIZE, provider_embeddings, with_settings};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::KeyStyle;
use crate::llm::embeddings::OpenAiEmbeddings;

pub(crate) const CARD: Card = Card {
    name: "azureOpenAIEmbeddings",
    label: "Azure OpenAI Embedding",
    version: 2.0,
    category: Category::Embeddings,
    description: "OpenAI's embedding models in an Azure deployment of your own.",
    base_classes: &["AzureOpenAIEmbeddings", "OpenAIEmbeddings", "Embeddings"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::credential(&["azureOpenAIApi"]), BATCH_SIZE.or("100"), TIMEOUT, BASE_PATH, BASE_OPTIONS],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        // The deployment decides which model answers, so none is named.
        let mut model = with_settings(inputs, OpenAiEmbeddings::new(deployment(inputs)?, ""))?;
        model.key_style = KeyStyle::ApiKeyHeader;
        Ok(provider_embeddings(inputs, model))
    }),
};
