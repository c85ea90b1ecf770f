//! Making the database file smaller while the service goes on: what deletions left free in it goes back to the disk.
//!
//! redb can only compact a database that nobody reads or writes, for as long as that takes. So a copy is made of one moment, row by
//! row, beside the database, while everything goes on. It has the **mark** of that moment, by which the log belongs to it as to the
//! database: what came since is in the log, and the start after a crash puts it into whichever of the two it finds. So the copy takes
//! the name of the database in one step, as long as no checkpoint has made the log another one meanwhile; that moment, and the
//! log being read again, is all that others wait for. A kill before it leaves the old database, and one after it the new one, each
//! with the log. Whoever reads the old one meanwhile reads it to the end.

use super::Store;
use super::engine::create;
use super::page_damage::catch_damage;
use super::snapshot::Snapshot;
use super::tables;
use crate::domain::error::{Error, Result};
use redb::ReadableTableMetadata as _;
use std::fs::{self, Metadata};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

/// How often a copy is made anew because a checkpoint came in between.
const ATTEMPTS_MAX: u32 = 3;
/// Time between two looks for readers of the database as it was.
const READERS_POLL: Duration = Duration::from_millis(20);

/// A copy that is not smaller by this part of it is thrown away.
const GAIN_MIN_PART: u64 = 16;

/// What a file takes on its disk. redb makes a file longer in large steps, of which the disk gives nothing before they are
/// written, so its length says little.
#[cfg(unix)]
#[must_use]
pub fn bytes_on_disk(about: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    /// What the system counts blocks in, whatever the disk has.
    const BLOCK_BYTES: u64 = 512;
    about.blocks().saturating_mul(BLOCK_BYTES)
}

/// Elsewhere nobody says what a file takes.
#[cfg(not(unix))]
#[must_use]
pub fn bytes_on_disk(about: &Metadata) -> u64 {
    about.len()
}

/// Bytes that the database file takes on its disk, before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSizes {
    pub before: u64,
    pub after: u64,
}

impl Store {
    /// Makes the file of the database as small as its rows allow; `go_on` is asked now and then. `None` where so much was written
    /// meanwhile that the file is what it was, or where it is as small as it can be.
    ///
    /// # Errors
    /// When the database cannot be read or its copy not be written, else what `go_on` returns; nothing changed then.
    pub fn compact(&self, path: &Path, go_on: &dyn Fn() -> Result<()>) -> Result<Option<FileSizes>> {
        for _ in 0..ATTEMPTS_MAX {
            match self.try_compact(path, go_on)? {
                Attempt::Done(sizes) => return Ok(Some(sizes)),
                Attempt::NothingToGain => return Ok(None),
                Attempt::Overtaken => {}
            }
        }
        Ok(None)
    }

    /// About how many bytes the file needs for its rows: what of it is more than that can be given back. Everything that is
    /// stored is looked at.
    ///
    /// # Errors
    /// When the database cannot be read, else what `go_on` returns.
    pub fn needed_bytes(&self, go_on: &dyn Fn() -> Result<()>) -> Result<u64> {
        let mut bytes = 0_u64;
        for table in tables::ALL {
            go_on()?;
            let stored = self.read(|tx| {
                let stats =
                    catch_damage(table, || tx.tx.open_table(table)?.stats().map_err(redb::Error::from))?;
                Ok(stats.stored_bytes().saturating_add(stats.metadata_bytes()))
            })?;
            bytes = bytes.saturating_add(stored);
        }
        // Pages are never quite full.
        Ok(bytes.saturating_add(bytes / 3))
    }

    fn try_compact(&self, path: &Path, go_on: &dyn Fn() -> Result<()>) -> Result<Attempt> {
        let beside = create::begin_beside(path).map_err(Error::internal)?;
        let snapshot = Snapshot::new(self.engine.begin_read()?);
        let (copy, mark) = snapshot.copy_compact(beside.reopen().map_err(Error::internal)?, go_on)?;
        drop(snapshot);
        let on_disk = |about: std::io::Result<Metadata>| about.map(|about| bytes_on_disk(&about));
        let before = on_disk(fs::metadata(path)).map_err(Error::internal)?;
        let after = on_disk(beside.as_file().metadata()).map_err(Error::internal)?;
        // What is a little smaller is not worth that others wait.
        if after.saturating_add(after / GAIN_MIN_PART) >= before {
            return Ok(Attempt::NothingToGain);
        }
        go_on()?;
        let replaced = self.write_group.run_alone(&self.engine, || {
            self.engine.replace(copy, mark, || create::replace(beside, path).map_err(Error::internal))
        });
        let Some(old) = replaced? else { return Ok(Attempt::Overtaken) };
        // Its file has no name any more. Whoever reads it goes on; a stop of the service breaks that off, as it does anyway.
        while old.has_readers() && go_on().is_ok() {
            sleep(READERS_POLL);
        }
        Ok(Attempt::Done(FileSizes { before, after }))
    }
}

enum Attempt {
    Done(FileSizes),
    NothingToGain,
    /// A checkpoint came in between.
    Overtaken,
}
