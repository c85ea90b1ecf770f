//! The database as it was before this program gave it another form, for whoever wants to go back.
//!
//! The copy is made while the database is open, and so nobody else's, and before anything of it is written. It is on disk under
//! its name before the first change. There is one at most: the next upgrade puts its own in its place, so that years of upgrades
//! take the room of one. A start that is killed over it has changed nothing, and the next one makes all of it again.

use super::recovery::{OpenError, format_state};
use crate::domain::error::Result;
use crate::durable::{Access, Tree};
use crate::store::Store;
use crate::store::migrations::{CURRENT_FORMAT, FormatState};
use redb::Database;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of the copy, beside the database.
const FOLDER: &str = "before-upgrade";

/// Copies the database at `path` and its log where [`folder`] says, if opening it is going to change their form; `database` is
/// the handle of whoever opens it.
///
/// # Errors
/// [`OpenError::Copy`] when the disk does not take it.
pub(in crate::store) fn keep(database: &Database, path: &Path) -> Result<(), OpenError> {
    // A database without a format has nothing in it.
    let FormatState::Older(found @ 1..) = format_state(database)?.0 else { return Ok(()) };
    let folder = folder(path);
    copy(path, &folder).map_err(|cause| OpenError::Copy {
        found,
        known: CURRENT_FORMAT,
        folder: folder.clone(),
        cause,
    })?;
    tracing::info!(
        target: "flowkeep::store::engine::upgrade_copy",
        from = found, to = CURRENT_FORMAT, folder = %folder.display(),
        "The database is upgraded; it was copied before."
    );
    Ok(())
}

/// Where the copy of the database at `path` lies, when there is one.
pub(in crate::store) fn folder(path: &Path) -> PathBuf {
    path.with_file_name(FOLDER)
}

fn copy(path: &Path, folder: &Path) -> io::Result<()> {
    let target = Tree::new(folder, Access::Owner).make(&[])?;
    for file in Store::files(path) {
        let Some(name) = file.file_name().and_then(|name| name.to_str()) else { continue };
        match File::open(&file) {
            Ok(mut source) => {
                let copy = target.create_temp()?;
                io::copy(&mut source, &mut copy.file()?)?;
                copy.flush()?.persist(name, || ())?;
            }
            // One of an earlier upgrade would be taken for a part of this copy.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                target.remove(name)?;
            }
            Err(error) => return Err(error),
        }
    }
    target.flush()
}
