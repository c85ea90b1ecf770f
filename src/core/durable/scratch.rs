//! A folder of what is being worked on. Nothing in it counts, so nothing in it is flushed before all of it is; and it goes away
//! with its handle, unless it was given up to somebody else.

use super::{Access, EntryKind, Folder};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The folder.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    folder: Folder,
    is_left: bool,
}

impl Scratch {
    /// Makes it in `parent`, which is there.
    ///
    /// # Errors
    /// When it cannot be made, or something has the name.
    pub fn create(parent: &Path, name: &str) -> io::Result<Self> {
        let above = Folder::open(parent, &[])?.ok_or(io::ErrorKind::NotFound)?;
        if !above.make_child(name, Access::Owner)? {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let folder = above.child(name)?.ok_or(io::ErrorKind::NotFound)?;
        Ok(Self { path: parent.join(name), folder, is_left: false })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives every whole file of `from`, and of the folders in it, another name in here, so that it stays what it is when it is
    /// removed or replaced there. Names in `from` itself for which `is_left_out` is true do not come along.
    ///
    /// # Errors
    /// When something cannot be read or made.
    pub fn mirror(&self, from: &Folder, is_left_out: &dyn Fn(&str) -> bool) -> io::Result<()> {
        mirror(from, &self.folder, is_left_out)
    }

    /// Makes a new, empty file at the end of these parts, and the folders on the way.
    ///
    /// # Errors
    /// When it cannot be made, or is there already.
    pub fn create_file(&self, parts: &[&str]) -> io::Result<File> {
        let Some((name, outer)) = parts.split_last() else { return Err(io::ErrorKind::InvalidInput.into()) };
        let mut found: Option<Folder> = None;
        for part in outer {
            let folder = found.as_ref().unwrap_or(&self.folder);
            folder.make_child(part, Access::Owner)?;
            found = Some(folder.child(part)?.ok_or(io::ErrorKind::NotADirectory)?);
        }
        found.as_ref().unwrap_or(&self.folder).create(name, Access::Owner.file_mode(false))
    }

    /// A file without a name on the same disk.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn spool(&self) -> io::Result<File> {
        tempfile::tempfile_in(&self.path)
    }

    /// Bytes that may still be written where it lies.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn free_bytes(&self) -> io::Result<u64> {
        self.folder.free_bytes()
    }

    /// Waits until everything in it is on disk.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn flush(&self) -> io::Result<()> {
        self.folder.flush_below()
    }

    /// Leaves it where it is: from now on it is somebody else's.
    pub(crate) fn leave(mut self) {
        self.is_left = true;
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.is_left {
            let _left_over = fs::remove_dir_all(&self.path);
        }
    }
}

fn mirror(from: &Folder, to: &Folder, is_left_out: &dyn Fn(&str) -> bool) -> io::Result<()> {
    for entry in from.entries()?.into_iter().filter(|entry| !is_left_out(&entry.name)) {
        match entry.kind {
            EntryKind::File(_) => link_or_copy(from, to, &entry.name)?,
            EntryKind::Folder => {
                let Some(inner) = from.child(&entry.name)? else { continue };
                to.make_child(&entry.name, Access::Owner)?;
                let copy = to.child(&entry.name)?.ok_or(io::ErrorKind::NotFound)?;
                mirror(&inner, &copy, &|_| false)?;
            }
            EntryKind::Unfinished | EntryKind::Other => {}
        }
    }
    Ok(())
}

/// Some file systems know no links, and some files have as many as they may.
fn link_or_copy(from: &Folder, to: &Folder, name: &str) -> io::Result<()> {
    if to.link_from(from, name).is_ok() {
        return Ok(());
    }
    // One that went away meanwhile is nobody's any more.
    let Some(mut source) = from.file(name)? else { return Ok(()) };
    io::copy(&mut source, &mut to.create(name, Access::Owner.file_mode(false))?).map(drop)
}

/// Flushes one file after the other, and each folder after what is in it.
#[cfg(not(target_os = "linux"))]
pub(super) fn flush_each(folder: &Folder) -> io::Result<()> {
    for entry in folder.entries()? {
        if let Some(file) = folder.file(&entry.name)? {
            file.sync_all()?;
        } else if let Some(inner) = folder.child(&entry.name)? {
            flush_each(&inner)?;
        }
    }
    folder.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mirrored_stays_when_it_is_removed_and_the_folder_goes_with_its_handle() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("a/b")).unwrap();
        fs::write(root.path().join("a/b/file"), "text").unwrap();
        fs::write(root.path().join(".unfinished"), "x").unwrap();
        let scratch = Scratch::create(root.path(), "work").unwrap();
        assert!(Scratch::create(root.path(), "work").is_err(), "the name is taken");
        scratch.mirror(&Folder::open(root.path(), &[]).unwrap().unwrap(), &|name| name == "work").unwrap();
        fs::remove_dir_all(root.path().join("a")).unwrap();
        let path = scratch.path().to_owned();
        assert_eq!(fs::read(path.join("a/b/file")).unwrap(), b"text");
        assert!(!path.join(".unfinished").exists() && !path.join("work").exists());
        scratch.create_file(&["c", "d"]).unwrap();
        assert!(scratch.create_file(&["c", "d"]).is_err(), "it is there already");
        scratch.flush().unwrap();
        drop(scratch);
        assert!(!path.exists());
    }
}
