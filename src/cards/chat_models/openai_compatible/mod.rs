//! Chat models of providers that speak OpenAI's protocol.

pub mod cerebras;
pub mod comet_api;
pub mod deepseek;
pub mod fireworks;
pub mod groq;
pub mod hugging_face;
pub mod litellm;
pub mod local_ai;
pub mod mistral;
pub mod nvidia_nim;
pub mod open_router;
pub mod openai_custom;
pub mod perplexity;
pub mod sambanova;
pub mod together;
pub mod xai;
