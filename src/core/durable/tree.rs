//! A tree of folders below a root, and what this process knows of it to be on disk.

use super::folder::{self, Identity};
use super::{Access, EntryKind, Faults, Folder, GrowingFile, TempFile};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many folders are remembered as settled; beyond that all are flushed once more.
const SETTLED_MAX: usize = 65_536;

/// A tree of folders. A clone is the same tree: whoever makes folders below one root does it through the same one, because
/// what a failed flush leaves in doubt is known to those who share it.
#[derive(Debug, Clone)]
pub struct Tree {
    root: PathBuf,
    access: Access,
    /// The folder above the root is kept by another tree.
    is_inner: bool,
    shared: Arc<TreeState>,
}

#[derive(Debug, Default)]
struct TreeState {
    faults: Faults,
    /// How often a folder could not be flushed.
    flush_failures: AtomicU64,
    /// Why the last one could not.
    last_failure: Mutex<Option<io::ErrorKind>>,
    folders: Mutex<FolderStates>,
}

/// What is known of the folders. Held while one is made, so that nobody finds it before it is on disk.
#[derive(Debug, Default)]
struct FolderStates {
    is_root_settled: bool,
    is_root_doubtful: bool,
    /// Folders whose names are all on disk, but for those that are just being made.
    settled: HashSet<Identity>,
    /// Folders of which a flush failed while they held names of unknown standing; and which of the folders in them are on
    /// disk all the same.
    doubtful: HashMap<Identity, HashSet<Identity>>,
}

/// A folder that is on disk with all that leads to it: what is made in it lasts. It is taken for one operation; once
/// a flush of any folder of its tree failed, it keeps nothing any more.
#[derive(Debug, Clone)]
pub struct DurableFolder(Arc<OpenFolder>);

#[derive(Debug)]
struct OpenFolder {
    folder: Folder,
    access: Access,
    shared: Arc<TreeState>,
    /// The failures there were when it was taken.
    failures: u64,
}

impl Tree {
    /// The tree below this folder, which need not be there.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>, access: Access) -> Self {
        Self { root: root.into(), access, is_inner: false, shared: Arc::default() }
    }

    /// As [`Self::new`], for a folder in the root of another tree.
    #[must_use]
    pub fn within(outer: &Self, name: &str, access: Access) -> Self {
        Self { is_inner: true, ..Self::new(outer.root.join(name), access) }
    }

    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    #[doc(hidden)]
    #[must_use]
    pub fn faults(&self) -> &Faults {
        &self.shared.faults
    }

    /// Opens the folder at the end of these parts to read it; `None` when it is not there.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(&self, parts: &[&str]) -> io::Result<Option<Folder>> {
        Folder::open(&self.root, parts)
    }

    /// The folder at the end of these parts, made where it is not there. It is on disk when this returns.
    ///
    /// # Errors
    /// When the disk does not take it, or did not take it before and cannot be asked anew; when something else is there.
    pub fn make(&self, parts: &[&str]) -> io::Result<DurableFolder> {
        let mut folders = self.shared.lock_folders();
        let failures = self.failures();
        let mut folder = self.make_root(&mut folders)?;
        for part in parts {
            folder = self.make_child(&mut folders, &folder, part)?;
        }
        Ok(DurableFolder(Arc::new(OpenFolder {
            folder,
            access: self.access,
            shared: Arc::clone(&self.shared),
            failures,
        })))
    }

    /// A file without a name on the disk of this tree, for what is on its way: it goes away with its handle.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn spool(&self) -> io::Result<File> {
        self.make(&[])?;
        tempfile::tempfile_in(&self.root)
    }

    fn make_root(&self, folders: &mut FolderStates) -> io::Result<Folder> {
        if folders.is_root_settled
            && let Some(folder) = self.open(&[])?
        {
            return Ok(folder);
        }
        if folders.is_root_doubtful {
            return Err(doubtful_error());
        }
        let (path, before) = (std::path::absolute(&self.root)?, self.failures());
        let made = self.make_above(&path, self.is_inner);
        folders.is_root_settled = made.is_ok();
        // One that could not be flushed and is there all the same cannot be made anew.
        folders.is_root_doubtful = self.failures() != before && path.is_dir();
        made?;
        self.open(&[])?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Makes the folder at `path`, and those above it that are not there, each on disk before the next. Those that this user
    /// may have made before are flushed too: the process that did may have been killed. All that is above an inner root is
    /// known to be on disk.
    fn make_above(&self, path: &Path, is_inner: bool) -> io::Result<()> {
        let Some(parent) = path.parent() else { return Ok(()) };
        if path.is_dir() {
            if !folder::above::may_be_half_made(path, parent)? {
                return Ok(());
            }
            if !is_inner {
                self.make_above(parent, false)?;
            }
            return self.run_flush(|| folder::above::flush(path, parent));
        }
        if !is_inner || !parent.is_dir() {
            self.make_above(parent, false)?;
        }
        self.faults().step()?;
        folder::above::make(path, self.access)?;
        self.run_flush(|| folder::above::flush(path, parent)).inspect_err(|_| {
            if !self.faults().has_crashed() {
                let _made_anew_later = std::fs::remove_dir(path);
            }
        })
    }

    fn make_child(&self, folders: &mut FolderStates, outer: &Folder, name: &str) -> io::Result<Folder> {
        let place = outer.identity()?;
        self.faults().step()?;
        let mut is_new = outer.make_child(name, self.access)?;
        if !is_new && !folders.is_on_disk(&place, outer, name)? {
            if self.remove_if_empty(outer, name)? {
                is_new = outer.make_child(name, self.access)?;
            } else if folders.doubtful.contains_key(&place) {
                return Err(doubtful_error());
            }
        }
        let must_flush =
            is_new || !folders.settled.contains(&place) && !folders.doubtful.contains_key(&place);
        if must_flush && let Err(error) = self.run_flush(|| outer.flush()) {
            if is_new && !self.faults().has_crashed() {
                let _made_anew_later = outer.remove_child(name);
            }
            folders.mark_doubtful(place, outer, name)?;
            return Err(error);
        }
        let next = outer.child(name)?;
        let next = next.ok_or_else(|| io::Error::other("something else is where a folder belongs"))?;
        if must_flush {
            folders.mark_settled(place, next.identity()?);
        }
        Ok(next)
    }

    /// Removes a folder that was found and that nobody has put anything into.
    fn remove_if_empty(&self, outer: &Folder, name: &str) -> io::Result<bool> {
        let Some(found) = outer.child(name)? else { return Ok(false) };
        if !found.entries()?.is_empty() {
            return Ok(false);
        }
        self.faults().step()?;
        Ok(outer.remove_child(name).is_ok())
    }

    fn failures(&self) -> u64 {
        self.shared.flush_failures.load(Ordering::SeqCst)
    }

    fn run_flush(&self, flush: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        self.shared.run_flush(flush)
    }
}

impl FolderStates {
    /// True when the folder of this name, which is there, is known to be on disk.
    fn is_on_disk(&self, place: &Identity, outer: &Folder, name: &str) -> io::Result<bool> {
        let Some(durable) = self.doubtful.get(place) else { return Ok(self.settled.contains(place)) };
        let found = outer.child(name)?.map(|found| found.identity()).transpose()?;
        Ok(found.is_some_and(|found| durable.contains(&found)))
    }

    /// Notes that a folder was flushed after this one was made or found in it.
    fn mark_settled(&mut self, place: Identity, next: Identity) {
        if let Some(durable) = self.doubtful.get_mut(&place) {
            durable.insert(next);
            return;
        }
        if self.settled.len() >= SETTLED_MAX {
            self.settled.clear();
        }
        self.settled.insert(place);
    }

    /// Notes that a folder could not be flushed with this name in it, which was removed again if possible.
    fn mark_doubtful(&mut self, place: Identity, outer: &Folder, name: &str) -> io::Result<()> {
        let was_settled = self.settled.contains(&place);
        let mut durable = HashSet::new();
        let mut is_doubtful = false;
        for entry in outer.entries()?.into_iter().filter(|entry| entry.kind == EntryKind::Folder) {
            match outer.child(&entry.name)? {
                Some(found) if was_settled && entry.name != name => {
                    durable.insert(found.identity()?);
                }
                _ => is_doubtful = true,
            }
        }
        if is_doubtful && !self.doubtful.contains_key(&place) {
            self.settled.remove(&place);
            self.doubtful.insert(place, durable);
        }
        Ok(())
    }
}

impl TreeState {
    fn lock_folders(&self) -> MutexGuard<'_, FolderStates> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run_flush(&self, flush: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let flushed =
            self.faults.step().and_then(|()| if self.faults.is_flushing() { flush() } else { Ok(()) });
        if let Err(error) = &flushed {
            *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.kind());
            self.flush_failures.fetch_add(1, Ordering::SeqCst);
        }
        flushed
    }
}

impl Deref for DurableFolder {
    type Target = Folder;
    fn deref(&self) -> &Folder {
        &self.0.folder
    }
}

impl DurableFolder {
    /// Begins a file under a name nobody asks for.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create_temp(&self) -> io::Result<TempFile> {
        TempFile::create(self)
    }

    /// As [`Self::create_temp`] under a name of the caller's choice, which also tells others that it is being made; a file
    /// that has it is an error. One that `is_fixed` is never written again.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create_temp_as(&self, name: &str, is_fixed: bool) -> io::Result<TempFile> {
        TempFile::create_as(self, name, is_fixed)
    }

    /// Makes a file of these bytes, in place of one that has the name. It is on disk when this returns.
    ///
    /// # Errors
    /// When the disk does not take it. The file may then be there, until a power cut or for good.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.create_temp()?;
        file.write_all(bytes)?;
        file.flush()?.persist(name, || ())
    }

    /// Opens a file to write on from `length`: what is behind that is written over. With a length of 0 it is made where it is not
    /// there, and its name is on disk when this returns.
    ///
    /// # Errors
    /// When it is not there or shorter than that, or the disk does not take it.
    pub fn open_to_grow(&self, name: &str, length: u64) -> io::Result<GrowingFile> {
        GrowingFile::open(self, name, length)
    }

    /// Lets a file be found under another name too, where it may be found already. It is on disk when this returns.
    ///
    /// # Errors
    /// When the file is not there, or the disk does not take it.
    pub fn link(&self, from: &str, to: &str) -> io::Result<()> {
        self.faults().step()?;
        // A name that is there may be one that a disk did not keep, so it is given anew; and a link to the same file is no
        // change. Some file systems know no links.
        if self.entry(to)?.is_some() || self.0.folder.link(from, to).is_err() {
            let source = self.file(from).transpose().or_else(|| self.file(to).transpose());
            let mut source = source.ok_or(io::ErrorKind::NotFound)??;
            let mut file = self.create_temp()?;
            io::copy(&mut source, &mut file)?;
            return file.flush()?.persist(to, || ());
        }
        self.flush().inspect_err(|_| {
            if !self.faults().has_crashed() {
                let _made_anew_later = self.remove(to);
            }
        })
    }

    /// Takes in a file that other means made on the same disk, and that is never written again: its content is on disk when
    /// this returns, and its name once the folder was flushed.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn adopt(&self, file: &Path, name: &str) -> io::Result<()> {
        self.faults().step()?;
        let made = File::open(file)?;
        self.access().apply_to(&made)?;
        if self.faults().is_flushing() {
            made.sync_all()?;
        }
        drop(made);
        self.faults().step()?;
        self.0.folder.take(file, name)
    }

    /// Waits until the names in it are on disk.
    ///
    /// # Errors
    /// When the disk does not take them, or did not take some names of this tree since the folder was taken.
    pub fn flush(&self) -> io::Result<()> {
        let OpenFolder { folder, shared, failures, .. } = &*self.0;
        if let Err(error) = shared.run_flush(|| folder.flush()) {
            // The same flush was to keep the names of folders that nobody has looked at yet.
            shared.lock_folders().mark_doubtful(folder.identity()?, folder, "")?;
            return Err(error);
        }
        if shared.flush_failures.load(Ordering::SeqCst) == *failures {
            return Ok(());
        }
        let kind = *shared.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
        let kind = kind.unwrap_or(io::ErrorKind::Other);
        Err(io::Error::new(kind, "the disk failed to keep a name meanwhile"))
    }

    pub(super) fn access(&self) -> Access {
        self.0.access
    }

    pub(super) fn faults(&self) -> &Faults {
        &self.0.shared.faults
    }
}

fn doubtful_error() -> io::Error {
    io::Error::other("the disk failed to keep a folder; look after the disk, and start the service again")
}
