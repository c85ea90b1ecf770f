//! Tools that the provider of the model runs itself.

use crate::cards::kit::schema::input::parse_names;
use crate::cards::kit::{Choice, Input, Inputs, Model};
use crate::domain::error::Result;
use crate::llm::ProviderTool;

const OPENAI_CARD: &str = "chatOpenAI";
const GEMINI_CARD: &str = "chatGoogleGenerativeAI";
const ANTHROPIC_CARD: &str = "chatAnthropic";

const OPENAI: &str = "agentToolsBuiltInOpenAI";
const GEMINI: &str = "agentToolsBuiltInGemini";
const ANTHROPIC: &str = "agentToolsBuiltInAnthropic";

/// The inputs; which one is shown depends on the card that the model is picked from.
pub(super) const fn inputs(model: &'static str) -> [Input; 3] {
    [
        Input::choices(OPENAI, "OpenAI Built-in Tools", OPENAI_TOOLS)
            .optional()
            .when(model, OPENAI_CARD)
            .help("They need an API of OpenAI that this server does not speak: leave them out here."),
        Input::choices(GEMINI, "Gemini Built-in Tools", GEMINI_TOOLS).optional().when(model, GEMINI_CARD),
        Input::choices(ANTHROPIC, "Anthropic Built-in Tools", ANTHROPIC_TOOLS)
            .optional()
            .when(model, ANTHROPIC_CARD),
    ]
}

const OPENAI_TOOLS: &[Choice] = &[
    Choice::new("web_search_preview", "Web Search"),
    Choice::new("code_interpreter", "Code Interpreter"),
    Choice::new("image_generation", "Image Generation"),
];

const GEMINI_TOOLS: &[Choice] = &[
    Choice::new("urlContext", "URL Context"),
    Choice::new("googleSearch", "Google Search"),
    Choice::new("codeExecution", "Code Execution"),
];

const ANTHROPIC_TOOLS: &[Choice] =
    &[Choice::new("web_search_20250305", "Web Search"), Choice::new("web_fetch_20250910", "Web Fetch")];

/// The tools that are chosen for this model. A choice that was made for another one, which the card had before, counts for
/// nothing.
///
/// # Errors
/// When they cannot be had here.
pub(super) fn chosen(inputs: &Inputs<'_>, model_input: &str, model: &Model) -> Result<Vec<ProviderTool>> {
    let names = |input: &str| inputs.any(input).and_then(parse_names).unwrap_or_default();
    let card = inputs.picked(model_input).and_then(|picked| picked.picked);
    if card == Some(OPENAI_CARD) && !names(OPENAI).is_empty() {
        let why = "these tools need OpenAI's Responses API, which this server does not speak; choose none";
        return Err(inputs.input_error(OPENAI, why));
    }
    let named = names(GEMINI).into_iter().chain(names(ANTHROPIC));
    let tools = named.filter_map(|name| tool(&name));
    Ok(tools.filter(|&tool| model.takes_provider_tool(tool)).collect())
}

fn tool(name: &str) -> Option<ProviderTool> {
    Some(match name {
        "urlContext" => ProviderTool::GoogleUrlContext,
        "googleSearch" => ProviderTool::GoogleSearch,
        "codeExecution" => ProviderTool::GoogleCodeExecution,
        "web_search_20250305" => ProviderTool::AnthropicWebSearch,
        "web_fetch_20250910" => ProviderTool::AnthropicWebFetch,
        _ => return None,
    })
}
