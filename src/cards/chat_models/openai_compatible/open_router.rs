//! OpenRouter: one key for the models of many providers.

use crate::kit::models::openai_compatible::{
    ANY_MODEL, BASE_OPTIONS, BASE_PATH, CACHE, FREQUENCY_PENALTY, IMAGES, MAX_TOKENS, PRESENCE_PENALTY,
    STREAMING, TEMPERATURE, TIMEOUT, TOP_P, model,
};
use crate::kit::{Card, Category, Factory, Input, Risk};

const HOME: &str = "https://openrouter.ai/api/v1";

pub(crate) const CARD: Card = Card {
    name: "chatOpenRouter",
    label: "OpenRouter",
    version: 1.0,
    category: Category::ChatModels,
    description: "Models of many providers behind one OpenRouter key.",
    base_classes: &["ChatOpenRouter", "BaseChatOpenAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["openRouterApi"]).optional(),
        CACHE,
        ANY_MODEL,
        TEMPERATURE,
        STREAMING,
        IMAGES,
        MAX_TOKENS,
        TOP_P,
        FREQUENCY_PENALTY,
        PRESENCE_PENALTY,
        TIMEOUT,
        BASE_PATH.or(HOME),
        BASE_OPTIONS,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(model(inputs, HOME)?))),
};
