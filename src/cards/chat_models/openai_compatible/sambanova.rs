//! SambaNova: open models.

use crate::kit::models::openai_compatible::{
    ANY_MODEL, BASE_OPTIONS, BASE_PATH, CACHE, STREAMING, TEMPERATURE, address, endpoint, with_settings,
};
use crate::kit::{Card, Category, Factory, Input, Risk};

const HOME: &str = "https://api.sambanova.ai/v1";

/// What canvases drawn elsewhere hold where nobody changed the address: misspelled, and it can only mean the provider's.
const MISSPELLED: &str = "htps://api.sambanova.ai/v1";

pub(crate) const CARD: Card = Card {
    name: "chatSambanova",
    label: "SambaNova",
    version: 1.0,
    category: Category::ChatModels,
    description: "Open models on SambaNova's hardware.",
    base_classes: &["ChatSambanova", "BaseChatOpenAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["sambanovaApi"]),
        CACHE,
        ANY_MODEL.or("Meta-Llama-3.3-70B-Instruct"),
        TEMPERATURE,
        STREAMING,
        BASE_PATH.or(HOME),
        BASE_OPTIONS,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let base = address(inputs).filter(|base| base != MISSPELLED).unwrap_or_else(|| HOME.to_owned());
        Ok(Box::new(with_settings(inputs, endpoint(inputs, &base, HOME)?)?))
    }),
};
