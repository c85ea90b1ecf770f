//! Google's Gemini models.

use crate::cards::kit::compatible::{CACHE, IMAGES, STREAMING, common_base};
use crate::cards::kit::{Card, Category, Choice, Input, Inputs, Make, Risk};
use crate::domain::error::Result;
use crate::llm::{GOOGLE_BASE, Google};
use serde_json::Value;

const LEVELS: &[Choice] = &[
    Choice { name: "LOW", label: "Low" },
    Choice { name: "MEDIUM", label: "Medium" },
    Choice { name: "HIGH", label: "High" },
];

/// The card.
pub const CARD: Card = Card {
    name: "chatGoogleGenerativeAI",
    label: "Google Gemini",
    version: 3.1,
    category: Category::ChatModels,
    description: "Google's Gemini models.",
    base_classes: &["ChatGoogleGenerativeAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
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
        Input::text("customModelName", "Custom Model Name")
            .additional()
            .help("Takes the place of Model Name."),
        Input::number("temperature", "Temperature", 0.0, 2.0).starting("0.9").optional(),
        STREAMING,
        IMAGES,
        Input::whole("thinkingBudget", "Thinking Budget", -1.0, 1_000_000.0)
            .additional()
            .help("Tokens for thinking; 0 is none, -1 leaves it to the model."),
        Input::choice("thinkingLevel", "Thinking Level", LEVELS)
            .additional()
            .help("Wins over Thinking Budget."),
        Input::whole("maxOutputTokens", "Max Output Tokens", 1.0, 10_000_000.0).additional(),
        Input::number("topP", "Top Probability", 0.0, 1.0).additional(),
        Input::whole("topK", "Top Next Highest Probability Tokens", 0.0, 10_000.0).additional(),
        Input::json("safetySettings", "Safety Settings")
            .additional()
            .lists()
            .help("Rows of harmCategory and harmBlockThreshold."),
        Input::address("baseUrl", "Base URL").additional(),
    ],
    outputs: &[],
    make: Make::ChatModel(|inputs| {
        let base = inputs.address("baseUrl").unwrap_or_else(|| GOOGLE_BASE.to_owned());
        let name = match inputs.maybe_text("customModelName") {
            Some(name) => name,
            None => inputs.text("modelName")?,
        };
        let mut model =
            Google::new(common_base(inputs, &base, Some(inputs.secret("googleGenerativeAPIKey")?))?, &name);
        model.temperature = inputs.number("temperature")?;
        model.max_tokens = inputs.whole("maxOutputTokens")?;
        model.top_p = inputs.number("topP")?;
        model.top_k = inputs.whole("topK")?;
        // The bounds of the input lie within what the cast keeps.
        model.thinking_tokens = inputs.number("thinkingBudget")?.map(|tokens| tokens as i64);
        model.thinking_level = inputs.maybe_text("thinkingLevel");
        model.safety = safety(inputs)?;
        model.images = inputs.switch("allowImageUploads");
        model.streaming = inputs.switch("streaming");
        Ok(Box::new(model))
    }),
};

/// Rows of category and threshold; the first row of a category counts, incomplete rows do not.
fn safety(inputs: &Inputs<'_>) -> Result<Vec<(String, String)>> {
    let rows = match inputs.json("safetySettings")? {
        None => Vec::new(),
        Some(Value::Array(rows)) => rows,
        Some(_) => return Err(inputs.wrong("safetySettings", "this must be a list of rows")),
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
