//! The one branch, `main`: read, and moved only from where it was seen.

use super::disk::{self, Disk};
use super::error::{HistoryError, Result};
use super::objects::Batch;
use gix::ObjectId;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The branch versions are on.
pub(super) const MAIN: &str = "refs/heads/main";

/// How long another program may hold the branch before a version gives up: a second.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// A lock this old belongs to a program that is gone: git holds one for milliseconds.
pub(super) const LOCK_STALE: Duration = Duration::from_secs(60);

/// Where `main` is; `None` before the first commit.
pub(super) fn main(repository: &gix::Repository) -> Result<Option<ObjectId>> {
    let found = repository.try_find_reference(MAIN)?;
    match found.map(|reference| reference.try_id().map(|id| id.detach())) {
        None => Ok(None),
        Some(Some(id)) => Ok(Some(id)),
        Some(None) => Err(HistoryError::damaged("main is a symbolic reference")),
    }
}

/// The branch, held: nobody else can move it until it is moved or let go.
pub(super) struct Held<'a> {
    disk: &'a Disk,
    lock: disk::Unnamed<'a>,
    place: PathBuf,
    /// Where it is.
    pub(super) tip: Option<ObjectId>,
}

/// Takes hold of `main` in the way git does, with a lock file that becomes the reference. It is written out
/// here because the library renames before it flushes: a power cut between the two would empty the reference.
pub(super) fn hold_main<'a>(disk: &'a Disk, repository: &gix::Repository) -> Result<Held<'a>> {
    let place = repository.git_dir().join(MAIN);
    fs::create_dir_all(place.parent().ok_or(HistoryError::damaged("main has no folder"))?)?;
    let lock = lock(disk, repository.git_dir(), &place.with_extension("lock"))?;
    // Read under the lock: this is what the branch is compared with when it moves.
    Ok(Held { disk, lock, place, tip: main(repository)? })
}

impl Held<'_> {
    /// Writes the objects of `batch` and moves the branch to `new`, one of them; all of it durable.
    pub(super) fn move_to(mut self, repository: &gix::Repository, batch: Batch, new: ObjectId) -> Result<()> {
        self.lock.write(format!("{new}\n").as_bytes())?;
        batch.write(self.disk, repository, &self.lock)?;
        self.lock.name(&self.place)?;
        let folder = self.place.parent().ok_or(HistoryError::damaged("main has no folder"))?;
        Ok(self.disk.flush_folder(folder)?)
    }
}

fn lock<'a>(disk: &'a Disk, repository: &Path, path: &Path) -> Result<disk::Unnamed<'a>> {
    for _ in 0..LOCK_TRIES {
        match disk.create(path.to_owned(), false) {
            Err(fault) if fault.kind() == io::ErrorKind::AlreadyExists => std::thread::sleep(LOCK_PAUSE),
            other => return Ok(other?),
        }
    }
    disk::sweep(repository, LOCK_STALE);
    disk.create(path.to_owned(), false).map_err(|fault| match fault.kind() {
        io::ErrorKind::AlreadyExists => HistoryError::Busy,
        _ => HistoryError::Disk(fault),
    })
}
