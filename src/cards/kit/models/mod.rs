//! Components that call models.

pub(crate) mod messages;
pub(crate) mod model;
pub(crate) mod model_span;
pub mod model_tally;
mod model_work;
pub(crate) mod notes;
pub(crate) mod openai_compatible;
pub(crate) mod past_pictures;
pub(crate) mod provider_embeddings;
pub(crate) mod rephrase;
pub(crate) mod router;
pub(crate) mod sql_answer;
pub(crate) mod synthesis;
#[cfg(test)]
pub(crate) mod test_model;
pub(crate) mod text_loop;
pub(crate) mod token_sink;
pub(crate) mod tool_loop;
pub(crate) mod tool_pictures;
