//! Retrievers: parts that find passages.

pub mod bm25;
