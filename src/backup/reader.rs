//! Reading an archive: everything in it is judged, because it may come from anywhere.

use super::{ArchiveError, BACKUP_PATH_MAX_BYTES, HEAD, MANIFEST, parts_of, shown, unpack};
use crate::age::AgeError;
use crate::base::hex::to_hex;
use crate::domain::service::backup::{BackupHead, BackupSummary};
use crate::domain::service::passphrase::Passphrase;
use crate::durable::Scratch;
use crate::wire::service::backup::{BACKUP_FORMAT, BackupHeadView, ManifestRow};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Seek as _, SeekFrom, Write as _};
use tar::{Archive, EntryType};

/// Longest first file of an archive (manual 14.2).
const BACKUP_HEAD_MAX_BYTES: u64 = 64 * 1024;
/// How much of a file is in memory.
const PIECE_BYTES: usize = 256 * 1024;

/// What was in an archive.
pub(crate) struct ExtractResult {
    pub summary: BackupSummary,
    /// It was encrypted, and the passphrase opened it.
    pub is_encrypted: bool,
}

/// Unpacks an archive into `place`, and compares every file with what the archive says of it. Nothing that is in there counts
/// when this fails. A passphrase is needed where the archive is encrypted, and changes nothing where it is not (manual 13.13 r11).
///
/// # Errors
/// Says what is wrong with the archive, or that there is no room.
pub(crate) fn extract(
    input: impl Read,
    passphrase: Option<&Passphrase>,
    place: &Scratch,
) -> Result<ExtractResult, ArchiveError> {
    let (tar, is_encrypted) = unpack(input, passphrase)?;
    let mut archive = Archive::new(tar);
    let summary = Extraction::new(place)?.run(&mut archive)?;
    // What packs it says at its end whether all before was what it packed, and so does what encrypts it.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(|error| ArchiveError::read(&error))?;
    Ok(ExtractResult { summary, is_encrypted })
}

struct Extraction<'a> {
    place: &'a Scratch,
    head: Option<BackupHead>,
    /// Rows of the files as they came, for the comparison with those that the archive brings.
    rows: BufWriter<File>,
    files: u64,
    bytes: u64,
}

impl<'a> Extraction<'a> {
    fn new(place: &'a Scratch) -> Result<Self, ArchiveError> {
        let rows = BufWriter::new(place.spool().map_err(ArchiveError::Write)?);
        Ok(Self { place, head: None, rows, files: 0, bytes: 0 })
    }

    fn run(mut self, archive: &mut Archive<impl Read>) -> Result<BackupSummary, ArchiveError> {
        let entries = archive.entries().map_err(|error| self.read_error(&error))?;
        let mut long_name = None;
        // As they lie there: what the library would put together from several entries may be of any length.
        for entry in entries.raw(true) {
            let mut entry = entry.map_err(|error| self.read_error(&error))?;
            let size = entry.header().entry_size().map_err(|error| self.read_error(&error))?;
            let name = match long_name.take() {
                Some(name) => name,
                None => entry.path_bytes().into_owned(),
            };
            match entry.header().entry_type() {
                EntryType::GNULongName => {
                    long_name = Some(self.read_long_name(&mut entry, size)?);
                    continue;
                }
                EntryType::Regular => {}
                _ if self.head.is_none() => return Err(ArchiveError::Foreign),
                kind => return Err(ArchiveError::Strange(format!("{}: {kind:?}", shown(&name)))),
            }
            let Ok(name) = String::from_utf8(name) else {
                return Err(ArchiveError::Strange("a name that is no text".to_owned()));
            };
            match (&self.head, name.as_str()) {
                (None, HEAD) => self.head = Some(self.read_head(&mut entry, size)?),
                (None, _) => return Err(ArchiveError::Foreign),
                (Some(_), MANIFEST) => return self.finish(&mut entry),
                (Some(_), _) => self.store(&name, &mut entry, size)?,
            }
        }
        match self.head {
            Some(_) => Err(ArchiveError::Damaged("it has no end".to_owned())),
            None => Err(ArchiveError::Foreign),
        }
    }

    /// Before the first file nobody knows that it is a backup at all, unless it was encrypted and is not as that.
    fn read_error(&self, error: &io::Error) -> ArchiveError {
        if self.head.is_none() && AgeError::find_in(error).is_none() {
            ArchiveError::Foreign
        } else {
            ArchiveError::read(error)
        }
    }

    fn read_long_name(&self, entry: &mut impl Read, size: u64) -> Result<Vec<u8>, ArchiveError> {
        if size > BACKUP_PATH_MAX_BYTES as u64 {
            return Err(ArchiveError::Strange("a path without end".to_owned()));
        }
        let mut name = Vec::new();
        entry.read_to_end(&mut name).map_err(|error| self.read_error(&error))?;
        while name.last() == Some(&0) {
            name.pop();
        }
        Ok(name)
    }

    fn read_head(&mut self, entry: &mut impl Read, size: u64) -> Result<BackupHead, ArchiveError> {
        if size > BACKUP_HEAD_MAX_BYTES {
            return Err(ArchiveError::Foreign);
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(|error| ArchiveError::read(&error))?;
        let head: BackupHeadView = serde_json::from_slice(&bytes).map_err(|_| ArchiveError::Foreign)?;
        if head.flowkeep_backup > BACKUP_FORMAT {
            return Err(ArchiveError::NewerFormat { found: head.flowkeep_backup, known: BACKUP_FORMAT });
        }
        self.add_row(HEAD, size, &Sha256::digest(&bytes))?;
        Ok(head.into())
    }

    fn add_row(&mut self, name: &str, bytes: u64, hash: &[u8]) -> Result<(), ArchiveError> {
        let row = ManifestRow { name: name.to_owned(), bytes, sha256: to_hex(hash) };
        let written = serde_json::to_writer(&mut self.rows, &row).map_err(io::Error::from);
        written.and_then(|()| self.rows.write_all(b"\n")).map_err(ArchiveError::Write)
    }

    fn store(&mut self, name: &str, entry: &mut impl Read, size: u64) -> Result<(), ArchiveError> {
        let parts = parts_of(name).ok_or_else(|| ArchiveError::Strange(shown(name.as_bytes())))?;
        let free = self.place.free_bytes().map_err(ArchiveError::Write)?;
        if size > free {
            return Err(ArchiveError::NoRoom { name: shown(name.as_bytes()), needed: size, free });
        }
        let mut file = self.place.create_file(&parts).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                ArchiveError::Strange(format!("{} twice", shown(name.as_bytes())))
            }
            _ => ArchiveError::Write(error),
        })?;
        let (mut hash, mut buffer, mut left) = (Sha256::new(), vec![0; PIECE_BYTES], size);
        while left > 0 {
            let count = entry.read(&mut buffer).map_err(|error| ArchiveError::read(&error))?;
            if count == 0 {
                return Err(ArchiveError::Damaged("it ends within a file".to_owned()));
            }
            hash.update(&buffer[..count]);
            file.write_all(&buffer[..count]).map_err(ArchiveError::Write)?;
            left = left.saturating_sub(count as u64);
        }
        self.files += 1;
        self.bytes += size;
        self.add_row(name, size, &hash.finalize())
    }

    /// Compares what came with what the archive says was put into it, row by row.
    fn finish(self, entry: &mut impl Read) -> Result<BackupSummary, ArchiveError> {
        let mut rows = self.rows.into_inner().map_err(|error| ArchiveError::Write(error.into_error()))?;
        rows.seek(SeekFrom::Start(0)).map_err(ArchiveError::Write)?;
        let (mut found, mut promised) = (BufReader::new(rows), BufReader::new(entry));
        loop {
            let one = read_row(&mut found).map_err(ArchiveError::Write)?;
            let other = read_row(&mut promised).map_err(|error| ArchiveError::read(&error))?;
            match (one, other) {
                (None, None) => break,
                (Some(one), Some(other)) if one == other => {}
                (Some(one), Some(other)) if one.name == other.name => {
                    return Err(ArchiveError::Mismatch { name: shown(one.name.as_bytes()) });
                }
                (one, other) => {
                    let name = other.or(one).map(|row| row.name).unwrap_or_default();
                    return Err(ArchiveError::Damaged(format!(
                        "{} is missing or too much",
                        shown(name.as_bytes())
                    )));
                }
            }
        }
        let head = self.head.ok_or(ArchiveError::Foreign)?;
        Ok(BackupSummary { head, files: self.files, bytes: self.bytes })
    }
}

fn read_row(from: &mut BufReader<impl Read>) -> io::Result<Option<ManifestRow>> {
    let mut line = Vec::new();
    from.take(2 * BACKUP_PATH_MAX_BYTES as u64).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(&line)
        .map(Some)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "its list is damaged"))
}
