//! One segment of the log: records that count while the database has their epoch (`log.rs` has the two segments).
//!
//! **Which records count.** Every checkpoint of the database stores a new *epoch* in the same transaction, and a
//! record counts only when it carries the epoch of the database, or follows on records that do. So the checkpoint itself
//! makes all records stale, and the segment is written from its beginning again without being cleared. Making a change again
//! that the database has already does nothing: a record holds rows, not intentions.
//!
//! **What a torn write leaves.** A record carries a digest of its epoch, its offset and its bytes. Reading ends at
//! the first one that does not fit: a record that is not whole was never acknowledged, and none follows it. Where a whole
//! record of the same epoch does follow, what stands before it was whole once: the segment is damaged.

use sha2::{Digest as _, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// The size of the file, which is made whole once: writing into it later changes no length and no map of blocks, so
/// one wait is enough. Larger means fewer checkpoints; but what one of them flushes grows with it, and so does what is
/// made again after a kill.
pub(in crate::store) const SEGMENT_BYTES: u64 = 1 << 20;
/// The database notes freed and allocated pages once for each commit that a checkpoint flushes, so their number is
/// bounded too.
pub(in crate::store) const SEGMENT_RECORDS_MAX: usize = 1_024;

const DIGEST_BYTES: usize = 16;
/// Digest, epoch, length.
const HEAD_BYTES: usize = DIGEST_BYTES + 8 + 4;
/// Epoch and end of the segment that this one goes on from.
const LINK_BYTES: usize = 8 + 8;
const LINK_RECORD_BYTES: usize = HEAD_BYTES + 1 + LINK_BYTES;

/// One segment of the log of an open database.
pub(in crate::store) struct LogSegment {
    path: PathBuf,
    /// Made when the first record comes, so that a start writes nothing.
    file: Option<File>,
    epoch: u64,
    /// Where the segment ends that this one goes on from. It is written with the first record, and then no more held here.
    chain_link: Option<[u8; LINK_BYTES]>,
    end: u64,
    records: usize,
}

/// What a segment holds of one epoch.
pub(in crate::store) struct SegmentContents {
    /// Ready to go on behind the last record.
    pub(in crate::store) segment: LogSegment,
    /// The records of the database's, oldest first, also those behind damage.
    pub(in crate::store) records: Vec<Vec<u8>>,
    /// What the segment goes on from, when its first record says so: an epoch and where it ended.
    pub(in crate::store) continues_from: Option<(u64, u64)>,
    /// The epoch that the other segment goes on with, when this one is full.
    pub(in crate::store) next_epoch: Option<u64>,
    /// Where the last record of the database's ends that can be reached from the beginning.
    pub(in crate::store) rows_end: u64,
    /// A whole record stands behind what cannot be read.
    pub(in crate::store) is_damaged: bool,
}

impl SegmentContents {
    fn empty(path: &Path, epoch: u64) -> Self {
        Self {
            segment: LogSegment::new(path, epoch),
            records: Vec::new(),
            continues_from: None,
            next_epoch: None,
            rows_end: 0,
            is_damaged: false,
        }
    }

    /// True when the segment begins with a whole record of the epoch.
    pub(in crate::store) const fn is_begun(&self) -> bool {
        self.segment.end > 0
    }

    fn add_record(&mut self, record: &[u8], end: u64) {
        match SegmentRecord::parse(record) {
            SegmentRecord::Begin => {}
            SegmentRecord::Link(epoch, at) => self.continues_from = Some((epoch, at)),
            SegmentRecord::Next(epoch) => {
                self.next_epoch = Some(epoch);
                return;
            }
            SegmentRecord::Rows => self.records.push(record.to_vec()),
        }
        if !self.is_damaged {
            self.rows_end = end;
        }
    }
}

impl LogSegment {
    /// Reads what the file at `path`, which need not exist, holds of `epoch`. Nothing is written.
    ///
    /// # Errors
    /// When there is a file and it cannot be read.
    pub(in crate::store) fn read(path: &Path, epoch: u64) -> io::Result<SegmentContents> {
        let bytes = read_file(path)?;
        let mut contents = SegmentContents::empty(path, epoch);
        let mut at = 0;
        loop {
            while let Some(record) = record_at(&bytes, epoch, at) {
                let end = at + HEAD_BYTES + record.len();
                contents.add_record(record, end as u64);
                at = end;
                if !contents.is_damaged {
                    contents.segment.end = end as u64;
                }
            }
            let Some(later) = find_later_record(&bytes, epoch, at) else { break };
            contents.is_damaged = true;
            at = later;
        }
        contents.segment.records = contents.records.len();
        Ok(contents)
    }

    /// As [`Self::read`], of the epoch that the file itself begins with.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(in crate::store) fn read_own_epoch(path: &Path) -> io::Result<SegmentContents> {
        let bytes = read_file(path)?;
        let epoch = bytes.get(DIGEST_BYTES..HEAD_BYTES).and_then(|head| head.first_chunk());
        Self::read(path, epoch.map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    }

    /// Writes what was read once more, as it is: it may be known to the system's cache only, because a process that was
    /// killed had not waited for the disk, and records behind it must not be lost with it.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(in crate::store) fn rewrite(&mut self) -> io::Result<()> {
        let mut bytes = read_file(&self.path)?;
        bytes.truncate(usize::try_from(self.end).map_err(io::Error::other)?);
        self.write_at(0, &bytes)
    }

    /// A segment of which no record counts.
    pub(in crate::store) fn new(path: &Path, epoch: u64) -> Self {
        Self { path: path.to_owned(), file: None, epoch, chain_link: None, end: 0, records: 0 }
    }

    /// Where a segment that goes on from this one says it begins.
    fn chain_link(&self) -> [u8; LINK_BYTES] {
        let mut link = [0; LINK_BYTES];
        link[..8].copy_from_slice(&self.epoch.to_le_bytes());
        link[8..].copy_from_slice(&self.end.to_le_bytes());
        link
    }

    /// The epoch whose records count.
    pub(in crate::store) const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Where its last record ends.
    pub(in crate::store) const fn end(&self) -> u64 {
        self.end
    }

    /// True when no record of the database's counts: the database has everything.
    pub(in crate::store) const fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// True while the first record is still to come that says which segment this one goes on from.
    pub(in crate::store) const fn is_link_pending(&self) -> bool {
        self.chain_link.is_some()
    }

    /// True when a record of so many bytes fits behind the others.
    pub(in crate::store) fn has_space(&self, bytes: usize) -> bool {
        let link = if self.chain_link.is_some() { LINK_RECORD_BYTES } else { 0 };
        // Room is left for the record by which a full segment leads to the other one.
        let taken = (link + HEAD_BYTES + bytes + LINK_RECORD_BYTES) as u64;
        self.records < SEGMENT_RECORDS_MAX && self.end + taken <= SEGMENT_BYTES
    }

    /// True when a record of so many bytes fits into a segment that goes on from another one and has nothing else.
    pub(in crate::store) const fn can_hold(bytes: usize) -> bool {
        (LINK_RECORD_BYTES + HEAD_BYTES + bytes + LINK_RECORD_BYTES) as u64 <= SEGMENT_BYTES
    }

    /// Writes a record that [`Self::has_space`]; it is on disk when this returns.
    ///
    /// # Errors
    /// When the disk does not take it. Whether the record counts is then unknown until the log is read again.
    pub(in crate::store) fn append(&mut self, record: &[u8]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(HEAD_BYTES + record.len());
        if let Some(link) = &self.chain_link {
            self.encode_record(&mut bytes, &control_record(LINK, link))?;
        }
        self.encode_record(&mut bytes, record)?;
        self.write_at(self.end, &bytes)?;
        self.end += bytes.len() as u64;
        self.records += 1;
        self.chain_link = None;
        Ok(())
    }

    /// Begins the segment anew with an epoch that the database is about to get. From then on the file is missed when it is
    /// not there: what it begins with stands alone, in one sector, and is on disk when this returns.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(in crate::store) fn begin(&mut self, epoch: u64) -> io::Result<()> {
        self.reset(epoch);
        self.append_control(BEGIN, &[0; LINK_BYTES])
    }

    /// Writes as the last record that the other segment goes on from here: it is missed from then on when it does not.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(in crate::store) fn link_to(&mut self, next: &Self) -> io::Result<()> {
        self.append_control(NEXT, &next.chain_link())
    }

    fn append_control(&mut self, kind: u8, what: &[u8; LINK_BYTES]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(LINK_RECORD_BYTES);
        self.encode_record(&mut bytes, &control_record(kind, what))?;
        self.write_at(self.end, &bytes)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Adds a record to those that are written at the end in one go.
    fn encode_record(&self, bytes: &mut Vec<u8>, record: &[u8]) -> io::Result<()> {
        bytes.extend(digest(self.epoch, self.end + bytes.len() as u64, record));
        bytes.extend(self.epoch.to_le_bytes());
        bytes.extend(u32::try_from(record.len()).map_err(io::Error::other)?.to_le_bytes());
        bytes.extend(record);
        Ok(())
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(preallocate(&self.path)?),
        };
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)?;
        #[cfg(not(target_os = "linux"))]
        file.sync_data()?;
        Ok(())
    }

    /// Makes its records unreadable, which nobody needs any more: the database may be put back to an older state by hand.
    pub(in crate::store) fn invalidate(&mut self) {
        if self.file.is_some() {
            // A failure leaves records of an epoch that no database has.
            let _ = self.write_at(0, &[0; HEAD_BYTES]);
        }
    }

    /// Begins anew: the database has everything, and stored this epoch with it.
    pub(in crate::store) const fn reset(&mut self, epoch: u64) {
        self.epoch = epoch;
        self.chain_link = None;
        self.end = 0;
        self.records = 0;
    }

    /// Begins anew, going on from the end of `before`.
    pub(in crate::store) fn reset_continuing(&mut self, epoch: u64, before: &Self) {
        self.reset(epoch);
        self.chain_link = Some(before.chain_link());
    }
}

/// What the log writes for itself; records of the database's have other numbers.
const LINK: u8 = 0;
const BEGIN: u8 = 6;
const NEXT: u8 = 7;

/// The bytes of every segment's first record when it goes on from no other one.
pub(in crate::store) const BEGIN_RECORD_BYTES: u64 = LINK_RECORD_BYTES as u64;

enum SegmentRecord {
    /// The segment begins here, with nothing before it.
    Begin,
    /// The segment goes on from the end of the other one.
    Link(u64, u64),
    /// The other segment goes on from here with this epoch.
    Next(u64),
    Rows,
}

impl SegmentRecord {
    fn parse(record: &[u8]) -> Self {
        let Some((kind, what)) = record.split_first().filter(|(_, what)| what.len() == LINK_BYTES) else {
            return Self::Rows;
        };
        let (epoch, end) = what.split_at(8);
        let number = |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        match *kind {
            BEGIN => Self::Begin,
            LINK => Self::Link(number(epoch), number(end)),
            NEXT => Self::Next(number(epoch)),
            _ => Self::Rows,
        }
    }
}

fn control_record(kind: u8, what: &[u8; LINK_BYTES]) -> Vec<u8> {
    [&[kind], what.as_slice()].concat()
}

/// All that a file may hold; nothing when there is no file.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(SEGMENT_BYTES).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(error) => return Err(error),
    };
    Ok(bytes)
}

/// The record that begins at `at`, if it is whole and of this epoch.
fn record_at(bytes: &[u8], epoch: u64, at: usize) -> Option<&[u8]> {
    let (head, rest) = bytes.get(at..)?.split_first_chunk::<HEAD_BYTES>()?;
    let (known, rest_of_head) = head.split_at(DIGEST_BYTES);
    let (found, length) = rest_of_head.split_at(8);
    if found != epoch.to_le_bytes() {
        return None;
    }
    let length = u32::from_le_bytes(*length.first_chunk()?);
    let record = rest.get(..usize::try_from(length).ok()?)?;
    (digest(epoch, at as u64, record) == known).then_some(record)
}

/// Where a whole record of the epoch begins behind `from`.
fn find_later_record(bytes: &[u8], epoch: u64, from: usize) -> Option<usize> {
    let marked = bytes.get(from + DIGEST_BYTES..)?;
    memchr::memmem::find_iter(marked, &epoch.to_le_bytes())
        .map(|place| from + place)
        .find(|at| record_at(bytes, epoch, *at).is_some())
}

fn digest(epoch: u64, at: u64, record: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut hash = Sha256::new();
    hash.update(epoch.to_le_bytes());
    hash.update(at.to_le_bytes());
    hash.update(record);
    let whole = hash.finalize();
    std::array::from_fn(|index| whole[index])
}

/// Opens the file for writing and makes it, or what is missing of it, of zeros that are on disk.
fn preallocate(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let found = file.seek(SeekFrom::End(0))?;
    let missing = SEGMENT_BYTES.saturating_sub(found);
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
    open_dsync(options, path, file)
}

/// The same file, where the system can flush with each write: one call, and no flush of what others wrote.
#[cfg(target_os = "linux")]
fn open_dsync(mut options: OpenOptions, path: &Path, _file: File) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.custom_flags(rustix::fs::OFlags::DSYNC.bits().cast_signed()).open(path)
}

#[cfg(not(target_os = "linux"))]
fn open_dsync(_options: OpenOptions, _path: &Path, file: File) -> io::Result<File> {
    Ok(file)
}
