//! The protocols of model providers.

pub(crate) mod anthropic;
pub(crate) mod bedrock;
pub(crate) mod citations;
pub(crate) mod cohere;
pub(crate) mod completions;
pub(crate) mod google;
pub(crate) mod ollama;
pub(crate) mod openai;
mod openai_responses;
pub(crate) mod replicate;
mod request_json;
pub(crate) mod text_generation;
mod tool_images;
pub(crate) mod transcript;
