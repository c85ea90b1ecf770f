//! Utilities.

pub(crate) mod custom_function;
pub(crate) mod get_variable;
pub(crate) mod if_else_function;
pub(crate) mod run_pipeline;
pub(crate) mod set_variable;
pub(crate) mod sticky_note;
