//! Anthropic's models.

use crate::domain::error::Result;
use crate::kit::models::openai_compatible::{CACHE, IMAGES, STREAMING, common_base};
use crate::kit::{Card, Category, Choice, Factory, Input, Inputs, Risk};
use crate::llm::{ANTHROPIC_BASE, Anthropic};
use serde_json::json;

const EFFORTS: &[Choice] = &[
    Choice { name: "low", label: "Low" },
    Choice { name: "medium", label: "Medium" },
    Choice { name: "high", label: "High" },
    Choice { name: "max", label: "Max" },
];

/// Models that decide themselves how much to think: a fixed budget is not for them.
const ADAPTIVE: &[&str] = &["claude-opus-4-7", "claude-opus-4-6", "claude-sonnet-4-6"];

/// The first version that takes no sampling settings; a request with one is refused.
const UNSAMPLED_SINCE: (u32, u32) = (4, 7);

/// True for a model that takes sampling settings. Older names (`claude-3-opus`) have the version before the family; a
/// name that tells no version is an older one's or a gateway's own.
pub(crate) fn is_sampled(model: &str) -> bool {
    let number = |part: Option<&str>| part.filter(|part| part.len() < 3).and_then(|part| part.parse().ok());
    let version = model.find("claude-").and_then(|at| {
        let mut parts = model[at..].split(['-', '.', '@', ':']).skip(1);
        let is_old = parts.next()?.starts_with(|first: char| first.is_ascii_digit());
        (!is_old).then_some((number(parts.next())?, number(parts.next()).unwrap_or(0)))
    });
    version.is_none_or(|version: (u32, u32)| version < UNSAMPLED_SINCE)
}

pub(crate) const TEMPERATURE: Input =
    Input::number("temperature", "Temperature", 0.0, 1.0).starting("0.9").optional();
pub(crate) const MAX_TOKENS: Input =
    Input::whole("maxTokensToSample", "Max Tokens", 1.0, 1_000_000.0).additional();
pub(crate) const TOP_P: Input = Input::number("topP", "Top P", 0.0, 1.0).additional();

pub(crate) const CARD: Card = Card {
    name: "chatAnthropic",
    label: "Anthropic Claude",
    version: 8.0,
    category: Category::ChatModels,
    description: "Anthropic's Claude models.",
    base_classes: &[
        "ChatAnthropic",
        "ChatAnthropicMessages",
        "BaseChatModel",
        "BaseLanguageModel",
        "Runnable",
    ],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["anthropicApi"]),
        CACHE,
        Input::model(&["claude-haiku-4-5", "claude-sonnet-4-6", "claude-opus-4-7", "claude-opus-4-6"])
            .or("claude-haiku-4-5"),
        TEMPERATURE,
        STREAMING,
        IMAGES,
        Input::switch("extendedThinking", "Extended Thinking").additional(),
        Input::whole("budgetTokens", "Budget Tokens", 1024.0, 1_000_000.0)
            .or("1024")
            .additional()
            .when("extendedThinking", "true"),
        Input::switch("adaptiveThinking", "Adaptive Thinking").additional(),
        Input::choice("thinkingEffort", "Thinking Effort", EFFORTS)
            .additional()
            .when("adaptiveThinking", "true"),
        MAX_TOKENS,
        TOP_P,
        Input::whole("topK", "Top K", 0.0, 10_000.0).additional(),
        Input::address("baseUrl", "Base URL").additional(),
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let name = inputs.text("modelName")?;
        let mut model = model(inputs, &name)?;
        model.images = inputs.switch("allowImageUploads");
        model.streaming = inputs.switch("streaming");
        let adaptive = ADAPTIVE.iter().any(|known| name.starts_with(known));
        if adaptive && inputs.switch("adaptiveThinking") {
            model.extra.insert("thinking".into(), json!({"type": "adaptive"}));
            if let Some(effort) = inputs.optional_text("thinkingEffort") {
                model.extra.insert("output_config".into(), json!({"effort": effort}));
            }
            return Ok(Box::new(model));
        }
        if !adaptive && inputs.switch("extendedThinking") {
            model.thinking_tokens = inputs.whole("budgetTokens")?;
        }
        if is_sampled(&name) {
            model.temperature = inputs.number("temperature")?;
            model.top_p = inputs.number("topP")?;
            model.top_k = inputs.whole("topK")?;
        }
        Ok(Box::new(model))
    }),
};

/// The model of this name with what all of Anthropic's cards set: where it is, its key and how much it may say.
///
/// # Errors
/// When the key is missing or an input does not fit its declaration.
pub(crate) fn model(inputs: &Inputs<'_>, name: &str) -> Result<Anthropic> {
    let base = inputs.address("baseUrl").unwrap_or_else(|| ANTHROPIC_BASE.to_owned());
    let endpoint = common_base(inputs, &base, Some(inputs.secret("anthropicApiKey")?))?;
    let mut model = Anthropic::new(endpoint, name);
    model.max_tokens = inputs.whole(MAX_TOKENS.name)?;
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_models_get_no_sampling_settings() {
        for name in [
            "claude-opus-4-7",
            "claude-opus-4-7-20260401",
            "anthropic.claude-opus-4-7-v1:0",
            "anthropic/claude-opus-4.7",
            "claude-sonnet-4-8",
            "claude-opus-5",
            "claude-haiku-5-20270101",
            "claude-opus-10-1",
        ] {
            assert!(!is_sampled(name), "{name}");
        }
        for name in [
            "claude-haiku-4-5",
            "claude-sonnet-4-6",
            "claude-opus-4-6",
            "claude-opus-4-20250514",
            "claude-sonnet-4@20250514",
            "claude-3-opus-20240229",
            "claude-3-7-sonnet-latest",
            "claude-3-5-haiku",
            "claude-2.1",
            "claude-instant-1.2",
            "our-gateway",
        ] {
            assert!(is_sampled(name), "{name}");
        }
    }
}
