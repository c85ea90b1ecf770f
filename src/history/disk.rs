//! Files that survive a power cut: written beside their place, flushed, renamed, and the folder flushed.

use super::faults::Faults;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Writes for history. Every step passes the seam where tests put their faults.
#[derive(Default)]
pub(super) struct Disk {
    pub(super) faults: Faults,
}

/// The beginning of the names of files that are being made beside the repository's own.
pub(super) const UNFINISHED: &str = ".flowkeep-unfinished-";

/// A file that has no name yet that anyone reads. Dropped unnamed, it is removed.
pub(super) struct Unnamed<'a> {
    disk: &'a Disk,
    file: File,
    path: Option<PathBuf>,
}

impl Disk {
    /// Makes a new, empty file at `path`. A file that is there already is an error.
    pub(super) fn create(&self, path: PathBuf, read_only: bool) -> io::Result<Unnamed<'_>> {
        self.faults.step()?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if read_only {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o444);
        }
        let file = options.open(&path)?;
        Ok(Unnamed { disk: self, file, path: Some(path) })
    }

    /// Makes a file at `place` that holds `bytes`, in place of one that is there; until it is whole and
    /// flushed it is called `beside`. The name is flushed with [`Self::flush_folder`].
    pub(super) fn write(
        &self,
        place: &Path,
        beside: PathBuf,
        bytes: &[u8],
        read_only: bool,
    ) -> io::Result<()> {
        let mut file = self.create(beside, read_only)?;
        file.write(bytes)?;
        file.flush()?;
        file.name(place)
    }

    /// Flushes a folder, so that the names in it are kept.
    pub(super) fn flush_folder(&self, folder: &Path) -> io::Result<()> {
        // Windows flushes names on its own and cannot open a folder as a file.
        if cfg!(windows) {
            return Ok(());
        }
        self.flush(&File::open(folder)?)
    }

    /// Flushes a file someone else wrote.
    pub(super) fn flush_file(&self, path: &Path) -> io::Result<()> {
        self.flush(&File::open(path)?)
    }

    fn flush(&self, file: &File) -> io::Result<()> {
        self.faults.step()?;
        if self.faults.flushes() { file.sync_all() } else { Ok(()) }
    }
}

impl Unnamed<'_> {
    /// Writes the content.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.disk.faults.step()?;
        self.file.write_all(bytes)
    }

    /// Flushes the content.
    pub(super) fn flush(&self) -> io::Result<()> {
        self.disk.flush(&self.file)
    }

    /// Gives the file its name, in place of a file that has it.
    pub(super) fn name(mut self, place: &Path) -> io::Result<()> {
        self.disk.faults.step()?;
        let Some(own) = self.path.as_ref() else { return Ok(()) };
        fs::rename(own, place)?;
        self.path = None;
        Ok(())
    }
}

impl Drop for Unnamed<'_> {
    fn drop(&mut self) {
        if let Some(path) = self.path.take().filter(|_| !self.disk.faults.crashed()) {
            // What cannot be removed now is removed at the next start.
            let _left_over = fs::remove_file(path);
        }
    }
}

/// Removes locks and temporary files a process that is gone left in a repository. Only what has not been
/// touched for `age` goes; at start that is zero, because the one owner of the folder is just starting.
pub(super) fn sweep(repository: &Path, age: Duration) {
    let objects = repository.join("objects");
    let lock = |name: &str| name.ends_with(".lock");
    let temporary = |name: &str| name.starts_with("tmp_") || name.starts_with(".tmp");
    remove(repository, age, &|name| lock(name) || name.starts_with(UNFINISHED));
    sweep_locks(&repository.join("refs"), age, 0);
    remove(&objects, age, &temporary);
    remove(&objects.join("info"), age, &lock);
    remove(&objects.join("pack"), age, &|name| temporary(name) || lock(name));
    for folder in 0..=u8::MAX {
        remove(&objects.join(format!("{folder:02x}")), age, &temporary);
    }
}

fn sweep_locks(folder: &Path, age: Duration, depth: usize) {
    remove(folder, age, &|name| name.ends_with(".lock"));
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|_| depth < 8) {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            sweep_locks(&entry.path(), age, depth + 1);
        }
    }
}

fn remove(folder: &Path, age: Duration, unwanted: &dyn Fn(&str) -> bool) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().to_str().is_some_and(unwanted) || !untouched(&entry, age) {
            continue;
        }
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let removed = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        if let Err(fault) = removed {
            tracing::warn!(error = %fault, "a left-over file of the version history cannot be removed");
        }
    }
}

fn untouched(entry: &fs::DirEntry, age: Duration) -> bool {
    let touched = entry.metadata().and_then(|data| data.modified());
    let idle = touched.ok().and_then(|touched| SystemTime::now().duration_since(touched).ok());
    age.is_zero() || idle.is_some_and(|idle| idle >= age)
}
