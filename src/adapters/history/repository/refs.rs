//! The one branch, `main`, and the notes beside it of what a repository elsewhere has: read, and moved only from where they
//! were seen.

use super::objects::ObjectBatch;
use super::sweep::sweep;
use crate::durable::{DurableFolder, TempFile, Tree};
use crate::history::error::{HistoryError, Result};
use gix::ObjectId;
use std::io::{self, Read as _, Write as _};
use std::time::Duration;

/// The branch versions are on.
pub(in crate::history) const MAIN: &str = BRANCH.path;
/// The folder of the branches.
pub(in crate::history) const HEADS: [&str; 2] = BRANCH.folder;
/// The folder of the notes.
pub(in crate::history) const NOTES: &str = "refs/versions/";
/// Where git keeps references that it packed.
const PACKED: &str = "packed-refs";

/// A reference of this program, as git names it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::history) struct ReferenceName {
    path: &'static str,
    folder: [&'static str; 2],
    file: &'static str,
    lock: &'static str,
}

/// The branch versions are on.
pub(in crate::history) const BRANCH: ReferenceName =
    ReferenceName { path: "refs/heads/main", folder: ["refs", "heads"], file: "main", lock: "main.lock" };
/// The version that was copied last.
pub(in crate::history) const COPIED: ReferenceName = ReferenceName {
    path: "refs/versions/github",
    folder: ["refs", "versions"],
    file: "github",
    lock: "github.lock",
};
/// The newest version that was read elsewhere.
pub(in crate::history) const INCOMING: ReferenceName = ReferenceName {
    path: "refs/versions/incoming",
    folder: ["refs", "versions"],
    file: "incoming",
    lock: "incoming.lock",
};

/// How long another program may hold the branch before a version gives up: a second.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// A lock this old belongs to a program that is gone: git holds one for milliseconds.
pub(in crate::history) const LOCK_STALE: Duration = Duration::from_secs(60);

/// Where `main` is; `None` before the first commit.
pub(in crate::history) fn read_main(repository: &gix::Repository) -> Result<Option<ObjectId>> {
    read(repository, &BRANCH)
}

/// Where a reference is; `None` when it is not there.
pub(in crate::history) fn read(
    repository: &gix::Repository,
    name: &ReferenceName,
) -> Result<Option<ObjectId>> {
    let found = repository.try_find_reference(name.path)?;
    match found.map(|reference| reference.try_id().map(|id| id.detach())) {
        None => Ok(None),
        Some(Some(id)) => Ok(Some(id)),
        Some(None) => Err(HistoryError::corrupt("a reference that holds a commit is symbolic")),
    }
}

/// A reference, held: nobody else can move it until it is moved or let go.
pub(in crate::history) struct ReferenceLock<'a> {
    tree: &'a Tree,
    name: &'static ReferenceName,
    folder: DurableFolder,
    lock: TempFile,
    pub(in crate::history) tip: Option<ObjectId>,
}

/// Takes hold of `main`.
pub(in crate::history) fn lock_main<'a>(
    tree: &'a Tree,
    repository: &gix::Repository,
) -> Result<ReferenceLock<'a>> {
    lock(tree, repository, &BRANCH)
}

/// Takes hold of a reference in the way git does, with a lock file that becomes the reference. It is written out
/// here because the library renames before it flushes: a power cut between the two would empty the reference.
pub(in crate::history) fn lock<'a>(
    tree: &'a Tree,
    repository: &gix::Repository,
    name: &'static ReferenceName,
) -> Result<ReferenceLock<'a>> {
    let folder = tree.make(&name.folder)?;
    let lock = acquire_lock(tree, &folder, name.lock)?;
    // Read under the lock: this is what the reference is compared with when it moves.
    Ok(ReferenceLock { tree, name, folder, lock, tip: read(repository, name)? })
}

impl ReferenceLock<'_> {
    /// Writes the objects of `batch` and moves the branch to `new`, one of them; all of it durable.
    pub(in crate::history) fn move_to(mut self, batch: ObjectBatch, new: ObjectId) -> Result<()> {
        self.lock.write_all(format!("{new}\n").as_bytes())?;
        batch.write(self.tree, self.lock)?.rename_to(self.name.file)?;
        Ok(self.folder.flush()?)
    }

    /// Moves the reference to an object that is on disk.
    pub(in crate::history) fn set(mut self, new: ObjectId) -> Result<()> {
        self.lock.write_all(format!("{new}\n").as_bytes())?;
        Ok(self.lock.flush()?.persist(self.name.file, || ())?)
    }

    /// Writes the branch anew, where it is: whoever moved it there may not have seen it on disk.
    pub(in crate::history) fn rewrite(self) -> Result<()> {
        match self.tip {
            Some(tip) => self.set(tip),
            None => Ok(()),
        }
    }

    /// Removes the reference, wherever git keeps it. The file goes last: as long as it is there it is what counts.
    pub(in crate::history) fn remove(self) -> Result<()> {
        self.remove_packed()?;
        self.folder.remove(self.name.file)?;
        Ok(self.folder.flush()?)
    }

    fn remove_packed(&self) -> Result<()> {
        let root = self.tree.make(&[])?;
        let Some(mut file) = root.file(PACKED)? else { return Ok(()) };
        let mut before = String::new();
        file.read_to_string(&mut before)?;
        let is_own = |line: &&str| line.split_once(' ').is_some_and(|(_, name)| name == self.name.path);
        if !before.lines().any(|line| is_own(&line)) {
            return Ok(());
        }
        let mut packed = acquire_lock(self.tree, &root, "packed-refs.lock")?;
        // Read again under its lock. These references are no tags, so no line behind one belongs to it.
        let mut now = String::new();
        root.file(PACKED)?.map_or(Ok(0), |mut file| file.read_to_string(&mut now))?;
        for line in now.lines().filter(|line| !is_own(line)) {
            packed.write_all(format!("{line}\n").as_bytes())?;
        }
        Ok(packed.flush()?.persist(PACKED, || ())?)
    }
}

fn acquire_lock(tree: &Tree, folder: &DurableFolder, name: &str) -> Result<TempFile> {
    for _ in 0..LOCK_TRIES {
        match folder.create_temp_as(name, false) {
            Err(fault) if fault.kind() == io::ErrorKind::AlreadyExists => std::thread::sleep(LOCK_PAUSE),
            other => return Ok(other?),
        }
    }
    sweep(tree.root(), LOCK_STALE);
    folder.create_temp_as(name, false).map_err(|fault| match fault.kind() {
        io::ErrorKind::AlreadyExists => HistoryError::Busy,
        _ => HistoryError::Disk(fault),
    })
}
