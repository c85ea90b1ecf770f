//! AzureChatOpenAI for engines.

use super::CHAT_MODEL;
use crate::chat_models::azure_openai::{BASE_PATH, counts_in_streams, deployment};
use crate::kit::models::openai_compatible::{MAX_TOKENS, TEMPERATURE, TIMEOUT, TOP_P, with_settings};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::KeyStyle;

pub(crate) const CARD: Card = Card {
    name: "azureChatOpenAI_LlamaIndex",
    label: "AzureChatOpenAI",
    version: 2.0,
    category: Category::ChatModels,
    description: "OpenAI's models in an Azure deployment of your own, for engines.",
    base_classes: &["AzureChatOpenAI", CHAT_MODEL],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["azureOpenAIApi"]),
        Input::model(&["gpt-4o-mini", "gpt-4o", "gpt-4.1", "gpt-4.1-mini", "gpt-3.5-turbo-16k"])
            .or("gpt-3.5-turbo-16k"),
        TEMPERATURE,
        MAX_TOKENS,
        TOP_P,
        TIMEOUT,
        BASE_PATH,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let mut model = with_settings(inputs, deployment(inputs)?)?;
        model.key_style = KeyStyle::ApiKeyHeader;
        model.usage_in_stream = counts_in_streams(&model.endpoint);
        // The name says nothing certain here: the deployment decides which model answers.
        model.reasons = false;
        Ok(Box::new(model))
    }),
};
