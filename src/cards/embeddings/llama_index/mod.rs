//! Embeddings as Flowise's cards that go with engines declare them.

pub mod azure_openai;
pub mod openai;

/// The base class of all of them, beside that of their provider.
pub(in crate::cards) const EMBEDDING: &str = "BaseEmbedding_LlamaIndex";
