//! Prompts.

pub(crate) mod chat_prompt_template;
pub(crate) mod few_shot_prompt_template;
pub(crate) mod prompt_template;
