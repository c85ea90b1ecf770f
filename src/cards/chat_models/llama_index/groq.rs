//! ChatGroq for engines.

use super::CHAT_MODEL;
use crate::chat_models::openai_compatible::groq::HOME;
use crate::kit::models::openai_compatible::{BASE_PATH, MAX_TOKENS, TEMPERATURE, model};
use crate::kit::{Card, Category, Factory, Input, Risk};

pub(crate) const CARD: Card = Card {
    name: "chatGroq_LlamaIndex",
    label: "ChatGroq",
    version: 1.0,
    category: Category::ChatModels,
    description: "Open models on Groq's hardware, for engines.",
    base_classes: &["ChatGroq", CHAT_MODEL],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["groqApi"]).optional(),
        Input::model(&["llama-3.3-70b-versatile", "llama-3.1-8b-instant", "openai/gpt-oss-20b"]),
        TEMPERATURE,
        MAX_TOKENS,
        BASE_PATH,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(model(inputs, HOME)?))),
};
