//! LocalAI: models on a machine of your own, behind OpenAI's protocol.

use crate::kit::models::openai_compatible::{
    ANY_MODEL, CACHE, MAX_TOKENS, SERVER, STREAMING, TEMPERATURE, TIMEOUT, TOP_P, model_at_server,
};
use crate::kit::{Card, Category, Factory, Input, Risk};

pub(crate) const CARD: Card = Card {
    name: "chatLocalAI",
    label: "LocalAI",
    version: 3.0,
    category: Category::ChatModels,
    description: "Models served by LocalAI on a machine of your own.",
    base_classes: &["ChatLocalAI", "BaseChatModel", "BaseChatOpenAI", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["localAIApi"]).optional(),
        CACHE,
        SERVER,
        ANY_MODEL,
        TEMPERATURE,
        STREAMING,
        MAX_TOKENS,
        TOP_P,
        TIMEOUT,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(model_at_server(inputs)?))),
};
