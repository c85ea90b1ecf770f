//! Instructions for an assistant in the words of a model.

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::knowledge::vector_config::VectorCardConfig;
use crate::ops::knowledge::stores;

/// Longest task: what a person types, and no document.
const TASK_CHARS_MAX: usize = 8_000;
/// Longest instructions: more than a model follows, and less than would crowd the conversation out.
const INSTRUCTION_CHARS_MAX: usize = 16_000;

const PROMPT: &str = "You write instructions for an assistant: a model that talks with people. Somebody describes below what the \
assistant is for. Write instructions that tell it what its task is, how it goes about it, in what tone and form it answers, and \
what it does when it does not know something or is asked for something else. Address the assistant as \"you\". Reply with nothing \
but the instructions, in the language of the description.";

/// Asks the model that is named.
///
/// # Errors
/// 400 for an empty task or what is no chat model, 500 when the model fails.
pub(crate) fn generate(
    app: &App,
    caller: &Caller,
    task: &str,
    model: &VectorCardConfig,
    cancel: &CancelToken,
) -> Result<String> {
    let task = task.trim();
    if task.is_empty() || task.chars().count() > TASK_CHARS_MAX {
        return Err(Error::Invalid(format!("Invalid task: it must have 1 to {TASK_CHARS_MAX} characters.")));
    }
    stores::ask_chosen_model(app, caller, model, (PROMPT, task), cancel, INSTRUCTION_CHARS_MAX)
}
