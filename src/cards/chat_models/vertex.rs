//! Gemini models of a project at Google Cloud.

use crate::cards::kit::compatible::{CACHE, IMAGES, STREAMING};
use crate::cards::kit::vertex::{BASE_URL, REGION, endpoint};
use crate::cards::kit::{Card, Category, Choice, Input, Make, Risk};
use crate::llm::Google;

const LEVELS: &[Choice] =
    &[Choice::of("LOW", "Low"), Choice::of("MEDIUM", "Medium"), Choice::of("HIGH", "High")];

/// The card.
pub const CARD: Card = Card {
    name: "chatGoogleVertexAI",
    label: "Google VertexAI",
    version: 5.3,
    category: Category::ChatModels,
    description: "Gemini models of a project at Google Cloud.",
    base_classes: &["ChatGoogleVertexAI", "ChatVertexAI", "BaseChatModel", "BaseLanguageModel", "Runnable"],
    risk: Risk::Safe,
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
        BASE_URL,
    ],
    outputs: &[],
    make: Make::ChatModel(|inputs| {
        let (endpoint, root) = endpoint(inputs)?;
        let custom = inputs.maybe_text("customModelName").filter(|name| !name.trim().is_empty());
        let name = match custom {
            Some(name) => name,
            None => inputs.text("modelName")?,
        };
        let mut model = Google::new(endpoint, &name);
        model.root = root;
        model.temperature = inputs.number("temperature")?;
        model.max_tokens = inputs.whole("maxOutputTokens")?;
        model.top_p = inputs.number("topP")?;
        model.top_k = inputs.whole("topK")?;
        // The bounds of the input lie within what the cast keeps.
        model.thinking_tokens = inputs.number("thinkingBudget")?.map(|tokens| tokens as i64);
        model.thinking_level = inputs.maybe_text("thinkingLevel");
        model.images = inputs.switch("allowImageUploads");
        model.streaming = inputs.switch("streaming");
        Ok(Box::new(model))
    }),
};
