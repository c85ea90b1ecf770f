//! Blocks that are searched together.

use super::block::{Block, BlockError, VectorRow};
use super::search::{SearchHit, TopK};
use std::sync::Arc;

/// All rows of a collection in memory. Blocks are shared, so a changed collection costs what changed.
#[derive(Debug, Clone, Default)]
pub struct VectorIndex {
    blocks: Vec<Arc<Block>>,
}

impl VectorIndex {
    /// An index of rows.
    ///
    /// # Errors
    /// When their vectors differ in length.
    pub fn from_rows<'r>(rows: impl IntoIterator<Item = &'r VectorRow>) -> Result<Self, BlockError> {
        let mut index = Self::default();
        let mut open = Block::default();
        for row in rows {
            if !open.has_room(row.vector.len(), row.text.len()) {
                let wanted = open.dimensions();
                if row.vector.len() != wanted {
                    return Err(BlockError::DimensionMismatch { wanted, found: row.vector.len() });
                }
                index.add(std::mem::take(&mut open));
            }
            open.push(row)?;
        }
        if !open.is_empty() {
            index.add(open);
        }
        Ok(index)
    }

    /// Adds a block at the end.
    pub fn add(&mut self, block: impl Into<Arc<Block>>) {
        self.blocks.push(block.into());
    }

    /// Its blocks, in order.
    #[must_use]
    pub fn blocks(&self) -> &[Arc<Block>] {
        &self.blocks
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.len()).sum()
    }

    /// True without rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.iter().all(|block| block.is_empty())
    }

    /// Memory it takes, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.bytes()).sum()
    }

    /// The rows nearest to `query`, best first, of those whose text `fits`.
    ///
    /// # Errors
    /// When `query` has another length than the vectors.
    pub fn nearest(
        &self,
        query: &[f32],
        most: usize,
        fits: Option<&dyn Fn(&str) -> bool>,
    ) -> Result<Vec<SearchHit>, BlockError> {
        let mut best = TopK::new(query, most);
        self.blocks.iter().try_for_each(|block| best.scan(block, fits))?;
        Ok(best.into_hits())
    }
}
