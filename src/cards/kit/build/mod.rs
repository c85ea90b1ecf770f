//! How a card is built from the values of its inputs.

pub(crate) mod arguments;
pub(crate) mod call_error;
pub mod code;
pub mod component;
mod connections;
pub(crate) mod inputs;
pub(crate) mod json_schema;
pub(crate) mod message_list;
pub(crate) mod output_schema;
pub mod prompt;
pub(crate) mod unique_tools;
pub(crate) mod zod;
