//! Language models that complete a text. They are wired wherever any language model is.

pub mod azure_openai;
pub mod hugging_face;
pub mod ollama;
pub mod openai;
pub mod replicate;
