//! Chat models as Flowise's cards that go with engines declare them: fewer inputs, the same providers.

pub(crate) mod anthropic;
pub(crate) mod azure_openai;
pub(crate) mod groq;
pub(crate) mod openai;
pub(crate) mod together;

/// The base class of all of them, beside that of their provider.
pub(crate) const CHAT_MODEL: &str = "BaseChatModel_LlamaIndex";
