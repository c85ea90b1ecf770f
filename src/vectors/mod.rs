//! Passages found by their vectors: exact search over contiguous numbers. What a passage is, this room does not know;
//! it keeps a text for each vector.

mod block;
mod index;
mod search;
#[cfg(test)]
mod tests;

pub use block::{Block, Misfit, Row, RowId};
pub use index::Index;
pub use search::{Best, Hit, diverse};
