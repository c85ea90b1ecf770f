//! Hugging Face: models that generate text, on its servers or behind an endpoint of your own.

use crate::domain::error::Result;
use crate::kit::models::openai_compatible::{
    CACHE, FREQUENCY_PENALTY, MAX_TOKENS, TOP_P, address, common_base,
};
use crate::kit::{Card, Category, Factory, Input, Inputs, Risk};
use crate::llm::{HUGGING_FACE_MODELS, TextGeneration};
use serde_json::{Map, Value};

pub(crate) const CARD: Card = Card {
    name: "huggingFaceInference_LLMs",
    label: "HuggingFace Inference",
    version: 2.0,
    category: Category::Llms,
    description: "Text generation on Hugging Face, or behind an inference endpoint of your own.",
    base_classes: &["HuggingFaceInference", "LLM", "BaseLLM", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["huggingFaceApi"]),
        CACHE,
        Input::text("model", "Model").optional().help("Its name on the hub; not needed with an endpoint."),
        Input::address("endpoint", "Endpoint").optional().help("An inference endpoint of your own."),
        Input::number("temperature", "Temperature", 0.0, 100.0).additional(),
        MAX_TOKENS,
        TOP_P,
        Input::whole("hfTopK", "Top K", 0.0, 10_000.0).additional(),
        FREQUENCY_PENALTY.help("Sent as the repetition penalty."),
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let key = inputs.secret("huggingFaceApiKey")?;
        let model = inputs.optional_text("model").unwrap_or_default();
        let base = match address(inputs) {
            Some(address) => address,
            None => format!("{HUGGING_FACE_MODELS}/{}", name_in_address(inputs, "model", &model)?),
        };
        Ok(Box::new(TextGeneration {
            endpoint: common_base(inputs, &base, Some(key))?,
            model,
            parameters: parameters(inputs)?,
        }))
    }),
};

/// A name that can stand in an address: a request may set it in the input `input`, and it must lead to no other place.
///
/// # Errors
/// When it cannot.
pub(crate) fn name_in_address<'a>(inputs: &Inputs<'_>, input: &str, model: &'a str) -> Result<&'a str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if model.is_empty() || model.contains("..") || !model.chars().all(fits) {
        return Err(inputs.input_error(input, "this must be the name of a model, such as owner/model"));
    }
    Ok(model)
}

fn parameters(inputs: &Inputs<'_>) -> Result<Map<String, Value>> {
    let mut parameters = Map::new();
    for (input, parameter) in
        [("temperature", "temperature"), ("topP", "top_p"), ("frequencyPenalty", "repetition_penalty")]
    {
        if let Some(number) = inputs.number(input)? {
            parameters.insert(parameter.to_owned(), number.into());
        }
    }
    for (input, parameter) in [("maxTokens", "max_new_tokens"), ("hfTopK", "top_k")] {
        if let Some(number) = inputs.whole(input)? {
            parameters.insert(parameter.to_owned(), number.into());
        }
    }
    Ok(parameters)
}
