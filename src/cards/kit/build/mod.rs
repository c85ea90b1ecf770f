//! How a card is built from the values of its inputs.

pub(crate) mod arguments;
pub(crate) mod call_error;
pub(crate) mod code;
pub(crate) mod component;
mod connections;
pub(crate) mod inputs;
pub(in crate::cards) mod json_schema;
pub(in crate::cards) mod message_list;
pub(in crate::cards) mod output_schema;
pub(crate) mod prompt;
pub(crate) mod unique_tools;
pub(in crate::cards) mod zod;
