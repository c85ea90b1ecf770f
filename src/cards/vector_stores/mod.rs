//! Vector stores: parts that find passages by what they mean.

pub mod in_memory;
