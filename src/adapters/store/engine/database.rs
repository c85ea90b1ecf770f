//! The open database: how changes and messages become durable, how a checkpoint is made, and how the database is opened anew
//! after a failed disk operation, which redb asks for and which lets a full disk heal without a restart.

use super::checkpoint::{CheckpointMode, checkpoint, checkpoint_with, new_epoch};
use super::create::{self, Placement};
use super::guarded_database::{GuardedDatabase, catch_panic};
use super::read_cache::{CommitVersion, ReadCache};
use super::recovery::{LogPaths, OpenError, open_and_migrate, read_mark, read_next_sequence, replay};
use super::{overlay, upgrade_copy};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::store::checksum::RowEncoding;
use crate::store::queries::messages::{self, MessageBatch};
use crate::store::transaction::{ReadTx, WriteTx, database_error};
use crate::store::wal::log::{LogMark, LogSpace, WriteAheadLog};
use crate::store::wal::memtable::{self, Memtable, PendingRecord, ROWS_HEAD_BYTES};
use redb::{Builder, Database, DatabaseError, StorageError};
use std::borrow::Borrow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard};

/// Pages kept in memory, for reading and writing together. An idle service must stay small, and the pages a
/// request needs (its flow, its key, the end of its conversation) are few.
const CACHE_BYTES: usize = 8 << 20;

/// How often messages are validated anew because something changed meanwhile; then they are a change themselves, which
/// waits.
const VALIDATIONS_MAX: usize = 3;

/// Opens the database; called again whenever it must be opened anew.
pub(in crate::store) type Opener = Box<dyn Fn() -> Result<Database, DatabaseError> + Send + Sync>;

/// The open database, which is replaced by a freshly opened one after a disk failure.
pub(in crate::store) struct StorageEngine {
    opener: Opener,
    /// Held for reading only while a transaction begins, so that a nested or long transaction blocks nobody.
    /// `None` after a failed attempt to open it anew.
    database: RwLock<Option<GuardedDatabase>>,
    /// Where the log lies; `None` for a database without one, whose every commit is a checkpoint.
    log_paths: Option<LogPaths>,
    /// Taken while something is written into it, and while a checkpoint ends.
    log: Mutex<Option<WriteAheadLog>>,
    /// Messages that the log has and the database has not. Filled and cleared while `log` is held.
    pub(in crate::store) memtable: Memtable,
    /// A segment of the log is full, and nobody has asked for its checkpoint.
    is_checkpoint_due: AtomicBool,
    poisoned: AtomicBool,
    /// Raised by every change of what may be cached, and by every opening, after which a change that failed may be there.
    commit_version: AtomicU64,
    flow_workspaces: ReadCache<FlowId, Option<WorkspaceId>>,
    /// With `log`: the log has a change that nobody sees yet, because a checkpoint is being made with it.
    is_commit_hidden: AtomicBool,
    /// Where a database that is only looked at has the copy of its log.
    #[allow(dead_code, reason = "it is kept until the handle goes, and removed with it")]
    scratch: Option<tempfile::TempDir>,
}

impl StorageEngine {
    /// Opens the file at `path`, makes it when it is missing, and brings it to this program's format.
    pub(in crate::store) fn open(path: &Path) -> Result<Self, OpenError> {
        catch_panic(|| Self::open_unguarded(path))
    }

    fn open_unguarded(path: &Path) -> Result<Self, OpenError> {
        create::create_if_missing(path, |file| {
            let database = builder().create_file(file)?;
            open_and_migrate(&database, None).map(drop)
        })?;
        // A file that vanished is a failure from here on.
        let database = builder().open(path)?;
        create::finish_creation(path)?;
        upgrade_copy::keep(&database, path)?;
        let log_paths = LogPaths::new(path);
        let path = PathBuf::from(path);
        let opener = move || {
            let database = builder().open(&path)?;
            // A compaction that could not do this leaves it to the next writer.
            create::sync_folder(&path).map_err(|error| DatabaseError::Storage(StorageError::Io(error)))?;
            Ok(database)
        };
        Self::new(database, Box::new(opener), Some(log_paths))
    }

    /// Opens the file at `path` so that neither it nor its log is written.
    pub(in crate::store) fn open_read_only(path: &Path) -> Result<Self, OpenError> {
        catch_panic(|| {
            let scratch = tempfile::Builder::new().prefix("flowkeep-").tempdir()?;
            let database = overlay::open(path, CACHE_BYTES)?;
            // Copied while nobody writes it any more.
            let log_paths = overlay::copy_log(path, scratch.path())?;
            let path = PathBuf::from(path);
            let opener = Box::new(move || overlay::open(&path, CACHE_BYTES));
            let mut handle = Self::new(database, opener, Some(log_paths))?;
            handle.scratch = Some(scratch);
            Ok(handle)
        })
    }

    /// As [`Self::open`], with another way to the database.
    pub(in crate::store) fn new(
        database: Database,
        opener: Opener,
        log_paths: Option<LogPaths>,
    ) -> Result<Self, OpenError> {
        let database = GuardedDatabase::new(database);
        let log = open_and_migrate(&database, log_paths.as_ref())?;
        let memtable = Memtable::default();
        memtable.reset(read_next_sequence(&database)?);
        let is_checkpoint_due =
            AtomicBool::new(log.as_ref().is_some_and(WriteAheadLog::is_checkpoint_pending));
        Ok(Self {
            opener,
            database: RwLock::new(Some(database)),
            log_paths,
            log: Mutex::new(log),
            memtable,
            is_checkpoint_due,
            poisoned: AtomicBool::new(false),
            commit_version: AtomicU64::new(0),
            flow_workspaces: ReadCache::default(),
            is_commit_hidden: AtomicBool::new(false),
            scratch: None,
        })
    }

    /// True after a failure that only opening the database anew can end.
    pub(in crate::store) fn is_poisoned(&self) -> bool {
        self.poisoned.load(Ordering::Acquire)
    }

    /// Notes what `error` says about the health of the database.
    pub(in crate::store) fn inspect_error(&self, error: &Error) {
        let Error::Internal(cause) = error else { return };
        if matches!(
            cause.downcast_ref(),
            Some(redb::Error::Io(_) | redb::Error::PreviousIo | redb::Error::DatabaseClosed)
        ) {
            self.poison();
        }
    }

    /// Notes that the database refuses to go on: it is poisoned.
    pub(in crate::store) fn poison(&self) {
        self.poisoned.store(true, Ordering::Release);
    }

    /// Closes the database and opens it anew. The caller knows that no write transaction lives: one would keep
    /// the old file locked. Reads under way fail, which they would do anyway.
    pub(in crate::store) fn reopen(&self) -> Result<()> {
        let mut slot = self.lock_slot();
        let mut log = self.lock_log();
        drop(slot.take());
        *slot = Some(self.install(&mut log, || (self.opener)().map_err(OpenError::from))?);
        Ok(())
    }

    /// Goes on with another database, of which `open` gives the handle and the log lies where it lay.
    fn install(
        &self,
        log: &mut Option<WriteAheadLog>,
        open: impl FnOnce() -> Result<Database, OpenError>,
    ) -> Result<GuardedDatabase> {
        let opened = || {
            let database = GuardedDatabase::new(open()?);
            let log = replay(&database, self.log_paths.as_ref())?;
            let next = read_next_sequence(&database)?;
            Ok((database, log, next))
        };
        let (database, reopened, next) = catch_panic(opened).map_err(Error::internal)?;
        *log = reopened;
        self.memtable.reset(next);
        self.is_checkpoint_due
            .store(log.as_ref().is_some_and(WriteAheadLog::is_checkpoint_pending), Ordering::Release);
        self.bump_version(true);
        self.poisoned.store(false, Ordering::Release);
        Ok(database)
    }

    /// Goes on with a copy of the database, which `place` gives the name of the database, so long as the log still holds all
    /// that was written since `mark`, which the copy has too: copy and log are then what database and log are. The database as
    /// it was, for whoever still reads it; `None` where a checkpoint came in between, and nothing changed.
    ///
    /// The caller sees that nobody writes meanwhile but into the log.
    ///
    /// # Errors
    /// When the copy cannot be put in its place; as [`Self::reopen`].
    pub(in crate::store) fn replace(
        &self,
        copy: Database,
        mark: LogMark,
        place: impl FnOnce() -> Result<Placement>,
    ) -> Result<Option<GuardedDatabase>> {
        let mut slot = self.lock_slot();
        let mut log = self.lock_log();
        let is_sound = !self.is_poisoned() && log.as_ref().is_some_and(|log| !log.is_poisoned());
        let Some(database) = slot.as_ref().filter(|_| is_sound) else { return Ok(None) };
        if read_mark(database, RowEncoding::Checksummed)? != mark {
            return Ok(None);
        }
        let placement = place()?;
        let before = slot.take();
        // From here on the file of this name is the copy; a failure is met by opening that anew.
        match self.install(&mut log, || Ok(copy)) {
            Ok(after) => *slot = Some(after),
            Err(error) => {
                *log = None;
                self.poison();
                return Err(error);
            }
        }
        if placement == Placement::Volatile {
            // The log leads from the old file to the new one until a checkpoint. So none is made before the database was opened
            // anew, which flushes the name or fails.
            self.poison();
        }
        Ok(before)
    }

    fn lock_slot(&self) -> RwLockWriteGuard<'_, Option<GuardedDatabase>> {
        self.database.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_log(&self) -> MutexGuard<'_, Option<WriteAheadLog>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::store) fn begin_read(&self) -> Result<ReadTx> {
        let slot = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let database = slot.as_ref().ok_or_else(closed_error)?;
        database.begin_counted_read()
    }

    /// Begins a change, which sees every message of the memtable; waits while another one is being committed.
    pub(in crate::store) fn begin_write(&self) -> Result<WriteTx> {
        let slot = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let database = slot.as_ref().ok_or_else(closed_error)?;
        let tx = database.begin_write().map_err(database_error)?;
        // Asked when nobody else can store them any more.
        let pending = self.memtable.pending();
        if pending.is_empty() {
            // Not before: whoever stored the last of them may have noted it only now.
            return Ok(WriteTx::new(tx, self.memtable.applied()));
        }
        let tx = WriteTx::new(tx, self.memtable.applied());
        messages::store(&tx, &pending)?;
        tx.commit_volatile().map_err(database_error)?;
        self.memtable.mark_applied(&pending);
        let tx = database.begin_write().map_err(database_error)?;
        Ok(WriteTx::new(tx, self.memtable.applied()))
    }

    /// Commits a change; it is on disk when this returns, in the log or in the database itself.
    ///
    /// When it fails the engine is poisoned: whether the change counts shows when the database is opened anew.
    pub(in crate::store) fn commit(&self, tx: WriteTx) -> Result<()> {
        let committed = catch_unwind(AssertUnwindSafe(|| self.try_commit(tx))).unwrap_or_else(|_| {
            // Nobody knows what it came to, so nothing may follow in this log before it is read again.
            *self.lock_log() = None;
            self.is_commit_hidden.store(false, Ordering::SeqCst);
            Err(Error::internal("the database failed in the middle of a change"))
        });
        committed.inspect_err(|error| {
            if let Error::Internal(cause) = error {
                tracing::error!(
                    target: "flowkeep::store::engine::database", %cause, "a change could not be stored"
                );
            }
            self.poison();
        })
    }

    /// A number that every change of something that is cached raises, once it can be seen and before it is acknowledged.
    pub(in crate::store) fn commit_version(&self) -> CommitVersion {
        CommitVersion(self.commit_version.load(Ordering::SeqCst))
    }

    fn bump_version(&self, concerns_caches: bool) {
        self.commit_version.fetch_add(u64::from(concerns_caches), Ordering::SeqCst);
    }

    fn try_commit(&self, tx: WriteTx) -> Result<()> {
        let (concerns_caches, mut guard) = (tx.concerns_caches(), self.lock_log());
        let Some(log) = guard.as_mut() else {
            let result = tx.commit_durable().map_err(database_error);
            self.bump_version(concerns_caches);
            return result;
        };
        let is_logged = self.is_logged(&tx, log);
        let is_switched = tx.is_checkpoint_requested() && log.is_checkpoint_pending();
        let mark = log.mark().filter(|_| is_switched);
        if !is_logged || (is_switched && mark.is_none()) {
            // Nothing else is written while the whole log becomes stale.
            let pending = self.memtable.pending();
            let result = checkpoint(tx, &pending, Some(log), CheckpointMode::KeepLogging);
            self.bump_version(concerns_caches);
            return match result {
                Ok(()) => {
                    self.memtable.mark_applied(&pending);
                    Ok(())
                }
                Err(error) => {
                    // It may have taken effect: what is appended to this log now might never count.
                    *guard = None;
                    self.poison();
                    Err(error)
                }
            };
        }
        let Some(mark) = mark else {
            let result = tx.commit_volatile().map_err(database_error);
            self.bump_version(concerns_caches);
            return result;
        };
        let pending = self.memtable.pending();
        self.is_commit_hidden.store(tx.has_changes(), Ordering::SeqCst);
        drop(guard);
        let result = checkpoint_with(tx, &pending, mark);
        self.bump_version(concerns_caches);
        self.is_commit_hidden.store(false, Ordering::SeqCst);
        result?;
        if let Some(log) = self.lock_log().as_mut() {
            log.checkpoint_done(mark);
        }
        self.memtable.mark_applied(&pending);
        Ok(())
    }

    /// Writes what was changed into the log; false when it did not take it.
    fn is_logged(&self, tx: &WriteTx, log: &mut WriteAheadLog) -> bool {
        let redo = tx.redo();
        match redo.rows() {
            None => false,
            Some([]) => !log.is_poisoned(),
            Some(rows) => {
                self.find_space(log, ROWS_HEAD_BYTES + rows.len()) == LogSpace::Available
                    && try_append(log, &[&memtable::rows_head(tx.watermark()), rows].concat())
            }
        }
    }

    fn find_space(&self, log: &mut WriteAheadLog, bytes: usize) -> LogSpace {
        log.find_space(bytes, || {
            self.is_checkpoint_due.store(true, Ordering::Release);
            new_epoch()
        })
    }

    /// Takes the other segment, as when this one is full.
    #[cfg(test)]
    pub(in crate::store) fn switch_segment_if_possible(&self) {
        if let Some(log) = self.lock_log().as_mut()
            && !log.is_checkpoint_pending()
            && !log.is_empty()
        {
            log.switch_segment(new_epoch());
        }
    }

    /// True while a full segment waits for its checkpoint.
    pub(in crate::store) fn is_checkpoint_pending(&self) -> bool {
        self.lock_log().as_ref().is_some_and(WriteAheadLog::is_checkpoint_pending)
    }

    /// True for the one who is to have the checkpoint made now.
    pub(in crate::store) fn take_checkpoint_duty(&self) -> bool {
        self.is_checkpoint_due.load(Ordering::Acquire) && self.is_checkpoint_due.swap(false, Ordering::AcqRel)
    }

    /// Appends messages to the log and to the memtable: one result for each. They are on disk when this returns.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(in crate::store) fn append_messages(&self, batches: &[MessageBatch]) -> Result<AppendResult> {
        if self.is_poisoned() {
            return Ok(AppendResult::UseTransaction);
        }
        for _ in 0..VALIDATIONS_MAX {
            let version = self.commit_version();
            let (results, accepted) =
                messages::validate_batches(batches, |flow| self.workspace_of(version, flow))?;
            if accepted.is_empty() {
                return Ok(AppendResult::Done(results));
            }
            let mut guard = self.lock_log();
            // A change that is in the log may have removed a flow, and no message of it may follow.
            if self.is_commit_hidden.load(Ordering::SeqCst) {
                return Ok(AppendResult::UseTransaction);
            }
            if self.commit_version() == version {
                return Ok(self.append_to_log(guard.as_mut(), accepted, results));
            }
        }
        Ok(AppendResult::UseTransaction)
    }

    fn append_to_log(
        &self,
        log: Option<&mut WriteAheadLog>,
        mut accepted: Vec<PendingRecord>,
        results: Vec<Result<()>>,
    ) -> AppendResult {
        let Some(log) = log else { return AppendResult::UseTransaction };
        match self.find_space(log, memtable::messages_bytes(&accepted)) {
            LogSpace::Available => {}
            LogSpace::AfterCheckpoint => return AppendResult::LogFull,
            LogSpace::Unavailable => return AppendResult::UseTransaction,
        }
        self.memtable.assign_sequences(&mut accepted);
        if !try_append(log, &memtable::encode_messages(&accepted)) {
            return AppendResult::UseTransaction;
        }
        self.memtable.push(accepted);
        AppendResult::Done(results)
    }

    /// Where a flow lives; `version` was read before.
    fn workspace_of(&self, version: CommitVersion, flow: &FlowId) -> Result<Option<WorkspaceId>> {
        if let Some(known) = self.flow_workspaces.get(version, flow) {
            return Ok(known);
        }
        let workspace = messages::workspace_of(&self.begin_read()?, flow)?;
        self.flow_workspaces.insert(version, flow, workspace);
        Ok(workspace)
    }

    /// Stores messages as a change like others.
    ///
    /// # Errors
    /// When the database cannot be read or written.
    pub(in crate::store) fn store_messages(
        &self,
        tx: &WriteTx,
        batches: &[impl Borrow<MessageBatch>],
    ) -> Result<Vec<Result<()>>> {
        let (results, mut accepted) =
            messages::validate_batches(batches, |flow| messages::workspace_of(tx, flow))?;
        if !accepted.is_empty() {
            self.memtable.assign_sequences(&mut accepted);
            messages::store(tx, &accepted)?;
        }
        Ok(results)
    }
}

/// What became of messages that were to be appended.
pub(in crate::store) enum AppendResult {
    Done(Vec<Result<()>>),
    /// Both segments of the log are full: a checkpoint must come first.
    LogFull,
    /// The log does not take them: they are a change of the database like others.
    UseTransaction,
}

/// A disk that cannot take a record of the log may still take the change.
fn try_append(log: &mut WriteAheadLog, record: &[u8]) -> bool {
    let result = log.append(record);
    if let Err(error) = &result {
        tracing::warn!(
            target: "flowkeep::store::engine::database", %error,
            "the journal of the database could not be written"
        );
    }
    result.is_ok()
}

impl Drop for StorageEngine {
    /// Makes a checkpoint of what only the log has, so that the next start has nothing to do. A failure loses nothing.
    fn drop(&mut self) {
        let is_checkpoint_needed = self.lock_log().as_ref().is_some_and(WriteAheadLog::is_begun);
        if !is_checkpoint_needed || self.is_poisoned() {
            return;
        }
        let end = || -> Result<()> {
            let tx = self.begin_write()?;
            if let Some(log) = self.lock_log().as_mut() {
                checkpoint(tx, &[], Some(log), CheckpointMode::CloseLog)?;
                log.invalidate();
            }
            Ok(())
        };
        if let Err(error) = catch_panic(|| end().map_err(OpenError::from)) {
            tracing::warn!(
                target: "flowkeep::store::engine::database", %error,
                "the checkpoint failed; the log still holds every change"
            );
        }
    }
}

fn closed_error() -> Error {
    database_error(StorageError::DatabaseClosed)
}

fn builder() -> Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE_BYTES);
    builder
}
