//! Writing an archive, one file after the other.

use super::{HEAD, MANIFEST};
use crate::base::hex::to_hex;
use crate::domain::service::backup::{BackupHead, BackupSummary};
use crate::wire::service::backup::{BackupHeadView, ManifestRow};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek as _, SeekFrom, Write};
use tar::{Builder, EntryType, Header};

/// An archive that is being written.
pub(crate) struct ArchiveWriter<'a> {
    tar: Builder<&'a mut dyn Write>,
    head: BackupHead,
    /// The rows of the files so far, which are written last.
    manifest: BufWriter<File>,
    manifest_bytes: u64,
    files: u64,
    bytes: u64,
}

impl<'a> ArchiveWriter<'a> {
    /// Begins one. `spool` is an empty file for what has to wait for the end.
    ///
    /// # Errors
    /// When `out` does not take it.
    pub(crate) fn begin(out: &'a mut dyn Write, head: BackupHead, spool: File) -> io::Result<Self> {
        let text = serde_json::to_vec_pretty(&BackupHeadView::from(&head))?;
        let (tar, manifest) = (Builder::new(out), BufWriter::new(spool));
        let mut begun = Self { tar, head, manifest, manifest_bytes: 0, files: 0, bytes: 0 };
        begun.add(HEAD, text.len() as u64, &mut text.as_slice())?;
        (begun.files, begun.bytes) = (0, 0);
        Ok(begun)
    }

    /// Adds a file of so many bytes.
    ///
    /// # Errors
    /// When it cannot be read, became shorter meanwhile, or the archive does not take it.
    pub(crate) fn add(&mut self, name: &str, bytes: u64, content: &mut dyn Read) -> io::Result<()> {
        let mut content = ExactReader { content, left: bytes, hash: Sha256::new(), name };
        let mut header = self.header(bytes);
        self.tar.append_data(&mut header, name, &mut content)?;
        let row = ManifestRow { name: name.to_owned(), bytes, sha256: to_hex(&content.hash.finalize()) };
        let mut line = serde_json::to_vec(&row)?;
        line.push(b'\n');
        self.manifest.write_all(&line)?;
        self.manifest_bytes += line.len() as u64;
        self.files += 1;
        self.bytes += bytes;
        Ok(())
    }

    /// Ends the archive.
    ///
    /// # Errors
    /// When it does not take its end.
    pub(crate) fn finish(mut self) -> io::Result<BackupSummary> {
        let mut header = self.header(self.manifest_bytes);
        let mut rows = self.manifest.into_inner().map_err(io::IntoInnerError::into_error)?;
        rows.seek(SeekFrom::Start(0))?;
        self.tar.append_data(&mut header, MANIFEST, BufReader::new(rows).take(self.manifest_bytes))?;
        self.tar.into_inner()?.flush()?;
        Ok(BackupSummary { head: self.head, files: self.files, bytes: self.bytes })
    }

    fn header(&self, bytes: u64) -> Header {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(0o600);
        header.set_size(bytes);
        header.set_mtime(u64::try_from(self.head.created.as_second()).unwrap_or_default());
        header
    }
}

/// Reads as many bytes as were promised, neither more nor fewer: a file may grow or shrink while it is read.
struct ExactReader<'a> {
    content: &'a mut dyn Read,
    left: u64,
    hash: Sha256,
    name: &'a str,
}

impl Read for ExactReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        if wanted == 0 {
            return Ok(0);
        }
        let count = self.content.read(&mut buffer[..wanted])?;
        if count == 0 {
            let name = self.name;
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("{name} became shorter while it was read"),
            ));
        }
        self.hash.update(&buffer[..count]);
        self.left -= count as u64;
        Ok(count)
    }
}
