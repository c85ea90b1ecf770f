//! Values that Flowise encrypts: base64 of `Salted__`, eight bytes of salt, and AES-256-CBC under a key that is made of a passphrase
//! and the salt with MD5. There is no check of integrity, so a wrong passphrase shows as bad padding or as what is no JSON.

use super::error::CellError;
use aes::Aes256;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cbc::Decryptor;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockDecryptMut as _, KeyIvInit as _};
use md5::{Digest as _, Md5};
use serde_json::Value;

const MARK: &[u8] = b"Salted__";
const SALT_BYTES: usize = 8;
const KEY_BYTES: usize = 32;
const BLOCK_BYTES: usize = 16;

/// What the key is made of: the text of the key file as it is, and no bytes that it might stand for. It has no `Debug`.
pub(super) struct Passphrase(String);

impl Passphrase {
    /// The passphrase in the text of a key file, at whose end an editor may have left a line break; `None` when it is empty.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.trim_end_matches(['\r', '\n']);
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// What a value holds.
    ///
    /// # Errors
    /// As [`CellError`].
    pub(super) fn open(&self, sealed: &str) -> Result<Value, CellError> {
        let bytes = STANDARD.decode(sealed.trim()).map_err(|_| CellError::Malformed)?;
        let rest = bytes.strip_prefix(MARK).ok_or(CellError::Malformed)?;
        let (salt, body) = rest.split_at_checked(SALT_BYTES).ok_or(CellError::Malformed)?;
        let (key, start) = self.derive(salt);
        let cipher = Decryptor::<Aes256>::new(&key.into(), &start.into());
        let plain = cipher.decrypt_padded_vec_mut::<Pkcs7>(body).map_err(|_| CellError::OtherKey)?;
        serde_json::from_slice(&plain).map_err(|_| CellError::OtherKey)
    }

    /// The key and the first block: digests that each begin with the one before.
    fn derive(&self, salt: &[u8]) -> ([u8; KEY_BYTES], [u8; BLOCK_BYTES]) {
        let mut made = Vec::with_capacity(KEY_BYTES + BLOCK_BYTES);
        let mut last: Vec<u8> = Vec::new();
        while made.len() < KEY_BYTES + BLOCK_BYTES {
            let mut digest = Md5::new();
            digest.update(&last);
            digest.update(&self.0);
            digest.update(salt);
            last = digest.finalize().to_vec();
            made.extend_from_slice(&last);
        }
        let (mut key, mut start) = ([0; KEY_BYTES], [0; BLOCK_BYTES]);
        key.copy_from_slice(&made[..KEY_BYTES]);
        start.copy_from_slice(&made[KEY_BYTES..]);
        (key, start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Made with `openssl enc -aes-256-cbc -md md5 -salt -a -A -pass pass:made-up`.
    const SEALED: &str = "U2FsdGVkX188OjY8CkYzobMXVlFqzFi7KwyQLicNmGrODz1eV7bQYmMtQ2zRFryO";

    #[test]
    fn a_value_opens_with_its_key_alone() {
        let key = Passphrase::read("made-up\n").unwrap();
        assert_eq!(key.open(SEALED), Ok(json!({"openAIApiKey": "sk-ü"})));
        let other = Passphrase::read("made-upp").unwrap();
        assert_eq!(other.open(SEALED), Err(CellError::OtherKey));
        assert!(Passphrase::read("\r\n").is_none());
    }

    #[test]
    fn what_is_no_encrypted_value_is_said_to_be_none() {
        let key = Passphrase::read("made-up").unwrap();
        for bad in ["", "%", "U2FsdGVkX1", "U2FsdGVkX18=", "e30="] {
            assert_eq!(key.open(bad), Err(CellError::Malformed), "{bad}");
        }
        let cut = &SEALED[..SEALED.len() - 8];
        assert_eq!(key.open(cut), Err(CellError::OtherKey));
    }
}
