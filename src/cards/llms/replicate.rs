//! Replicate: models of all kinds, each with inputs of its own.

use crate::domain::error::Result;
use crate::kit::models::openai_compatible::{
    BASE_PATH, CACHE, MAX_TOKENS, TEMPERATURE, TOP_P, address, endpoint,
};
use crate::kit::{Card, Category, Factory, Input, Inputs, Risk};
use crate::llm::{REPLICATE_BASE, Replicate};
use serde_json::{Map, Value};

pub(crate) const CARD: Card = Card {
    name: "replicate",
    label: "Replicate",
    version: 2.0,
    category: Category::Llms,
    description: "Runs a model at Replicate. A model that draws answers with the address of its picture.",
    base_classes: &["Replicate", "BaseChatModel", "LLM", "BaseLLM", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["replicateApi"]),
        CACHE,
        Input::text("model", "Model").optional().help("As owner/name, or owner/name:version."),
        TEMPERATURE.starting("0.7"),
        MAX_TOKENS,
        TOP_P,
        Input::number("repetitionPenalty", "Repetition Penalty", 0.0, 100.0).additional(),
        Input::json("additionalInputs", "Additional Inputs")
            .additional()
            .help("What the model is given besides, by the names it has for its inputs."),
        BASE_PATH,
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let base = address(inputs).unwrap_or_else(|| REPLICATE_BASE.to_owned());
        Ok(Box::new(Replicate {
            endpoint: endpoint(inputs, &base, REPLICATE_BASE)?,
            model: name(inputs)?,
            input: model_inputs(inputs)?,
        }))
    }),
};

/// A name that can stand in an address: a request may set it, and it must lead to no other place.
fn name(inputs: &Inputs<'_>) -> Result<String> {
    let model = inputs.optional_text("model").unwrap_or_default();
    let (path, version) = model.split_once(':').unwrap_or((&model, ""));
    let is_name = |part: &str| {
        part.chars().any(char::is_alphanumeric)
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    let named = path.split_once('/').is_some_and(|(owner, name)| is_name(owner) && is_name(name));
    if !named || !version.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Err(inputs.input_error("model", "this must be owner/name or owner/name:version"));
    }
    Ok(model)
}

fn model_inputs(inputs: &Inputs<'_>) -> Result<Map<String, Value>> {
    let mut given = Map::new();
    for (input, name) in
        [("temperature", "temperature"), ("topP", "top_p"), ("repetitionPenalty", "repetition_penalty")]
    {
        if let Some(number) = inputs.number(input)? {
            given.insert(name.to_owned(), number.into());
        }
    }
    if let Some(most) = inputs.whole("maxTokens")? {
        given.insert("max_length".to_owned(), most.into());
    }
    given.extend(inputs.object("additionalInputs")?);
    Ok(given)
}
