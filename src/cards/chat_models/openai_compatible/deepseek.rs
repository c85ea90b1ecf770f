//! DeepSeek's models.

use crate::kit::models::openai_compatible::{
    BASE_OPTIONS, BASE_PATH, CACHE, FREQUENCY_PENALTY, MAX_TOKENS, PRESENCE_PENALTY, STOP_SEQUENCE,
    STREAMING, TEMPERATURE, TIMEOUT, TOP_P, model,
};
use crate::kit::{Card, Category, Factory, Input, Risk};
use serde_json::json;

const HOME: &str = "https://api.deepseek.com";

pub(crate) const CARD: Card = Card {
    name: "chatDeepseek",
    label: "Deepseek",
    version: 1.0,
    category: Category::ChatModels,
    description: "DeepSeek's models, with or without thinking.",
    base_classes: &[
        "chatDeepseek",
        "ChatOpenAICompletions",
        "BaseChatOpenAI",
        "BaseChatModel",
        "BaseLanguageModel",
        "Runnable",
    ],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["deepseekApi"]),
        CACHE,
        Input::model(&["deepseek-chat", "deepseek-reasoner"]).or("deepseek-chat"),
        TEMPERATURE.starting("0.7"),
        STREAMING,
        MAX_TOKENS,
        TOP_P,
        FREQUENCY_PENALTY,
        PRESENCE_PENALTY,
        TIMEOUT,
        STOP_SEQUENCE,
        Input::switch("thinking", "Thinking").additional(),
        BASE_PATH,
        BASE_OPTIONS,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let mut model = model(inputs, HOME)?;
        if inputs.switch("thinking") {
            model.extra.insert("thinking".into(), json!({"type": "enabled"}));
        }
        Ok(Box::new(model))
    }),
};
