//! Opening the database file: what can be wrong with it in words, and opening it anew after a failed disk
//! operation, which redb asks for and which lets a full disk heal without a restart.

use super::tx::{ReadTx, WriteTx, broken};
use super::upgrade::{self, Standing};
use crate::domain::error::{Error, Result};
use redb::{Database, DatabaseError, ReadableDatabase as _, StorageError, TableHandle as _};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

/// Pages kept in memory, for reading and writing together. An idle service must stay small, and the pages a
/// request needs (its flow, its key, the end of its conversation) are few.
const CACHE_BYTES: usize = 16 << 20;

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
            Error::Internal(cause) => Self::Damaged(cause.to_string()),
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
    sick: AtomicBool,
}

impl Handle {
    /// Opens the file at `path`, makes it when it is missing, and brings it to this program's format.
    pub(super) fn open(path: &Path) -> Result<Self, OpenError> {
        drop(create(path)?);
        // Only the first opening may make an empty file a database: a file that vanished later is a failure.
        let database = Database::builder().set_cache_size(CACHE_BYTES).create(path)?;
        let path = PathBuf::from(path);
        Self::with(database, Box::new(move || Database::builder().set_cache_size(CACHE_BYTES).open(&path)))
    }

    /// As [`Self::open`], with another way to the database.
    pub(super) fn with(database: Database, opener: Opener) -> Result<Self, OpenError> {
        prepare(&database)?;
        Ok(Self { opener, database: RwLock::new(Some(database)), sick: AtomicBool::new(false) })
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
        drop(slot.take());
        *slot = Some((self.opener)().map_err(broken)?);
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
}

fn closed() -> Error {
    broken(StorageError::DatabaseClosed)
}

/// Quick repair makes opening after a kill take no longer at 10 GB than at 10 kB; it commits in two phases.
fn begin_write(database: &Database) -> Result<WriteTx, redb::TransactionError> {
    let mut tx = database.begin_write()?;
    tx.set_two_phase_commit(true);
    tx.set_quick_repair(true);
    Ok(WriteTx::new(tx))
}

fn prepare(database: &Database) -> Result<(), OpenError> {
    let tx = database.begin_read().map_err(broken)?;
    let tables: Vec<String> =
        tx.list_tables().map_err(broken)?.map(|table| table.name().to_owned()).collect();
    match upgrade::standing(&ReadTx::new(tx), &tables)? {
        Standing::Ready => Ok(()),
        Standing::Newer(found) => Err(OpenError::NewerFormat { found, known: upgrade::KNOWN }),
        Standing::Older(found) => {
            let tx = begin_write(database).map_err(broken)?;
            upgrade::run(&tx, found, &tables)?;
            tx.commit().map_err(|cause| OpenError::from(broken(cause)))
        }
    }
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
