//! Mistral's models.

use crate::kit::models::openai_compatible::{
    CACHE, STREAMING, TEMPERATURE, TOP_P, address, endpoint, with_settings, with_version,
};
use crate::kit::{Card, Category, Factory, Input, Risk};

const HOME: &str = "https://api.mistral.ai/v1";

pub(crate) const CARD: Card = Card {
    name: "chatMistralAI",
    label: "MistralAI",
    version: 4.0,
    category: Category::ChatModels,
    description: "Mistral's models.",
    base_classes: &["ChatMistralAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["mistralAIApi"]),
        CACHE,
        Input::model(&[
            "mistral-tiny",
            "mistral-small-latest",
            "mistral-medium-latest",
            "mistral-large-latest",
            "codestral-latest",
            "magistral-medium-latest",
        ])
        .or("mistral-tiny"),
        TEMPERATURE,
        STREAMING,
        Input::whole("maxOutputTokens", "Max Output Tokens", 1.0, 10_000_000.0).additional(),
        TOP_P,
        Input::whole("randomSeed", "Random Seed", 0.0, 4_294_967_295.0)
            .additional()
            .help("The same seed gives the same answer to the same question."),
        Input::switch("safeMode", "Safe Mode")
            .additional()
            .help("Puts the provider's own safety instructions first."),
        Input::address("overrideEndpoint", "Override Endpoint").additional(),
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let base = address(inputs).map_or_else(|| HOME.to_owned(), |address| with_version(&address));
        let mut model = with_settings(inputs, endpoint(inputs, &base, HOME)?)?;
        // It refuses fields it does not know, and counts tokens in every stream unasked.
        model.usage_in_stream = false;
        model.max_tokens = inputs.whole("maxOutputTokens")?;
        if let Some(seed) = inputs.whole("randomSeed")? {
            model.extra.insert("random_seed".into(), seed.into());
        }
        if inputs.switch("safeMode") {
            model.extra.insert("safe_prompt".into(), true.into());
        }
        Ok(Box::new(model))
    }),
};
