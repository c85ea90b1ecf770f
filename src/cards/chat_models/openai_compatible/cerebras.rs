//! Cerebras: open models at high speed.

use crate::kit::models::openai_compatible::{
    BASE_OPTIONS, BASE_PATH, CACHE, FREQUENCY_PENALTY, MAX_TOKENS, PRESENCE_PENALTY, STREAMING, TEMPERATURE,
    TIMEOUT, TOP_P, model,
};
use crate::kit::{Card, Category, Factory, Input, Risk};

const HOME: &str = "https://api.cerebras.ai/v1";

/// The provider asks programs to say who they are.
const INTEGRATION: (&str, &str) = ("X-Cerebras-3rd-Party-Integration", "flowkeep");

pub(crate) const CARD: Card = Card {
    name: "chatCerebras",
    label: "Cerebras",
    version: 3.0,
    category: Category::ChatModels,
    description: "Open models on Cerebras's hardware.",
    base_classes: &["ChatCerebras", "BaseChatOpenAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["cerebrasAIApi"]).optional(),
        CACHE,
        Input::model(&["llama3.1-8b", "llama-3.3-70b", "gpt-oss-120b", "qwen-3-32b"]).or("llama3.1-8b"),
        TEMPERATURE,
        STREAMING,
        MAX_TOKENS,
        TOP_P,
        FREQUENCY_PENALTY,
        PRESENCE_PENALTY,
        TIMEOUT,
        BASE_PATH.or(HOME),
        BASE_OPTIONS,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let mut model = model(inputs, HOME)?;
        let (name, value) = INTEGRATION;
        // First, so that a header of the owner's wins over it.
        model.endpoint.headers.insert(0, (name.to_owned(), value.to_owned()));
        Ok(Box::new(model))
    }),
};
