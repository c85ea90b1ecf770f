//! Gemini models of a project at Google Cloud.

use super::google::{
    CUSTOM_NAME, MAX_TOKENS, TEMPERATURE, THINKING_BUDGET, THINKING_LEVEL, TOP_K, TOP_P, model,
};
use crate::kit::models::openai_compatible::{CACHE, IMAGES, STREAMING};
use crate::kit::web::vertex::{BASE_URL, REGION, endpoint};
use crate::kit::{Card, Category, Factory, Input, Risk};

pub(crate) const CARD: Card = Card {
    name: "chatGoogleVertexAI",
    label: "Google VertexAI",
    version: 5.3,
    category: Category::ChatModels,
    description: "Gemini models of a project at Google Cloud.",
    base_classes: &["ChatGoogleVertexAI", "ChatVertexAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["googleVertexAuth"])
            .optional()
            .help("The JSON key of a service account. This server's own rights are not lent to flows."),
        CACHE,
        REGION,
        Input::model(&[
            "gemini-2.5-flash",
            "gemini-2.5-flash-lite",
            "gemini-2.5-pro",
            "gemini-3-flash-preview",
            "gemini-3.1-pro-preview",
        ])
        .or("gemini-2.5-flash"),
        CUSTOM_NAME,
        TEMPERATURE,
        STREAMING,
        IMAGES,
        THINKING_BUDGET,
        THINKING_LEVEL,
        MAX_TOKENS,
        TOP_P,
        TOP_K,
        BASE_URL,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let (endpoint, root) = endpoint(inputs)?;
        let mut model = model(inputs, endpoint)?;
        model.root = root;
        Ok(Box::new(model))
    }),
};
