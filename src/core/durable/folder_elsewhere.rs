//! As `folder.rs`, for systems whose folders cannot be opened one from another: each step down is looked at before it
//! is taken. The folders lie in the user's own profile, where nobody else puts links. Such systems keep names by themselves.

use super::{Access, Entry, EntryKind, UNFINISHED};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// A folder: what lies in it can be read and removed.
#[derive(Debug)]
pub struct Folder(PathBuf);

pub(super) type Identity = PathBuf;

impl Folder {
    /// The folder at the end of these parts; `None` when it is not there.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub fn open(root: &Path, parts: &[&str]) -> io::Result<Option<Self>> {
        if present(fs::metadata(root))?.is_none() {
            return Ok(None);
        }
        let mut folder = Self(root.to_owned());
        for part in parts {
            let Some(next) = folder.child(part)? else { return Ok(None) };
            folder = next;
        }
        Ok(Some(folder))
    }

    /// The folder of this name in this one; `None` when there is none, or a link.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub fn child(&self, name: &str) -> io::Result<Option<Self>> {
        let is_folder = self.entry(name)?.is_some_and(|entry| entry.kind == EntryKind::Folder);
        Ok(is_folder.then(|| Self(self.0.join(name))))
    }

    /// Opens a whole file to read; `None` when there is none, or something that is no plain file.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn file(&self, name: &str) -> io::Result<Option<File>> {
        match self.entry(name)?.map(|entry| entry.kind) {
            Some(EntryKind::File(_)) => File::open(self.0.join(name)).map(Some),
            _ => Ok(None),
        }
    }

    /// Removes a file and tells its size; `None` when it is gone already.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, name: &str) -> io::Result<Option<u64>> {
        let Some(size) = self.entry(name)?.map(|entry| entry.kind.bytes()) else { return Ok(None) };
        present(fs::remove_file(self.0.join(name))).map(|gone| gone.map(|()| size))
    }

    /// Removes a folder that is empty; one that is gone already is no error.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove_child(&self, name: &str) -> io::Result<()> {
        present(fs::remove_dir(self.0.join(name))).map(drop)
    }

    /// What lies in it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let Ok(name) = entry?.file_name().into_string() else { continue };
            found.extend(self.entry(&name)?);
        }
        Ok(found)
    }

    /// What lies in it under this name.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn entry(&self, name: &str) -> io::Result<Option<Entry>> {
        let Some(about) = present(fs::symlink_metadata(self.0.join(name)))? else { return Ok(None) };
        let kind = if about.is_dir() {
            EntryKind::Folder
        } else if !about.is_file() {
            EntryKind::Other
        } else if name.starts_with(UNFINISHED) {
            EntryKind::Unfinished
        } else {
            EntryKind::File(about.len())
        };
        let age = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed = age.and_then(|age| i64::try_from(age.as_secs()).ok()).unwrap_or(i64::MAX);
        Ok(Some(Entry { name: name.to_owned(), kind, changed }))
    }

    /// Not known here: a full disk shows when it refuses a write.
    ///
    /// # Errors
    /// None here.
    pub fn free_bytes(&self) -> io::Result<u64> {
        Ok(u64::MAX)
    }

    pub(super) fn make_child(&self, name: &str, _access: Access) -> io::Result<bool> {
        match fs::create_dir(self.0.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            made => made.map(|()| true),
        }
    }

    pub(super) fn create(&self, name: &str, _mode: u32) -> io::Result<File> {
        fs::OpenOptions::new().write(true).create_new(true).open(self.0.join(name))
    }

    /// Opens a file that is there to write it on; `None` when there is none, or something that is no plain file.
    pub(super) fn file_to_write(&self, name: &str) -> io::Result<Option<File>> {
        match self.entry(name)?.map(|entry| entry.kind) {
            Some(EntryKind::File(_)) => fs::OpenOptions::new().write(true).open(self.0.join(name)).map(Some),
            _ => Ok(None),
        }
    }

    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    pub(super) fn take(&self, from: &Path, to: &str) -> io::Result<()> {
        fs::rename(from, self.0.join(to))
    }

    pub(super) fn link(&self, from: &str, to: &str) -> io::Result<()> {
        fs::hard_link(self.0.join(from), self.0.join(to))
    }

    pub(super) fn link_from(&self, source: &Self, name: &str) -> io::Result<()> {
        fs::hard_link(source.0.join(name), self.0.join(name))
    }

    pub(super) fn flush_below(&self) -> io::Result<()> {
        super::scratch::flush_each(self)
    }

    pub(super) fn identity(&self) -> io::Result<Identity> {
        Ok(self.0.clone())
    }

    pub(super) fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

/// What leads to a tree.
pub(super) mod above {
    use super::{Access, Path, fs, io};

    pub(in crate::durable) fn make(path: &Path, _access: Access) -> io::Result<()> {
        fs::create_dir(path)
    }

    pub(in crate::durable) fn flush(_path: &Path, _parent: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(in crate::durable) fn may_be_half_made(_path: &Path, _parent: &Path) -> io::Result<bool> {
        Ok(false)
    }
}

fn present<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
