//! CometAPI: one key for the models of many providers.

use crate::kit::models::openai_compatible::{
    ANY_MODEL, BASE_OPTIONS, BASE_PATH, CACHE, FREQUENCY_PENALTY, MAX_TOKENS, PRESENCE_PENALTY, STREAMING,
    TEMPERATURE, TOP_P, model,
};
use crate::kit::{Card, Category, Factory, Input, Risk};

const HOME: &str = "https://api.cometapi.com/v1";

pub(crate) const CARD: Card = Card {
    name: "chatCometAPI",
    label: "Comet",
    version: 1.0,
    category: Category::ChatModels,
    description: "Models of many providers behind one CometAPI key.",
    base_classes: &["ChatCometAPI", "BaseChatOpenAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["cometApi"]),
        CACHE,
        ANY_MODEL.or("gpt-5-mini"),
        TEMPERATURE.starting("0.7"),
        STREAMING,
        MAX_TOKENS,
        TOP_P,
        FREQUENCY_PENALTY,
        PRESENCE_PENALTY,
        BASE_PATH,
        BASE_OPTIONS,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| Ok(Box::new(model(inputs, HOME)?))),
};
