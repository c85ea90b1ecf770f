//! Opening the database file: what can be wrong with it in words, its format, and the changes that only its journal has.

use super::changes;
use super::handle::{GENERATION, flush, fresh_generation};
use super::journals::Journals;
use super::messages;
use super::tables::META;
use super::tail::{self, Bound, Kept, Record};
use super::tx::{ReadTx, Sees, Tx as _, WriteTx, broken};
use super::upgrade::{self, Standing};
use crate::domain::error::{Error, Result};
use redb::{Database, DatabaseError, ReadableDatabase as _, StorageError, TableHandle as _};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

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
                 the data folder away to start empty"
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

/// Opens the journal and makes its changes again, in memory: they are on disk already, where they stand.
pub(super) fn replay(
    database: &Database,
    paths: Option<&[PathBuf; 2]>,
) -> Result<Option<Journals>, OpenError> {
    let Some(paths) = paths else { return Ok(None) };
    let tx = database.begin_read().map_err(broken)?;
    let is_new = !tx.list_tables().map_err(broken)?.any(|table| table.name() == META.name());
    let read = |value: &[u8]| Ok(u64::from_be_bytes(value.try_into().map_err(Error::internal)?));
    let known = if is_new { None } else { ReadTx::new(tx, Sees::All).look(META, GENERATION, read)? };
    // A journal that was left by another database must not count for this one.
    let generation = known.unwrap_or_else(fresh_generation);
    let (journals, records) = Journals::open(paths, generation)?;
    if !records.is_empty() {
        let tx = WriteTx::new(database.begin_write().map_err(broken)?, Bound::default());
        make_again(&tx, &records)?;
        tx.commit_in_memory().map_err(broken)?;
    }
    Ok(Some(journals))
}

/// Makes the changes of the records again, in the order in which the database had got them.
fn make_again(tx: &WriteTx, records: &[Vec<u8>]) -> Result<()> {
    let mut waiting = Vec::new();
    let put = |due: &[Kept]| if due.is_empty() { Ok(()) } else { messages::put(tx, due) };
    for record in records {
        match tail::read(record)? {
            Record::Said(said) => waiting.extend(said),
            Record::Rows(bound, rows) => {
                put(&tail::take_below(&mut waiting, bound))?;
                changes::apply(tx, rows)?;
            }
        }
    }
    put(&waiting)
}

/// The number of the next message.
pub(super) fn next_message(database: &Database) -> Result<u64> {
    let tx = database.begin_read().map_err(broken)?;
    messages::next_sequence(&ReadTx::new(tx, Sees::All))
}

/// Reads the journal and brings the database to this program's format.
pub(super) fn prepare(
    database: &Database,
    journal_paths: Option<&[PathBuf; 2]>,
) -> Result<Option<Journals>, OpenError> {
    let standing = || {
        let tx = database.begin_read().map_err(broken)?;
        let tables: Vec<String> =
            tx.list_tables().map_err(broken)?.map(|table| table.name().to_owned()).collect();
        upgrade::standing(&ReadTx::new(tx, Sees::All), &tables).map(|standing| (standing, tables))
    };
    // Told before anything is touched.
    if let (Standing::Newer(found), _) = standing()? {
        return Err(OpenError::NewerFormat { found, known: upgrade::KNOWN });
    }
    let mut journals = replay(database, journal_paths)?;
    if let (Standing::Older(found), tables) = standing()? {
        let tx = WriteTx::new(database.begin_write().map_err(broken)?, Bound::default());
        upgrade::run(&tx, found, &tables)?;
        flush(tx, &[], journals.as_mut())?;
    }
    Ok(journals)
}

/// Makes the file, readable by its owner only, and sees that its name survives a power cut.
pub(super) fn create(path: &Path) -> std::io::Result<File> {
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
