//! Embeddings: parts that turn text into vectors.

pub mod hashing;
