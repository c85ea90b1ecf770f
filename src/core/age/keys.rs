//! The keys of a file, and how each is made of another.

use super::AgeError;
use crate::base::hmac::hmac_sha256;
use crate::domain::service::passphrase::Passphrase;
use chacha20poly1305::aead::{AeadInOut as _, KeyInit as _};
use chacha20poly1305::{ChaCha20Poly1305, Nonce};
use scrypt::Params;
use std::io;
use zeroize::Zeroizing;

pub(super) const SALT_BYTES: usize = 16;
/// Bytes of the signature of whatever is encrypted.
pub(super) const TAG_BYTES: usize = 16;
const FILE_KEY_BYTES: usize = 16;
/// The key of a file as it stands in its header.
pub(super) const WRAPPED_KEY_BYTES: usize = FILE_KEY_BYTES + TAG_BYTES;
/// Begins the salt, so that the same passphrase makes another key elsewhere.
const SALT_LABEL: &[u8] = b"age-encryption.org/v1/scrypt";
/// Work of making a key of a passphrase, as a power of two: 18 takes a second or less and 256 MiB, as in age (manual 14.9).
pub(super) const WORK_LOG: u8 = 18;
/// Most of such work that a file may ask of whoever opens it: 20 takes 1 GiB (manual 14.9).
pub(super) const WORK_MAX_LOG: u8 = 20;
/// What else scrypt is told: the format fixes both.
const BLOCK_SIZE: u32 = 8;
const PARALLELISM: u32 = 1;

/// The key that everything in one file is derived from: random, and another one in each file.
pub(super) struct FileKey(Zeroizing<[u8; FILE_KEY_BYTES]>);

impl FileKey {
    /// # Errors
    /// When the system has no random bytes.
    pub(super) fn generate() -> io::Result<Self> {
        let mut key = Zeroizing::new([0; FILE_KEY_BYTES]);
        getrandom::fill(key.as_mut_slice()).map_err(io::Error::other)?;
        Ok(Self(key))
    }

    /// A key that is known already.
    #[cfg(test)]
    pub(super) fn of(key: [u8; FILE_KEY_BYTES]) -> Self {
        Self(Zeroizing::new(key))
    }

    /// The key as the header holds it, encrypted with what is made of the passphrase, this salt and so much work.
    pub(super) fn wrap(
        &self,
        passphrase: &Passphrase,
        salt: &[u8; SALT_BYTES],
        work: u8,
    ) -> io::Result<Vec<u8>> {
        let mut wrapped = Vec::with_capacity(WRAPPED_KEY_BYTES);
        wrapped.extend_from_slice(self.0.as_slice());
        let cipher = passphrase_cipher(passphrase, salt, work).map_err(io::Error::other)?;
        cipher.encrypt_in_place(&Nonce::default(), b"", &mut wrapped).map_err(io::Error::other)?;
        Ok(wrapped)
    }

    /// The key that [`Self::wrap`] encrypted.
    ///
    /// # Errors
    /// [`AgeError::WrongPassphrase`] when it was not encrypted with this passphrase, this salt and so much work.
    pub(super) fn unwrap(
        wrapped: &[u8; WRAPPED_KEY_BYTES],
        passphrase: &Passphrase,
        salt: &[u8; SALT_BYTES],
        work: u8,
    ) -> Result<Self, AgeError> {
        let cipher = passphrase_cipher(passphrase, salt, work)
            .map_err(|_| AgeError::TooMuchWork { asked: work.to_string() })?;
        let mut key = Zeroizing::new(wrapped.to_vec());
        let opened = cipher.decrypt_in_place(&Nonce::default(), b"", &mut *key);
        opened.map_err(|_| AgeError::WrongPassphrase)?;
        let mut unwrapped = Zeroizing::new([0; FILE_KEY_BYTES]);
        unwrapped.copy_from_slice(&key);
        Ok(Self(unwrapped))
    }

    /// The signature of a header.
    pub(super) fn sign_header(&self, header: &[u8]) -> [u8; 32] {
        hmac_sha256(self.derive(b"", b"header").as_slice(), &[header])
    }

    /// What encrypts the pieces of a file with this nonce.
    pub(super) fn piece_cipher(&self, nonce: &[u8]) -> ChaCha20Poly1305 {
        ChaCha20Poly1305::new((&*self.derive(nonce, b"payload")).into())
    }

    /// HKDF with SHA-256, of which one round gives all that is needed.
    fn derive(&self, salt: &[u8], purpose: &[u8]) -> Zeroizing<[u8; 32]> {
        let extracted = Zeroizing::new(hmac_sha256(salt, &[self.0.as_slice()]));
        Zeroizing::new(hmac_sha256(extracted.as_slice(), &[purpose, &[1]]))
    }
}

fn passphrase_cipher(
    passphrase: &Passphrase,
    salt: &[u8; SALT_BYTES],
    work: u8,
) -> Result<ChaCha20Poly1305, scrypt::errors::InvalidParams> {
    let mut key = Zeroizing::new([0; 32]);
    let params = Params::new(work, BLOCK_SIZE, PARALLELISM)?;
    let salt = [SALT_LABEL, salt].concat();
    scrypt::scrypt(passphrase.bytes(), &salt, &params, key.as_mut_slice())
        .expect("32 bytes are a length that scrypt makes");
    Ok(ChaCha20Poly1305::new((&*key).into()))
}
