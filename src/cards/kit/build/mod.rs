//! How a card is built from the values of its inputs.

pub(crate) mod arguments;
pub(crate) mod call_error;
pub mod code;
pub mod component;
mod connections;
pub mod inputs;
pub(in crate::cards) mod json_schema;
pub(in crate::cards) mod output_schema;
pub mod prompt;
pub(crate) mod unique_tools;
pub(in crate::cards) mod zod;
