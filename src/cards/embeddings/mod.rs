//! Embeddings: components that turn text into vectors.

pub(crate) mod azure_openai;
pub(crate) mod bedrock;
pub(crate) mod cohere;
pub(crate) mod google;
pub(crate) mod hashing;
pub(crate) mod hugging_face;
pub(crate) mod jina;
pub(crate) mod llama_index;
pub(crate) mod local_ai;
pub(crate) mod mistral;
pub(crate) mod ollama;
pub(crate) mod openai;
pub(crate) mod openai_custom;
pub(crate) mod together;
pub(crate) mod vertex;
pub(crate) mod voyage;
