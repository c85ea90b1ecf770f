//! Prompts.

pub mod chat_prompt_template;
pub mod few_shot_prompt_template;
mod past;
pub mod prompt_template;
