//! Fireworks AI: open models.

use crate::kit::models::openai_compatible::{ANY_MODEL, BASE_PATH, CACHE, STREAMING, TEMPERATURE, model};
use crate::kit::{Card, Category, Factory, Input, Risk};

const HOME: &str = "https://api.fireworks.ai/inference/v1";

pub(crate) const CARD: Card = Card {
    name: "chatFireworks",
    label: "Fireworks AI",
    version: 2.0,
    category: Category::ChatModels,
    description: "Open models hosted by Fireworks AI.",
    base_classes: &[
        "ChatFireworks",
        "ChatOpenAICompletions",
        "BaseChatOpenAI",
        "BaseChatModel",
        "BaseLanguageModel",
        "Runnable",
    ],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["fireworksApi"]),
        CACHE,
        ANY_MODEL.or("accounts/fireworks/models/llama-v3p1-8b-instruct"),
        TEMPERATURE,
        STREAMING,
        BASE_PATH,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(model(inputs, HOME)?))),
};
