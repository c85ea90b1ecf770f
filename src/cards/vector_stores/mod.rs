//! Vector stores: parts that find passages by what they mean.

pub mod faiss;
pub mod in_memory;
