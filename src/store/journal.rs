//! One file of the journal: records that count while the database has their generation (`journals.rs` has the two files).
//!
//! **Which records count.** Every flush of the database stores a new *generation* in the same transaction, and a
//! record counts only when it carries the generation of the database, or follows on records that do. So the flush itself
//! makes all records stale, and the file is written from its beginning again without being cleared. Making a change again
//! that the database has already does nothing: a record holds rows, not intentions.
//!
//! **What a torn write leaves.** A record carries a digest of its generation, its place and its bytes. Reading ends at
//! the first one that does not fit: a record that is not whole was never acknowledged, and none follows it.

use sha2::{Digest as _, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
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
    records: usize,
}

impl Journal {
    /// Opens the file at `path`, which need not exist, and reads its records of `generation`, oldest first.
    ///
    /// What was read may be known to the system's cache only: a process that was killed had not waited for the disk, and
    /// records behind it must not be lost with it. So it is written once more, as it is.
    ///
    /// # Errors
    /// When there is a file and it cannot be read, or not written.
    pub(super) fn open(path: &Path, generation: u64) -> io::Result<(Self, Vec<Vec<u8>>)> {
        let mut journal = Self::new(path, generation);
        let mut records = Vec::new();
        let Some(mut file) = existing(path)? else { return Ok((journal, records)) };
        while let Some(record) = next_record(&mut file, &journal)? {
            journal.end += (HEAD_BYTES + record.len()) as u64;
            journal.records += 1;
            // The link to the file before is no record of the database's.
            if !is_link(&record) {
                records.push(record);
            }
        }
        if journal.records > 0 {
            let mut whole = vec![0; usize::try_from(journal.end).map_err(io::Error::other)?];
            file.seek(SeekFrom::Start(0))?;
            file.read_exact(&mut whole)?;
            journal.write_at(0, &whole)?;
        }
        Ok((journal, records))
    }

    /// As [`Self::open`], when the file goes on from the end of `before`; `None` when it does not.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(super) fn open_after(path: &Path, before: &Self) -> io::Result<Option<(Self, Vec<Vec<u8>>)>> {
        let Some(mut file) = existing(path)? else { return Ok(None) };
        let mut head = [0; HEAD_BYTES];
        if !fills(&mut file, &mut head)? {
            return Ok(None);
        }
        let found = head[DIGEST_BYTES..].first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        file.seek(SeekFrom::Start(0))?;
        match next_record(&mut file, &Self::new(path, found))? {
            Some(first) if first == link_record(&before.as_link()) => Self::open(path, found).map(Some),
            _ => Ok(None),
        }
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

    /// True when no record counts: the database has everything.
    pub(super) const fn is_empty(&self) -> bool {
        self.end == 0
    }

    /// True when a record of so many bytes fits behind the others.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        let link = if self.link.is_some() { LINK_RECORD_BYTES } else { 0 };
        self.records < RECORDS_MAX && self.end + (link + HEAD_BYTES + bytes) as u64 <= JOURNAL_BYTES
    }

    /// True when a record of so many bytes fits into a file that goes on from another one and has nothing else.
    pub(super) const fn holds(bytes: usize) -> bool {
        (LINK_RECORD_BYTES + HEAD_BYTES + bytes) as u64 <= JOURNAL_BYTES
    }

    /// Writes a record that [`Self::has_room`]; it is on disk when this returns.
    ///
    /// # Errors
    /// When the disk does not take it. Whether the record counts is then unknown until the journal is read again.
    pub(super) fn append(&mut self, changes: &[u8]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(HEAD_BYTES + changes.len());
        if let Some(link) = &self.link {
            self.lay(&mut bytes, &link_record(link))?;
        }
        self.lay(&mut bytes, changes)?;
        self.write_at(self.end, &bytes)?;
        self.end += bytes.len() as u64;
        self.records += 1 + usize::from(self.link.take().is_some());
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

/// Tells the link to the file before from a record of the database's, whose kinds have other numbers.
const LINK: u8 = 0;

fn link_record(link: &[u8; LINK_BYTES]) -> Vec<u8> {
    [&[LINK], link.as_slice()].concat()
}

fn is_link(record: &[u8]) -> bool {
    record.first() == Some(&LINK)
}

fn existing(path: &Path) -> io::Result<Option<BufReader<File>>> {
    match File::open(path) {
        Ok(file) => Ok(Some(BufReader::new(file))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The record behind the journal's last one, if it is whole and of its generation.
fn next_record(file: &mut impl io::Read, journal: &Journal) -> io::Result<Option<Vec<u8>>> {
    let mut head = [0; HEAD_BYTES];
    if !fills(file, &mut head)? {
        return Ok(None);
    }
    let (known, rest) = head.split_at(DIGEST_BYTES);
    let (found, length) = rest.split_at(8);
    let length = length.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
    if found != journal.generation.to_le_bytes() || !journal.has_room(length) {
        return Ok(None);
    }
    let mut record = vec![0; length];
    let is_whole = fills(file, &mut record)? && digest(journal.generation, journal.end, &record) == known;
    Ok(is_whole.then_some(record))
}

/// Reads as many bytes as there is room for; false when the file ends before.
fn fills(file: &mut impl io::Read, room: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(room) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
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
