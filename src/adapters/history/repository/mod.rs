//! The repository's folder: made on first use, opened once, opened anew when it was changed under us.

pub(crate) mod checked_read;
pub(crate) mod object_cache;
pub(super) mod objects;
pub(super) mod origin;
pub(super) mod refs;
pub(super) mod sweep;
pub(super) mod tree;

use self::objects::{OBJECTS, ObjectBatch};
use self::sweep::sweep;
use super::error::{HistoryError, Result};
use super::layout;
use super::message::SERVICE_ADDRESS;
use crate::clock::Clock;
use crate::domain::flows::version::SYSTEM_AUTHOR;
use crate::durable::Tree;
use gix::ObjectId;
use gix::objs::Commit;
use gix::objs::tree::EntryKind;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Duration;

const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n";
pub(super) const DESCRIPTION: &str = "Every version of every flow, written by Flowkeep\n";
/// What makes the folder a repository: it is made when all else is there.
const HEAD: (&str, &str) = ("HEAD", "ref: refs/heads/main\n");

/// The largest object that is read. A damaged file may claim any size, and memory is taken before it is filled.
const OBJECT_MAX_BYTES: usize = 512 * 1024 * 1024;

/// What this process may do with the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rights {
    Write,
    /// It only looks: no file, folder or mode changes.
    ReadOnly,
}

/// The folder and the repository in it.
pub(super) struct RepositoryHandle {
    pub(super) tree: Tree,
    rights: Rights,
    /// The database knows versions that lie here: that they are gone is a loss, and no beginning.
    holds_versions: AtomicBool,
    open: RwLock<Option<gix::ThreadSafeRepository>>,
    /// True when what a process that is gone left half done was removed. Held while the repository is opened.
    is_swept: Mutex<bool>,
    /// True once this process has seen all of an empty repository on disk.
    is_made: Mutex<bool>,
    /// True while the disk is known to keep the branch where it is.
    is_main_confirmed: AtomicBool,
}

impl RepositoryHandle {
    pub(super) fn new(tree: Tree, rights: Rights) -> Self {
        Self {
            tree,
            rights,
            holds_versions: AtomicBool::new(false),
            open: RwLock::new(None),
            is_swept: Mutex::new(false),
            is_made: Mutex::new(false),
            is_main_confirmed: AtomicBool::new(false),
        }
    }

    /// True when a repository is there. `HEAD` is the last file that is made.
    pub(super) fn exists(&self) -> bool {
        self.folder().join(HEAD.0).is_file()
    }

    fn folder(&self) -> &Path {
        self.tree.root()
    }

    /// True when the database knows versions that were recorded here.
    pub(super) fn holds_versions(&self) -> bool {
        self.holds_versions.load(Ordering::SeqCst)
    }

    /// Notes whether the database knows versions that were recorded here.
    pub(super) fn set_holds_versions(&self, holds: bool) {
        self.holds_versions.store(holds, Ordering::SeqCst);
    }

    /// The repository, for one thread; `None` when there is none yet.
    pub(super) fn get(&self) -> Result<Option<gix::Repository>> {
        if let Some(open) = self.open.read().unwrap_or_else(PoisonError::into_inner).as_ref() {
            return Ok(Some(open.to_thread_local()));
        }
        let mut is_swept = self.is_swept.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.exists() {
            if !self.holds_versions() {
                return Ok(None);
            }
            if self.rights != Rights::Write || !origin::has_branch(self.folder()) {
                return Err(HistoryError::Missing);
            }
            self.create_folders()?;
        }
        // Tools that copy a folder may leave out empty folders, without which it is no repository.
        if self.rights == Rights::Write && (self.holds_versions() || origin::is_described(self.folder())) {
            for needed in [[OBJECTS, "pack"], refs::HEADS] {
                if self.tree.open(&needed)?.is_none() {
                    self.tree.make(&needed)?;
                }
            }
        }
        let limit = format!("gitoxide.objects.allocLimit={OBJECT_MAX_BYTES}");
        let options = gix::open::Options::isolated().open_path_as_is(true).config_overrides([limit]);
        let repository = gix::ThreadSafeRepository::open_opts(self.folder(), options)?;
        let local = repository.to_thread_local();
        if !self.holds_versions() && !origin::is_ours(&local)? {
            return Err(HistoryError::Foreign);
        }
        if self.rights == Rights::Write && !*is_swept {
            sweep(self.folder(), Duration::ZERO);
            *is_swept = true;
        }
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = Some(repository);
        Ok(Some(local))
    }

    /// The repository, made when there is none; its `main` has a commit. Where versions were recorded before, none is made.
    pub(super) fn get_or_create(&self) -> Result<gix::Repository> {
        if let Some(repository) = self.get()?
            && self.main(&repository)?.is_some()
        {
            return Ok(repository);
        }
        let mut is_made = self.is_made.lock().unwrap_or_else(PoisonError::into_inner);
        // As long as nothing counts, also when all of it is there: whoever made it may not have seen it on disk.
        if !*is_made || !self.exists() {
            if !self.exists() {
                origin::require_free(self.folder())?;
            }
            self.create_folders()?;
            self.close();
            *is_made = true;
        }
        let repository = self.get()?.ok_or(HistoryError::corrupt("the new repository is gone"))?;
        let main = refs::lock_main(&self.tree, &repository)?;
        if main.tip.is_none() {
            let mut batch = ObjectBatch::default();
            let first = first_commit(&mut batch)?;
            self.move_main(main, batch, first)?;
        }
        Ok(repository)
    }

    /// Where `main` is; `None` before the first commit, which is no answer where versions were recorded.
    pub(super) fn main(&self, repository: &gix::Repository) -> Result<Option<ObjectId>> {
        match refs::read_main(repository)? {
            None if self.holds_versions() => Err(HistoryError::Missing),
            tip => Ok(tip),
        }
    }

    /// What anybody who looks into the folder would miss.
    pub(super) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.folder().exists() && !self.folder().is_dir() {
            faults.push("a file lies where the folder of the history should be".to_owned());
        } else if !self.folder().is_dir() {
            faults.push("the folder of the history is not there".to_owned());
        } else {
            if !self.exists() {
                faults.push("the folder of the history has no file HEAD".to_owned());
            }
            if !origin::has_branch(self.folder()) {
                faults.push("the history has no branch main".to_owned());
            }
        }
        faults
    }

    /// Moves the branch to `new`, one of the objects of `batch`.
    pub(super) fn move_main(
        &self,
        main: refs::ReferenceLock<'_>,
        batch: ObjectBatch,
        new: ObjectId,
    ) -> Result<()> {
        self.is_main_confirmed.store(false, Ordering::SeqCst);
        main.move_to(batch, new)?;
        self.is_main_confirmed.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// Sees to it that the disk keeps the branch where it is. Whoever moved it may have been killed before it was flushed,
    /// or was told that it could not be; then it is written anew. What it leads to was on disk before it moved.
    pub(super) fn confirm_main(&self) -> Result<()> {
        if self.is_main_confirmed.load(Ordering::SeqCst) {
            return Ok(());
        }
        let Some(repository) = self.get()? else { return Ok(()) };
        refs::lock_main(&self.tree, &repository)?.rewrite()?;
        self.is_main_confirmed.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// Opens the repository anew at the next use: its packs, its references or the whole folder were changed.
    pub(super) fn close(&self) {
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Runs `read`, and once more on a repository opened anew when it fails: another tool may have packed it.
    pub(super) fn read<T>(&self, read: impl Fn(&gix::Repository) -> Result<T>) -> Result<Option<T>> {
        let Some(repository) = catch_panic(|| self.get())? else { return Ok(None) };
        match catch_panic(|| read(&repository)) {
            Err(fault) if fault.is_transient() => self.close(),
            other => return other.map(Some),
        }
        let Some(repository) = catch_panic(|| self.get())? else { return Ok(None) };
        catch_panic(|| read(&repository)).map(Some)
    }

    /// Makes the folders and files of an empty bare repository. What is there already says what it said, and is written
    /// anew all the same, because whoever made it may not have seen it on disk.
    fn create_folders(&self) -> Result<()> {
        let root = self.tree.make(&[])?;
        sweep(self.folder(), Duration::ZERO);
        for folder in [[OBJECTS, "info"], [OBJECTS, "pack"], refs::HEADS, ["refs", "tags"]] {
            self.tree.make(&folder)?;
        }
        for (name, text) in [("config", CONFIG), ("description", DESCRIPTION), HEAD] {
            let mut bytes = Vec::new();
            match root.file(name)? {
                Some(mut found) => found.read_to_end(&mut bytes).map(drop)?,
                // Something that is no file is another program's.
                None if root.entry(name)?.is_some() => continue,
                None => {}
            }
            root.write(name, if bytes.is_empty() { text.as_bytes() } else { &bytes })?;
        }
        Ok(())
    }
}

/// True for a folder that holds a repository, or files, that this program did not make.
pub(super) fn is_foreign(folder: &Path) -> bool {
    if folder.join(HEAD.0).exists() {
        !origin::is_described(folder)
    } else {
        origin::require_free(folder).is_err()
    }
}

/// Runs `read`, whose panic over a file that nobody meant is a damaged history like any other.
pub(super) fn catch_panic<T>(read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(HistoryError::corrupt("the library ended in a panic over it")))
}

fn first_commit(batch: &mut ObjectBatch) -> Result<ObjectId> {
    let readme = batch.add_blob(layout::README.as_bytes().to_vec(), None)?;
    let mut root = gix::objs::Tree::empty();
    tree::set_entry(&mut root, layout::README_FILE, EntryKind::Blob, Some(readme));
    let tree = batch.add_object(&root)?;
    let author = signature(SYSTEM_AUTHOR, SERVICE_ADDRESS, Clock::default().now());
    batch.add_object(&Commit {
        tree,
        parents: Default::default(),
        author: author.clone(),
        committer: author,
        encoding: None,
        message: format!("{}\n", layout::FIRST_TITLE).into(),
        extra_headers: Vec::new(),
    })
}

/// Who and when, with the server's offset from UTC at that time (manual 6.3 r3).
pub(super) fn signature(name: &str, address: &str, date: Timestamp) -> gix::actor::Signature {
    let offset = TimeZone::system().to_offset(date).seconds();
    // Git keeps whole minutes.
    let time = gix::date::Time { seconds: date.as_second(), offset: offset - offset % 60 };
    gix::actor::Signature { name: name.into(), email: address.into(), time }
}

/// An error with its causes in one line, for the log.
pub(super) struct ErrorChain<'a>(pub(super) &'a dyn std::error::Error);

impl std::fmt::Display for ErrorChain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(inner) = cause {
            write!(f, ": {inner}")?;
            cause = inner.source();
        }
        Ok(())
    }
}
