//! xAI's Grok models.

use crate::kit::models::openai_compatible::{
    ANY_MODEL, BASE_PATH, CACHE, IMAGES, MAX_TOKENS, STREAMING, TEMPERATURE, model,
};
use crate::kit::{Card, Category, Factory, Input, Risk};

const HOME: &str = "https://api.x.ai/v1";

pub(crate) const CARD: Card = Card {
    name: "chatXAI",
    label: "xAI Grok",
    version: 2.0,
    category: Category::ChatModels,
    description: "xAI's Grok models.",
    base_classes: &[
        "ChatXAI",
        "ChatOpenAICompletions",
        "BaseChatOpenAI",
        "BaseChatModel",
        "BaseLanguageModel",
        "Runnable",
    ],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["xaiApi"]),
        CACHE,
        ANY_MODEL,
        TEMPERATURE,
        STREAMING,
        IMAGES,
        MAX_TOKENS,
        BASE_PATH,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(model(inputs, HOME)?))),
};
