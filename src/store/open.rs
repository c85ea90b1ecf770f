//! Opening the database file: what can be wrong with it in words, and opening it anew after a failed disk
//! operation, which redb asks for and which lets a full disk heal without a restart.

use super::changes;
use super::journal::Journal;
use super::tables::META;
use super::tx::{ReadTx, Tx as _, WriteTx, broken};
use super::upgrade::{self, Standing};
use crate::domain::error::{Error, Result};
use redb::{Database, DatabaseError, ReadableDatabase as _, StorageError, TableHandle as _};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

/// Pages kept in memory, for reading and writing together. An idle service must stay small, and the pages a
/// request needs (its flow, its key, the end of its conversation) are few.
const CACHE_BYTES: usize = 16 << 20;

/// The generation of the journal, in the table of facts about the database.
const GENERATION: &[u8] = b"journal";

/// Why a database was not opened. Each text is one line that says what to do next.
#[derive(Debug)]
pub enum OpenError {
    /// Another process has it open.
    InUse,
    /// A newer program wrote it.
    NewerFormat {
        /// The format of the database.
        found: u32,
        /// The newest format this program knows.
        known: u32,
    },
    /// It is no database, or a broken one.
    Damaged(String),
    /// The disk or the folder did not allow it.
    Io(std::io::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse => f.write_str(
                "the data folder is in use by another running flowkeep; stop that one, or choose another folder \
                 with --data-dir",
            ),
            Self::NewerFormat { found, known } => write!(
                f,
                "the database has format {found} and this program knows formats up to {known}; start the newer \
                 flowkeep that wrote it, or restore a backup made before the upgrade"
            ),
            Self::Damaged(what) => write!(
                f,
                "the database is damaged ({what}); restore a backup with 'flowkeep restore', or move \
                 flowkeep.redb away to start empty"
            ),
            Self::Io(cause) => {
                write!(f, "the database cannot be opened: {cause}; check the disk and who may write to the data folder")
            }
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(cause) => Some(cause),
            _ => None,
        }
    }
}

impl From<DatabaseError> for OpenError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::DatabaseAlreadyOpen => Self::InUse,
            DatabaseError::Storage(StorageError::Io(cause)) => Self::from(cause),
            other => Self::Damaged(other.to_string()),
        }
    }
}

impl From<std::io::Error> for OpenError {
    fn from(cause: std::io::Error) -> Self {
        match cause.kind() {
            // What reading past the end of a file that was cut short, or a file of another kind, gives.
            std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::InvalidData => {
                Self::Damaged(cause.to_string())
            }
            _ => Self::Io(cause),
        }
    }
}

impl From<Error> for OpenError {
    fn from(error: Error) -> Self {
        match error {
            Error::Internal(cause) => match cause.downcast::<redb::Error>() {
                Ok(cause) => match *cause {
                    redb::Error::Io(cause) => Self::from(cause),
                    other => Self::Damaged(other.to_string()),
                },
                Err(cause) => Self::Damaged(cause.to_string()),
            },
            other => Self::Damaged(other.to_string()),
        }
    }
}

/// Opens the database; called again whenever it must be opened anew.
pub(super) type Opener = Box<dyn Fn() -> Result<Database, DatabaseError> + Send + Sync>;

/// The open database, which is replaced by a freshly opened one after a disk failure.
pub(super) struct Handle {
    opener: Opener,
    /// Held for reading only while a transaction begins, so that a nested or long transaction blocks nobody.
    /// `None` after a failed attempt to open it anew.
    database: RwLock<Option<Database>>,
    /// Where the journal lies; `None` for a database without one, whose every commit is a flush.
    journal_path: Option<PathBuf>,
    /// Taken while a transaction is committed, and redb has one at a time.
    journal: Mutex<Option<Journal>>,
    sick: AtomicBool,
}

impl Handle {
    /// Opens the file at `path`, makes it when it is missing, and brings it to this program's format.
    pub(super) fn open(path: &Path) -> Result<Self, OpenError> {
        drop(create(path)?);
        // Only the first opening may make an empty file a database: a file that vanished later is a failure.
        let database = Database::builder().set_cache_size(CACHE_BYTES).create(path)?;
        let journal = path.with_extension("journal");
        let path = PathBuf::from(path);
        let opener = move || Database::builder().set_cache_size(CACHE_BYTES).open(&path);
        Self::with(database, Box::new(opener), Some(journal))
    }

    /// As [`Self::open`], with another way to the database.
    pub(super) fn with(
        database: Database,
        opener: Opener,
        journal_path: Option<PathBuf>,
    ) -> Result<Self, OpenError> {
        let journal = prepare(&database, journal_path.as_deref())?;
        Ok(Self {
            opener,
            database: RwLock::new(Some(database)),
            journal_path,
            journal: Mutex::new(journal),
            sick: AtomicBool::new(false),
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
        let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        drop(slot.take());
        let database = (self.opener)().map_err(broken)?;
        *journal = replay(&database, self.journal_path.as_deref()).map_err(Error::internal)?;
        *slot = Some(database);
        self.sick.store(false, Ordering::Release);
        Ok(())
    }

    /// Begins a snapshot.
    pub(super) fn begin_read(&self) -> Result<ReadTx> {
        let slot = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let database = slot.as_ref().ok_or_else(closed)?;
        database.begin_read().map(ReadTx::new).map_err(broken)
    }

    /// Begins a change; waits while another one is being committed.
    pub(super) fn begin_write(&self) -> Result<WriteTx> {
        let slot = self.database.read().unwrap_or_else(PoisonError::into_inner);
        begin_write(slot.as_ref().ok_or_else(closed)?).map_err(broken)
    }

    /// Commits a change; it is on disk when this returns, in the journal or in the database itself.
    ///
    /// When it fails the handle is sick: whether the change counts shows when the database is opened anew.
    pub(super) fn commit(&self, tx: WriteTx) -> Result<()> {
        let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        commit(tx, journal.as_mut()).inspect_err(|error| {
            if let Error::Internal(cause) = error {
                tracing::error!(%cause, "a change could not be stored");
            }
            self.mark_sick();
        })
    }
}

impl Drop for Handle {
    /// Flushes what only the journal has, so that the next start has nothing to do. A failure loses nothing.
    fn drop(&mut self) {
        let journal = self.journal.get_mut().unwrap_or_else(PoisonError::into_inner);
        let database = self.database.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let (Some(database), Some(journal), false) = (database, journal, *self.sick.get_mut())
            && !journal.is_empty()
            && let Ok(tx) = begin_write(database)
        {
            match flush(tx, Some(journal)) {
                Ok(()) => journal.erase(),
                Err(error) => {
                    tracing::warn!(%error, "the database was not flushed; its journal has everything");
                }
            }
        }
    }
}

fn closed() -> Error {
    broken(StorageError::DatabaseClosed)
}

fn begin_write(database: &Database) -> Result<WriteTx, redb::TransactionError> {
    database.begin_write().map(WriteTx::new)
}

fn commit(tx: WriteTx, journal: Option<&mut Journal>) -> Result<()> {
    let Some(journal) = journal else { return flush(tx, None) };
    let written = {
        let changes = tx.changes();
        let record = changes.record().filter(|record| journal.has_room(record.len()));
        record.map(|record| journal.append(record))
    };
    match written {
        Some(Ok(())) => tx.commit_in_memory().map_err(broken),
        None => flush(tx, Some(journal)),
        Some(Err(error)) => {
            // A disk that cannot take the journal may still take the change; the flush makes what was half written stale.
            tracing::warn!(%error, "the journal of the database could not be written");
            flush(tx, Some(journal))
        }
    }
}

/// Commits everything into the database itself, with the generation that makes the journal's records stale.
fn flush(tx: WriteTx, journal: Option<&mut Journal>) -> Result<()> {
    let Some(journal) = journal else { return tx.flush().map_err(broken) };
    // At random: a database that was put back to an older state must never meet records of what it forgot.
    let generation = fresh_generation();
    tx.put(META, GENERATION, &generation.to_be_bytes())?;
    tx.flush().map_err(broken)?;
    journal.restart(generation);
    Ok(())
}

fn fresh_generation() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().1
}

/// Opens the journal and makes its changes again, in memory: they are on disk already, where they stand.
fn replay(database: &Database, path: Option<&Path>) -> Result<Option<Journal>, OpenError> {
    let Some(path) = path else { return Ok(None) };
    let tx = database.begin_read().map_err(broken)?;
    let is_new = !tx.list_tables().map_err(broken)?.any(|table| table.name() == META.name());
    let read = |value: &[u8]| Ok(u64::from_be_bytes(value.try_into().map_err(Error::internal)?));
    let known = if is_new { None } else { ReadTx::new(tx).look(META, GENERATION, read)? };
    // A journal that was left by another database must not count for this one.
    let generation = known.unwrap_or_else(fresh_generation);
    let (journal, records) = Journal::open(path, generation)?;
    if !records.is_empty() {
        let tx = begin_write(database).map_err(broken)?;
        records.iter().try_for_each(|record| changes::apply(&tx, record))?;
        tx.commit_in_memory().map_err(broken)?;
    }
    Ok(Some(journal))
}

fn prepare(database: &Database, journal_path: Option<&Path>) -> Result<Option<Journal>, OpenError> {
    let standing = || {
        let tx = database.begin_read().map_err(broken)?;
        let tables: Vec<String> =
            tx.list_tables().map_err(broken)?.map(|table| table.name().to_owned()).collect();
        upgrade::standing(&ReadTx::new(tx), &tables).map(|standing| (standing, tables))
    };
    // Told before anything is touched.
    if let (Standing::Newer(found), _) = standing()? {
        return Err(OpenError::NewerFormat { found, known: upgrade::KNOWN });
    }
    let mut journal = replay(database, journal_path)?;
    if let (Standing::Older(found), tables) = standing()? {
        let tx = begin_write(database).map_err(broken)?;
        upgrade::run(&tx, found, &tables)?;
        flush(tx, journal.as_mut())?;
    }
    Ok(journal)
}

/// Makes the file, readable by its owner only, and sees that its name survives a power cut.
fn create(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let is_new = !path.exists();
    let file = options.open(path)?;
    if is_new {
        file.sync_all()?;
        #[cfg(unix)]
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            File::open(folder)?.sync_all()?;
        }
    }
    Ok(file)
}
