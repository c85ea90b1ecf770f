//! The repository's folder: made on first use, opened once, opened anew when it was changed under us.

use super::disk::{self, Disk};
use super::error::{HistoryError, Result};
use super::message::SERVICE_ADDRESS;
use super::objects::Batch;
use super::{layout, refs, tree};
use crate::clock::Clock;
use crate::domain::version::SYSTEM_AUTHOR;
use gix::ObjectId;
use gix::objs::Commit;
use gix::objs::tree::EntryKind;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Duration;

const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n";
const HEAD: &str = "ref: refs/heads/main\n";
const DESCRIPTION: &str = "Every version of every flow, written by Flowkeep\n";

/// The folder and the repository in it.
pub(super) struct Place {
    folder: PathBuf,
    open: RwLock<Option<gix::ThreadSafeRepository>>,
    making: Mutex<()>,
    pub(super) disk: Disk,
}

impl Place {
    /// Takes the folder. When a repository is there, what a process that is gone left half done is removed:
    /// whoever calls this owns the folder.
    pub(super) fn new(folder: PathBuf, enabled: bool) -> Self {
        let place = Self { folder, open: RwLock::new(None), making: Mutex::new(()), disk: Disk::default() };
        if enabled && place.exists() {
            disk::sweep(&place.folder, Duration::ZERO);
            if let Err(fault) = place.get() {
                tracing::error!(error = %Causes(&fault), "the version history cannot be opened; it is tried again when it is used");
            }
        }
        place
    }

    /// True when a repository is there. `HEAD` is the last file that is made.
    fn exists(&self) -> bool {
        self.folder.join("HEAD").is_file()
    }

    /// The repository, for one thread; `None` when there is none yet.
    pub(super) fn get(&self) -> Result<Option<gix::Repository>> {
        if let Some(open) = self.open.read().unwrap_or_else(PoisonError::into_inner).as_ref() {
            return Ok(Some(open.to_thread_local()));
        }
        if !self.exists() {
            return Ok(None);
        }
        // Tools that copy a folder may leave out empty folders, without which it is no repository.
        for needed in ["objects/pack", "refs/heads"] {
            fs::create_dir_all(self.folder.join(needed))?;
        }
        let options = gix::open::Options::isolated().open_path_as_is(true);
        let repository = gix::ThreadSafeRepository::open_opts(&self.folder, options)?;
        let local = repository.to_thread_local();
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = Some(repository);
        Ok(Some(local))
    }

    /// The repository, made when there is none; its `main` has a commit.
    pub(super) fn get_or_make(&self) -> Result<gix::Repository> {
        if let Some(repository) = self.get()?
            && refs::main(&repository)?.is_some()
        {
            return Ok(repository);
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.exists() {
            self.make_folders()?;
            self.forget();
        }
        let repository = self.get()?.ok_or(HistoryError::damaged("the new repository is gone"))?;
        let main = refs::hold_main(&self.disk, &repository)?;
        if main.tip.is_none() {
            let mut batch = Batch::default();
            let first = first_commit(&mut batch)?;
            main.move_to(&repository, batch, first)?;
        }
        Ok(repository)
    }

    /// Opens the repository anew at the next use: its packs, its references or the whole folder were changed.
    pub(super) fn forget(&self) {
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Runs `read`, and once more on a repository opened anew when it fails: another tool may have packed it.
    pub(super) fn read<T>(&self, read: impl Fn(&gix::Repository) -> Result<T>) -> Result<Option<T>> {
        let Some(repository) = self.get()? else { return Ok(None) };
        match read(&repository) {
            Err(HistoryError::Repository(_)) => self.forget(),
            other => return other.map(Some),
        }
        let Some(repository) = self.get()? else { return Ok(None) };
        read(&repository).map(Some)
    }

    /// Makes the folders and files of an empty bare repository. Whatever is there already is kept, so that it
    /// can be run again after it was cut short.
    fn make_folders(&self) -> Result<()> {
        self.disk.faults.step()?;
        private_folder(&self.folder)?;
        disk::sweep(&self.folder, Duration::ZERO);
        for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
            self.disk.faults.step()?;
            fs::create_dir_all(self.folder.join(folder))?;
        }
        for (name, text) in [("config", CONFIG), ("description", DESCRIPTION), ("HEAD", HEAD)] {
            let place = self.folder.join(name);
            if !place.exists() {
                let beside = self.folder.join(format!("{}{name}", disk::UNFINISHED));
                self.disk.write(&place, beside, text.as_bytes(), false)?;
            }
        }
        for folder in ["objects", "refs", ""] {
            self.disk.flush_folder(&self.folder.join(folder))?;
        }
        match self.folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            Some(parent) => Ok(self.disk.flush_folder(parent)?),
            None => Ok(()),
        }
    }
}

fn first_commit(batch: &mut Batch) -> Result<ObjectId> {
    let readme = batch.blob(layout::README.as_bytes().to_vec(), None)?;
    let mut root = gix::objs::Tree::empty();
    tree::set(&mut root, layout::README_FILE, EntryKind::Blob, Some(readme));
    let tree = batch.object(&root)?;
    let author = signature(SYSTEM_AUTHOR, SERVICE_ADDRESS, Clock::default().now());
    batch.object(&Commit {
        tree,
        parents: Default::default(),
        author: author.clone(),
        committer: author,
        encoding: None,
        message: format!("{}\n", layout::FIRST_TITLE).into(),
        extra_headers: Vec::new(),
    })
}

/// Flows hold what their owners write for nobody else to read.
fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// Who and when, with the server's offset from UTC at that time (spec 2.7).
pub(super) fn signature(name: &str, address: &str, date: Timestamp) -> gix::actor::Signature {
    let offset = TimeZone::system().to_offset(date).seconds();
    // Git keeps whole minutes.
    let time = gix::date::Time { seconds: date.as_second(), offset: offset - offset % 60 };
    gix::actor::Signature { name: name.into(), email: address.into(), time }
}

/// An error with its causes in one line, for the log.
pub(super) struct Causes<'a>(pub(super) &'a dyn std::error::Error);

impl std::fmt::Display for Causes<'_> {
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
