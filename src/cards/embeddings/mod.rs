//! Embeddings: components that turn text into vectors.

pub mod azure_openai;
pub mod bedrock;
pub mod cohere;
pub mod google;
pub mod hashing;
pub mod hugging_face;
pub mod jina;
pub mod llama_index;
pub mod local_ai;
pub mod mistral;
pub mod ollama;
pub mod openai;
pub mod openai_custom;
pub mod together;
pub mod vertex;
pub mod voyage;
