//! ChatAnthropic for engines.

use super::CHAT_MODEL;
use crate::chat_models::anthropic::{MAX_TOKENS, TEMPERATURE, TOP_P, is_sampled, model};
use crate::kit::{Card, Category, Factory, Input, Risk};

pub(crate) const CARD: Card = Card {
    name: "chatAnthropic_LlamaIndex",
    label: "ChatAnthropic",
    version: 3.0,
    category: Category::ChatModels,
    description: "Anthropic's Claude models for engines.",
    base_classes: &["ChatAnthropic", CHAT_MODEL],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::credential(&["anthropicApi"]),
        Input::model(&["claude-haiku-4-5", "claude-sonnet-4-6", "claude-opus-4-7", "claude-3-haiku"])
            .or("claude-3-haiku"),
        TEMPERATURE,
        MAX_TOKENS,
        TOP_P,
        Input::address("baseUrl", "Base URL").additional(),
    ],
    outputs: &[],
    make: Factory::ChatModel(|inputs| {
        let name = family_name(&inputs.text("modelName")?);
        let mut model = model(inputs, &name)?;
        if is_sampled(&name) {
            model.temperature = inputs.number(TEMPERATURE.name)?;
            model.top_p = inputs.number(TOP_P.name)?;
        }
        Ok(Box::new(model))
    }),
};

/// Flowise's cards name the models of the third generation without their dates, which the provider wants to see.
fn family_name(name: &str) -> String {
    let dated = match name {
        "claude-3-haiku" => "claude-3-haiku-20240307",
        "claude-3-opus" => "claude-3-opus-20240229",
        "claude-3-sonnet" => "claude-3-sonnet-20240229",
        other => other,
    };
    dated.to_owned()
}
