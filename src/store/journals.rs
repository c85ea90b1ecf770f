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
//!
//! **Why no record is lost unnoticed.** With its generation the database keeps how many bytes of the journal it can count on
//! ([`Mark`]): none after a clean end, and else at least the first record, which is on disk before the database says so.
//! A file that was deleted, emptied or replaced has less. A full file ends in a record that names the generation of
//! the other one, written before anything in that one is acknowledged. And behind what is damaged whole records follow.
//! Only damage to the very last record cannot be told from a write that a power cut tore.

use super::journal::{BEGIN_RECORD_BYTES, Found, Journal};
use std::io;
use std::path::{Path, PathBuf};

/// The two files; see the module.
pub(super) struct Journals {
    files: [Journal; 2],
    /// Which one takes records.
    active: usize,
    /// The database counts on the active one. Until it does, nothing is appended.
    is_begun: bool,
    /// The other one counts too, until the database is flushed.
    is_rotated: bool,
    /// A write failed, so a record may stand at the end that nobody was told of. Nothing may follow it, nor go on from it:
    /// only a flush of everything, which makes it stale, ends this.
    is_unsure: bool,
}

/// What the database knows of its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// Whose records count.
    pub(super) generation: u64,
    /// How many bytes of them there are at least: 0 when the database has everything.
    pub(super) bytes: Known,
}

/// How much of the journal the database can count on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// So many bytes.
    Bytes(u64),
    /// Nobody wrote it down: a database of an older format.
    Nothing,
}

impl Mark {
    /// The stored form.
    pub(super) fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.generation.to_be_bytes());
        if let Known::Bytes(known) = self.bytes {
            bytes[8..].copy_from_slice(&known.to_be_bytes());
        }
        bytes
    }

    /// Reads the stored form, or that of an older format; `None` for anything else.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (generation, rest) = bytes.split_first_chunk()?;
        let bytes = match rest {
            [] => Known::Nothing,
            _ => Known::Bytes(u64::from_be_bytes(rest.try_into().ok()?)),
        };
        Some(Self { generation: u64::from_be_bytes(*generation), bytes })
    }
}

/// Why a journal is not what the database counts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nothing of it can be read.
    Missing,
    /// Something of it cannot.
    Damaged,
}

/// What the files hold for a database.
pub(super) struct Opened {
    pub(super) journals: Journals,
    /// What counts, oldest first; where there is a fault, all that can be read.
    pub(super) records: Vec<Vec<u8>>,
    /// With one, `journals` is not to be gone on with.
    pub(super) fault: Option<Fault>,
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
    /// Opens the files and reads what counts for a database with this mark.
    ///
    /// # Errors
    /// When there is a file and it cannot be read, or not written.
    pub(super) fn open(paths: &[PathBuf; 2], mark: Mark) -> io::Result<Opened> {
        if mark.bytes == Known::Bytes(0) {
            return Ok(Opened {
                journals: Self::unused(paths, mark.generation),
                records: Vec::new(),
                fault: None,
            });
        }
        let [one, other] = [&paths[0], &paths[1]].map(|path| Journal::read(path, mark.generation));
        let (one, other) = (one?, other?);
        let first = usize::from(!one.is_begun() && (other.is_begun() || other.is_damaged));
        let base = if first == 0 { one } else { other };
        let is_short = matches!(mark.bytes, Known::Bytes(bytes) if base.journal.end() < bytes);
        if !base.is_begun() && !base.is_damaged {
            let fault = is_short.then_some(Fault::Missing);
            return Ok(Opened { journals: Self::unused(paths, mark.generation), records: Vec::new(), fault });
        }
        let after = After::read(&paths[1 - first], &base)?;
        let is_sound = !is_short && !base.is_damaged && after.is_sound();
        Self::joined(paths, first, base, after.found(), is_sound)
    }

    fn joined(
        paths: &[PathBuf; 2],
        first: usize,
        base: Found,
        after: Option<Found>,
        is_sound: bool,
    ) -> io::Result<Opened> {
        let (mut journal, mut records) = (base.journal, base.records);
        let is_rotated = after.is_some();
        let mut next = match after {
            Some(after) => {
                records.extend(after.records);
                after.journal
            }
            None => Journal::new(&paths[1 - first], journal.generation()),
        };
        if is_sound {
            journal.secure()?;
            if is_rotated {
                next.secure()?;
            }
        }
        let active = if is_rotated { 1 - first } else { first };
        let files = if first == 0 { [journal, next] } else { [next, journal] };
        let journals = Self { files, active, is_begun: true, is_rotated, is_unsure: false };
        Ok(Opened { journals, records, fault: (!is_sound).then_some(Fault::Damaged) })
    }

    /// Files of which nothing counts.
    pub(super) fn unused(paths: &[PathBuf; 2], generation: u64) -> Self {
        let files = [Journal::new(&paths[0], generation), Journal::new(&paths[1], generation)];
        Self { files, active: 0, is_begun: false, is_rotated: false, is_unsure: false }
    }

    /// Where the two files of the database at `path` are.
    pub(super) fn paths(path: &Path) -> [PathBuf; 2] {
        [path.with_extension("journal"), path.with_extension("journal2")]
    }

    /// The file by which somebody gives up what cannot be read of the journal of the database at `path`.
    pub(super) fn lost(path: &Path) -> PathBuf {
        path.with_extension("journal.lost")
    }

    fn active(&self) -> &Journal {
        &self.files[self.active]
    }

    /// True while the database counts on the journal.
    pub(super) const fn is_begun(&self) -> bool {
        self.is_begun
    }

    /// True when no record counts: the database has everything.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        !self.is_rotated && self.active().is_empty()
    }

    /// Looks for room for a record of so many bytes, and goes on in the other file when this one is full; `generation` is then
    /// the one that the next flush gives the database.
    pub(super) fn room(&mut self, bytes: usize, generation: impl FnOnce() -> u64) -> Room {
        if !self.is_begun || self.is_unsure || !Journal::holds(bytes) {
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
        let (active, full) = self.split();
        let is_first = active.is_to_be_linked();
        let written = active.append(record);
        // The full file leads on to what is there, and before that is acknowledged.
        let written = written.and_then(|()| if is_first { full.lead_to(active) } else { Ok(()) });
        self.is_unsure |= written.is_err();
        written
    }

    /// The file that takes records, and the other one.
    fn split(&mut self) -> (&mut Journal, &mut Journal) {
        let [first, second] = &mut self.files;
        if self.active == 0 { (first, second) } else { (second, first) }
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
        let (full, next) = self.split();
        next.restart_after(generation, full);
        self.active = 1 - self.active;
        self.is_rotated = true;
    }

    /// What a flush gives the database to know, so that the full file is stale and the other one is not. `None` as long as
    /// nothing is in the other one: the database would count on a file that does not begin with its generation.
    pub(super) fn mark(&self) -> Option<Mark> {
        let active = self.active();
        let mark = Mark { generation: active.generation(), bytes: Known::Bytes(active.end()) };
        (active.end() > 0).then_some(mark)
    }

    /// The database was flushed with what [`Self::mark`] was.
    pub(super) fn is_flushed(&mut self, mark: Mark) {
        if mark.generation == self.active().generation() {
            self.is_rotated = false;
        }
    }

    /// Begins a file with a generation that the database is about to be flushed with; what counts until then stays as it is.
    /// `None` when both files count, or the disk does not take it: the database must not count on the journal then.
    pub(super) fn begin(&mut self, generation: impl Fn() -> u64) -> Option<Begun> {
        let is_free = |place: &usize| !self.is_rotated && (*place != self.active || !self.is_begun);
        let free: Vec<usize> = [self.active, 1 - self.active].into_iter().filter(is_free).collect();
        free.into_iter().find_map(|place| {
            // Another one for each try: a begin that failed may be on disk all the same.
            let generation = generation();
            match self.files[place].begin(generation) {
                Ok(()) => Some(Begun { place, generation }),
                Err(error) => {
                    tracing::warn!(%error, "a file of the database's journal could not be begun");
                    None
                }
            }
        })
    }

    /// Goes on in the file that was begun, or in none: the database has everything, and was flushed with this mark.
    pub(super) fn restart(&mut self, mark: Mark, begun: Option<Begun>) {
        match begun {
            Some(Begun { place, .. }) => self.active = place,
            None => self.files[self.active].restart(mark.generation),
        }
        self.is_begun = begun.is_some();
        self.is_rotated = false;
        self.is_unsure = false;
    }

    /// Makes all records unreadable, which nobody needs any more: the database may be put back to an older state by hand.
    pub(super) fn erase(&mut self) {
        self.files.iter_mut().for_each(Journal::erase);
    }
}

/// A file that [`Journals::begin`] has begun.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begun {
    place: usize,
    generation: u64,
}

impl Begun {
    /// What the database is to know of it.
    pub(super) const fn mark(self) -> Mark {
        Mark { generation: self.generation, bytes: Known::Bytes(BEGIN_RECORD_BYTES) }
    }
}

/// What goes on from a file of the journal in the other one.
enum After {
    Nothing,
    Sound(Found),
    /// It is not what the file before says, or that one lacks its end; what there is of it.
    Unlike(Found),
}

impl After {
    fn read(path: &Path, base: &Found) -> io::Result<Self> {
        let from = (base.journal.generation(), base.rows_end);
        if let Some(next) = base.next {
            let found = Journal::read(path, next)?;
            let fits = found.goes_on_from == Some(from) && found.is_begun() && !found.is_damaged;
            return Ok(if fits { Self::Sound(found) } else { Self::Unlike(found) });
        }
        // Nothing in it was acknowledged unless the first file lost its end.
        let found = Journal::read_its_own(path)?;
        Ok(match found.goes_on_from {
            Some(place) if place == from && !base.is_damaged => {
                if found.is_damaged {
                    Self::Unlike(found)
                } else {
                    Self::Sound(found)
                }
            }
            Some((generation, end)) if generation == from.0 && (end > from.1 || base.is_damaged) => {
                Self::Unlike(found)
            }
            _ => Self::Nothing,
        })
    }

    const fn is_sound(&self) -> bool {
        !matches!(self, Self::Unlike(_))
    }

    fn found(self) -> Option<Found> {
        match self {
            Self::Nothing => None,
            Self::Sound(found) | Self::Unlike(found) => Some(found),
        }
    }
}
