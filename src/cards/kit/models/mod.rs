//! Components that call models.

pub mod messages;
pub mod model;
pub(crate) mod model_span;
pub mod model_tally;
pub mod notes;
pub(in crate::cards) mod openai_compatible;
pub(in crate::cards) mod provider_embeddings;
pub mod rephrase;
pub mod router;
pub(in crate::cards) mod sql_answer;
pub mod synthesis;
#[cfg(test)]
pub(in crate::cards) mod test_model;
pub mod text_loop;
pub mod token_sink;
pub mod tool_loop;
