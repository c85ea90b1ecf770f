//! Utilities.

pub mod custom_function;
pub mod get_variable;
pub mod if_else_function;
pub mod set_variable;
pub mod sticky_note;
