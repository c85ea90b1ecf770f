//! Opening the database file: what can be wrong with it in words, its format, and the changes that only its journal has.

use super::changes;
use super::create;
use super::handle::{JOURNAL, Then, flush, fresh_generation};
use super::journals::{Fault, Journals, Known, Mark};
use super::messages;
use super::sums::Form;
use super::tables::META;
use super::tail::{self, Bound, Kept, Record};
use super::tx::{ReadTx, Sees, Tx as _, WriteTx, broken};
use super::upgrade::{self, Standing};
use crate::domain::error::{Error, Result};
use redb::{Database, DatabaseError, ReadableDatabase as _, StorageError, TableHandle as _};
use std::fmt;
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
    /// Its journal is not what the database counts on.
    Journal(JournalFault),
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
                "the database is damaged ({what}); put a backup of the whole data folder in its place, or move \
                 the data folder away to start empty"
            ),
            Self::Journal(fault) => fault.fmt(f),
            Self::Io(cause) => {
                write!(f, "the database cannot be opened: {cause}; check the disk and who may write to the data folder")
            }
        }
    }
}

/// A journal that holds less than was acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalFault {
    fault: Fault,
    /// How many of its changes can still be read.
    kept: usize,
    /// Names of its files, and of the one that gives up what cannot be read.
    files: [String; 2],
    lost: String,
}

impl fmt::Display for JournalFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fault, kept, files: [one, other], lost } = self;
        match fault {
            Fault::Missing => write!(
                f,
                "the journal of the database, the files {one} and {other} in the data folder, is missing, empty or another \
                 one, and the newest changes were in it; put back the files that belong to this database, or a backup of the \
                 whole data folder; or, if they are lost for good, make an empty file {lost} in the data folder: the service \
                 then starts without these changes"
            ),
            Fault::Damaged => write!(
                f,
                "the journal of the database, the files {one} and {other} in the data folder, is damaged: changes that were \
                 acknowledged cannot be read any more, and {kept} can; put a backup of the whole data folder in its place, or \
                 copy the folder and make an empty file {lost} in it: the service then starts with the {kept} that can be read \
                 and without the others"
            ),
        }
    }
}

impl std::error::Error for JournalFault {}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(cause) => Some(cause),
            Self::Journal(fault) => Some(fault),
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

/// Where the journal of a database lies.
pub(super) struct Places {
    /// Its files.
    pub(super) files: [PathBuf; 2],
    /// The file by which somebody gives up what cannot be read of it.
    lost: PathBuf,
}

impl Places {
    /// Of the database at `path`.
    pub(super) fn of(path: &Path) -> Self {
        Self { files: Journals::paths(path), lost: Journals::lost(path) }
    }

    fn told(&self, fault: Fault, kept: usize) -> JournalFault {
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        JournalFault { fault, kept, files: self.files.each_ref().map(name), lost: name(&self.lost) }
    }
}

/// What was made of the journal.
struct Replayed {
    journals: Option<Journals>,
    /// Somebody gave up what could not be read, so what could must be flushed, and nothing of the journal counts any more.
    was_given_up: bool,
}

/// Opens the journal and makes its changes again, in memory: they are on disk already, where they stand.
///
/// # Errors
/// When it holds less than the database counts on.
pub(super) fn replay(database: &Database, places: Option<&Places>) -> Result<Option<Journals>, OpenError> {
    replay_unless(database, Form::Summed, places, |_| false).map(|replayed| replayed.journals)
}

fn replay_unless(
    database: &Database,
    form: Form,
    places: Option<&Places>,
    is_lost: impl FnOnce(&Places) -> bool,
) -> Result<Replayed, OpenError> {
    let Some(places) = places else { return Ok(Replayed { journals: None, was_given_up: false }) };
    let mark = mark(database, form)?;
    let opened = Journals::open(&places.files, mark)?;
    let mut was_given_up = false;
    if let Some(fault) = opened.fault {
        let told = places.told(fault, opened.records.len());
        if !is_lost(places) {
            return Err(OpenError::Journal(told));
        }
        was_given_up = true;
        let kept = told.kept;
        tracing::warn!(
            kept,
            "the journal was given up: changes that it still held are kept, others are lost"
        );
    }
    if !opened.records.is_empty() {
        let tx = WriteTx::new(database.begin_write().map_err(broken)?, Bound::default());
        tx.take_form(form);
        make_again(&tx, &opened.records)?;
        tx.commit_in_memory().map_err(broken)?;
    }
    let journals =
        if was_given_up { Journals::unused(&places.files, mark.generation) } else { opened.journals };
    Ok(Replayed { journals: Some(journals), was_given_up })
}

/// What the database knows of its journal.
fn mark(database: &Database, form: Form) -> Result<Mark> {
    let tx = database.begin_read().map_err(broken)?;
    let is_new = !tx.list_tables().map_err(broken)?.any(|table| table.name() == META.name());
    let unknown = || Error::internal("what the database knows of its journal cannot be read");
    let read = |value: &[u8]| Mark::parse(value).ok_or_else(unknown);
    let known = if is_new { None } else { ReadTx::in_form(tx, Sees::All, form).look(META, JOURNAL, read)? };
    // A journal that was left by another database must not count for this one.
    Ok(known.unwrap_or_else(|| Mark { generation: fresh_generation(), bytes: Known::Bytes(0) }))
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
pub(super) fn prepare(database: &Database, places: Option<&Places>) -> Result<Option<Journals>, OpenError> {
    let standing = || {
        let tx = database.begin_read().map_err(broken)?;
        let tables: Vec<String> =
            tx.list_tables().map_err(broken)?.map(|table| table.name().to_owned()).collect();
        upgrade::standing(&ReadTx::new(tx, Sees::All), &tables).map(|standing| (standing, tables))
    };
    // Told before anything is touched.
    let form = match standing()?.0 {
        Standing::Newer(found) => return Err(OpenError::NewerFormat { found, known: upgrade::KNOWN }),
        Standing::Older(found) => upgrade::form(found),
        Standing::Ready => Form::Summed,
    };
    let is_lost = |places: &Places| places.lost.exists();
    let Replayed { mut journals, was_given_up } = replay_unless(database, form, places, is_lost)?;
    let standing = standing()?;
    if was_given_up || matches!(standing, (Standing::Older(_), _)) {
        let tx = WriteTx::new(database.begin_write().map_err(broken)?, Bound::default());
        if let (Standing::Older(found), tables) = standing {
            upgrade::run(&tx, found, &tables)?;
        }
        flush(tx, &[], journals.as_mut(), Then::Ends)?;
    }
    // Now, and not before; what gives one fault up must not give up the next.
    if let Some(places) = places.filter(|places| places.lost.exists()) {
        create::remove(&places.lost)?;
        create::sync_folder(&places.lost)?;
    }
    Ok(journals)
}
