//! Chunks found by their vectors: exact search over contiguous numbers. What a chunk is, this room does not know;
//! it keeps a text for each vector.

mod block;
mod index;
mod search;
#[cfg(test)]
mod tests;

pub use block::{Block, BlockError, RowId, VectorRow};
pub use index::VectorIndex;
pub use search::{SearchHit, TopK, select_diverse};
