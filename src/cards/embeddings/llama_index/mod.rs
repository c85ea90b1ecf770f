//! Embeddings as Flowise's cards that go with engines declare them.

pub(crate) mod azure_openai;
pub(crate) mod openai;

/// The base class of all of them, beside that of their provider.
pub(crate) const EMBEDDING: &str = "BaseEmbedding_LlamaIndex";
