//! ChatOpenAI for engines.

use super::CHAT_MODEL;
use crate::kit::models::openai_compatible::{BASE_PATH, MAX_TOKENS, TEMPERATURE, TIMEOUT, TOP_P, model};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::OPENAI_BASE;

pub(crate) const CARD: Card = Card {
    name: "chatOpenAI_LlamaIndex",
    label: "ChatOpenAI",
    version: 2.0,
    category: Category::ChatModels,
    description: "OpenAI's chat models for engines.",
    base_classes: &["ChatOpenAI", CHAT_MODEL, "BaseLLM"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["openAIApi"]),
        Input::model(&["gpt-4o-mini", "gpt-4o", "gpt-4.1", "gpt-4.1-mini", "gpt-3.5-turbo"])
            .or("gpt-3.5-turbo"),
        TEMPERATURE,
        MAX_TOKENS,
        TOP_P,
        TIMEOUT,
        BASE_PATH,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(model(inputs, OPENAI_BASE)?))),
};
