//! A checksum that tells what rot on a disk changed. It is no proof against people: whoever can write a file can write its
//! checksum.

use super::spooled_file::ByteSource;
use std::io::{self, Write};

/// Computes the checksum of bytes in the order in which they come.
#[derive(Debug, Default, Clone)]
pub struct Checksum(crc32fast::Hasher);

impl Checksum {
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The checksum of all that was added.
    #[must_use]
    pub fn sum(self) -> u32 {
        self.0.finalize()
    }

    /// The checksum of a content.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn compute(content: &dyn ByteSource) -> io::Result<u32> {
        let mut sum = Self::default();
        content.copy_to(&mut sum)?;
        Ok(sum.sum())
    }
}

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
