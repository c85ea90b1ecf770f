//! Caches of model replies and of vectors.

mod caching_embeddings;
pub mod embedding;
pub mod in_memory;
pub mod redis;
pub mod redis_embeddings;
pub mod upstash;
