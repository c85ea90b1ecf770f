//! Hugging Face: chat models through its router, or an endpoint of your own.

use crate::kit::models::openai_compatible::{
    ANY_MODEL, CACHE, FREQUENCY_PENALTY, MAX_TOKENS, STOP_SEQUENCE, TOP_P, address, endpoint, with_settings,
    with_version,
};
use crate::kit::{Card, Category, Factory, Input, Risk};

const HOME: &str = "https://router.huggingface.co/v1";

pub(crate) const CARD: Card = Card {
    name: "chatHuggingFace",
    label: "HuggingFace",
    version: 3.0,
    category: Category::ChatModels,
    description: "Chat models behind Hugging Face's router, or an inference endpoint of your own.",
    base_classes: &["ChatHuggingFace", "BaseChatModel", "LLM", "BaseLLM", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["huggingFaceApi"]),
        CACHE,
        Input { name: "model", ..ANY_MODEL },
        Input::address("endpoint", "Endpoint").optional().help("An inference endpoint of your own."),
        Input::number("temperature", "Temperature", 0.0, 2.0).additional(),
        MAX_TOKENS,
        TOP_P,
        Input::whole("hfTopK", "Top K", 0.0, 10_000.0)
            .additional()
            .help("Kept for canvases drawn elsewhere: the protocol has no such setting."),
        FREQUENCY_PENALTY,
        Input { name: "stop", ..STOP_SEQUENCE },
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let base = address(inputs).map_or_else(|| HOME.to_owned(), |address| with_version(&address));
        Ok(Box::new(with_settings(inputs, endpoint(inputs, &base, HOME)?)?))
    }),
};
