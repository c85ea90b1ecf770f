//! OpenAI Custom Model: any model name at any server that speaks OpenAI's protocol.

use super::openai::{
    BASE_OPTIONS, CACHE, FREQUENCY_PENALTY, MAX_TOKENS, PRESENCE_PENALTY, STREAMING, TEMPERATURE, TIMEOUT,
    TOP_P, common,
};
use crate::cards::kit::{Card, Category, Input, Make, Risk};
use crate::llm::OPENAI_BASE;

/// The card.
pub const CARD: Card = Card {
    name: "chatOpenAICustom",
    label: "OpenAI Custom Model",
    version: 4.0,
    category: Category::ChatModels,
    description: "A model of your own at OpenAI, or at any server that speaks its protocol.",
    base_classes: &["ChatOpenAI-Custom", "BaseChatOpenAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    inputs: &[
        Input::credential(&["openAIApi"]).optional(),
        CACHE,
        Input::text("modelName", "Model Name"),
        TEMPERATURE,
        STREAMING,
        MAX_TOKENS,
        TOP_P,
        FREQUENCY_PENALTY,
        PRESENCE_PENALTY,
        TIMEOUT,
        Input::address("basepath", "Base Path").additional(),
        BASE_OPTIONS,
    ],
    outputs: &[],
    make: Make::ChatModel(|inputs| {
        let base = inputs.address("basepath").unwrap_or_else(|| OPENAI_BASE.to_owned());
        Ok(Box::new(common(inputs, &base, inputs.maybe_secret("openAIApiKey"))?))
    }),
};
