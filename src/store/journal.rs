//! One file of the journal: records that count while the database has their generation (`journals.rs` has the two files).
//!
//! **Which records count.** Every flush of the database stores a new *generation* in the same transaction, and a
//! record counts only when it carries the generation of the database, or follows on records that do. So the flush itself
//! makes all records stale, and the file is written from its beginning again without being cleared. Making a change again
//! that the database has already does nothing: a record holds rows, not intentions.
//!
//! **What a torn write leaves.** A record carries a digest of its generation, its place and its bytes. Reading ends at
//! the first one that does not fit: a record that is not whole was never acknowledged, and none follows it. Where a whole
//! record of the same generation does follow, what stands before it was whole once: the file is damaged.

use sha2::{Digest as _, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// The size of the file, which is made whole once: writing into it later changes no length and no map of blocks, so
/// one wait is enough. Larger means fewer flushes of the database; but what is flushed grows with it, and so does what is
/// made again after a kill.
pub(super) const JOURNAL_BYTES: u64 = 1 << 20;
/// The database notes freed and allocated pages once for each commit it flushes, so their number is bounded too.
pub(super) const RECORDS_MAX: usize = 1_024;

const DIGEST_BYTES: usize = 16;
/// Digest, generation, length.
const HEAD_BYTES: usize = DIGEST_BYTES + 8 + 4;
/// Generation and end of the file that this one goes on from.
const LINK_BYTES: usize = 8 + 8;
const LINK_RECORD_BYTES: usize = HEAD_BYTES + 1 + LINK_BYTES;

/// One file of the journal of an open database.
pub(super) struct Journal {
    path: PathBuf,
    /// Made when the first record comes, so that a start writes nothing.
    file: Option<File>,
    generation: u64,
    /// Where the file ends that this one goes on from. It is written with the first record, and then no more held here.
    link: Option<[u8; LINK_BYTES]>,
    end: u64,
    /// Records of the database's.
    records: usize,
}

/// What a file holds of one generation.
pub(super) struct Found {
    /// Ready to go on behind the last record.
    pub(super) journal: Journal,
    /// The records of the database's, oldest first, also those behind damage.
    pub(super) records: Vec<Vec<u8>>,
    /// The place that the file goes on from, when its first record says so: a generation and where it ended.
    pub(super) goes_on_from: Option<(u64, u64)>,
    /// The generation that the other file goes on with, when this one is full.
    pub(super) next: Option<u64>,
    /// Where the last record of the database's ends that can be reached from the beginning.
    pub(super) rows_end: u64,
    /// A whole record stands behind what cannot be read.
    pub(super) is_damaged: bool,
}

impl Found {
    /// Nothing.
    fn none(path: &Path, generation: u64) -> Self {
        Self {
            journal: Journal::new(path, generation),
            records: Vec::new(),
            goes_on_from: None,
            next: None,
            rows_end: 0,
            is_damaged: false,
        }
    }

    /// True when the file begins with a whole record of the generation.
    pub(super) const fn is_begun(&self) -> bool {
        self.journal.end > 0
    }

    fn take(&mut self, record: &[u8], end: u64) {
        match Record::of(record) {
            Record::Begin => {}
            Record::Link(generation, at) => self.goes_on_from = Some((generation, at)),
            Record::Next(generation) => {
                self.next = Some(generation);
                return;
            }
            Record::Rows => self.records.push(record.to_vec()),
        }
        if !self.is_damaged {
            self.rows_end = end;
        }
    }
}

impl Journal {
    /// Reads what the file at `path`, which need not exist, holds of `generation`. Nothing is written.
    ///
    /// # Errors
    /// When there is a file and it cannot be read.
    pub(super) fn read(path: &Path, generation: u64) -> io::Result<Found> {
        let bytes = whole(path)?;
        let mut found = Found::none(path, generation);
        let mut at = 0;
        loop {
            while let Some(record) = record_at(&bytes, generation, at) {
                let end = at + HEAD_BYTES + record.len();
                found.take(record, end as u64);
                at = end;
                if !found.is_damaged {
                    found.journal.end = end as u64;
                }
            }
            let Some(later) = later_record(&bytes, generation, at) else { break };
            found.is_damaged = true;
            at = later;
        }
        found.journal.records = found.records.len();
        Ok(found)
    }

    /// As [`Self::read`], of the generation that the file itself begins with.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(super) fn read_its_own(path: &Path) -> io::Result<Found> {
        let bytes = whole(path)?;
        let generation = bytes.get(DIGEST_BYTES..HEAD_BYTES).and_then(|head| head.first_chunk());
        Self::read(path, generation.map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    }

    /// Writes what was read once more, as it is: it may be known to the system's cache only, because a process that was killed
    /// had not waited for the disk, and records behind it must not be lost with it.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(super) fn secure(&mut self) -> io::Result<()> {
        let mut bytes = whole(&self.path)?;
        bytes.truncate(usize::try_from(self.end).map_err(io::Error::other)?);
        self.write_at(0, &bytes)
    }

    /// A file of which no record counts.
    pub(super) fn new(path: &Path, generation: u64) -> Self {
        Self { path: path.to_owned(), file: None, generation, link: None, end: 0, records: 0 }
    }

    /// Where a file that goes on from this one says it begins.
    fn as_link(&self) -> [u8; LINK_BYTES] {
        let mut link = [0; LINK_BYTES];
        link[..8].copy_from_slice(&self.generation.to_le_bytes());
        link[8..].copy_from_slice(&self.end.to_le_bytes());
        link
    }

    /// The generation whose records count.
    pub(super) const fn generation(&self) -> u64 {
        self.generation
    }

    /// Where its last record ends.
    pub(super) const fn end(&self) -> u64 {
        self.end
    }

    /// True when no record of the database's counts: the database has everything.
    pub(super) const fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// True while the first record is still to come that says which file this one goes on from.
    pub(super) const fn is_to_be_linked(&self) -> bool {
        self.link.is_some()
    }

    /// True when a record of so many bytes fits behind the others.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        let link = if self.link.is_some() { LINK_RECORD_BYTES } else { 0 };
        // Room is left for the record by which a full file leads to the other one.
        let taken = (link + HEAD_BYTES + bytes + LINK_RECORD_BYTES) as u64;
        self.records < RECORDS_MAX && self.end + taken <= JOURNAL_BYTES
    }

    /// True when a record of so many bytes fits into a file that goes on from another one and has nothing else.
    pub(super) const fn holds(bytes: usize) -> bool {
        (LINK_RECORD_BYTES + HEAD_BYTES + bytes + LINK_RECORD_BYTES) as u64 <= JOURNAL_BYTES
    }

    /// Writes a record that [`Self::has_room`]; it is on disk when this returns.
    ///
    /// # Errors
    /// When the disk does not take it. Whether the record counts is then unknown until the journal is read again.
    pub(super) fn append(&mut self, changes: &[u8]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(HEAD_BYTES + changes.len());
        if let Some(link) = &self.link {
            self.lay(&mut bytes, &control_record(LINK, link))?;
        }
        self.lay(&mut bytes, changes)?;
        self.write_at(self.end, &bytes)?;
        self.end += bytes.len() as u64;
        self.records += 1;
        self.link = None;
        Ok(())
    }

    /// Begins the file anew with a generation that the database is about to get. From then on the file is missed when it is not
    /// there: what it begins with stands alone, in one sector, and is on disk when this returns.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(super) fn begin(&mut self, generation: u64) -> io::Result<()> {
        self.restart(generation);
        self.control(BEGIN, &[0; LINK_BYTES])
    }

    /// Writes as the last record that the other file goes on from here: it is missed from then on when it does not.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(super) fn lead_to(&mut self, next: &Self) -> io::Result<()> {
        self.control(NEXT, &next.as_link())
    }

    fn control(&mut self, kind: u8, what: &[u8; LINK_BYTES]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(LINK_RECORD_BYTES);
        self.lay(&mut bytes, &control_record(kind, what))?;
        self.write_at(self.end, &bytes)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Adds a record to those that are written at the end in one go.
    fn lay(&self, bytes: &mut Vec<u8>, changes: &[u8]) -> io::Result<()> {
        bytes.extend(digest(self.generation, self.end + bytes.len() as u64, changes));
        bytes.extend(self.generation.to_le_bytes());
        bytes.extend(u32::try_from(changes.len()).map_err(io::Error::other)?.to_le_bytes());
        bytes.extend(changes);
        Ok(())
    }

    fn write_at(&mut self, place: u64, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(whole_file(&self.path)?),
        };
        file.seek(SeekFrom::Start(place))?;
        file.write_all(bytes)?;
        #[cfg(not(target_os = "linux"))]
        file.sync_data()?;
        Ok(())
    }

    /// Makes its records unreadable, which nobody needs any more: the database may be put back to an older state by hand.
    pub(super) fn erase(&mut self) {
        if self.file.is_some() {
            // A failure leaves records of a generation that no database has.
            let _ = self.write_at(0, &[0; HEAD_BYTES]);
        }
    }

    /// Begins anew: the database has everything, and stored this generation with it.
    pub(super) const fn restart(&mut self, generation: u64) {
        self.generation = generation;
        self.link = None;
        self.end = 0;
        self.records = 0;
    }

    /// Begins anew, going on from the end of `before`.
    pub(super) fn restart_after(&mut self, generation: u64, before: &Self) {
        self.restart(generation);
        self.link = Some(before.as_link());
    }
}

/// What the journal writes for itself; records of the database's have other numbers.
const LINK: u8 = 0;
const BEGIN: u8 = 6;
const NEXT: u8 = 7;

/// The bytes of every file's first record when it begins with no other one.
pub(super) const BEGIN_RECORD_BYTES: u64 = LINK_RECORD_BYTES as u64;

enum Record {
    /// The file begins here, with nothing before it.
    Begin,
    /// The file goes on from the end of the other one.
    Link(u64, u64),
    /// The other file goes on from here with this generation.
    Next(u64),
    /// Of the database's.
    Rows,
}

impl Record {
    fn of(record: &[u8]) -> Self {
        let Some((kind, what)) = record.split_first().filter(|(_, what)| what.len() == LINK_BYTES) else {
            return Self::Rows;
        };
        let (generation, end) = what.split_at(8);
        let number = |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        match *kind {
            BEGIN => Self::Begin,
            LINK => Self::Link(number(generation), number(end)),
            NEXT => Self::Next(number(generation)),
            _ => Self::Rows,
        }
    }
}

fn control_record(kind: u8, what: &[u8; LINK_BYTES]) -> Vec<u8> {
    [&[kind], what.as_slice()].concat()
}

/// All that a file may hold; nothing when there is no file.
fn whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(JOURNAL_BYTES).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(error) => return Err(error),
    };
    Ok(bytes)
}

/// The record that begins at `at`, if it is whole and of this generation.
fn record_at(bytes: &[u8], generation: u64, at: usize) -> Option<&[u8]> {
    let (head, rest) = bytes.get(at..)?.split_first_chunk::<HEAD_BYTES>()?;
    let (known, rest_of_head) = head.split_at(DIGEST_BYTES);
    let (found, length) = rest_of_head.split_at(8);
    if found != generation.to_le_bytes() {
        return None;
    }
    let length = u32::from_le_bytes(*length.first_chunk()?);
    let record = rest.get(..usize::try_from(length).ok()?)?;
    (digest(generation, at as u64, record) == known).then_some(record)
}

/// Where a whole record of the generation begins behind `from`.
fn later_record(bytes: &[u8], generation: u64, from: usize) -> Option<usize> {
    let marked = bytes.get(from + DIGEST_BYTES..)?;
    memchr::memmem::find_iter(marked, &generation.to_le_bytes())
        .map(|place| from + place)
        .find(|at| record_at(bytes, generation, *at).is_some())
}

fn digest(generation: u64, at: u64, changes: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut hash = Sha256::new();
    hash.update(generation.to_le_bytes());
    hash.update(at.to_le_bytes());
    hash.update(changes);
    let whole = hash.finalize();
    std::array::from_fn(|index| whole[index])
}

/// Opens the file for writing and makes it, or what is missing of it, of zeros that are on disk.
fn whole_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let found = file.seek(SeekFrom::End(0))?;
    let missing = JOURNAL_BYTES.saturating_sub(found);
    // Also when nothing is missing: a process that was killed may have made it and not waited for the disk.
    let made = io::copy(&mut io::repeat(0).take(missing), &mut file).and_then(|_| file.sync_all());
    if let Err(error) = made {
        // Zeros must not take the room that the database needs.
        let _ = file.set_len(found);
        return Err(error);
    }
    #[cfg(unix)]
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        File::open(folder)?.sync_all()?;
    }
    flushing(options, path, file)
}

/// The same file, where the system can flush with each write: one call, and no flush of what others wrote.
#[cfg(target_os = "linux")]
fn flushing(mut options: OpenOptions, path: &Path, _file: File) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.custom_flags(rustix::fs::OFlags::DSYNC.bits().cast_signed()).open(path)
}

#[cfg(not(target_os = "linux"))]
fn flushing(_options: OpenOptions, _path: &Path, file: File) -> io::Result<File> {
    Ok(file)
}
