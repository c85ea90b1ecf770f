//! The journal: what was written since the database itself was last flushed, in two files.
//!
//! Flushing the database costs two waits for the disk and much processor time, whatever was written. So a commit writes
//! its changes into a file of the journal, which takes one wait, and leaves the database's own pages in memory until the file
//! is full. After a kill the changes are made again, in their order.
//!
//! **Why two files.** A flush takes as long as hundreds of records. While it goes on, what must be durable goes into the
//! other file, whose first record says where the full one ended. Until the flush is over both count, one after the other;
//! the flush gives the database the generation of the second, and with that the first is stale.
//!
//! **What a flush that did not come to its end leaves.** The database has the generation of the full file still, and
//! both are read. A file that goes on from an end that is not there (a database was put back) does not count.

use super::journal::Journal;
use std::io;
use std::path::{Path, PathBuf};

/// The two files; see the module.
pub(super) struct Journals {
    files: [Journal; 2],
    /// Which one takes records.
    active: usize,
    /// The other one counts too, until the database is flushed.
    is_rotated: bool,
    /// A write failed, so a record may stand at the end that nobody was told of. Nothing may follow it, nor go on from it:
    /// only a flush of everything, which makes it stale, ends this.
    is_unsure: bool,
}

/// Whether a record can be appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// Now.
    Is,
    /// When the database is flushed.
    AfterFlush,
    /// Not while things are as they are: the change is for the database itself.
    Never,
}

impl Journals {
    /// Opens the files and reads what counts for a database of this generation, oldest first.
    ///
    /// # Errors
    /// When there is a file and it cannot be read, or not written.
    pub(super) fn open(paths: &[PathBuf; 2], generation: u64) -> io::Result<(Self, Vec<Vec<u8>>)> {
        for (first, second) in [(0, 1), (1, 0)] {
            let (journal, mut records) = Journal::open(&paths[first], generation)?;
            if journal.is_empty() {
                continue;
            }
            let after = Journal::open_after(&paths[second], &journal)?;
            let is_rotated = after.is_some();
            let after = match after {
                Some((after, more)) => {
                    records.extend(more);
                    after
                }
                None => Journal::new(&paths[second], generation),
            };
            let files = if first == 0 { [journal, after] } else { [after, journal] };
            let active = if is_rotated { second } else { first };
            return Ok((Self { files, active, is_rotated, is_unsure: false }, records));
        }
        let files = [Journal::new(&paths[0], generation), Journal::new(&paths[1], generation)];
        Ok((Self { files, active: 0, is_rotated: false, is_unsure: false }, Vec::new()))
    }

    /// Where the two files of the database at `path` are.
    pub(super) fn paths(path: &Path) -> [PathBuf; 2] {
        [path.with_extension("journal"), path.with_extension("journal2")]
    }

    fn active(&self) -> &Journal {
        &self.files[self.active]
    }

    /// True when no record counts: the database has everything.
    pub(super) fn is_empty(&self) -> bool {
        !self.is_rotated && self.active().is_empty()
    }

    /// Looks for room for a record of so many bytes, and goes on in the other file when this one is full; `generation` is then
    /// the one that the next flush gives the database.
    pub(super) fn room(&mut self, bytes: usize, generation: impl FnOnce() -> u64) -> Room {
        if self.is_unsure || !Journal::holds(bytes) {
            return Room::Never;
        }
        if self.active().has_room(bytes) {
            return Room::Is;
        }
        if self.is_rotated {
            return Room::AfterFlush;
        }
        self.rotate(generation());
        Room::Is
    }

    /// Writes a record that there is [`Room::Is`] for; it is on disk when this returns.
    ///
    /// # Errors
    /// When the disk does not take it. Whether the record counts is then unknown, and nothing is appended any more until
    /// [`Self::restart`].
    pub(super) fn append(&mut self, record: &[u8]) -> io::Result<()> {
        let written = self.files[self.active].append(record);
        self.is_unsure |= written.is_err();
        written
    }

    /// True after a write that failed.
    pub(super) const fn is_unsure(&self) -> bool {
        self.is_unsure
    }

    /// True while the full file waits for a flush.
    pub(super) const fn is_rotated(&self) -> bool {
        self.is_rotated
    }

    /// Goes on in the other file. Not while that still counts, and not from a file without records: nobody would find the
    /// other one by it.
    pub(super) fn rotate(&mut self, generation: u64) {
        debug_assert!(!self.is_rotated && !self.active().is_empty(), "the other file would be lost");
        let [first, second] = &mut self.files;
        let (full, next) = if self.active == 0 { (first, second) } else { (second, first) };
        next.restart_after(generation, full);
        self.active = 1 - self.active;
        self.is_rotated = true;
    }

    /// The generation that a flush gives the database, so that the full file is stale and the other one is not.
    pub(super) fn generation(&self) -> u64 {
        self.active().generation()
    }

    /// The database was flushed with what [`Self::generation`] was.
    pub(super) fn is_flushed(&mut self, generation: u64) {
        if generation == self.generation() {
            self.is_rotated = false;
        }
    }

    /// Begins anew: the database has everything, and stored this generation with it.
    pub(super) const fn restart(&mut self, generation: u64) {
        self.files[self.active].restart(generation);
        self.is_rotated = false;
        self.is_unsure = false;
    }

    /// Makes all records unreadable, which nobody needs any more: the database may be put back to an older state by hand.
    pub(super) fn erase(&mut self) {
        self.files.iter_mut().for_each(Journal::erase);
    }
}
