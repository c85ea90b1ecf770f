//! Chat models of providers that speak OpenAI's protocol.

pub(crate) mod alibaba;
pub(crate) mod cerebras;
pub(crate) mod cloudflare;
pub(crate) mod comet_api;
pub(crate) mod deepseek;
pub(crate) mod fireworks;
pub(crate) mod groq;
pub(crate) mod hugging_face;
pub(crate) mod litellm;
pub(crate) mod local_ai;
pub(crate) mod mistral;
pub(crate) mod nemo_guardrails;
pub(crate) mod nvidia_nim;
pub(crate) mod open_router;
pub(crate) mod openai_custom;
pub(crate) mod perplexity;
pub(crate) mod sambanova;
pub(crate) mod together;
pub(crate) mod xai;
