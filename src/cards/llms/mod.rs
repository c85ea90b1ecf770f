//! Language models that complete a text. They are wired wherever any language model is.

pub(crate) mod azure_openai;
pub(crate) mod hugging_face;
pub(crate) mod ollama;
pub(crate) mod openai;
pub(crate) mod replicate;
