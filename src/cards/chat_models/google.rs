//! Google's Gemini models.

use crate::domain::error::Result;
use crate::kit::models::openai_compatible::{CACHE, IMAGES, STREAMING, common_base};
use crate::kit::{Card, Category, Choice, Factory, Input, Inputs, JsonShape, Risk};
use crate::llm::{Endpoint, GOOGLE_BASE, Google};
use serde_json::Value;

const LEVELS: &[Choice] = &[
    Choice { name: "LOW", label: "Low" },
    Choice { name: "MEDIUM", label: "Medium" },
    Choice { name: "HIGH", label: "High" },
];

// What every card of these models has, whoever serves them.
pub(super) const CUSTOM_NAME: Input =
    Input::text("customModelName", "Custom Model Name").additional().help("Takes the place of Model Name.");
pub(super) const TEMPERATURE: Input =
    Input::number("temperature", "Temperature", 0.0, 2.0).starting("0.9").optional();
pub(super) const THINKING_BUDGET: Input =
    Input::whole("thinkingBudget", "Thinking Budget", -1.0, 1_000_000.0)
        .additional()
        .help("Tokens for thinking; 0 is none, -1 leaves it to the model.");
pub(super) const THINKING_LEVEL: Input =
    Input::choice("thinkingLevel", "Thinking Level", LEVELS).additional().help("Wins over Thinking Budget.");
pub(super) const MAX_TOKENS: Input =
    Input::whole("maxOutputTokens", "Max Output Tokens", 1.0, 10_000_000.0).additional();
pub(super) const TOP_P: Input = Input::number("topP", "Top Probability", 0.0, 1.0).additional();
pub(super) const TOP_K: Input =
    Input::whole("topK", "Top Next Highest Probability Tokens", 0.0, 10_000.0).additional();

/// The model that these inputs describe, at this endpoint.
///
/// # Errors
/// When an input does not fit its declaration.
pub(super) fn model(inputs: &Inputs<'_>, endpoint: Endpoint) -> Result<Google> {
    let name = inputs.custom_or_text(CUSTOM_NAME.name, "modelName")?;
    let mut model = Google::new(endpoint, &name);
    model.temperature = inputs.number(TEMPERATURE.name)?;
    model.max_tokens = inputs.whole(MAX_TOKENS.name)?;
    model.top_p = inputs.number(TOP_P.name)?;
    model.top_k = inputs.whole(TOP_K.name)?;
    // The range of the input lies within what the cast keeps.
    model.thinking_tokens = inputs.number(THINKING_BUDGET.name)?.map(|tokens| tokens as i64);
    model.thinking_level = inputs.optional_text(THINKING_LEVEL.name);
    model.images = inputs.switch(IMAGES.name);
    model.streaming = inputs.switch(STREAMING.name);
    Ok(model)
}

pub(crate) const CARD: Card = Card {
    name: "chatGoogleGenerativeAI",
    label: "Google Gemini",
    version: 3.1,
    category: Category::ChatModels,
    description: "Google's Gemini models.",
    base_classes: &["ChatGoogleGenerativeAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["googleGenerativeAI"]),
        CACHE,
        Input::model(&[
            "gemini-2.5-flash",
            "gemini-2.5-flash-lite",
            "gemini-2.5-pro",
            "gemini-3-flash-preview",
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
        Input::json("safetySettings", "Safety Settings")
            .shape(JsonShape::Rows(&["harmCategory", "harmBlockThreshold"]))
            .additional()
            .lists()
            .help("Rows of harmCategory and harmBlockThreshold."),
        Input::address("baseUrl", "Base URL").additional(),
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let base = inputs.address("baseUrl").unwrap_or_else(|| GOOGLE_BASE.to_owned());
        let key = inputs.secret("googleGenerativeAPIKey")?;
        let mut model = model(inputs, common_base(inputs, &base, Some(key))?)?;
        model.safety = safety(inputs)?;
        Ok(Box::new(model))
    }),
};

/// Rows of category and threshold; the first row of a category counts, incomplete rows do not.
fn safety(inputs: &Inputs<'_>) -> Result<Vec<(String, String)>> {
    let rows = match inputs.json("safetySettings")? {
        None => Vec::new(),
        Some(Value::Array(rows)) => rows,
        Some(_) => return Err(inputs.input_error("safetySettings", "this must be a list of rows")),
    };
    let mut pairs: Vec<(String, String)> = Vec::new();
    for row in &rows {
        let field = |name: &str| row.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let (Some(category), Some(threshold)) = (field("harmCategory"), field("harmBlockThreshold")) else {
            continue;
        };
        if !pairs.iter().any(|(known, _)| known == category) {
            pairs.push((category.to_owned(), threshold.to_owned()));
        }
    }
    Ok(pairs)
}
