//! The passphrase that backups are encrypted with.

use std::fmt;
use zeroize::Zeroizing;

/// Longest passphrase of a backup (manual 14.9).
pub const PASSPHRASE_MAX_BYTES: usize = 1024;

/// A passphrase as somebody may type it: one line of text that says something. It is overwritten when it is dropped.
pub struct Passphrase(Zeroizing<Vec<u8>>);

/// Why a text is no passphrase, as the end of a sentence about where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PassphraseError {
    #[error("holds no passphrase")]
    Empty,
    #[error("holds more than one line, and a passphrase is one")]
    SeveralLines,
    #[error("holds what is no text")]
    NotText,
    #[error("holds more than {PASSPHRASE_MAX_BYTES} bytes, and a passphrase has no more than that")]
    TooLong,
}

impl Passphrase {
    /// Reads the passphrase that a file or a terminal gave; one line end behind it does not count, spaces do (manual 13.13 r11).
    ///
    /// # Errors
    /// When it is no passphrase.
    pub fn parse(mut given: Zeroizing<Vec<u8>>) -> Result<Self, PassphraseError> {
        if given.last() == Some(&b'\n') {
            given.pop();
            if given.last() == Some(&b'\r') {
                given.pop();
            }
        }
        if given.len() > PASSPHRASE_MAX_BYTES {
            return Err(PassphraseError::TooLong);
        }
        let text = std::str::from_utf8(&given).map_err(|_| PassphraseError::NotText)?;
        if text.contains(['\n', '\r', '\0']) {
            return Err(PassphraseError::SeveralLines);
        }
        if text.trim().is_empty() {
            return Err(PassphraseError::Empty);
        }
        Ok(Self(given))
    }

    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Shows nothing of it.
impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(given: &[u8]) -> Result<Vec<u8>, PassphraseError> {
        Passphrase::parse(Zeroizing::new(given.to_vec())).map(|passphrase| passphrase.bytes().to_vec())
    }

    #[test]
    fn a_passphrase_is_one_line_with_its_spaces() {
        let cases: [(&[u8], &[u8]); 5] = [
            (b"correct horse", b"correct horse"),
            (b"correct horse\n", b"correct horse"),
            (b"correct horse\r\n", b"correct horse"),
            (b"  with spaces \n", b"  with spaces "),
            ("Größe\n".as_bytes(), "Größe".as_bytes()),
        ];
        for (given, expected) in cases {
            assert_eq!(parse(given).unwrap(), expected);
        }
        assert!(parse(&[b'a'; PASSPHRASE_MAX_BYTES]).is_ok());
    }

    #[test]
    fn what_is_no_passphrase_is_refused() {
        let cases: [(&[u8], PassphraseError); 8] = [
            (b"", PassphraseError::Empty),
            (b"\n", PassphraseError::Empty),
            (b" \t \n", PassphraseError::Empty),
            (b"one\ntwo\n", PassphraseError::SeveralLines),
            (b"one\n\n", PassphraseError::SeveralLines),
            (b"one\0two", PassphraseError::SeveralLines),
            (b"\xff\xfe", PassphraseError::NotText),
            (&[b'a'; PASSPHRASE_MAX_BYTES + 1], PassphraseError::TooLong),
        ];
        for (given, expected) in cases {
            assert_eq!(parse(given).unwrap_err(), expected);
        }
    }

    #[test]
    fn a_passphrase_is_not_shown() {
        let passphrase = Passphrase::parse(Zeroizing::new(b"secret words".to_vec())).unwrap();
        assert_eq!(format!("{passphrase:?}"), "Passphrase");
    }
}
