//! The checksum of each row. The database checks no page when it is read, so what a disk changed by itself would be read as
//! data. A stored value ends in a checksum of its table, its key and itself: also a row that stands under another key is
//! found out.

use super::migrations::FORMAT_KEY;
use super::row_damage;
use super::tables::{META, Table};
use crate::base::checksum::Checksum;
use crate::domain::error::{Error, Result};
use redb::TableHandle as _;

pub(super) const CHECKSUM_BYTES: usize = 4;

/// What follows the values in the rows of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowEncoding {
    /// Nothing: format 6 and older.
    Plain,
    /// The checksum of the row.
    Checksummed,
}

impl RowEncoding {
    /// True for a row that ends in its checksum. Every program must be able to read the number of the format.
    pub(super) fn has_checksum(self, table: Table, key: &[u8]) -> bool {
        self == Self::Checksummed && !(table.name() == META.name() && key == FORMAT_KEY)
    }

    /// The value of a stored row; `None` when it is not what was stored.
    pub(super) fn checked_value<'a>(self, table: Table, key: &[u8], row: &'a [u8]) -> Option<&'a [u8]> {
        if !self.has_checksum(table, key) {
            return Some(row);
        }
        let (value, known) = row.split_last_chunk::<CHECKSUM_BYTES>()?;
        (checksum(table, key, value) == *known).then_some(value)
    }

    /// As [`Self::checked_value`], for who needs it: the row is named in the log.
    ///
    /// # Errors
    /// [`Error::Damaged`].
    pub(super) fn read_value<'a>(self, table: Table, key: &[u8], row: &'a [u8]) -> Result<&'a [u8]> {
        self.checked_value(table, key, row).ok_or_else(|| {
            let damage = row_damage::row_damage(table, key);
            tracing::error!(
                target: "flowkeep::store::checksum",
                row = damage.place(),
                "a stored row is damaged"
            );
            Error::Damaged(damage)
        })
    }
}

/// The checksum of a row.
pub(super) fn checksum(table: Table, key: &[u8], value: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut state = Checksum::default();
    state.add(table.name().as_bytes());
    state.add(&[0]);
    state.add(&(key.len() as u64).to_le_bytes());
    state.add(key);
    state.add(value);
    state.sum().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tables::{MESSAGES, USER_BY_EMAIL_TABLE};

    #[test]
    fn every_changed_bit_of_a_row_is_found_out() {
        let (key, value) = (b"key".as_slice(), b"a value of some length".as_slice());
        let stored = [value, &checksum(MESSAGES.table(), key, value)].concat();
        assert_eq!(RowEncoding::Checksummed.checked_value(MESSAGES.table(), key, &stored), Some(value));
        for bit in 0..stored.len() * 8 {
            let mut changed = stored.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(
                RowEncoding::Checksummed.checked_value(MESSAGES.table(), key, &changed),
                None,
                "bit {bit}"
            );
        }
        assert_eq!(
            RowEncoding::Checksummed.checked_value(MESSAGES.table(), b"kex", &stored),
            None,
            "under another key"
        );
        assert_eq!(
            RowEncoding::Checksummed.checked_value(USER_BY_EMAIL_TABLE, key, &stored),
            None,
            "in another table"
        );
        for length in 0..stored.len() {
            assert_eq!(
                RowEncoding::Checksummed.checked_value(MESSAGES.table(), key, &stored[..length]),
                None,
                "cut at {length}"
            );
            assert_eq!(
                RowEncoding::Checksummed.checked_value(MESSAGES.table(), key, &vec![0; length]),
                None,
                "{length} zeros"
            );
        }
    }
}
