//! A file of the operator's that appears under its name when it is whole, and is written beside it until then.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What follows the name while the file is written. The same for each try, so that tries that were killed do not pile up.
const SUFFIX: &str = ".partial";

/// The file. Dropped before its end, it is removed.
#[derive(Debug)]
pub struct SideFile {
    /// Held locked by whoever writes it.
    file: File,
    beside: PathBuf,
    path: PathBuf,
    is_finished: bool,
}

impl SideFile {
    /// Begins the file that is to have the name `path`; only its owner may read it.
    ///
    /// # Errors
    /// When it cannot be made; [`io::ErrorKind::ResourceBusy`] while another process writes the same.
    pub fn create(path: &Path) -> io::Result<Self> {
        let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        if path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let mut beside_name = name.to_owned();
        beside_name.push(SUFFIX);
        let beside = path.with_file_name(beside_name);
        if fs::symlink_metadata(&beside).is_ok_and(|found| found.is_file()) {
            // Left by a process that was killed, or written by one that has the lock.
            require_lock(&File::open(&beside)?)?;
            fs::remove_file(&beside)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&beside)?;
        let made = Self { file, beside, path: path.to_owned(), is_finished: false };
        require_lock(&made.file)?;
        Ok(made)
    }

    /// Gives the file its name, in place of one that has it; both are on disk when this returns.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.beside, &self.path)?;
        self.is_finished = true;
        #[cfg(unix)]
        {
            let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
            File::open(folder.unwrap_or_else(|| Path::new(".")))?.sync_all()?;
        }
        Ok(())
    }
}

fn require_lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::ResourceBusy.into()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

impl Write for SideFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for SideFile {
    fn drop(&mut self) {
        if !self.is_finished {
            let _left_over = fs::remove_file(&self.beside);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_name_when_it_is_whole_and_one_writes_it_at_a_time() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.tar.zst");
        let beside = root.path().join("a.tar.zst.partial");
        fs::write(&beside, "left by a process that was killed").unwrap();
        let mut file = SideFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(SideFile::create(&path).unwrap_err().kind(), io::ErrorKind::ResourceBusy);
        drop(file);
        assert!(!path.exists() && !beside.exists());
        let mut file = SideFile::create(&path).unwrap();
        file.write_all(b"whole").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert!(!beside.exists());
        assert!(SideFile::create(root.path()).is_err(), "a folder");
    }
}
