//! What the cards of agentflows are written with: a step gets its inputs and what came before it, and says what came of it.

pub(crate) mod approval;
pub mod conditions;
pub(crate) mod context;
pub(crate) mod lenient_json;
pub(crate) mod made_files;
pub(crate) mod memory;
pub(crate) mod messages;
pub(crate) mod model_inputs;
pub(crate) mod on_error;
pub(crate) mod outcome;
mod plain_text;
pub mod structured_output;
#[cfg(any(test, feature = "test-support"))]
mod test_past;
#[cfg(test)]
pub(crate) mod test_step;
