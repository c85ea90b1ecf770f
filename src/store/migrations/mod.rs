//! The format number of a database, the steps from older formats to this one, and the refusal of newer ones.
//! All steps run in one transaction, so an upgrade that is interrupted has not happened.

pub(crate) mod v3_chunks;
pub(crate) mod v4_audit;
pub(crate) mod v7_checksums;

use super::checksum::RowEncoding;
use super::tables::{self, META};
use super::transaction::{Tx, WriteTx};
use crate::domain::error::{Error, Result};
use redb::TableHandle as _;

/// The format this program writes.
pub(super) const CURRENT_FORMAT: u32 = MIGRATIONS.len() as u32;

/// The number of the format, in the table of facts about the database. It stands there as every program wrote it.
pub(super) const FORMAT_KEY: &[u8] = b"schema";

/// A step from one format to the next.
type Migration = fn(&WriteTx) -> Result<()>;

/// `MIGRATIONS[n]` turns format n into format n + 1. Format 0 is an empty database. A step that has been released
/// is never changed: a change of format is a new line.
const MIGRATIONS: [Migration; 7] = [
    |_| Ok(()),
    // A log lies beside the database from here on. A program that does not read it must not open the database.
    |_| Ok(()),
    v3_chunks::run,
    v4_audit::run,
    // The log has two segments from here on, and records of messages that the database does not have.
    |_| Ok(()),
    // From here on the database knows how much of its log it can count on.
    |_| Ok(()),
    v7_checksums::run,
];

/// The first format whose rows end in their checksum.
const CHECKSUM_FORMAT: u32 = 7;

/// How rows of a database in format `found` end; it has none in format 0.
pub(super) const fn encoding_of(found: u32) -> RowEncoding {
    if found < CHECKSUM_FORMAT { RowEncoding::Plain } else { RowEncoding::Checksummed }
}

/// How a database stands to this program.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FormatState {
    /// In format [`CURRENT_FORMAT`], with every table.
    Ready,
    /// In an older format, or empty, or without a table that is new.
    Older(u32),
    /// In a format this program does not know.
    Newer(u32),
}

/// Compares; writes nothing, so that opening a database that is ready costs no commit.
pub(super) fn format_state(tx: &impl Tx, found_tables: &[String]) -> Result<FormatState> {
    let found = if found_tables.iter().any(|name| name == META.name()) { read_format(tx)? } else { 0 };
    if found > CURRENT_FORMAT {
        return Ok(FormatState::Newer(found));
    }
    let whole = tables::missing(found_tables).next().is_none();
    Ok(if found == CURRENT_FORMAT && whole { FormatState::Ready } else { FormatState::Older(found) })
}

/// Brings a database in format `found` to format [`CURRENT_FORMAT`]. Tables that are new to this program are made here,
/// so that a step is only needed where the form of existing data changes.
pub(super) fn migrate(tx: &WriteTx, found: u32, found_tables: &[String]) -> Result<()> {
    tx.set_encoding(encoding_of(found));
    for table in tables::missing(found_tables) {
        tx.create_table(table)?;
    }
    for step in MIGRATIONS.iter().skip(found as usize) {
        step(tx)?;
    }
    tx.put(META, FORMAT_KEY, CURRENT_FORMAT.to_string().as_bytes())
}

fn read_format(tx: &impl Tx) -> Result<u32> {
    let read = |value: &[u8]| {
        let text = std::str::from_utf8(value).map_err(Error::internal)?;
        text.parse().map_err(Error::internal)
    };
    Ok(tx.get_with(META, FORMAT_KEY, read)?.unwrap_or(0))
}
