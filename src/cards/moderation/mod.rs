//! Moderation: components that look at a question before a model does.

pub(crate) mod openai;
pub(crate) mod simple;
