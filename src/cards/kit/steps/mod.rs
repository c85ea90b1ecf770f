//! What the cards of agentflows are written with: a step gets its inputs and what came before it, and says what came of it.

pub mod approval;
pub(in crate::cards) mod conditions;
pub mod context;
pub(in crate::cards) mod lenient_json;
pub mod made_files;
pub mod memory;
pub mod messages;
pub mod model_inputs;
pub mod on_error;
pub mod outcome;
mod plain_text;
pub mod structured_output;
#[cfg(test)]
pub(in crate::cards) mod test_step;
