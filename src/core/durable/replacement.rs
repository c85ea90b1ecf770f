//! What lies in a folder, replaced by something else: all of it or none, whenever the process ends.
//!
//! The new things are made in a folder inside, flushed, and then the replacement is **decided** by a file that gets its name. Before
//! that the folder is what it was; after it every start takes the rest of the way: the old things move into a folder with a name of
//! their own, and when all of them are there (a second file says so) the new ones take their places. So no instant leaves a
//! mixture that somebody could take for a whole. It happens inside of the folder, because that may be the root of a disk, or lie
//! where this user may make nothing.

use super::{Access, Folder, Scratch, Tree};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Where the work is done, in the folder itself.
const WORK: &str = ".restore";
/// The new things.
const NEW: &str = "new";
/// Held by whoever replaces.
const LOCK: &str = "lock";
/// There is no way back: what was to be replaced, a name in each line, behind the name of the folder for it.
const DECIDED: &str = "decided";
/// Everything old is out of the way.
const MOVED: &str = "moved";

/// Why a replacement did not begin or end.
#[derive(Debug)]
pub enum ReplacementError {
    /// Another process replaces what lies there.
    UnderWay,
    Io(io::Error),
}

impl From<io::Error> for ReplacementError {
    fn from(cause: io::Error) -> Self {
        Self::Io(cause)
    }
}

/// What was found of a replacement.
#[derive(Debug, PartialEq, Eq)]
pub enum ReplacementState {
    None,
    /// A process that is there works on it.
    UnderWay,
    /// One was begun and not decided: the folder is what it was.
    Undone,
    /// One had been decided, and was completed now; the old things are in the folder of this name.
    Completed(String),
}

/// A replacement that is being prepared. Dropped, it leaves the folder as it was.
#[derive(Debug)]
pub struct Replacement {
    root: PathBuf,
    scratch: Option<Scratch>,
    /// Folders that were made to get there, the innermost first.
    made: Vec<PathBuf>,
    #[allow(dead_code, reason = "it is held until the handle goes")]
    lock: File,
}

impl Replacement {
    /// Begins one for what lies in `root`, which is made when it is not there.
    ///
    /// # Errors
    /// When another process does the same, or the folder cannot be written.
    pub fn begin(root: &Path) -> Result<Self, ReplacementError> {
        let root = std::path::absolute(root)?;
        let made: Vec<PathBuf> =
            root.ancestors().take_while(|above| !above.exists()).map(Path::to_owned).collect();
        if settle(&root)? == ReplacementState::UnderWay {
            return Err(ReplacementError::UnderWay);
        }
        Tree::new(&root, Access::Owner).make(&[WORK])?;
        let lock = take_lock(&root)?.ok_or(ReplacementError::UnderWay)?;
        let scratch = Some(Scratch::create(&root.join(WORK), NEW)?);
        Ok(Self { root, scratch, made, lock })
    }

    /// Where the new things are made.
    ///
    /// # Errors
    /// None before it is decided.
    pub fn scratch(&self) -> io::Result<&Scratch> {
        self.scratch.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Replaces what has these names by the new things; what is there of it moves into the folder `kept`. True when anything was.
    ///
    /// # Errors
    /// When something cannot be moved, before anything was; or the disk fails in the middle, and the next start goes on.
    pub fn complete(mut self, names: &[&str], kept: &str) -> io::Result<bool> {
        let found: Vec<&str> = names.iter().copied().filter(|name| is_there(&self.root.join(name))).collect();
        require_same_disk(&self.root, &found)?;
        self.scratch()?.flush()?;
        let text = std::iter::once(kept).chain(found.iter().copied()).collect::<Vec<_>>().join("\n");
        let tree = Tree::new(&self.root, Access::Owner);
        let decided = tree.make(&[WORK]).and_then(|work| work.write(DECIDED, text.as_bytes()));
        // Whether it counts shows at the next start, when the disk did not say so: then nothing is removed.
        self.made.clear();
        if let Some(scratch) = self.scratch.take() {
            scratch.leave();
        }
        decided?;
        finish(&self.root)?;
        Ok(!found.is_empty())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if self.scratch.take().is_some() {
            let _left_over = fs::remove_dir_all(self.root.join(WORK));
            for folder in &self.made {
                // Somebody may have put something there.
                let _in_use = fs::remove_dir(folder);
            }
        }
    }
}

/// True while a replacement of what lies in `root` is prepared, or waits for a start to complete it.
pub fn is_pending(root: &Path) -> bool {
    is_there(&root.join(WORK))
}

/// Completes a replacement that was decided, and removes what is left of one that was not.
///
/// # Errors
/// When the folder cannot be read or written; the next call goes on.
pub fn settle(root: &Path) -> io::Result<ReplacementState> {
    if !is_pending(root) {
        return Ok(ReplacementState::None);
    }
    let Some(_lock) = take_lock(root)? else { return Ok(ReplacementState::UnderWay) };
    if is_there(&root.join(WORK).join(DECIDED)) {
        return finish(root).map(ReplacementState::Completed);
    }
    fs::remove_dir_all(root.join(WORK))?;
    Ok(ReplacementState::Undone)
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// `None` while another process has it.
fn take_lock(root: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let lock = match options.open(root.join(WORK).join(LOCK)) {
        // Whoever had it has just removed it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// A folder that is the root of another disk cannot be moved.
#[cfg(unix)]
fn require_same_disk(root: &Path, names: &[&str]) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let disk = fs::metadata(root)?.dev();
    for name in names {
        if fs::symlink_metadata(root.join(name))?.dev() != disk {
            return Err(io::Error::new(
                io::ErrorKind::CrossesDevices,
                format!("{name} is the root of another disk and cannot be replaced"),
            ));
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn require_same_disk(_root: &Path, _names: &[&str]) -> io::Result<()> {
    Ok(())
}

/// Takes a replacement that was decided to its end; the name of the folder that has the old things.
fn finish(root: &Path) -> io::Result<String> {
    let tree = Tree::new(root, Access::Owner);
    let work = tree.make(&[WORK])?;
    let decided = fs::read_to_string(root.join(WORK).join(DECIDED))?;
    let mut lines = decided.lines();
    let kept = lines.next().unwrap_or_default().to_owned();
    let names: Vec<&str> = lines.collect();
    let [kept_name] = [kept.as_str()];
    if names.iter().chain([&kept_name]).any(|name| name.is_empty() || name.contains(['/', '\\'])) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the note of a restore is damaged"));
    }
    let above = tree.make(&[])?;
    if work.entry(MOVED)?.is_none() {
        if !names.is_empty() {
            let folder = tree.make(&[kept_name])?;
            for name in names.into_iter().filter(|name| is_there(&root.join(name))) {
                folder.take(&root.join(name), name)?;
            }
            folder.flush()?;
            above.flush()?;
        }
        work.write(MOVED, b"")?;
    }
    if let Some(new) = Folder::open(root, &[WORK, NEW])? {
        for entry in new.entries()? {
            above.take(&root.join(WORK).join(NEW).join(&entry.name), &entry.name)?;
        }
        above.flush()?;
        new.flush()?;
    }
    // First: without it nobody goes this way again.
    work.remove(DECIDED)?;
    work.flush()?;
    fs::remove_dir_all(root.join(WORK))?;
    above.flush()?;
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn put(scratch: &Scratch, parts: &[&str], text: &str) {
        scratch.create_file(parts).unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn text(root: &Path, name: &str) -> String {
        fs::read_to_string(root.join(name)).unwrap_or_default()
    }

    fn old_folder() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("database"), "old").unwrap();
        fs::create_dir(root.path().join("files")).unwrap();
        fs::write(root.path().join("files/a"), "old a").unwrap();
        fs::write(root.path().join("other"), "stays").unwrap();
        root
    }

    const NAMES: [&str; 2] = ["database", "files"];

    fn assert_new(root: &Path) {
        assert_eq!(text(root, "database"), "new");
        assert_eq!(
            (text(root, "kept/database").as_str(), text(root, "kept/files/a").as_str()),
            ("old", "old a")
        );
        assert!(!root.join("files").exists() && !is_pending(root));
        assert_eq!(text(root, "other"), "stays");
    }

    #[test]
    fn the_old_things_move_away_and_the_new_ones_take_their_places() {
        let root = old_folder();
        let replacement = Replacement::begin(root.path()).unwrap();
        put(replacement.scratch().unwrap(), &["database"], "new");
        assert!(matches!(Replacement::begin(root.path()), Err(ReplacementError::UnderWay)));
        assert_eq!(settle(root.path()).unwrap(), ReplacementState::UnderWay);
        assert!(replacement.complete(&NAMES, "kept").unwrap());
        assert_new(root.path());
    }

    #[test]
    fn one_that_is_given_up_leaves_the_folder_as_it_was() {
        let root = old_folder();
        let replacement = Replacement::begin(root.path()).unwrap();
        put(replacement.scratch().unwrap(), &["database"], "new");
        drop(replacement);
        assert_eq!(text(root.path(), "database"), "old");
        assert!(!is_pending(root.path()));
        let absent = root.path().join("deep/er");
        drop(Replacement::begin(&absent).unwrap());
        assert!(!root.path().join("deep").exists(), "what was made for it goes too");
    }

    #[test]
    fn whatever_instant_ends_the_process_the_next_start_finds_all_or_nothing() {
        // As a process leaves it that was killed: before the decision, and after each of the moves behind it.
        for moves in 0..5 {
            let root = old_folder();
            let mut replacement = Replacement::begin(root.path()).unwrap();
            put(replacement.scratch().unwrap(), &["database"], "new");
            let work = root.path().join(WORK);
            replacement.scratch.take().unwrap().leave();
            let take = |from: &Path, to: &str| fs::rename(from, root.path().join(to)).unwrap();
            if moves > 0 {
                fs::write(work.join(DECIDED), "kept\ndatabase\nfiles").unwrap();
            }
            if moves > 1 {
                fs::create_dir(root.path().join("kept")).unwrap();
                take(&root.path().join("database"), "kept/database");
            }
            if moves > 2 {
                take(&root.path().join("files"), "kept/files");
                fs::write(work.join(MOVED), "").unwrap();
            }
            if moves > 3 {
                take(&work.join("new/database"), "database");
            }
            drop(replacement);
            let state = settle(root.path()).unwrap();
            if moves == 0 {
                assert_eq!(state, ReplacementState::Undone);
                assert_eq!(
                    (text(root.path(), "database").as_str(), text(root.path(), "files/a").as_str()),
                    ("old", "old a")
                );
                assert!(!is_pending(root.path()));
            } else {
                assert_eq!(state, ReplacementState::Completed("kept".to_owned()));
                assert_new(root.path());
            }
        }
    }
}
