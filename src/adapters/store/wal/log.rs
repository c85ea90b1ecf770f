//! The write-ahead log: what was written since the last checkpoint of the database, in two segments.
//!
//! A checkpoint costs two waits for the disk and much processor time, whatever was written. So a commit writes
//! its changes into a segment of the log, which takes one wait, and leaves the database's own pages in memory until the
//! segment is full. After a kill the changes are made again, in their order.
//!
//! **Why two segments.** A checkpoint takes as long as hundreds of records. While it goes on, what must be durable goes into
//! the other segment, whose first record says where the full one ended. Until the checkpoint is over both count, one after
//! the other; the checkpoint gives the database the epoch of the second, and with that the first is stale.
//!
//! **What a checkpoint that did not come to its end leaves.** The database has the epoch of the full segment still, and
//! both are read. A segment that goes on from an end that is not there (a database was put back) does not count.
//!
//! **Why no record is lost unnoticed.** With its epoch the database keeps how many bytes of the log it can count on
//! ([`LogMark`]): none after a clean end, and else at least the first record, which is on disk before the database says so.
//! A segment that was deleted, emptied or replaced has less. A full segment ends in a record that names the epoch of
//! the other one, written before anything in that one is acknowledged. And behind what is damaged whole records follow.
//! Only damage to the very last record cannot be told from a write that a power cut tore.

use super::segment::{BEGIN_RECORD_BYTES, LogSegment, SegmentContents};
use std::io;
use std::path::{Path, PathBuf};

/// The two segments; see the module.
pub(in crate::store) struct WriteAheadLog {
    segments: [LogSegment; 2],
    active: usize,
    /// The database counts on the active one. Until it does, nothing is appended.
    is_begun: bool,
    /// The other one counts too, until the checkpoint is over.
    is_checkpoint_pending: bool,
    /// A write failed, so a record may stand at the end that nobody was told of. Nothing may follow it, nor go on from it:
    /// only a checkpoint of everything, which makes it stale, ends this.
    is_poisoned: bool,
}

/// What the database knows of its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct LogMark {
    pub(in crate::store) epoch: u64,
    /// How many bytes of the log there are at least: 0 when the database has everything.
    pub(in crate::store) length: KnownLength,
}

/// How much of the log the database can count on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum KnownLength {
    /// So many bytes.
    Bytes(u64),
    /// Nobody wrote it down: a database of an older format.
    Unknown,
}

impl LogMark {
    pub(in crate::store) fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.epoch.to_be_bytes());
        if let KnownLength::Bytes(known) = self.length {
            bytes[8..].copy_from_slice(&known.to_be_bytes());
        }
        bytes
    }

    /// Reads the stored form, or that of an older format; `None` for anything else.
    pub(in crate::store) fn parse(bytes: &[u8]) -> Option<Self> {
        let (epoch, rest) = bytes.split_first_chunk()?;
        let length = match rest {
            [] => KnownLength::Unknown,
            _ => KnownLength::Bytes(u64::from_be_bytes(rest.try_into().ok()?)),
        };
        Some(Self { epoch: u64::from_be_bytes(*epoch), length })
    }
}

/// Why a log is not what the database counts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum LogErrorKind {
    /// Nothing of it can be read.
    Missing,
    Damaged,
}

/// What the segments hold for a database.
pub(in crate::store) struct RecoveredLog {
    pub(in crate::store) log: WriteAheadLog,
    /// What counts, oldest first; where there is an error, all that can be read.
    pub(in crate::store) records: Vec<Vec<u8>>,
    /// With an error, `log` is not to be gone on with.
    pub(in crate::store) error: Option<LogErrorKind>,
}

/// Whether a record can be appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum LogSpace {
    Available,
    /// When the checkpoint is over.
    AfterCheckpoint,
    /// Not while things are as they are: the change is for the database itself.
    Unavailable,
}

impl WriteAheadLog {
    /// Opens the segments and reads what counts for a database with this mark.
    ///
    /// # Errors
    /// When there is a file and it cannot be read, or not written.
    pub(in crate::store) fn open(paths: &[PathBuf; 2], mark: LogMark) -> io::Result<RecoveredLog> {
        if mark.length == KnownLength::Bytes(0) {
            return Ok(RecoveredLog {
                log: Self::empty(paths, mark.epoch),
                records: Vec::new(),
                error: None,
            });
        }
        let [one, other] = [&paths[0], &paths[1]].map(|path| LogSegment::read(path, mark.epoch));
        let (one, other) = (one?, other?);
        let first = usize::from(!one.is_begun() && (other.is_begun() || other.is_damaged));
        let base = if first == 0 { one } else { other };
        let is_short = matches!(mark.length, KnownLength::Bytes(bytes) if base.segment.end() < bytes);
        if !base.is_begun() && !base.is_damaged {
            let error = is_short.then_some(LogErrorKind::Missing);
            return Ok(RecoveredLog { log: Self::empty(paths, mark.epoch), records: Vec::new(), error });
        }
        let continuation = Continuation::read(&paths[1 - first], &base)?;
        let is_sound = !is_short && !base.is_damaged && continuation.is_valid();
        Self::join(paths, first, base, continuation.into_contents(), is_sound)
    }

    fn join(
        paths: &[PathBuf; 2],
        first: usize,
        base: SegmentContents,
        continuation: Option<SegmentContents>,
        is_sound: bool,
    ) -> io::Result<RecoveredLog> {
        let (mut base_segment, mut records) = (base.segment, base.records);
        let is_checkpoint_pending = continuation.is_some();
        let mut next = match continuation {
            Some(continuation) => {
                records.extend(continuation.records);
                continuation.segment
            }
            None => LogSegment::new(&paths[1 - first], base_segment.epoch()),
        };
        if is_sound {
            base_segment.rewrite()?;
            if is_checkpoint_pending {
                next.rewrite()?;
            }
        }
        let active = if is_checkpoint_pending { 1 - first } else { first };
        let segments = if first == 0 { [base_segment, next] } else { [next, base_segment] };
        let log = Self { segments, active, is_begun: true, is_checkpoint_pending, is_poisoned: false };
        Ok(RecoveredLog { log, records, error: (!is_sound).then_some(LogErrorKind::Damaged) })
    }

    /// Segments of which nothing counts.
    pub(in crate::store) fn empty(paths: &[PathBuf; 2], epoch: u64) -> Self {
        let segments = [LogSegment::new(&paths[0], epoch), LogSegment::new(&paths[1], epoch)];
        Self { segments, active: 0, is_begun: false, is_checkpoint_pending: false, is_poisoned: false }
    }

    /// Where the two segments of the database at `path` are.
    pub(in crate::store) fn paths(path: &Path) -> [PathBuf; 2] {
        [path.with_extension("journal"), path.with_extension("journal2")]
    }

    /// The file by which somebody gives up what cannot be read of the log of the database at `path`.
    pub(in crate::store) fn loss_marker(path: &Path) -> PathBuf {
        path.with_extension("journal.lost")
    }

    fn active(&self) -> &LogSegment {
        &self.segments[self.active]
    }

    /// True while the database counts on the log.
    pub(in crate::store) const fn is_begun(&self) -> bool {
        self.is_begun
    }

    /// True when no record counts: the database has everything.
    #[cfg(test)]
    pub(in crate::store) fn is_empty(&self) -> bool {
        !self.is_checkpoint_pending && self.active().is_empty()
    }

    /// Looks for room for a record of so many bytes, and goes on in the other segment when this one is full; `new_epoch`
    /// then gives the one that the database gets at the next checkpoint.
    pub(in crate::store) fn find_space(&mut self, bytes: usize, new_epoch: impl FnOnce() -> u64) -> LogSpace {
        if !self.is_begun || self.is_poisoned || !LogSegment::can_hold(bytes) {
            return LogSpace::Unavailable;
        }
        if self.active().has_space(bytes) {
            return LogSpace::Available;
        }
        if self.is_checkpoint_pending {
            return LogSpace::AfterCheckpoint;
        }
        self.switch_segment(new_epoch());
        LogSpace::Available
    }

    /// Writes a record that there is [`LogSpace::Available`] for; it is on disk when this returns.
    ///
    /// # Errors
    /// When the disk does not take it. Whether the record counts is then unknown, and nothing is appended any more until
    /// [`Self::reset`].
    pub(in crate::store) fn append(&mut self, record: &[u8]) -> io::Result<()> {
        let (active, full) = self.active_and_other();
        let is_link_pending = active.is_link_pending();
        let result = active.append(record);
        // The full segment leads on to what is there, and before that is acknowledged.
        let written = result.and_then(|()| if is_link_pending { full.link_to(active) } else { Ok(()) });
        self.is_poisoned |= written.is_err();
        written
    }

    /// The segment that takes records, and the other one.
    fn active_and_other(&mut self) -> (&mut LogSegment, &mut LogSegment) {
        let [first, second] = &mut self.segments;
        if self.active == 0 { (first, second) } else { (second, first) }
    }

    /// True after a write that failed.
    pub(in crate::store) const fn is_poisoned(&self) -> bool {
        self.is_poisoned
    }

    /// True while the full segment waits for a checkpoint.
    pub(in crate::store) const fn is_checkpoint_pending(&self) -> bool {
        self.is_checkpoint_pending
    }

    /// Goes on in the other segment. Not while that still counts, and not from a segment without records: nobody would find
    /// the other one by it.
    pub(in crate::store) fn switch_segment(&mut self, epoch: u64) {
        debug_assert!(
            !self.is_checkpoint_pending && !self.active().is_empty(),
            "the other file would be lost"
        );
        let (full, next) = self.active_and_other();
        next.reset_continuing(epoch, full);
        self.active = 1 - self.active;
        self.is_checkpoint_pending = true;
    }

    /// What a checkpoint gives the database to know, so that the full segment is stale and the other one is not. `None` as
    /// long as nothing is in the other one: the database would count on a segment that does not begin with its epoch.
    pub(in crate::store) fn mark(&self) -> Option<LogMark> {
        let active = self.active();
        let mark = LogMark { epoch: active.epoch(), length: KnownLength::Bytes(active.end()) };
        (active.end() > 0).then_some(mark)
    }

    /// The checkpoint is over that gave the database what [`Self::mark`] was.
    pub(in crate::store) fn checkpoint_done(&mut self, mark: LogMark) {
        if mark.epoch == self.active().epoch() {
            self.is_checkpoint_pending = false;
        }
    }

    /// Begins a segment with an epoch that the database gets at the checkpoint to come; what counts until then stays as
    /// it is. `None` when both segments count, or the disk does not take it: the database must not count on the log
    /// then.
    pub(in crate::store) fn begin_segment(&mut self, new_epoch: impl Fn() -> u64) -> Option<NewSegment> {
        let is_free =
            |place: &usize| !self.is_checkpoint_pending && (*place != self.active || !self.is_begun);
        let free: Vec<usize> = [self.active, 1 - self.active].into_iter().filter(is_free).collect();
        free.into_iter().find_map(|place| {
            // Another one for each try: a begin that failed may be on disk all the same.
            let epoch = new_epoch();
            match self.segments[place].begin(epoch) {
                Ok(()) => Some(NewSegment { index: place, epoch }),
                Err(error) => {
                    tracing::warn!(
                        target: "flowkeep::store::wal::log",
                        %error,
                        "a file of the database's journal could not be begun"
                    );
                    None
                }
            }
        })
    }

    /// Goes on in the segment that was begun, or in none: the database has everything, and this mark.
    pub(in crate::store) fn reset(&mut self, mark: LogMark, new_segment: Option<NewSegment>) {
        match new_segment {
            Some(NewSegment { index: place, .. }) => self.active = place,
            None => self.segments[self.active].reset(mark.epoch),
        }
        self.is_begun = new_segment.is_some();
        self.is_checkpoint_pending = false;
        self.is_poisoned = false;
    }

    /// Makes all records unreadable, which nobody needs any more: the database may be put back to an older state by hand.
    pub(in crate::store) fn invalidate(&mut self) {
        self.segments.iter_mut().for_each(LogSegment::invalidate);
    }
}

/// A segment that [`WriteAheadLog::begin_segment`] has begun.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct NewSegment {
    index: usize,
    epoch: u64,
}

impl NewSegment {
    /// What the database is to know of it.
    pub(in crate::store) const fn mark(self) -> LogMark {
        LogMark { epoch: self.epoch, length: KnownLength::Bytes(BEGIN_RECORD_BYTES) }
    }
}

/// What goes on from a segment of the log in the other one.
enum Continuation {
    Absent,
    Valid(SegmentContents),
    /// It is not what the segment before says, or that one lacks its end; what there is of it.
    Mismatched(SegmentContents),
}

impl Continuation {
    fn read(path: &Path, base: &SegmentContents) -> io::Result<Self> {
        let from = (base.segment.epoch(), base.rows_end);
        if let Some(next) = base.next_epoch {
            let contents = LogSegment::read(path, next)?;
            let fits = contents.continues_from == Some(from) && contents.is_begun() && !contents.is_damaged;
            return Ok(if fits { Self::Valid(contents) } else { Self::Mismatched(contents) });
        }
        // Nothing in it was acknowledged unless the first segment lost its end.
        let contents = LogSegment::read_own_epoch(path)?;
        Ok(match contents.continues_from {
            Some(place) if place == from && !base.is_damaged => {
                if contents.is_damaged {
                    Self::Mismatched(contents)
                } else {
                    Self::Valid(contents)
                }
            }
            Some((epoch, end)) if epoch == from.0 && (end > from.1 || base.is_damaged) => {
                Self::Mismatched(contents)
            }
            _ => Self::Absent,
        })
    }

    const fn is_valid(&self) -> bool {
        !matches!(self, Self::Mismatched(_))
    }

    fn into_contents(self) -> Option<SegmentContents> {
        match self {
            Self::Absent => None,
            Self::Valid(found) | Self::Mismatched(found) => Some(found),
        }
    }
}
