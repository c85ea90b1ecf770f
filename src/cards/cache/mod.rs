//! Caches of model replies.

pub mod embedding;
pub mod in_memory;
