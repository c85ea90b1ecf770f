//! Tools that the provider of the model runs itself.

use crate::kit::schema::input::parse_names;
use crate::kit::{Choice, Input, Inputs, Model};
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
            .help("The model is then asked over OpenAI's Responses API, which knows no stop words and penalties."),
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
pub(super) fn chosen(inputs: &Inputs<'_>, model: &Model) -> Vec<ProviderTool> {
    let names = |input: &str| inputs.any(input).and_then(parse_names).unwrap_or_default();
    let named = [OPENAI, GEMINI, ANTHROPIC].into_iter().flat_map(names);
    let tools = named.filter_map(|name| tool(&name));
    tools.filter(|&tool| model.takes_provider_tool(tool)).collect()
}

fn tool(name: &str) -> Option<ProviderTool> {
    Some(match name {
        "web_search_preview" => ProviderTool::OpenAiWebSearch,
        "code_interpreter" => ProviderTool::OpenAiCodeInterpreter,
        "image_generation" => ProviderTool::OpenAiImages,
        "urlContext" => ProviderTool::GoogleUrlContext,
        "googleSearch" => ProviderTool::GoogleSearch,
        "codeExecution" => ProviderTool::GoogleCodeExecution,
        "web_search_20250305" => ProviderTool::AnthropicWebSearch,
        "web_fetch_20250910" => ProviderTool::AnthropicWebFetch,
        _ => return None,
    })
}
