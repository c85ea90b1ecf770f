//! Output parsers: components that read a model's text into a value.

pub mod advanced_structured;
pub mod csv;
pub mod custom_list;
pub mod structured;
