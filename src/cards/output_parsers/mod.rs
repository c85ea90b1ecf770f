//! Output parsers: components that read a model's text into a value.

pub(crate) mod advanced_structured;
pub(crate) mod csv;
pub(crate) mod custom_list;
pub(crate) mod structured;
