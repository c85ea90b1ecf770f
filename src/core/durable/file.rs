//! A file on its way to its name. It is written under a name that nobody asks for; only one that is flushed gets another.

use super::{DurableFolder, UNFINISHED};
use std::fs::File;
use std::io::{self, Write};

/// A file that is being written. Dropped, it is removed.
#[derive(Debug)]
pub struct TempFile {
    folder: DurableFolder,
    /// `None` once it is flushed: an open file cannot be renamed everywhere.
    file: Option<File>,
    name: String,
    is_persisted: bool,
}

/// A file that is written and flushed and has no name yet. Dropped, it is removed.
#[derive(Debug)]
pub struct FlushedFile(TempFile);

impl TempFile {
    /// Begins one in `folder` under a name made here.
    pub(super) fn create(folder: &DurableFolder) -> io::Result<Self> {
        let name = format!("{UNFINISHED}{}", uuid::Uuid::new_v4().simple());
        Self::create_as(folder, &name, false)
    }

    /// Begins one in `folder` under `name`.
    pub(super) fn create_as(folder: &DurableFolder, name: &str, is_fixed: bool) -> io::Result<Self> {
        folder.faults().step()?;
        let file = folder.create(name, folder.access().file_mode(is_fixed))?;
        Ok(Self { folder: folder.clone(), file: Some(file), name: name.to_owned(), is_persisted: false })
    }

    /// The file itself, for those who write it by other means.
    ///
    /// # Errors
    /// None while it is unfinished.
    pub fn file(&self) -> io::Result<&File> {
        self.file.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Waits until its content is on disk. One that the disk did not take is removed: whoever tries again writes it anew.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn flush(mut self) -> io::Result<FlushedFile> {
        let faults = self.folder.faults();
        faults.step()?;
        if faults.is_flushing() {
            self.file()?.sync_all()?;
        }
        self.file = None;
        Ok(FlushedFile(self))
    }
}

impl Write for TempFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.folder.faults().step()?;
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FlushedFile {
    /// Gives the file its name, in place of a file that has it. The name is on disk when the folder was flushed after that.
    ///
    /// # Errors
    /// When the disk does not take it; the file is removed then.
    pub fn rename_to(mut self, name: &str) -> io::Result<()> {
        let TempFile { folder, name: own, is_persisted: is_named, .. } = &mut self.0;
        folder.faults().step()?;
        folder.rename(own, name)?;
        *is_named = true;
        Ok(())
    }

    /// As [`Self::rename_to`], and waits until the name is on disk.
    ///
    /// Whoever reads the folder while a file gets its name may see it under neither name, so what `turn` returns is
    /// held for just that moment: a lock of those who count what lies here.
    ///
    /// # Errors
    /// When the disk does not take it. The file may then have its name, until a power cut or for good.
    pub fn persist<Turn>(self, name: &str, turn: impl FnOnce() -> Turn) -> io::Result<()> {
        let folder = self.0.folder.clone();
        {
            let _turn = turn();
            self.rename_to(name)?;
        }
        folder.flush()
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if !self.is_persisted && !self.folder.faults().has_crashed() {
            self.file = None;
            // What cannot be removed now is removed at a later start: a full disk must not keep what it could not finish.
            let _left_over = self.folder.remove(&self.name);
        }
    }
}
