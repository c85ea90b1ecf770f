//! Perplexity: models that search the web.

use crate::kit::models::openai_compatible::{
    CACHE, FREQUENCY_PENALTY, MAX_TOKENS, PRESENCE_PENALTY, STREAMING, TEMPERATURE, TIMEOUT, TOP_K, TOP_P,
    model,
};
use crate::kit::{Card, Category, Factory, Input, Risk};

const HOME: &str = "https://api.perplexity.ai";

pub(crate) const CARD: Card = Card {
    name: "chatPerplexity",
    label: "Perplexity",
    version: 0.1,
    category: Category::ChatModels,
    description: "Perplexity's models, which search the web before they answer.",
    base_classes: &["ChatPerplexity", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["perplexityApi"]),
        CACHE,
        Input {
            name: "model",
            ..Input::model(&["sonar", "sonar-pro", "sonar-reasoning-pro", "sonar-deep-research"])
        }
        .or("sonar"),
        TEMPERATURE.starting("1"),
        STREAMING,
        MAX_TOKENS,
        TOP_P,
        TOP_K,
        PRESENCE_PENALTY,
        FREQUENCY_PENALTY,
        TIMEOUT,
        Input::address("proxyUrl", "Proxy Url")
            .additional()
            .help("An address that stands in for the provider's."),
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let mut model = model(inputs, HOME)?;
        // Every event of its streams counts tokens unasked.
        model.usage_in_stream = false;
        if let Some(most) = inputs.whole(TOP_K.name)? {
            model.extra.insert("top_k".into(), most.into());
        }
        Ok(Box::new(model))
    }),
};
