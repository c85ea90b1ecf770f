//! Chat models.

pub(crate) mod anthropic;
pub(crate) mod azure_openai;
pub(crate) mod bedrock;
pub(crate) mod cohere;
pub(crate) mod extractive;
pub(crate) mod google;
pub(crate) mod llama_index;
pub(crate) mod ollama;
pub(crate) mod openai;
pub(crate) mod openai_compatible;
pub(crate) mod scripted;
pub(crate) mod vertex;
