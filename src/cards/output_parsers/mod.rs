//! Output parsers: parts that read a model's text into a value.

pub mod csv;
