//! Caches of model replies and of vectors.

mod caching_embeddings;
pub(crate) mod embedding;
pub(crate) mod in_memory;
pub(crate) mod redis;
pub(crate) mod redis_embeddings;
pub(crate) mod upstash;
