//! A folder below a root, held by its handle. Every step down is taken from the handle above it and never through a
//! link, so nothing that lies in these folders can lead out of them (security rules 8).

use crate::domain::content::Readable;
use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

/// What an unfinished file is called, until it is whole and gets its name.
const UNFINISHED: char = '.';

/// An open folder.
pub(super) struct Folder(OwnedFd);

/// A file that is being written beside its later name.
pub(super) struct Unfinished {
    file: File,
    name: String,
}

/// What lies in a folder.
pub(super) struct Entry {
    /// Its name.
    pub(super) name: String,
    /// What it is.
    pub(super) kind: EntryKind,
    /// When it was changed, in seconds since 1970: a folder by what was put into it or taken out.
    pub(super) changed: i64,
}

/// What an entry of a folder is. Everything this service did not put there is [`Self::Other`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// A whole file of this many bytes.
    File(u64),
    /// A file that somebody writes, or that was left by a process that was killed.
    Unfinished,
    /// A folder.
    Folder,
    /// A link, or anything else that is never opened.
    Other,
}

impl Folder {
    /// Opens the folder at the end of these parts; `None` when it is not there.
    pub(super) fn open(root: &Path, parts: &[&str]) -> io::Result<Option<Self>> {
        let mut folder = match fs::open(root, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) {
            Ok(handle) => Self(handle),
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        for part in parts {
            let Some(next) = folder.child(part)? else { return Ok(None) };
            folder = next;
        }
        Ok(Some(folder))
    }

    /// As [`Self::open`], making what is not there, for the service's user only.
    pub(super) fn make(root: &Path, parts: &[&str]) -> io::Result<Self> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(root)?;
        let mut folder = Self(fs::open(root, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?);
        for part in parts {
            match fs::mkdirat(&folder.0, *part, Mode::RWXU) {
                // A folder that a crash forgets would take its files with it.
                Ok(()) => folder.sync()?,
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            let next = folder.child(part)?;
            folder = next.ok_or_else(|| io::Error::other("something else is where a folder belongs"))?;
        }
        Ok(folder)
    }

    /// The folder of this name in this one; `None` when there is none, or a link.
    pub(super) fn child(&self, name: &str) -> io::Result<Option<Self>> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        present(fs::openat(&self.0, name, flags, Mode::empty())).map(|handle| handle.map(Self))
    }

    /// Opens a whole file to read; `None` when there is none, or something that is no plain file.
    pub(super) fn file(&self, name: &str) -> io::Result<Option<File>> {
        // Opening a pipe would wait for its other end.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Some(handle) = present(fs::openat(&self.0, name, flags, Mode::empty()))? else { return Ok(None) };
        let file = File::from(handle);
        Ok(file.metadata()?.is_file().then_some(file))
    }

    /// Begins a file under a name nobody asks for.
    pub(super) fn begin(&self) -> io::Result<Unfinished> {
        let name = format!("{UNFINISHED}{}", uuid::Uuid::new_v4().simple());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = fs::openat(&self.0, name.as_str(), flags, Mode::RUSR | Mode::WUSR)?;
        Ok(Unfinished { file: File::from(handle), name })
    }

    /// Writes a file that was begun and gives it its name; it is on disk when this returns.
    ///
    /// Whoever reads the folder while a file gets its name may see it under neither name, so what `turn` returns is
    /// held for just that moment: a lock of those who count what lies here.
    pub(super) fn finish<Turn>(
        &self,
        unfinished: Unfinished,
        name: &str,
        content: &dyn Readable,
        turn: impl FnOnce() -> Turn,
    ) -> io::Result<()> {
        let Unfinished { mut file, name: beside } = unfinished;
        let written = content.copy_to(&mut file).and_then(|()| file.sync_all()).and_then(|()| {
            let _turn = turn();
            Ok(fs::renameat(&self.0, beside.as_str(), &self.0, name)?)
        });
        if written.is_err() {
            // A full disk must not keep what it could not finish.
            let _ = fs::unlinkat(&self.0, beside.as_str(), AtFlags::empty());
        }
        written?;
        self.sync()
    }

    /// Removes a file and tells its size; `None` when it is gone already.
    pub(super) fn remove(&self, name: &str) -> io::Result<Option<u64>> {
        let Some(size) = self.entry(name)?.map(|entry| entry.kind.bytes()) else { return Ok(None) };
        present(fs::unlinkat(&self.0, name, AtFlags::empty())).map(|gone| gone.map(|()| size))
    }

    /// Removes a folder that is empty; one that is gone already is no error.
    pub(super) fn remove_child(&self, name: &str) -> io::Result<()> {
        present(fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)).map(drop)
    }

    /// What lies in it.
    pub(super) fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut found = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            // A name that is no text was not made here.
            let Ok(name) = entry.file_name().to_str() else { continue };
            if !matches!(name, "." | "..")
                && let Some(entry) = self.entry(name)?
            {
                found.push(entry);
            }
        }
        Ok(found)
    }

    /// What lies in it under this name.
    pub(super) fn entry(&self, name: &str) -> io::Result<Option<Entry>> {
        let Some(about) = present(fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW))? else {
            return Ok(None);
        };
        let kind = match FileType::from_raw_mode(about.st_mode) {
            FileType::RegularFile if name.starts_with(UNFINISHED) => EntryKind::Unfinished,
            FileType::RegularFile => EntryKind::File(about.st_size.try_into().unwrap_or(0)),
            FileType::Directory => EntryKind::Folder,
            _ => EntryKind::Other,
        };
        Ok(Some(Entry { name: name.to_owned(), kind, changed: about.st_mtime }))
    }

    /// Bytes that may still be written where this folder lies.
    pub(super) fn free_bytes(&self) -> io::Result<u64> {
        let about = fs::fstatvfs(&self.0)?;
        Ok(about.f_bavail.saturating_mul(about.f_frsize))
    }

    fn sync(&self) -> io::Result<()> {
        Ok(fs::fsync(&self.0)?)
    }
}

impl EntryKind {
    /// The size of a whole file; what is no such file counts nothing.
    pub(super) const fn bytes(self) -> u64 {
        match self {
            Self::File(bytes) => bytes,
            Self::Unfinished | Self::Folder | Self::Other => 0,
        }
    }
}

/// What is not there, and what is there but is a link or no folder, is nothing.
fn present<T>(result: rustix::io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
