//! The archive of a backup: a tar of the parts of a data folder, as they lie there, packed with zstd. Any `tar` opens it.
//!
//! The first file says what it is, the last one is a row for each file before it, with its length and SHA-256: so an archive is
//! written in one go, and one that was cut off has no end. Both directions hold one piece of one file in memory. With a passphrase,
//! what was packed is encrypted (`age/`), so the program age and then zstd and tar open it.

mod error;
pub(crate) mod reader;
#[cfg(test)]
mod tests;
pub(crate) mod writer;

pub(crate) use error::ArchiveError;

use crate::age::{self, AgeReader, AgeWriter};
use crate::domain::service::passphrase::Passphrase;
use std::io::{self, BufReader, Read, Write};

/// The first file of an archive: what it is.
const HEAD: &str = "backup.json";
/// The last one: what was before it.
const MANIFEST: &str = "manifest.jsonl";
/// What an archive holds beside these two, at its top.
pub(crate) const PARTS: [&str; 5] = [DATABASE, VERSIONS, FILES, SECRETS, DATABASES];
pub(crate) const DATABASE: &str = "flowkeep.redb";
pub(crate) const VERSIONS: &str = "versions";
pub(crate) const FILES: &str = "files";
pub(crate) const SECRETS: &str = "secrets";
/// Databases that the operator lets flows read.
pub(crate) const DATABASES: &str = "databases";

/// How hard zstd works: what a live service can spare.
const LEVEL: i32 = 3;
/// The first bytes of what zstd packed.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Packs what `write` writes, and hands on what that returns. With a passphrase, what was packed is encrypted with it.
///
/// # Errors
/// When `out` does not take it.
pub(crate) fn pack<T, E>(
    out: &mut dyn Write,
    passphrase: Option<&Passphrase>,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> io::Result<Result<T, E>> {
    let Some(passphrase) = passphrase else { return compress(out, write) };
    let mut encrypted = AgeWriter::begin(out, passphrase)?;
    let done = compress(&mut encrypted, write)?;
    if done.is_ok() {
        encrypted.finish()?;
    }
    Ok(done)
}

fn compress<T, E>(
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> io::Result<Result<T, E>> {
    let mut packer = zstd::Encoder::new(out, LEVEL)?;
    packer.include_checksum(true)?;
    let done = write(&mut packer);
    if done.is_ok() {
        packer.finish()?.flush()?;
    }
    Ok(done)
}

/// The tar in an archive, and whether the archive was encrypted.
type Unpacking<'a> = (Box<dyn Read + 'a>, bool);

/// What was packed, unpacked, and decrypted where it was encrypted.
///
/// # Errors
/// When it cannot be read, or the passphrase does not open it.
fn unpack<'a>(input: impl Read + 'a, passphrase: Option<&Passphrase>) -> Result<Unpacking<'a>, ArchiveError> {
    let failed = |error: io::Error| ArchiveError::read(&error);
    let (first, whole) = peek(input, age::MAGIC.len()).map_err(failed)?;
    if !age::is_age(&first) {
        return Ok((decompress(whole).map_err(failed)?, false));
    }
    let passphrase = passphrase.ok_or(ArchiveError::NoPassphrase)?;
    let decrypted = AgeReader::open(whole, passphrase).map_err(ArchiveError::Encryption)?;
    Ok((decompress(decrypted).map_err(failed)?, true))
}

/// What zstd packed, unpacked; anything else, such as a tar that was never packed, as it is.
fn decompress<'a>(input: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let (first, whole) = peek(input, ZSTD_MAGIC.len())?;
    if first == ZSTD_MAGIC {
        // The first block has all that says what it is. One that cannot be unpacked is damaged, whatever it was.
        Ok(Box::new(peek(zstd::Decoder::new(whole)?, 1)?.1))
    } else {
        Ok(Box::new(BufReader::new(whole)))
    }
}

/// The first bytes of `input`, and all of it.
fn peek(mut input: impl Read, count: usize) -> io::Result<(Vec<u8>, impl Read)> {
    let mut first = Vec::new();
    input.by_ref().take(count as u64).read_to_end(&mut first)?;
    let whole = io::Cursor::new(first.clone()).chain(input);
    Ok((first, whole))
}

/// What an archive says, or is said of its bytes, as a terminal may be given it.
fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().take(200).flat_map(char::escape_debug).collect()
}

/// Longest name of one folder or file in a path.
const NAME_MAX_BYTES: usize = 255;
/// How deep folders of an archive lie in one another: those of a git repository and of files are a few.
const DEPTH_MAX: usize = 16;
/// Longest path of a file in an archive, and half of its line in the last file (manual 14.2).
const BACKUP_PATH_MAX_BYTES: usize = 4 * 1024;

/// The folders and the name of a file that may be in an archive; `None` for what would lie elsewhere.
pub(crate) fn parts_of(name: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = name.split('/').collect();
    let is_name = |part: &&str| {
        (1..=NAME_MAX_BYTES).contains(&part.len())
            && !matches!(*part, "." | "..")
            && !part.contains(['\\', '\0'])
            && (cfg!(unix) || !part.contains(':'))
    };
    let is_known = match parts.as_slice() {
        [one] => *one == DATABASE,
        [first, ..] => *first != DATABASE && PARTS.contains(first),
        [] => false,
    };
    let is_short = name.len() <= BACKUP_PATH_MAX_BYTES && parts.len() <= DEPTH_MAX;
    (is_known && is_short && parts.iter().all(is_name)).then_some(parts)
}
