//! NVIDIA NIM: models in containers, hosted or of your own.

use crate::kit::models::openai_compatible::{
    ANY_MODEL, BASE_OPTIONS, CACHE, FREQUENCY_PENALTY, MAX_TOKENS, PRESENCE_PENALTY, SERVER, STREAMING,
    TEMPERATURE, TIMEOUT, TOP_P, model_at_server,
};
use crate::kit::{Card, Category, Factory, Input, Risk};

pub(crate) const CARD: Card = Card {
    name: "chatNvidiaNIM",
    label: "Nvidia NIM",
    version: 1.1,
    category: Category::ChatModels,
    description: "Models served by NVIDIA NIM containers.",
    base_classes: &["ChatNvidiaNIM", "BaseChatOpenAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["nvidiaNIMApi"]).optional(),
        CACHE,
        ANY_MODEL,
        SERVER,
        TEMPERATURE,
        STREAMING,
        MAX_TOKENS,
        TOP_P,
        FREQUENCY_PENALTY,
        PRESENCE_PENALTY,
        TIMEOUT,
        BASE_OPTIONS,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(model_at_server(inputs)?))),
};
