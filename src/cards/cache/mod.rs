//! Caches of model replies.

pub mod in_memory;
