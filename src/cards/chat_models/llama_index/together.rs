//! ChatTogetherAI for engines.

use super::CHAT_MODEL;
use crate::chat_models::openai_compatible::together::HOME;
use crate::kit::models::openai_compatible::{ANY_MODEL, BASE_PATH, TEMPERATURE, model};
use crate::kit::{Card, Category, Factory, Input, Risk};

pub(crate) const CARD: Card = Card {
    name: "chatTogetherAI_LlamaIndex",
    label: "ChatTogetherAI",
    version: 1.0,
    category: Category::ChatModels,
    description: "Open models hosted by Together AI, for engines.",
    base_classes: &["ChatTogetherAI", CHAT_MODEL],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::credential(&["togetherAIApi"]), ANY_MODEL, TEMPERATURE, BASE_PATH],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(model(inputs, HOME)?))),
};
