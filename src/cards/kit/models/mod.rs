//! Components that call models.

pub mod model;
pub(crate) mod model_span;
pub(in crate::cards) mod openai_compatible;
pub(in crate::cards) mod provider_embeddings;
pub mod rephrase;
pub mod router;
pub(in crate::cards) mod sql_answer;
pub mod synthesis;
pub mod text_loop;
pub mod token_sink;
pub mod tool_loop;
