//! Chat models.

pub mod anthropic;
pub mod azure_openai;
pub mod bedrock;
pub mod cohere;
pub mod extractive;
pub mod google;
pub mod llama_index;
pub mod ollama;
pub mod openai;
pub(crate) mod openai_compatible;
pub mod scripted;
pub mod vertex;
