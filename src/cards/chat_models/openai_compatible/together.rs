//! Together AI: open models.

use crate::kit::models::openai_compatible::{ANY_MODEL, BASE_PATH, CACHE, STREAMING, TEMPERATURE, model};
use crate::kit::{Card, Category, Factory, Input, Risk};

pub(crate) const HOME: &str = "https://api.together.xyz/v1";

pub(crate) const CARD: Card = Card {
    name: "chatTogetherAI",
    label: "TogetherAI",
    version: 2.0,
    category: Category::ChatModels,
    description: "Open models hosted by Together AI.",
    base_classes: &[
        "ChatTogetherAI",
        "ChatOpenAICompletions",
        "BaseChatOpenAI",
        "BaseChatModel",
        "BaseLanguageModel",
        "Runnable",
    ],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::credential(&["togetherAIApi"]), CACHE, ANY_MODEL, TEMPERATURE, STREAMING, BASE_PATH],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(model(inputs, HOME)?))),
};
