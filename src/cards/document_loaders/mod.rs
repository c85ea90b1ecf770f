//! Document loaders: parts that bring documents.

pub mod plain_text;
