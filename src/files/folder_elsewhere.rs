//! As `folder.rs`, for systems whose folders cannot be opened one from another: each step down is looked at before it
//! is taken. The folders lie in the user's own profile, where nobody else puts links.

use crate::domain::content::Readable;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

const UNFINISHED: char = '.';

pub(super) struct Folder(PathBuf);

pub(super) struct Unfinished {
    file: File,
    path: PathBuf,
}

pub(super) struct Entry {
    pub(super) name: String,
    pub(super) kind: EntryKind,
    pub(super) changed: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File(u64),
    Unfinished,
    Folder,
    Other,
}

impl Folder {
    pub(super) fn open(root: &Path, parts: &[&str]) -> io::Result<Option<Self>> {
        let mut folder = Self(root.to_owned());
        for part in parts {
            let Some(next) = folder.child(part)? else { return Ok(None) };
            folder = next;
        }
        Ok(Some(folder))
    }

    pub(super) fn make(root: &Path, parts: &[&str]) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        let mut folder = Self(root.to_owned());
        for part in parts {
            fs::create_dir(folder.0.join(part)).or_else(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => Ok(()),
                _ => Err(error),
            })?;
            let next = folder.child(part)?;
            folder = next.ok_or_else(|| io::Error::other("something else is where a folder belongs"))?;
        }
        Ok(folder)
    }

    pub(super) fn child(&self, name: &str) -> io::Result<Option<Self>> {
        let is_folder = self.entry(name)?.is_some_and(|entry| entry.kind == EntryKind::Folder);
        Ok(is_folder.then(|| Self(self.0.join(name))))
    }

    pub(super) fn file(&self, name: &str) -> io::Result<Option<File>> {
        match self.entry(name)?.map(|entry| entry.kind) {
            Some(EntryKind::File(_)) => File::open(self.0.join(name)).map(Some),
            _ => Ok(None),
        }
    }

    pub(super) fn begin(&self) -> io::Result<Unfinished> {
        let path = self.0.join(format!("{UNFINISHED}{}", uuid::Uuid::new_v4().simple()));
        Ok(Unfinished { file: fs::OpenOptions::new().write(true).create_new(true).open(&path)?, path })
    }

    pub(super) fn finish<Turn>(
        &self,
        unfinished: Unfinished,
        name: &str,
        content: &dyn Readable,
        turn: impl FnOnce() -> Turn,
    ) -> io::Result<()> {
        let Unfinished { mut file, path } = unfinished;
        let written = content.copy_to(&mut file).and_then(|()| file.sync_all());
        // An open file cannot be renamed everywhere.
        drop(file);
        let named = written.and_then(|()| {
            let _turn = turn();
            fs::rename(&path, self.0.join(name))
        });
        if named.is_err() {
            let _ = fs::remove_file(&path);
        }
        named
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<Option<u64>> {
        let Some(size) = self.entry(name)?.map(|entry| entry.kind.bytes()) else { return Ok(None) };
        present(fs::remove_file(self.0.join(name))).map(|gone| gone.map(|()| size))
    }

    pub(super) fn remove_child(&self, name: &str) -> io::Result<()> {
        present(fs::remove_dir(self.0.join(name))).map(drop)
    }

    pub(super) fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let Ok(name) = entry?.file_name().into_string() else { continue };
            found.extend(self.entry(&name)?);
        }
        Ok(found)
    }

    pub(super) fn entry(&self, name: &str) -> io::Result<Option<Entry>> {
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
    pub(super) fn free_bytes(&self) -> io::Result<u64> {
        Ok(u64::MAX)
    }
}

impl EntryKind {
    pub(super) const fn bytes(self) -> u64 {
        match self {
            Self::File(bytes) => bytes,
            Self::Unfinished | Self::Folder | Self::Other => 0,
        }
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
