//! LiteLLM: a proxy in front of many providers.

use crate::kit::models::openai_compatible::{
    ANY_MODEL, CACHE, IMAGES, MAX_TOKENS, SERVER, STREAMING, TEMPERATURE, TIMEOUT, TOP_P, model_at_server,
};
use crate::kit::{Card, Category, Factory, Input, Risk};

pub(crate) const CARD: Card = Card {
    name: "chatLitellm",
    label: "LiteLLM",
    version: 2.0,
    category: Category::ChatModels,
    description: "Models behind a LiteLLM proxy.",
    base_classes: &["ChatLitellm", "BaseChatModel", "BaseChatOpenAI", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["litellmApi"]).optional(),
        CACHE,
        SERVER,
        ANY_MODEL,
        TEMPERATURE,
        STREAMING,
        IMAGES,
        MAX_TOKENS,
        TOP_P,
        TIMEOUT,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(model_at_server(inputs)?))),
};
