//! The open database: how changes and messages become durable, how the database is flushed, and how it is opened anew after a
//! failed disk operation, which redb asks for and which lets a full disk heal without a restart.

use super::create;
use super::journals::{Begun, Journals, Known, Mark, Room};
use super::look;
use super::memo::{Changed, Memo};
use super::messages::{self, Said};
use super::open::{OpenError, Places, next_message, prepare, replay};
use super::tables::META;
use super::tail::{self, Kept, ROWS_HEAD_BYTES, Tail};
use super::tx::{ReadTx, Sees, WriteTx, broken};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{FlowId, WorkspaceId};
use redb::{Builder, Database, DatabaseError, ReadableDatabase as _, StorageError};
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// Pages kept in memory, for reading and writing together. An idle service must stay small, and the pages a
/// request needs (its flow, its key, the end of its conversation) are few.
const CACHE_BYTES: usize = 16 << 20;

/// How often messages are judged anew because something changed meanwhile; then they are a change themselves, which waits.
const JUDGED_MAX: usize = 3;

/// What the database knows of its journal, in the table of facts about it: [`Mark`].
pub(super) const JOURNAL: &[u8] = b"journal";

/// Opens the database; called again whenever it must be opened anew.
pub(super) type Opener = Box<dyn Fn() -> Result<Database, DatabaseError> + Send + Sync>;

/// The open database, which is replaced by a freshly opened one after a disk failure.
pub(super) struct Handle {
    opener: Opener,
    /// Held for reading only while a transaction begins, so that a nested or long transaction blocks nobody.
    /// `None` after a failed attempt to open it anew.
    database: RwLock<Option<Guarded>>,
    /// Where the journal lies; `None` for a database without one, whose every commit is a flush.
    places: Option<Places>,
    /// Taken while something is written into it, and while a flush ends.
    journals: Mutex<Option<Journals>>,
    /// Messages that the journal has and the database has not. Kept and cleared while `journals` is held.
    pub(super) tail: Tail,
    /// A file of the journal is full, and nobody has begun to flush the database for it.
    flush_is_due: AtomicBool,
    sick: AtomicBool,
    /// Raised by every change, and by every opening, after which a change that failed may be there.
    changes: AtomicU64,
    homes: Memo<FlowId, Option<WorkspaceId>>,
    /// With `journals`: the journal has a change that nobody sees yet, because the database is being flushed with it.
    is_ahead: AtomicBool,
    /// Where a database that is only looked at has the copy of its journal.
    #[allow(dead_code, reason = "it is kept until the handle goes, and removed with it")]
    scratch: Option<tempfile::TempDir>,
}

impl Handle {
    /// Opens the file at `path`, makes it when it is missing, and brings it to this program's format.
    pub(super) fn open(path: &Path) -> Result<Self, OpenError> {
        contained(|| Self::open_as_it_is(path))
    }

    fn open_as_it_is(path: &Path) -> Result<Self, OpenError> {
        create::if_missing(path, |file| {
            let database = builder().create_file(file)?;
            prepare(&database, None).map(drop)
        })?;
        // A file that vanished is a failure from here on.
        let database = builder().open(path)?;
        create::settle(path)?;
        let places = Places::of(path);
        let path = PathBuf::from(path);
        let opener = move || builder().open(&path);
        Self::with(database, Box::new(opener), Some(places))
    }

    /// Opens the file at `path` so that neither it nor its journal is written.
    pub(super) fn look(path: &Path) -> Result<Self, OpenError> {
        contained(|| {
            let scratch = tempfile::Builder::new().prefix("flowkeep-").tempdir()?;
            let database = look::open(path, CACHE_BYTES)?;
            // Copied while nobody writes it any more.
            let places = look::copy_journals(path, scratch.path())?;
            let path = PathBuf::from(path);
            let opener = Box::new(move || look::open(&path, CACHE_BYTES));
            let mut handle = Self::with(database, opener, Some(places))?;
            handle.scratch = Some(scratch);
            Ok(handle)
        })
    }

    /// As [`Self::open`], with another way to the database.
    pub(super) fn with(
        database: Database,
        opener: Opener,
        places: Option<Places>,
    ) -> Result<Self, OpenError> {
        let database = Guarded(Some(database));
        let journals = prepare(&database, places.as_ref())?;
        let tail = Tail::default();
        tail.start(next_message(&database)?);
        let flush_is_due = AtomicBool::new(journals.as_ref().is_some_and(Journals::is_rotated));
        Ok(Self {
            opener,
            database: RwLock::new(Some(database)),
            places,
            journals: Mutex::new(journals),
            tail,
            flush_is_due,
            sick: AtomicBool::new(false),
            changes: AtomicU64::new(0),
            homes: Memo::default(),
            is_ahead: AtomicBool::new(false),
            scratch: None,
        })
    }

    /// True after a failure that only opening the database anew can end.
    pub(super) fn is_sick(&self) -> bool {
        self.sick.load(Ordering::Acquire)
    }

    /// Notes what `error` says about the health of the database.
    pub(super) fn notice(&self, error: &Error) {
        let Error::Internal(cause) = error else { return };
        if matches!(
            cause.downcast_ref(),
            Some(redb::Error::Io(_) | redb::Error::PreviousIo | redb::Error::DatabaseClosed)
        ) {
            self.mark_sick();
        }
    }

    /// Notes that the database refuses to go on.
    pub(super) fn mark_sick(&self) {
        self.sick.store(true, Ordering::Release);
    }

    /// Closes the database and opens it anew. The caller knows that no write transaction lives: one would keep
    /// the old file locked. Reads under way fail, which they would do anyway.
    pub(super) fn reopen(&self) -> Result<()> {
        let mut slot = self.database.write().unwrap_or_else(PoisonError::into_inner);
        let mut journals = self.journals();
        drop(slot.take());
        let opened = || {
            let database = Guarded(Some((self.opener)()?));
            let journals = replay(&database, self.places.as_ref())?;
            let next = next_message(&database)?;
            Ok((database, journals, next))
        };
        let (database, read, next) = contained(opened).map_err(Error::internal)?;
        *journals = read;
        self.tail.start(next);
        self.flush_is_due.store(journals.as_ref().is_some_and(Journals::is_rotated), Ordering::Release);
        *slot = Some(database);
        self.note_change();
        self.sick.store(false, Ordering::Release);
        Ok(())
    }

    fn journals(&self) -> MutexGuard<'_, Option<Journals>> {
        self.journals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a snapshot.
    pub(super) fn begin_read(&self, sees: Sees) -> Result<ReadTx> {
        let slot = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let database = slot.as_ref().ok_or_else(closed)?;
        database.begin_read().map(|tx| ReadTx::new(tx, sees)).map_err(broken)
    }

    /// Begins a change, which sees every message that was kept; waits while another one is being committed.
    pub(super) fn begin_write(&self) -> Result<WriteTx> {
        let slot = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let database = slot.as_ref().ok_or_else(closed)?;
        let tx = database.begin_write().map_err(broken)?;
        // Asked when nobody else can store them any more.
        let waiting = self.tail.waiting();
        if waiting.is_empty() {
            // Not before: whoever stored the last of them may have noted it only now.
            return Ok(WriteTx::new(tx, self.tail.bound()));
        }
        let tx = WriteTx::new(tx, self.tail.bound());
        messages::put(&tx, &waiting)?;
        tx.commit_in_memory().map_err(broken)?;
        self.tail.are_stored(&waiting);
        let tx = database.begin_write().map_err(broken)?;
        Ok(WriteTx::new(tx, self.tail.bound()))
    }

    /// Commits a change; it is on disk when this returns, in the journal or in the database itself.
    ///
    /// When it fails the handle is sick: whether the change counts shows when the database is opened anew.
    pub(super) fn commit(&self, tx: WriteTx) -> Result<()> {
        let committed = catch_unwind(AssertUnwindSafe(|| self.try_commit(tx))).unwrap_or_else(|_| {
            // Nobody knows what it came to, so nothing may follow in this journal before it is read again.
            *self.journals() = None;
            self.is_ahead.store(false, Ordering::SeqCst);
            Err(Error::internal("the database failed in the middle of a change"))
        });
        committed.inspect_err(|error| {
            if let Error::Internal(cause) = error {
                tracing::error!(%cause, "a change could not be stored");
            }
            self.mark_sick();
        })
    }

    /// A number that every change raises, once it can be seen and before it is acknowledged.
    pub(super) fn changed(&self) -> Changed {
        Changed(self.changes.load(Ordering::SeqCst))
    }

    fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    fn try_commit(&self, tx: WriteTx) -> Result<()> {
        let mut guard = self.journals();
        let Some(journals) = guard.as_mut() else {
            let flushed = tx.flush().map_err(broken);
            self.note_change();
            return flushed;
        };
        let is_journaled = self.is_journaled(&tx, journals);
        let is_beside = tx.flushes() && journals.is_rotated();
        let mark = journals.mark().filter(|_| is_beside);
        if !is_journaled || (is_beside && mark.is_none()) {
            // Nothing else is written while the whole journal becomes stale.
            let rest = self.tail.waiting();
            let flushed = flush(tx, &rest, Some(journals), Then::GoesOn);
            self.note_change();
            return match flushed {
                Ok(()) => {
                    self.tail.are_stored(&rest);
                    Ok(())
                }
                Err(error) => {
                    // It may have taken effect: what is appended to this journal now might never count.
                    *guard = None;
                    self.mark_sick();
                    Err(error)
                }
            };
        }
        let Some(mark) = mark else {
            let committed = tx.commit_in_memory().map_err(broken);
            self.note_change();
            return committed;
        };
        let rest = self.tail.waiting();
        self.is_ahead.store(tx.has_changes(), Ordering::SeqCst);
        drop(guard);
        let flushed = flush_with(tx, &rest, mark);
        self.note_change();
        self.is_ahead.store(false, Ordering::SeqCst);
        flushed?;
        if let Some(journals) = self.journals().as_mut() {
            journals.is_flushed(mark);
        }
        self.tail.are_stored(&rest);
        Ok(())
    }

    /// Writes what was changed into the journal; false when it did not take it.
    fn is_journaled(&self, tx: &WriteTx, journals: &mut Journals) -> bool {
        let changes = tx.changes();
        match changes.rows() {
            None => false,
            Some([]) => !journals.is_unsure(),
            Some(rows) => {
                self.room(journals, ROWS_HEAD_BYTES + rows.len()) == Room::Is
                    && wrote(journals, &[&tail::rows_head(tx.bound()), rows].concat())
            }
        }
    }

    fn room(&self, journals: &mut Journals, bytes: usize) -> Room {
        journals.room(bytes, || {
            self.flush_is_due.store(true, Ordering::Release);
            fresh_generation()
        })
    }

    /// Takes the other file, as when this one is full.
    #[cfg(test)]
    pub(super) fn rotate_if_possible(&self) {
        if let Some(journals) = self.journals().as_mut()
            && !journals.is_rotated()
            && !journals.is_empty()
        {
            journals.rotate(fresh_generation());
        }
    }

    /// True for the one who is to flush the database now.
    pub(super) fn must_flush(&self) -> bool {
        self.flush_is_due.load(Ordering::Acquire) && self.flush_is_due.swap(false, Ordering::AcqRel)
    }

    /// Writes messages into the journal and keeps them: one result for each. They are on disk when this returns.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(super) fn keep(&self, all: &[Said]) -> Result<Keep> {
        if self.is_sick() {
            return Ok(Keep::Refused);
        }
        for _ in 0..JUDGED_MAX {
            let now = self.changed();
            let (results, fit) = messages::judge(all, |flow| self.home(now, flow))?;
            if fit.is_empty() {
                return Ok(Keep::Done(results));
            }
            let mut guard = self.journals();
            // A change that is in the journal may have removed a flow, and no message of it may follow.
            if self.is_ahead.load(Ordering::SeqCst) {
                return Ok(Keep::Refused);
            }
            if self.changed() == now {
                return Ok(self.keep_in(guard.as_mut(), fit, results));
            }
        }
        Ok(Keep::Refused)
    }

    fn keep_in(&self, journals: Option<&mut Journals>, mut fit: Vec<Kept>, results: Vec<Result<()>>) -> Keep {
        let Some(journals) = journals else { return Keep::Refused };
        match self.room(journals, tail::said_bytes(&fit)) {
            Room::Is => {}
            Room::AfterFlush => return Keep::NoRoom,
            Room::Never => return Keep::Refused,
        }
        self.tail.number(&mut fit);
        if !wrote(journals, &tail::said_record(&fit)) {
            return Keep::Refused;
        }
        self.tail.keep(fit);
        Keep::Done(results)
    }

    /// Where a flow lives; `now` was read before.
    fn home(&self, now: Changed, flow: &FlowId) -> Result<Option<WorkspaceId>> {
        if let Some(known) = self.homes.get(now, flow) {
            return Ok(known);
        }
        let home = messages::home(&self.begin_read(Sees::AllButMessages)?, flow)?;
        self.homes.keep(now, flow, home);
        Ok(home)
    }

    /// Stores messages as a change like others.
    ///
    /// # Errors
    /// When the database cannot be read or written.
    pub(super) fn store(&self, tx: &WriteTx, all: &[Said]) -> Result<Vec<Result<()>>> {
        let (results, mut fit) = messages::judge(all, |flow| messages::home(tx, flow))?;
        if !fit.is_empty() {
            self.tail.number(&mut fit);
            messages::put(tx, &fit)?;
        }
        Ok(results)
    }
}

/// What became of messages that were to be kept.
pub(super) enum Keep {
    /// One result for each.
    Done(Vec<Result<()>>),
    /// Both files of the journal are full: the database is to be flushed first.
    NoRoom,
    /// The journal does not take them: they are a change of the database like others.
    Refused,
}

/// A disk that cannot take a record of the journal may still take the change.
fn wrote(journals: &mut Journals, record: &[u8]) -> bool {
    let written = journals.append(record);
    if let Err(error) = &written {
        tracing::warn!(%error, "the journal of the database could not be written");
    }
    written.is_ok()
}

impl Drop for Handle {
    /// Flushes what only the journal has, so that the next start has nothing to do. A failure loses nothing.
    fn drop(&mut self) {
        let is_needed = self.journals().as_ref().is_some_and(Journals::is_begun);
        if !is_needed || self.is_sick() {
            return;
        }
        let end = || -> Result<()> {
            let tx = self.begin_write()?;
            if let Some(journals) = self.journals().as_mut() {
                flush(tx, &[], Some(journals), Then::Ends)?;
                journals.erase();
            }
            Ok(())
        };
        if let Err(error) = contained(|| end().map_err(OpenError::from)) {
            tracing::warn!(%error, "the database was not flushed; its journal has everything");
        }
    }
}

/// The database. What a disk changed in its pages may be a panic there, also while it is closed.
struct Guarded(Option<Database>);

impl Deref for Guarded {
    type Target = Database;
    fn deref(&self) -> &Database {
        self.0.as_ref().expect("it is taken by its end alone")
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let database = self.0.take();
        if catch_unwind(AssertUnwindSafe(|| drop(database))).is_err() {
            tracing::warn!("the database could not be closed in order; the next start looks through it");
        }
    }
}

/// Does something with a database whose pages may make no sense.
fn contained<T>(work: impl FnOnce() -> Result<T, OpenError>) -> Result<T, OpenError> {
    let senseless = |_| Err(OpenError::Damaged("its pages make no sense".to_owned()));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(senseless)
}

fn closed() -> Error {
    broken(StorageError::DatabaseClosed)
}

fn builder() -> Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE_BYTES);
    builder
}

/// What comes after a flush of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// Changes, for which a file of the journal is begun.
    GoesOn,
    /// None yet, or none any more: the database must be good without its journal.
    Ends,
}

/// Commits everything into the database itself, with `rest` of the messages, and with a generation that makes all records of
/// the journal stale.
pub(super) fn flush(tx: WriteTx, rest: &[Kept], journals: Option<&mut Journals>, then: Then) -> Result<()> {
    let Some(journals) = journals else { return tx.flush().map_err(broken) };
    // Generations are at random: a database that was put back to an older state must never meet records of what it forgot.
    let begun = if then == Then::GoesOn { journals.begin(fresh_generation) } else { None };
    let none = || Mark { generation: fresh_generation(), bytes: Known::Bytes(0) };
    let mark = begun.map_or_else(none, Begun::mark);
    flush_with(tx, rest, mark)?;
    journals.restart(mark, begun);
    Ok(())
}

fn flush_with(tx: WriteTx, rest: &[Kept], mark: Mark) -> Result<()> {
    if !rest.is_empty() {
        messages::put(&tx, rest)?;
    }
    tx.put(META, JOURNAL, &mark.to_bytes())?;
    tx.flush().map_err(broken)
}

/// A generation that no database had before.
pub(super) fn fresh_generation() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().1
}
