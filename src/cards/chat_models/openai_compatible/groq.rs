//! Groq: open models at high speed.

use crate::kit::models::openai_compatible::{BASE_PATH, CACHE, MAX_TOKENS, STREAMING, TEMPERATURE, model};
use crate::kit::{Card, Category, Factory, Input, Risk};

pub(crate) const HOME: &str = "https://api.groq.com/openai/v1";

pub(crate) const CARD: Card = Card {
    name: "groqChat",
    label: "Groq",
    version: 4.0,
    category: Category::ChatModels,
    description: "Open models on Groq's hardware.",
    base_classes: &["GroqChat", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["groqApi"]).optional(),
        CACHE,
        Input::model(&[
            "llama-3.3-70b-versatile",
            "llama-3.1-8b-instant",
            "openai/gpt-oss-120b",
            "openai/gpt-oss-20b",
        ]),
        TEMPERATURE,
        STREAMING,
        MAX_TOKENS,
        BASE_PATH,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(model(inputs, HOME)?))),
};
