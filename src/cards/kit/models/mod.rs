//! Components that call models.

pub(crate) mod messages;
pub(crate) mod model;
pub(crate) mod model_span;
pub(crate) mod model_tally;
mod model_work;
pub(crate) mod notes;
pub(in crate::cards) mod openai_compatible;
pub(in crate::cards) mod provider_embeddings;
pub(crate) mod rephrase;
pub(crate) mod router;
pub(in crate::cards) mod sql_answer;
pub(crate) mod synthesis;
#[cfg(test)]
pub(in crate::cards) mod test_model;
pub(crate) mod text_loop;
pub(crate) mod token_sink;
pub(crate) mod tool_loop;
pub(in crate::cards) mod tool_pictures;
