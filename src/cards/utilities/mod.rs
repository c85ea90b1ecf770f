//! Utilities.

pub mod custom_function;
pub mod if_else_function;
pub mod sticky_note;
