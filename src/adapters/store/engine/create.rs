//! Making the database file. It gets its name when it is whole, so that a start which is interrupted leaves nothing that a
//! later one could take for a database.

use super::recovery::OpenError;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use tempfile::NamedTempFile;

/// What follows the name of a file that is being made.
const TEMP_SUFFIX: &str = ".new-";
/// The first bytes of a database are written last.
const MAGIC_BYTES: usize = 9;
/// A database in which nothing was stored yet is smaller.
const EMPTY_BYTES_MAX: u64 = 16 << 20;

/// Makes the file at `path` where none is, or one that an earlier program was killed over: `fill` makes an empty file a
/// database, and it is on disk under its name when this returns.
///
/// # Errors
/// When it cannot be made, or what `fill` says.
pub(in crate::store) fn create_if_missing(
    path: &Path,
    fill: impl FnOnce(File) -> Result<(), OpenError>,
) -> Result<(), OpenError> {
    match completion_state(path)? {
        None => {}
        Some(true) => return Ok(()),
        Some(false) => remove_if_present(path)?,
    }
    let beside = begin_beside(path)?;
    fill(beside.reopen()?)?;
    beside.as_file().sync_all()?;
    match beside.persist_noclobber(path) {
        Ok(_) => sync_folder(path).map_err(OpenError::from),
        // Another process was faster: whoever opens it first has it.
        Err(taken) if path.exists() => {
            drop(taken);
            Ok(())
        }
        Err(failed) => Err(failed.error.into()),
    }
}

/// An empty file beside the database at `path`, which goes away with its handle, or with the next start.
///
/// # Errors
/// When it cannot be made.
pub(in crate::store) fn begin_beside(path: &Path) -> io::Result<NamedTempFile> {
    let prefix = format!("{}{TEMP_SUFFIX}", path.file_name().unwrap_or_default().to_string_lossy());
    // Readable by its owner only, from the first moment.
    tempfile::Builder::new().prefix(&prefix).tempfile_in(parent_folder(path))
}

/// What a power cut makes of a file that was put in the place of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Placement {
    /// It has the name for good.
    Durable,
    /// The name stands for it, but may be the other one's again.
    Volatile,
}

/// Puts a file that was begun beside the database at `path` in its place.
///
/// # Errors
/// When it cannot be put there; the database is the one that it was then.
pub(in crate::store) fn replace(beside: NamedTempFile, path: &Path) -> io::Result<Placement> {
    beside.as_file().sync_all()?;
    beside.persist(path).map_err(|failed| failed.error)?;
    match sync_folder(path) {
        Ok(()) => Ok(Placement::Durable),
        Err(error) => {
            tracing::error!(
                target: "flowkeep::store::engine::create",
                %error,
                "the folder of the database could not be flushed"
            );
            Ok(Placement::Volatile)
        }
    }
}

/// Sees that the name of an open database survives a power cut, which a killed process may not have waited for, and removes
/// what other processes left unfinished beside it: none of them can come to an end any more.
///
/// # Errors
/// When the folder cannot be read or written.
pub(in crate::store) fn finish_creation(path: &Path) -> io::Result<()> {
    let prefix = format!("{}{TEMP_SUFFIX}", path.file_name().unwrap_or_default().to_string_lossy());
    for entry in fs::read_dir(parent_folder(path))? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            remove_if_present(&entry.path())?;
        }
    }
    sync_folder(path)
}

/// True for a file in which a database was begun, false for one that is empty or was left before it had become one, and
/// `None` where there is none.
///
/// # Errors
/// When it cannot be read.
pub(in crate::store) fn completion_state(path: &Path) -> io::Result<Option<bool>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let length = file.metadata()?.len();
    let mut first = Vec::new();
    file.by_ref().take(MAGIC_BYTES as u64).read_to_end(&mut first)?;
    Ok(Some(length > EMPTY_BYTES_MAX || first.iter().any(|byte| *byte != 0)))
}

/// Removes a file; one that is gone already is no error.
///
/// # Errors
/// When it is there and cannot be removed.
pub(in crate::store) fn remove_if_present(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn parent_folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Sees that names in the folder of `path` survive a power cut.
#[cfg(unix)]
pub(in crate::store) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(parent_folder(path))?.sync_all()
}

/// Elsewhere a folder cannot be opened like a file, and names are kept with what they name.
#[cfg(not(unix))]
pub(in crate::store) fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}
