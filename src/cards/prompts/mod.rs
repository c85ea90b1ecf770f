//! Prompts.

pub mod chat_prompt_template;
pub mod prompt_template;
