//! The one branch, `main`: read, and moved only from where it was seen.

use super::objects::ObjectBatch;
use super::sweep::sweep;
use crate::durable::{DurableFolder, TempFile, Tree};
use crate::history::error::{HistoryError, Result};
use gix::ObjectId;
use std::io::{self, Write as _};
use std::time::Duration;

/// The branch versions are on.
pub(in crate::history) const MAIN: &str = "refs/heads/main";
/// The folder of the branches.
pub(in crate::history) const HEADS: [&str; 2] = ["refs", "heads"];
const MAIN_NAME: &str = "main";
const LOCK_NAME: &str = "main.lock";

/// How long another program may hold the branch before a version gives up: a second.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// A lock this old belongs to a program that is gone: git holds one for milliseconds.
pub(in crate::history) const LOCK_STALE: Duration = Duration::from_secs(60);

/// Where `main` is; `None` before the first commit.
pub(in crate::history) fn read_main(repository: &gix::Repository) -> Result<Option<ObjectId>> {
    let found = repository.try_find_reference(MAIN)?;
    match found.map(|reference| reference.try_id().map(|id| id.detach())) {
        None => Ok(None),
        Some(Some(id)) => Ok(Some(id)),
        Some(None) => Err(HistoryError::corrupt("main is a symbolic reference")),
    }
}

/// The branch, held: nobody else can move it until it is moved or let go.
pub(in crate::history) struct BranchLock<'a> {
    tree: &'a Tree,
    folder: DurableFolder,
    lock: TempFile,
    pub(in crate::history) tip: Option<ObjectId>,
}

/// Takes hold of `main` in the way git does, with a lock file that becomes the reference. It is written out
/// here because the library renames before it flushes: a power cut between the two would empty the reference.
pub(in crate::history) fn lock_main<'a>(
    tree: &'a Tree,
    repository: &gix::Repository,
) -> Result<BranchLock<'a>> {
    let folder = tree.make(&HEADS)?;
    let lock = acquire_lock(tree, &folder)?;
    // Read under the lock: this is what the branch is compared with when it moves.
    Ok(BranchLock { tree, folder, lock, tip: read_main(repository)? })
}

impl BranchLock<'_> {
    /// Writes the objects of `batch` and moves the branch to `new`, one of them; all of it durable.
    pub(in crate::history) fn move_to(mut self, batch: ObjectBatch, new: ObjectId) -> Result<()> {
        self.lock.write_all(format!("{new}\n").as_bytes())?;
        batch.write(self.tree, self.lock)?.rename_to(MAIN_NAME)?;
        Ok(self.folder.flush()?)
    }

    /// Writes the branch anew, where it is: whoever moved it there may not have seen it on disk.
    pub(in crate::history) fn rewrite(mut self) -> Result<()> {
        let Some(tip) = self.tip else { return Ok(()) };
        self.lock.write_all(format!("{tip}\n").as_bytes())?;
        Ok(self.lock.flush()?.persist(MAIN_NAME, || ())?)
    }
}

fn acquire_lock(tree: &Tree, folder: &DurableFolder) -> Result<TempFile> {
    for _ in 0..LOCK_TRIES {
        match folder.create_temp_as(LOCK_NAME, false) {
            Err(fault) if fault.kind() == io::ErrorKind::AlreadyExists => std::thread::sleep(LOCK_PAUSE),
            other => return Ok(other?),
        }
    }
    sweep(tree.root(), LOCK_STALE);
    folder.create_temp_as(LOCK_NAME, false).map_err(|fault| match fault.kind() {
        io::ErrorKind::AlreadyExists => HistoryError::Busy,
        _ => HistoryError::Disk(fault),
    })
}
