//! Moderation: components that look at a question before a model does.

pub mod openai;
pub mod simple;
