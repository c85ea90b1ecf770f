//! Prompt Template: one text with `{variables}`.

use crate::kit::build::prompt::{Prompt, PromptForm};
use crate::kit::{Card, Category, Factory, Input, Risk};

/// The values for a prompt's variables; its strings take `{{…}}` references.
pub(crate) const PROMPT_VALUES: Input = Input::json("promptValues", "Format Prompt Values")
    .optional()
    .variables()
    .without_blanks()
    .help("One value for each {variable} of the prompt. The one left out receives the question.");

pub(crate) const CARD: Card = Card {
    name: "promptTemplate",
    label: "Prompt Template",
    version: 1.0,
    category: Category::Prompts,
    description: "A prompt with {variables} in single braces.",
    base_classes: &["PromptTemplate", "BaseStringPromptTemplate", "BasePromptTemplate", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::lines("template", "Template").optional().help("Empty: the question."), PROMPT_VALUES],
    outputs: &[],
    make: Factory::Prompt(|inputs| {
        let form = PromptForm::Text(inputs.optional_brace_text("template").unwrap_or_default());
        Ok(Prompt { form, values: inputs.object("promptValues")? })
    }),
};
