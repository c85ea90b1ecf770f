//! Prompts.

pub mod chat_prompt_template;
pub mod few_shot_prompt_template;
mod message_list;
pub mod prompt_template;
