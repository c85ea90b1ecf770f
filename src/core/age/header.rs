//! The header of a file: its version, the key of the file as the passphrase encrypts it, and a signature under that key.

use super::keys::{FileKey, SALT_BYTES, WORK_LOG, WORK_MAX_LOG, WRAPPED_KEY_BYTES};
use super::{AgeError, MAGIC};
use crate::domain::service::passphrase::Passphrase;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use std::io::{self, BufRead, Read as _};
use subtle::ConstantTimeEq as _;

const VERSION_LINE: &[u8] = b"age-encryption.org/v1\n";
/// Begins what is said of one key that opens the file.
const KEY_MARK: &str = "-> ";
const PASSPHRASE_KIND: &str = "scrypt";
/// Begins the last line; the signature is over all before it, and over this but for the space.
const END_MARK: &str = "---";
/// Longest line that is read of a header: keys of other kinds have long ones, and are to be told apart from damage.
const LINE_MAX_BYTES: u64 = 4 * 1024;
/// Most of a word of a header that a message repeats.
const SHOWN_MAX_CHARS: usize = 20;
/// From this length on, the encrypted key would go on in the next line.
const BODY_LINE_CHARS: usize = 64;

/// True for the first bytes of an encrypted file of any version.
#[must_use]
pub fn is_age(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}

/// Makes the header of a new file.
///
/// # Errors
/// When the system has no random bytes.
pub(super) fn make_header(passphrase: &Passphrase) -> io::Result<(Vec<u8>, FileKey)> {
    make_header_with(passphrase, WORK_LOG)
}

/// As [`make_header`], with so much work.
pub(super) fn make_header_with(passphrase: &Passphrase, work: u8) -> io::Result<(Vec<u8>, FileKey)> {
    let key = FileKey::generate()?;
    let mut salt = [0; SALT_BYTES];
    getrandom::fill(&mut salt).map_err(io::Error::other)?;
    let wrapped = STANDARD_NO_PAD.encode(key.wrap(passphrase, &salt, work)?);
    let salt = STANDARD_NO_PAD.encode(salt);
    let mut header = VERSION_LINE.to_vec();
    let rest = format!("{KEY_MARK}{PASSPHRASE_KIND} {salt} {work}\n{wrapped}\n{END_MARK}");
    header.extend_from_slice(rest.as_bytes());
    let signature = STANDARD_NO_PAD.encode(key.sign_header(&header));
    header.extend_from_slice(format!(" {signature}\n").as_bytes());
    Ok((header, key))
}

/// Reads the header of a file and gives the key that it holds. Nothing of the content is read.
///
/// # Errors
/// When it is damaged, of another format or for another kind of key, asks for too much work, or holds no key for this passphrase.
pub(super) fn read_header(input: &mut impl BufRead, passphrase: &Passphrase) -> Result<FileKey, AgeError> {
    let mut header = read_line(input)?;
    if header != VERSION_LINE {
        let version = header.strip_prefix(MAGIC).filter(|version| *version != b"v1\r\n");
        return Err(match version.and_then(|version| version.strip_suffix(b"\n")) {
            Some(version) => {
                AgeError::OtherVersion(version.escape_ascii().take(SHOWN_MAX_CHARS).map(char::from).collect())
            }
            None => AgeError::Damaged("its first line is not as it was"),
        });
    }
    let line = read_line(input)?;
    let (salt, work) = parse_key_line(&line)?;
    header.extend_from_slice(&line);
    let line = read_line(input)?;
    let wrapped = parse_wrapped_key(&line)?;
    header.extend_from_slice(&line);
    let line = read_line(input)?;
    let signature = parse_end_line(&line)?;
    header.extend_from_slice(END_MARK.as_bytes());
    let key = FileKey::unwrap(&wrapped, passphrase, &salt, work)?;
    if bool::from(key.sign_header(&header).ct_eq(&signature)) {
        Ok(key)
    } else {
        Err(AgeError::Damaged("its header is not what was signed"))
    }
}

/// A line with its end.
fn read_line(input: &mut impl BufRead) -> Result<Vec<u8>, AgeError> {
    let mut line = Vec::new();
    input.take(LINE_MAX_BYTES).read_until(b'\n', &mut line).map_err(AgeError::Read)?;
    if line.ends_with(b"\n") { Ok(line) } else { Err(AgeError::Damaged("its header has no end")) }
}

/// A line as text, without its end.
fn text_of(line: &[u8]) -> Option<&str> {
    std::str::from_utf8(line).ok()?.strip_suffix('\n')
}

/// The salt and the work of the line that says which key opens the file.
fn parse_key_line(line: &[u8]) -> Result<([u8; SALT_BYTES], u8), AgeError> {
    const DAMAGE: AgeError = AgeError::Damaged("its header does not say how it is encrypted");
    let words = text_of(line).and_then(|line| line.strip_prefix(KEY_MARK)).ok_or(DAMAGE)?;
    let words: Vec<&str> = words.split(' ').collect();
    // A kind of key is named in visible characters; anything else is no name.
    let is_name = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic());
    if !words.iter().all(|word| is_name(word)) {
        return Err(DAMAGE);
    }
    match words.as_slice() {
        [PASSPHRASE_KIND, salt, work] => {
            let salt = STANDARD_NO_PAD.decode(salt).ok().and_then(|salt| salt.try_into().ok());
            Ok((salt.ok_or(DAMAGE)?, parse_work(work).ok_or(DAMAGE)??))
        }
        [PASSPHRASE_KIND, ..] => Err(DAMAGE),
        _ => Err(AgeError::OtherKey),
    }
}

/// The work that a file asks for, written as its only form: digits without a sign or a zero in front. `None` for another form.
fn parse_work(text: &str) -> Option<Result<u8, AgeError>> {
    let is_number = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    let work = || text.parse().ok().filter(|work| *work <= WORK_MAX_LOG);
    let shown = || text.chars().take(SHOWN_MAX_CHARS).collect();
    is_number.then(|| work().ok_or_else(|| AgeError::TooMuchWork { asked: shown() }))
}

fn parse_wrapped_key(line: &[u8]) -> Result<[u8; WRAPPED_KEY_BYTES], AgeError> {
    let key = text_of(line).filter(|line| line.len() < BODY_LINE_CHARS);
    let key = key.and_then(|key| STANDARD_NO_PAD.decode(key).ok()).and_then(|key| key.try_into().ok());
    key.ok_or(AgeError::Damaged("the key in its header is not as it was"))
}

fn parse_end_line(line: &[u8]) -> Result<[u8; 32], AgeError> {
    let signature = text_of(line).and_then(|line| line.strip_prefix(END_MARK)?.strip_prefix(' '));
    let signature = signature.and_then(|text| STANDARD_NO_PAD.decode(text).ok());
    let signature = signature.and_then(|signature| signature.try_into().ok());
    signature.ok_or(AgeError::Damaged("its header has no signature"))
}
