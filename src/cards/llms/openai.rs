//! OpenAI's older models, which complete a text.

use crate::domain::error::Result;
use crate::kit::models::openai_compatible::{
    BASE_OPTIONS, BASE_PATH, CACHE, FREQUENCY_PENALTY, MAX_TOKENS, PRESENCE_PENALTY, TEMPERATURE, TIMEOUT,
    TOP_P, address, endpoint,
};
use crate::kit::{Card, Category, Factory, Input, Inputs, Risk};
use crate::llm::{Completions, Endpoint, KeyStyle, OPENAI_BASE};
use serde_json::{Map, Value};

/// Tokens of an answer when the owner set none: the protocol's own default of 16 ends in the middle of a sentence.
const MAX_TOKENS_DEFAULT: u64 = 256;

pub(super) const BEST_OF: Input = Input::whole("bestOf", "Best Of", 1.0, 20.0)
    .additional()
    .help("Takes the best of so many answers; more than one cannot be streamed.");

pub(crate) const CARD: Card = Card {
    name: "openAI",
    label: "OpenAI",
    version: 4.0,
    category: Category::Llms,
    description: "OpenAI's older models, which complete a text.",
    base_classes: &["OpenAI", "BaseLLM", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["openAIApi"]),
        CACHE,
        Input::model(&["gpt-3.5-turbo-instruct", "babbage-002", "davinci-002"]).or("gpt-3.5-turbo-instruct"),
        TEMPERATURE.starting("0.7"),
        MAX_TOKENS,
        TOP_P,
        BEST_OF,
        FREQUENCY_PENALTY,
        PRESENCE_PENALTY,
        Input::whole("batchSize", "Batch Size", 1.0, 2_048.0)
            .additional()
            .help("Kept for canvases drawn elsewhere: a flow asks one question at a time."),
        TIMEOUT,
        BASE_PATH,
        BASE_OPTIONS,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let base = address(inputs).unwrap_or_else(|| OPENAI_BASE.to_owned());
        Ok(Box::new(completions(inputs, endpoint(inputs, &base, OPENAI_BASE)?)?))
    }),
};

/// The model with the settings that all cards over this protocol have.
///
/// # Errors
/// When an input does not fit its declaration.
pub(super) fn completions(inputs: &Inputs<'_>, endpoint: Endpoint) -> Result<Completions> {
    let mut settings: Map<String, Value> = Map::new();
    for (input, setting) in [
        (TEMPERATURE, "temperature"),
        (TOP_P, "top_p"),
        (FREQUENCY_PENALTY, "frequency_penalty"),
        (PRESENCE_PENALTY, "presence_penalty"),
    ] {
        if let Some(number) = inputs.number(input.name)? {
            settings.insert(setting.to_owned(), number.into());
        }
    }
    let most = inputs.whole(MAX_TOKENS.name)?.unwrap_or(MAX_TOKENS_DEFAULT);
    settings.insert("max_tokens".to_owned(), most.into());
    if let Some(best_of) = inputs.whole(BEST_OF.name)? {
        settings.insert("best_of".to_owned(), best_of.into());
    }
    let model = inputs.text("modelName")?;
    Ok(Completions { endpoint, key_style: KeyStyle::Bearer, model, settings, usage_in_stream: true })
}
