//! Writing an encrypted file.

use super::header::make_header;
use super::keys::FileKey;
use super::pieces::{NONCE_BYTES, PIECE_BYTES, PieceCipher, SEALED_PIECE_BYTES};
use crate::domain::service::passphrase::Passphrase;
use std::io::{self, Write};

/// Encrypts what is written to it. Until [`Self::finish`] nobody takes what was written for a whole file.
pub struct AgeWriter<W> {
    out: W,
    cipher: PieceCipher,
    piece: Vec<u8>,
}

impl<W: Write> AgeWriter<W> {
    /// Begins a file that opens with this passphrase. Making a key of it takes about a second and 256 MiB.
    ///
    /// # Errors
    /// When `out` does not take it, or the system has no random bytes.
    pub fn begin(out: W, passphrase: &Passphrase) -> io::Result<Self> {
        let (header, key) = make_header(passphrase)?;
        Self::begin_with(out, &header, &key)
    }

    pub(super) fn begin_with(mut out: W, header: &[u8], key: &FileKey) -> io::Result<Self> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(io::Error::other)?;
        out.write_all(header)?;
        out.write_all(&nonce)?;
        let cipher = PieceCipher::new(key, &nonce);
        Ok(Self { out, cipher, piece: Vec::with_capacity(SEALED_PIECE_BYTES) })
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When its end is not taken.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_piece(true)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn write_piece(&mut self, is_last: bool) -> io::Result<()> {
        let written = self.cipher.seal(&mut self.piece, is_last).map_err(io::Error::other);
        let written = written.and_then(|()| self.out.write_all(&self.piece));
        self.piece.clear();
        written
    }
}

impl<W: Write> Write for AgeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A full piece waits until something follows it, because the last one is marked as that.
        if self.piece.len() == PIECE_BYTES && !bytes.is_empty() {
            self.write_piece(false)?;
        }
        let count = bytes.len().min(PIECE_BYTES - self.piece.len());
        self.piece.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    /// What is no whole piece stays here: a short one would be the end.
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
