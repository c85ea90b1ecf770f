//! Azure OpenAI: older models, which complete a text, in deployments of your own.

use super::openai::{BEST_OF, completions};
use crate::chat_models::azure_openai::{BASE_PATH, counts_in_streams, deployment};
use crate::kit::models::openai_compatible::{
    CACHE, FREQUENCY_PENALTY, MAX_TOKENS, PRESENCE_PENALTY, TEMPERATURE, TIMEOUT, TOP_P,
};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::KeyStyle;

pub(crate) const CARD: Card = Card {
    name: "azureOpenAI",
    label: "Azure OpenAI",
    version: 4.0,
    category: Category::Llms,
    description: "OpenAI's older models in an Azure deployment of your own.",
    base_classes: &["AzureOpenAI", "OpenAI", "BaseLLM", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["azureOpenAIApi"]),
        CACHE,
        Input::model(&["text-davinci-003", "gpt-35-turbo-instruct"]).or("text-davinci-003"),
        TEMPERATURE,
        MAX_TOKENS,
        TOP_P,
        BEST_OF,
        FREQUENCY_PENALTY,
        PRESENCE_PENALTY,
        TIMEOUT,
        BASE_PATH,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let mut model = completions(inputs, deployment(inputs)?)?;
        model.key_style = KeyStyle::ApiKeyHeader;
        model.usage_in_stream = counts_in_streams(&model.endpoint);
        Ok(Box::new(model))
    }),
};
