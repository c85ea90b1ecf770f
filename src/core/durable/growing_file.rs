//! A file that grows in steps. Whoever writes it notes elsewhere how much of it counts, once that much is on disk; what a
//! process left behind that length is written over by the next one. The file never becomes shorter, so whoever copies it
//! meanwhile has all that counts.

use super::DurableFolder;
use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write};

/// A file that is written on. Dropped, it stays as it is.
#[derive(Debug)]
pub struct GrowingFile {
    folder: DurableFolder,
    file: File,
    length: u64,
    /// A write or a flush failed: what it left on disk is unknown, so nothing more counts.
    is_broken: bool,
}

impl GrowingFile {
    /// Opens the file of this name to write on from `length`; with a length of 0 it is made where it is not there.
    pub(super) fn open(folder: &DurableFolder, name: &str, length: u64) -> io::Result<Self> {
        folder.faults().step()?;
        let file = match folder.file_to_write(name)? {
            Some(file) if file.metadata()?.len() >= length => file,
            None if length == 0 => {
                let file = folder.create(name, folder.access().file_mode(false))?;
                folder.flush().inspect_err(|_| {
                    if !folder.faults().has_crashed() {
                        let _made_anew_later = folder.remove(name);
                    }
                })?;
                file
            }
            _ => return Err(io::Error::new(io::ErrorKind::InvalidData, "the file is shorter than it was")),
        };
        let mut grown = Self { folder: folder.clone(), file, length, is_broken: false };
        grown.file.seek(SeekFrom::Start(length))?;
        Ok(grown)
    }

    /// How long it is with all that was written.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Waits until all that was written is on disk: from then on [`Self::length`] may be noted.
    ///
    /// # Errors
    /// When the disk does not take it, or did not take what came before.
    pub fn flush_to_disk(&mut self) -> io::Result<()> {
        self.guard(|grown| {
            let faults = grown.folder.faults();
            faults.step()?;
            if faults.is_flushing() { grown.file.sync_data() } else { Ok(()) }
        })
    }

    fn guard<T>(&mut self, work: impl FnOnce(&mut Self) -> io::Result<T>) -> io::Result<T> {
        if self.is_broken {
            return Err(io::Error::other("the disk did not take what was written before"));
        }
        let done = work(self);
        // A call that was interrupted did nothing, and is made again.
        self.is_broken = done.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted);
        done
    }
}

impl Write for GrowingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.guard(|grown| {
            grown.folder.faults().step()?;
            let taken = grown.file.write(bytes)?;
            grown.length += taken as u64;
            Ok(taken)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
