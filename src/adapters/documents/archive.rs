//! Archives, unpacked piece by piece against one budget: what an entry claims of its size counts for nothing.

use super::{DocumentError, DocumentKind, LimitKind, SizeLimits};
use std::io::{self, Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// An archive that is being read.
pub(super) struct BoundedArchive<'a> {
    inner: ZipArchive<Cursor<&'a [u8]>>,
    kind: DocumentKind,
    /// Bytes that may still be unpacked.
    bytes_left: u64,
}

impl<'a> BoundedArchive<'a> {
    pub(super) fn open(
        bytes: &'a [u8],
        kind: DocumentKind,
        sizes: SizeLimits,
    ) -> Result<Self, DocumentError> {
        let inner = ZipArchive::new(Cursor::new(bytes)).map_err(|_| DocumentError::Damaged(kind))?;
        if inner.len() > sizes.entries_max {
            return Err(DocumentError::TooLarge(LimitKind::Entries));
        }
        let by_size = (bytes.len() as u64).saturating_mul(sizes.expansion_max).max(sizes.unpacked_bytes_free);
        Ok(Self { inner, kind, bytes_left: by_size.min(sizes.unpacked_bytes_max) })
    }

    /// Whether there is an entry of this name.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.inner.index_for_name(name).is_some()
    }

    /// An entry as text; `None` when there is none of this name.
    pub(super) fn read_text(&mut self, name: &str) -> Result<Option<String>, DocumentError> {
        let Some(index) = self.inner.index_for_name(name) else { return Ok(None) };
        let mut bytes = Vec::new();
        self.unpack(index, &mut bytes)?;
        Ok(Some(super::encoding::decode(&bytes)))
    }

    /// Unpacks everything once and keeps nothing, so that a library that keeps everything can follow.
    pub(super) fn measure(&mut self) -> Result<(), DocumentError> {
        (0..self.inner.len()).try_for_each(|index| self.unpack(index, &mut io::sink()))
    }

    fn unpack(&mut self, index: usize, into: &mut dyn io::Write) -> Result<(), DocumentError> {
        let entry = self.inner.by_index(index).map_err(|error| match error {
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => DocumentError::Locked,
            _ => DocumentError::Damaged(self.kind),
        })?;
        let unpacked = io::copy(&mut entry.take(self.bytes_left + 1), into)
            .map_err(|_| DocumentError::Damaged(self.kind))?;
        self.bytes_left =
            self.bytes_left.checked_sub(unpacked).ok_or(DocumentError::TooLarge(LimitKind::Unpacked))?;
        Ok(())
    }
}
