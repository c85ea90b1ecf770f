//! The format number of a database, the steps from older formats to this one, and the refusal of newer ones.
//! All steps run in one transaction, so an upgrade that is interrupted has not happened.

use super::sums::Form;
use super::tables::{self, META};
use super::tx::{Tx, WriteTx};
use super::{upgrade_audit, upgrade_passages, upgrade_sums};
use crate::domain::error::{Error, Result};
use redb::TableHandle as _;

/// The format this program writes.
pub const KNOWN: u32 = STEPS.len() as u32;

/// The number of the format, in the table of facts about the database. It stands there as every program wrote it.
pub(super) const SCHEMA: &[u8] = b"schema";

/// A step from one format to the next.
type Step = fn(&WriteTx) -> Result<()>;

/// `STEPS[n]` turns format n into format n + 1. Format 0 is an empty database. A step that has been released
/// is never changed: a change of format is a new line.
const STEPS: [Step; 7] = [
    |_| Ok(()),
    // A journal lies beside the database from here on. A program that does not read it must not open the database.
    |_| Ok(()),
    upgrade_passages::run,
    upgrade_audit::run,
    // The journal has two files from here on, and records of messages that the database does not have.
    |_| Ok(()),
    // From here on the database knows how much of its journal it can count on.
    |_| Ok(()),
    upgrade_sums::run,
];

/// The first format whose rows end in their sum.
const SUMMED: u32 = 7;

/// How rows of a database in format `found` end; it has none in format 0.
pub(super) const fn form(found: u32) -> Form {
    if found < SUMMED { Form::Plain } else { Form::Summed }
}

/// How a database stands to this program.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// In format [`KNOWN`], with every table.
    Ready,
    /// In an older format, or empty, or without a table that is new.
    Older(u32),
    /// In a format this program does not know.
    Newer(u32),
}

/// Compares; writes nothing, so that opening a database that is ready costs no commit.
pub(super) fn standing(tx: &impl Tx, found_tables: &[String]) -> Result<Standing> {
    let found = if found_tables.iter().any(|name| name == META.name()) { number(tx)? } else { 0 };
    if found > KNOWN {
        return Ok(Standing::Newer(found));
    }
    let whole = tables::missing(found_tables).next().is_none();
    Ok(if found == KNOWN && whole { Standing::Ready } else { Standing::Older(found) })
}

/// Brings a database in format `found` to format [`KNOWN`]. Tables that are new to this program are made here,
/// so that a step is only needed where the form of existing data changes.
pub(super) fn run(tx: &WriteTx, found: u32, found_tables: &[String]) -> Result<()> {
    tx.take_form(form(found));
    for table in tables::missing(found_tables) {
        tx.create(table)?;
    }
    for step in STEPS.iter().skip(found as usize) {
        step(tx)?;
    }
    tx.put(META, SCHEMA, KNOWN.to_string().as_bytes())
}

fn number(tx: &impl Tx) -> Result<u32> {
    let read = |value: &[u8]| {
        let text = std::str::from_utf8(value).map_err(Error::internal)?;
        text.parse().map_err(Error::internal)
    };
    Ok(tx.look(META, SCHEMA, read)?.unwrap_or(0))
}
