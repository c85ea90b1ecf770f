//! Rows that wait until all of them are there: in a file without a name where they are many, so that they take no memory.

use crate::base::spooled_file::{ByteSource as _, SpoolWriter, SpooledFile};
use crate::vectors::{Block, BlockError, RowId, VectorRow};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read as _};

/// Rows that are gathered.
#[derive(Default)]
pub struct RowSpool {
    open: Block,
    /// How long each block in the file is.
    lengths: Vec<usize>,
    ids: HashSet<RowId>,
    writer: SpoolWriter,
}

/// Why a row was not kept.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    #[error(transparent)]
    Row(BlockError),
    #[error(transparent)]
    File(io::Error),
}

impl RowSpool {
    /// Keeps a row; `make` gives the file when one is needed. Blocking.
    ///
    /// # Errors
    /// When its vector has another length than the others, or the disk does not take it.
    pub fn push(
        &mut self,
        row: &VectorRow,
        make: impl FnOnce() -> io::Result<File>,
    ) -> Result<(), SpoolError> {
        let wanted = self.open.dimensions();
        if !self.open.has_room(row.vector.len(), row.text.len()) {
            let bytes = std::mem::take(&mut self.open).to_bytes();
            self.lengths.push(bytes.len());
            if self.writer.push(&bytes) {
                self.writer.spill(make).map_err(SpoolError::File)?;
            }
        }
        if wanted > 0 && row.vector.len() != wanted {
            let found = row.vector.len();
            return Err(SpoolError::Row(BlockError::DimensionMismatch { wanted, found }));
        }
        self.open.push(row).map_err(SpoolError::Row)?;
        self.ids.insert(row.id);
        Ok(())
    }

    /// True when some of them are in a file.
    #[must_use]
    pub const fn is_in_file(&self) -> bool {
        self.writer.is_in_file()
    }

    /// All rows came.
    ///
    /// # Errors
    /// When the disk does not take them.
    pub fn finish(mut self, make: impl FnOnce() -> io::Result<File>) -> io::Result<SpooledRows> {
        if self.writer.is_split() {
            self.writer.spill(make)?;
        }
        let (content, lengths, last, ids) = (self.writer.finish(), self.lengths, self.open, self.ids);
        Ok(SpooledRows { content, lengths, last, ids })
    }
}

/// Rows that are all there.
#[derive(Debug)]
pub struct SpooledRows {
    content: SpooledFile,
    lengths: Vec<usize>,
    /// The block that was not full.
    last: Block,
    ids: HashSet<RowId>,
}

impl SpooledRows {
    #[must_use]
    pub const fn ids(&self) -> &HashSet<RowId> {
        &self.ids
    }

    /// Its blocks, in the order in which their rows came. Each is read when it is asked for.
    ///
    /// # Errors
    /// When they cannot be read any more.
    pub fn blocks(&self) -> io::Result<impl Iterator<Item = io::Result<Block>> + '_> {
        let mut reader = self.content.open()?;
        let stored = self.lengths.iter().map(move |length| {
            let mut bytes = vec![0; *length];
            reader.read_exact(&mut bytes)?;
            Block::from_bytes(&bytes).map_err(io::Error::other)
        });
        let last = (!self.last.is_empty()).then(|| Ok(self.last.clone()));
        Ok(stored.chain(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: u32, text_bytes: usize) -> VectorRow {
        VectorRow {
            id: u128::from(number).to_be_bytes(),
            vector: vec![1.0, number as f32],
            text: number.to_string().repeat(text_bytes),
        }
    }

    #[test]
    fn rows_come_back_in_their_order_from_memory_and_from_a_file() {
        for (count, text_bytes) in [(0, 1), (3, 1), (40, 100_000)] {
            let mut spool = RowSpool::default();
            let mut direct = Block::default();
            for number in 0..count {
                let row = row(number, text_bytes);
                spool.push(&row, tempfile::tempfile).unwrap();
                direct.push(&row).unwrap();
            }
            let rows = spool.finish(tempfile::tempfile).unwrap();
            assert_eq!(rows.ids().len(), count as usize);
            for _ in 0..2 {
                let mut joined = Block::default();
                for block in rows.blocks().unwrap() {
                    joined.append(&block.unwrap()).unwrap();
                }
                assert_eq!(joined, direct, "{count}");
            }
        }
    }

    #[test]
    fn vectors_of_two_lengths_are_refused_wherever_the_block_ends() {
        let mut spool = RowSpool::default();
        spool.push(&row(1, Block::BYTES), tempfile::tempfile).unwrap();
        let other = VectorRow { vector: vec![1.0], ..row(2, 1) };
        assert!(matches!(spool.push(&other, tempfile::tempfile), Err(SpoolError::Row(_))));
    }
}
