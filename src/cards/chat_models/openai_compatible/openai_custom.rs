//! OpenAI Custom Model: any model name at any server that speaks OpenAI's protocol.

use crate::kit::models::openai_compatible::{
    ANY_MODEL, BASE_OPTIONS, BASE_PATH, CACHE, FREQUENCY_PENALTY, MAX_TOKENS, PRESENCE_PENALTY, STREAMING,
    TEMPERATURE, TIMEOUT, TOP_P, model,
};
use crate::kit::{Card, Category, Factory, Input, Risk};
use crate::llm::OPENAI_BASE;

pub(crate) const CARD: Card = Card {
    name: "chatOpenAICustom",
    label: "OpenAI Custom Model",
    version: 4.0,
    category: Category::ChatModels,
    description: "A model of your own at OpenAI, or at any server that speaks its protocol.",
    base_classes: &["ChatOpenAI-Custom", "BaseChatOpenAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["openAIApi"]).optional(),
        CACHE,
        ANY_MODEL,
        TEMPERATURE,
        STREAMING,
        MAX_TOKENS,
        TOP_P,
        FREQUENCY_PENALTY,
        PRESENCE_PENALTY,
        TIMEOUT,
        BASE_PATH,
        BASE_OPTIONS,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(model(inputs, OPENAI_BASE)?))),
};
