//! Chat Prompt Template: a system text and a human text with `{variables}`.

use super::prompt_template::PROMPT_VALUES;
use crate::cards::kit::prompt::{BraceText, Prompt, PromptForm};
use crate::cards::kit::{Card, Category, Input, Make, Risk};

/// The card.
pub const CARD: Card = Card {
    name: "chatPromptTemplate",
    label: "Chat Prompt Template",
    version: 2.0,
    category: Category::Prompts,
    description: "Instructions for the model and the form of the question, with {variables} in single braces.",
    base_classes: &["ChatPromptTemplate", "BaseChatPromptTemplate", "BasePromptTemplate", "Runnable"],
    risk: Risk::Safe,
    inputs: &[
        Input::lines("systemMessagePrompt", "System Message"),
        Input::lines("humanMessagePrompt", "Human Message"),
        PROMPT_VALUES,
    ],
    outputs: &[],
    make: Make::Prompt(|inputs| {
        let system = inputs.maybe_text("systemMessagePrompt").unwrap_or_default();
        let human = inputs.text("humanMessagePrompt")?;
        let form = PromptForm::Chat { system: BraceText::parse(&system), human: BraceText::parse(&human) };
        Ok(Prompt { form, values: inputs.object("promptValues")? })
    }),
};
