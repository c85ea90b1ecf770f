//! Moderation: parts that look at a question before a model does.

pub mod simple;
