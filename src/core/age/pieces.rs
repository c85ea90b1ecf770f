//! The pieces that the content of a file is encrypted in.

use super::keys::{FileKey, TAG_BYTES};
use chacha20poly1305::aead::{AeadInOut as _, Error};
use chacha20poly1305::{ChaCha20Poly1305, Nonce};

/// Bytes of every piece but the last, before it is encrypted.
pub(super) const PIECE_BYTES: usize = 64 * 1024;
/// The same, encrypted.
pub(super) const SEALED_PIECE_BYTES: usize = PIECE_BYTES + TAG_BYTES;
/// The random bytes before the first piece, which make the keys of two files differ.
pub(super) const NONCE_BYTES: usize = 16;

/// Encrypts or decrypts the pieces of one file, one after the other.
pub(super) struct PieceCipher {
    cipher: ChaCha20Poly1305,
    /// Pieces so far.
    count: u64,
}

impl PieceCipher {
    pub(super) fn new(key: &FileKey, nonce: &[u8; NONCE_BYTES]) -> Self {
        Self { cipher: key.piece_cipher(nonce), count: 0 }
    }

    /// Pieces so far.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Encrypts the next piece where it lies.
    ///
    /// # Errors
    /// None for a piece of the right length.
    pub(super) fn seal(&mut self, piece: &mut Vec<u8>, is_last: bool) -> Result<(), Error> {
        let nonce = self.take_nonce(is_last);
        self.cipher.encrypt_in_place(&nonce, b"", piece)
    }

    /// Decrypts the next piece where it lies.
    ///
    /// # Errors
    /// When it is not the next one, not the last one where that is said, or not as it was encrypted.
    pub(super) fn open(&mut self, piece: &mut Vec<u8>, is_last: bool) -> Result<(), Error> {
        let nonce = self.take_nonce(is_last);
        self.cipher.decrypt_in_place(&nonce, b"", piece)
    }

    /// The number of the piece, and whether it is the last: each is used once under one key.
    fn take_nonce(&mut self, is_last: bool) -> Nonce {
        let mut nonce = [0; 12];
        nonce[3..11].copy_from_slice(&self.count.to_be_bytes());
        nonce[11] = u8::from(is_last);
        self.count += 1;
        nonce.into()
    }
}
