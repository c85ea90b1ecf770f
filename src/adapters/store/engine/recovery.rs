//! Opening the database file: what can be wrong with it in words, its format, and the changes that only its log has.

use super::checkpoint::{CheckpointMode, LOG_MARK_KEY, checkpoint, new_epoch};
use super::create;
use crate::domain::error::{Error, Result};
use crate::store::checksum::RowEncoding;
use crate::store::migrations::{self, FormatState};
use crate::store::queries::index_writer::IndexWriter;
use crate::store::queries::messages;
use crate::store::tables::META;
use crate::store::transaction::{MessagesTx, ReadTx, Tx as _, WriteTx, database_error};
use crate::store::wal::log::{KnownLength, LogErrorKind, LogMark, WriteAheadLog};
use crate::store::wal::memtable::{self, LogRecord, PendingRecord, Watermark};
use crate::store::wal::redo;
use redb::{Database, DatabaseError, ReadableDatabase as _, StorageError, TableHandle as _};
use std::fmt;
use std::path::{Path, PathBuf};

/// Why a database was not opened. Each text is one line that says what to do next.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(
        "the data folder is in use by another running flowkeep; stop that one, or choose another folder \
         with --data-dir"
    )]
    InUse,
    #[error(
        "the database has format {found} and this program knows formats up to {known}; start the newer \
         flowkeep that wrote it, or restore a backup made before the upgrade"
    )]
    NewerFormat {
        found: u32,
        /// The newest format this program knows.
        known: u32,
    },
    #[error(
        "the database was last written by flowkeep {0}, and this is {own}; start that version or a newer one, or put back the \
         database as it was before the upgrade (flowkeep upgrade --help)",
        own = env!("CARGO_PKG_VERSION")
    )]
    NewerProgram(String),
    /// The copy that is kept before a database changes its form was not made, so nothing changed.
    #[error(
        "the database has format {found} and has to be brought to format {known}, but it cannot be copied to {folder} before \
         that: {cause}; nothing was changed: make room there and start again",
        folder = folder.display()
    )]
    Copy {
        found: u32,
        known: u32,
        folder: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    /// It is no database, or a broken one.
    #[error(
        "the database is damaged ({0}); put a backup of the whole data folder in its place, or move \
         the data folder away to start empty"
    )]
    Damaged(String),
    /// Its log is not what the database counts on.
    #[error("{0}")]
    Log(#[source] LogError),
    /// The disk or the folder did not allow it.
    #[error("the database cannot be opened: {0}; check the disk and who may write to the data folder")]
    Io(#[source] std::io::Error),
}

/// A log that holds less than was acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogError {
    kind: LogErrorKind,
    /// How many of its changes can still be read.
    readable: usize,
    /// Names of its files, and of the one that gives up what cannot be read.
    files: [String; 2],
    loss_marker: String,
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind: fault, readable: kept, files: [one, other], loss_marker: lost } = self;
        match fault {
            LogErrorKind::Missing => write!(
                f,
                "the journal of the database, the files {one} and {other} in the data folder, is missing, empty or another \
                 one, and the newest changes were in it; put back the files that belong to this database, or a backup of the \
                 whole data folder; or, if they are lost for good, make an empty file {lost} in the data folder: the service \
                 then starts without these changes"
            ),
            LogErrorKind::Damaged => write!(
                f,
                "the journal of the database, the files {one} and {other} in the data folder, is damaged: changes that were \
                 acknowledged cannot be read any more, and {kept} can; put a backup of the whole data folder in its place, or \
                 copy the folder and make an empty file {lost} in it: the service then starts with the {kept} that can be read \
                 and without the others"
            ),
        }
    }
}

impl std::error::Error for LogError {}

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

/// Where the log of a database lies.
pub(in crate::store) struct LogPaths {
    pub(in crate::store) files: [PathBuf; 2],
    /// The file by which somebody gives up what cannot be read of it.
    loss_marker: PathBuf,
}

impl LogPaths {
    /// Those of the database at `path`.
    pub(in crate::store) fn new(path: &Path) -> Self {
        Self { files: WriteAheadLog::paths(path), loss_marker: WriteAheadLog::loss_marker(path) }
    }

    fn error(&self, kind: LogErrorKind, readable: usize) -> LogError {
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        LogError {
            kind,
            readable,
            files: self.files.each_ref().map(name),
            loss_marker: name(&self.loss_marker),
        }
    }
}

/// What came of replaying the log.
struct ReplayResult {
    log: Option<WriteAheadLog>,
    /// Somebody gave up what could not be read, so what could must get a checkpoint, and nothing of the log counts any more.
    was_given_up: bool,
}

/// Opens the log and makes its changes again, in memory: they are on disk already, where they stand.
///
/// # Errors
/// When it holds less than the database counts on.
pub(in crate::store) fn replay(
    database: &Database,
    paths: Option<&LogPaths>,
) -> Result<Option<WriteAheadLog>, OpenError> {
    replay_with(database, RowEncoding::Checksummed, paths, |_| false).map(|replayed| replayed.log)
}

fn replay_with(
    database: &Database,
    encoding: RowEncoding,
    paths: Option<&LogPaths>,
    is_given_up: impl FnOnce(&LogPaths) -> bool,
) -> Result<ReplayResult, OpenError> {
    let Some(paths) = paths else { return Ok(ReplayResult { log: None, was_given_up: false }) };
    let mark = read_mark(database, encoding)?;
    let opened = WriteAheadLog::open(&paths.files, mark)?;
    let mut was_given_up = false;
    if let Some(kind) = opened.error {
        let error = paths.error(kind, opened.records.len());
        if !is_given_up(paths) {
            return Err(OpenError::Log(error));
        }
        was_given_up = true;
        let kept = error.readable;
        tracing::warn!(
            target: "flowkeep::store::engine::recovery", kept,
            "the journal was given up: changes that it still held are kept, others are lost"
        );
    }
    if !opened.records.is_empty() {
        let tx = WriteTx::new(database.begin_write().map_err(database_error)?, Watermark::default());
        tx.set_encoding(encoding);
        redo(&tx, &opened.records)?;
        tx.commit_volatile().map_err(database_error)?;
    }
    let log = if was_given_up { WriteAheadLog::empty(&paths.files, mark.epoch) } else { opened.log };
    Ok(ReplayResult { log: Some(log), was_given_up })
}

/// What the database knows of its log.
pub(in crate::store) fn read_mark(database: &Database, encoding: RowEncoding) -> Result<LogMark> {
    let tx = database.begin_read().map_err(database_error)?;
    let is_new = !tx.list_tables().map_err(database_error)?.any(|table| table.name() == META.name());
    let unknown = || Error::internal("what the database knows of its journal cannot be read");
    let read = |value: &[u8]| LogMark::parse(value).ok_or_else(unknown);
    let known =
        if is_new { None } else { ReadTx::with_encoding(tx, encoding).get_with(META, LOG_MARK_KEY, read)? };
    // A log that was left by another database must not count for this one.
    Ok(known.unwrap_or_else(|| LogMark { epoch: new_epoch(), length: KnownLength::Bytes(0) }))
}

/// Makes the changes of the records again, in the order in which the database had got them.
fn redo(tx: &WriteTx, records: &[Vec<u8>]) -> Result<()> {
    let (mut pending, mut index) = (Vec::new(), IndexWriter::for_replay());
    let store = |due: &[PendingRecord], index: &mut IndexWriter| {
        if due.is_empty() { Ok(()) } else { messages::store_with(tx, due, index) }
    };
    for record in records {
        match memtable::decode(record)? {
            LogRecord::Messages(said) => pending.extend(said),
            LogRecord::Rows(watermark, rows) => {
                store(&memtable::split_at_watermark(&mut pending, watermark), &mut index)?;
                redo::replay(tx, rows, &mut index)?;
            }
        }
    }
    store(&pending, &mut index)?;
    index.finish(tx)
}

/// The number of the next message.
pub(in crate::store) fn read_next_sequence(database: &Database) -> Result<u64> {
    let tx = database.begin_read().map_err(database_error)?;
    // The memtable is filled from here on.
    messages::next_sequence(&MessagesTx::assume_drained(ReadTx::new(tx)))
}

/// How the database stands to this program, and the names of its tables.
pub(in crate::store) fn format_state(database: &Database) -> Result<(FormatState, Vec<String>)> {
    let tx = database.begin_read().map_err(database_error)?;
    let tables: Vec<String> =
        tx.list_tables().map_err(database_error)?.map(|table| table.name().to_owned()).collect();
    migrations::format_state(&ReadTx::new(tx), &tables).map(|state| (state, tables))
}

/// Replays the log and brings the database to this program's format.
pub(in crate::store) fn open_and_migrate(
    database: &Database,
    paths: Option<&LogPaths>,
) -> Result<Option<WriteAheadLog>, OpenError> {
    // A newer format is refused before anything is touched.
    let encoding = match format_state(database)?.0 {
        FormatState::Newer(found) => {
            return Err(OpenError::NewerFormat { found, known: migrations::CURRENT_FORMAT });
        }
        FormatState::NewerProgram(version) => return Err(OpenError::NewerProgram(version)),
        FormatState::Older(found) => migrations::encoding_of(found),
        FormatState::Ready | FormatState::OtherProgram => RowEncoding::Checksummed,
    };
    let is_given_up = |paths: &LogPaths| paths.loss_marker.exists();
    let ReplayResult { mut log, was_given_up } = replay_with(database, encoding, paths, is_given_up)?;
    let (state, tables) = format_state(database)?;
    if was_given_up || state != FormatState::Ready {
        let tx = WriteTx::new(database.begin_write().map_err(database_error)?, Watermark::default());
        match state {
            FormatState::Older(found) => migrations::migrate(&tx, found, &tables)?,
            FormatState::OtherProgram => migrations::migrate(&tx, migrations::CURRENT_FORMAT, &tables)?,
            // A newer one was refused above.
            FormatState::Ready | FormatState::Newer(_) | FormatState::NewerProgram(_) => {}
        }
        checkpoint(tx, &[], log.as_mut(), CheckpointMode::CloseLog)?;
    }
    // Now, and not before; what gives one fault up must not give up the next.
    if let Some(paths) = paths.filter(|places| places.loss_marker.exists()) {
        create::remove_if_present(&paths.loss_marker)?;
        create::sync_folder(&paths.loss_marker)?;
    }
    Ok(log)
}
