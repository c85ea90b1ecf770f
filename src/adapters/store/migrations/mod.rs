//! The format number of a database, the steps from older formats to this one, and the refusal of newer ones.
//! All steps run in one transaction, so an upgrade that is interrupted has not happened.
//!
//! **Why the version of the program is kept too.** A table that is new is made without a step. A program that does not know it
//! would write records and leave their rows in it out, and the newer one would believe the table. So a database refuses programs
//! of an older minor version than the one that wrote it last; versions that differ in their last number share all tables.

pub(crate) mod v3_chunks;
pub(crate) mod v4_audit;
pub(crate) mod v7_checksums;
pub(crate) mod v8_lead_conversations;

use super::checksum::RowEncoding;
use super::tables::{self, META};
use super::transaction::{Tx, WriteTx};
use crate::domain::error::{Error, Result};
use redb::TableHandle as _;

/// The version of this program.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// The format this program writes.
pub(super) const CURRENT_FORMAT: u32 = MIGRATIONS.len() as u32;

/// The number of the format, in the table of facts about the database. It stands there as every program wrote it.
pub(super) const FORMAT_KEY: &[u8] = b"schema";

/// The version of the program that opened the database last, of those that write it down.
const PROGRAM_KEY: &[u8] = b"program";

/// A step from one format to the next.
type Migration = fn(&WriteTx) -> Result<()>;

/// `MIGRATIONS[n]` turns format n into format n + 1. Format 0 is an empty database. A step that has been released
/// is never changed: a change of format is a new line.
const MIGRATIONS: [Migration; 8] = [
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
    v8_lead_conversations::run,
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
    /// As [`Self::Ready`], but for the version of the program, which an older one wrote or none did.
    OtherProgram,
    /// In an older format, or empty, or without a table that is new.
    Older(u32),
    /// In a format this program does not know.
    Newer(u32),
    /// Written by a program of this newer version.
    NewerProgram(String),
}

/// Compares; writes nothing, so that opening a database that is ready costs no commit.
pub(super) fn format_state(tx: &impl Tx, found_tables: &[String]) -> Result<FormatState> {
    let found = if found_tables.iter().any(|name| name == META.name()) { read_format(tx)? } else { 0 };
    if found > CURRENT_FORMAT {
        return Ok(FormatState::Newer(found));
    }
    let program = if found < CHECKSUM_FORMAT { None } else { tx.get_with(META, PROGRAM_KEY, read_text)? };
    if let Some(program) = program.as_ref().filter(|program| is_newer(program, PROGRAM)) {
        return Ok(FormatState::NewerProgram(program.clone()));
    }
    let whole = tables::missing(found_tables).next().is_none();
    Ok(match program.as_deref() {
        _ if found < CURRENT_FORMAT || !whole => FormatState::Older(found),
        Some(PROGRAM) => FormatState::Ready,
        _ => FormatState::OtherProgram,
    })
}

/// True when version `found`, as `major.minor.patch`, has tables that version `own` may lack. What is no version says nothing.
fn is_newer(found: &str, own: &str) -> bool {
    let numbers = |version: &str| -> Option<(u32, u32)> {
        let mut parts = version.split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    matches!((numbers(found), numbers(own)), (Some(found), Some(own)) if found > own)
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
    tx.put(META, FORMAT_KEY, CURRENT_FORMAT.to_string().as_bytes())?;
    tx.put(META, PROGRAM_KEY, PROGRAM.as_bytes())
}

fn read_format(tx: &impl Tx) -> Result<u32> {
    let read = |value: &[u8]| read_text(value)?.parse().map_err(Error::internal);
    Ok(tx.get_with(META, FORMAT_KEY, read)?.unwrap_or(0))
}

fn read_text(value: &[u8]) -> Result<String> {
    std::str::from_utf8(value).map(str::to_owned).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::is_newer;

    #[test]
    fn a_version_is_newer_by_its_first_two_numbers() {
        for (found, own, expected) in [
            ("0.2.0", "0.1.9", true),
            ("1.0.0", "0.9.0", true),
            ("0.10.0", "0.9.0", true),
            ("0.1.9", "0.1.0", false),
            ("0.1.0", "0.2.0", false),
            ("0.9.0", "1.0.0", false),
            ("0.2.0-rc.1", "0.1.0", true),
            ("", "0.1.0", false),
            ("newest", "0.1.0", false),
        ] {
            assert_eq!(is_newer(found, own), expected, "{found} beside {own}");
        }
    }
}
