//! A folder held by its handle. Every step down is taken from the handle above it and never through a link, so nothing
//! that lies in these folders can lead out of them (manual 12.8).

use super::{Access, Entry, EntryKind, UNFINISHED};
use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags, RawMode};
use rustix::io::Errno;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// An open folder: what lies in it can be read and removed.
#[derive(Debug)]
pub struct Folder(File);

/// Which folder it is, whatever leads to it.
pub(super) type Identity = (u64, u64);

impl Folder {
    /// Opens the folder at the end of these parts; `None` when it is not there. Only the way to `root` may lead over links.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(root: &Path, parts: &[&str]) -> io::Result<Option<Self>> {
        let mut folder = match fs::open(root, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) {
            Ok(handle) => Self(handle.into()),
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        for part in parts {
            let Some(next) = folder.child(part)? else { return Ok(None) };
            folder = next;
        }
        Ok(Some(folder))
    }

    /// The folder of this name in this one; `None` when there is none, or a link.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn child(&self, name: &str) -> io::Result<Option<Self>> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        present(fs::openat(&self.0, name, flags, Mode::empty()))
            .map(|handle| handle.map(|handle| Self(handle.into())))
    }

    /// Opens a whole file to read; `None` when there is none, or something that is no plain file.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn file(&self, name: &str) -> io::Result<Option<File>> {
        // Opening a pipe would wait for its other end.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Some(handle) = present(fs::openat(&self.0, name, flags, Mode::empty()))? else { return Ok(None) };
        let file = File::from(handle);
        Ok(file.metadata()?.is_file().then_some(file))
    }

    /// Removes a file and tells its size; `None` when it is gone already.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, name: &str) -> io::Result<Option<u64>> {
        let Some(size) = self.entry(name)?.map(|entry| entry.kind.bytes()) else { return Ok(None) };
        present(fs::unlinkat(&self.0, name, AtFlags::empty())).map(|gone| gone.map(|()| size))
    }

    /// Removes a folder that is empty; one that is gone already is no error.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove_child(&self, name: &str) -> io::Result<()> {
        present(fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)).map(drop)
    }

    /// What lies in it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn entries(&self) -> io::Result<Vec<Entry>> {
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
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn entry(&self, name: &str) -> io::Result<Option<Entry>> {
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
    ///
    /// # Errors
    /// When the system does not say.
    pub fn free_bytes(&self) -> io::Result<u64> {
        let about = fs::fstatvfs(&self.0)?;
        Ok(about.f_bavail.saturating_mul(about.f_frsize))
    }

    /// Makes a folder in this one; false when something of this name is there.
    pub(super) fn make_child(&self, name: &str, access: Access) -> io::Result<bool> {
        let mode = Mode::from_raw_mode(access.folder_mode() as RawMode);
        match fs::mkdirat(&self.0, name, mode) {
            Ok(()) => {}
            Err(Errno::EXIST) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        // The process's mask may have taken more than it should. What the folder above hands down stays: its group, above
        // all.
        let found = Mode::from_raw_mode(fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode);
        let handed_down = found & (Mode::SUID | Mode::SGID | Mode::SVTX);
        if found != mode | handed_down {
            fs::chmodat(&self.0, name, mode | handed_down, AtFlags::empty())?;
        }
        Ok(true)
    }

    /// Makes a new, empty file; one that is there already is an error.
    pub(super) fn create(&self, name: &str, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = File::from(fs::openat(&self.0, name, flags, Mode::from_raw_mode(mode as RawMode))?);
        if file.metadata()?.mode() & 0o7777 != mode {
            file.set_permissions(Permissions::from_mode(mode))?;
        }
        Ok(file)
    }

    /// Opens a file that is there to write it on; `None` when there is none, or something that is no plain file.
    pub(super) fn file_to_write(&self, name: &str) -> io::Result<Option<File>> {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Some(handle) = present(fs::openat(&self.0, name, flags, Mode::empty()))? else { return Ok(None) };
        let file = File::from(handle);
        Ok(file.metadata()?.is_file().then_some(file))
    }

    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Moves a file from elsewhere on the same disk into it.
    pub(super) fn take(&self, from: &Path, to: &str) -> io::Result<()> {
        Ok(fs::renameat(fs::CWD, from, &self.0, to)?)
    }

    /// Gives a file another name too, where the file system knows how.
    pub(super) fn link(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(fs::linkat(&self.0, from, &self.0, to, AtFlags::empty())?)
    }

    /// Gives a file of another folder a name in this one too.
    pub(super) fn link_from(&self, source: &Self, name: &str) -> io::Result<()> {
        Ok(fs::linkat(&source.0, name, &self.0, name, AtFlags::empty())?)
    }

    /// Waits until everything in it is on disk. On Linux that is all of the file system, in one call, however many files.
    pub(super) fn flush_below(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        return self.flush_around();
        #[cfg(not(target_os = "linux"))]
        super::scratch::flush_each(self)
    }

    pub(super) fn identity(&self) -> io::Result<Identity> {
        let about = self.0.metadata()?;
        Ok((about.dev(), about.ino()))
    }

    /// Waits until the names in it are on disk. A file system that cannot be asked for that keeps them by itself.
    pub(super) fn flush(&self) -> io::Result<()> {
        match fs::fsync(&self.0) {
            Ok(()) | Err(Errno::INVAL | Errno::BADF) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits for all of the file system that the folder lies on.
    fn flush_around(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        fs::syncfs(&self.0)?;
        Ok(())
    }
}

/// What leads to a tree: paths of the operator's, which may lead over links.
pub(super) mod above {
    use super::{Access, Folder, Mode, fs, io};
    use rustix::io::Errno;
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
    use std::path::Path;

    /// Makes a folder whose parent is there; an error when something is there.
    pub(in crate::durable) fn make(path: &Path, access: Access) -> io::Result<()> {
        std::fs::DirBuilder::new().mode(access.folder_mode()).create(path)?;
        let found = std::fs::symlink_metadata(path)?.mode();
        let wanted = access.folder_mode() | (found & 0o7000);
        if found & 0o7777 != wanted {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(wanted))?;
        }
        Ok(())
    }

    /// Waits until the name of the folder at `path` is on disk in the one above it.
    pub(in crate::durable) fn flush(path: &Path, parent: &Path) -> io::Result<()> {
        match fs::open(parent, fs::OFlags::DIRECTORY | fs::OFlags::CLOEXEC, Mode::empty()) {
            Ok(handle) => Folder(handle.into()).flush(),
            // It may be entered and written, and not be read: then all of the file system is flushed.
            Err(Errno::ACCESS | Errno::PERM) => match Folder::open(path, &[])? {
                Some(folder) => folder.flush_around(),
                None => Err(io::ErrorKind::NotFound.into()),
            },
            Err(error) => Err(error.into()),
        }
    }

    /// True for a folder that a process of this user may have made, and that its parent's disk keeps.
    pub(in crate::durable) fn may_be_half_made(path: &Path, parent: &Path) -> io::Result<bool> {
        let (own, above) = (std::fs::symlink_metadata(path)?, std::fs::metadata(parent)?);
        Ok(own.uid() == rustix::process::geteuid().as_raw() && own.dev() == above.dev())
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
