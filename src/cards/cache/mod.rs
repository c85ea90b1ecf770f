//! Caches of model replies and of vectors.

pub mod embedding;
pub mod in_memory;
pub mod redis;
pub mod redis_embeddings;
pub mod upstash;
mod vectors;
