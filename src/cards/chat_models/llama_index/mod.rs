//! Chat models as Flowise's cards that go with engines declare them: fewer inputs, the same providers.

pub mod anthropic;
pub mod azure_openai;
pub mod groq;
pub mod openai;
pub mod together;

/// The base class of all of them, beside that of their provider.
pub(in crate::cards) const CHAT_MODEL: &str = "BaseChatModel_LlamaIndex";
