//! Encryption of credentials at rest: XChaCha20-Poly1305 under a key that is not in the database file.

use crate::domain::ids::{CredentialId, WorkspaceId};
use crate::domain::workspace::credential::Ciphertext;
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use serde_json::{Map, Value};

const NONCE_BYTES: usize = 24;
/// Begins every sealed value, so that another format can be told from it later.
const FORMAT: u8 = 1;

/// Seals and opens the fields of credentials.
#[derive(Clone)]
pub struct Vault {
    cipher: XChaCha20Poly1305,
}

/// A sealed value that this vault cannot open: sealed under another key, or for another record, or damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the sealed value was not made by this vault for this record")]
pub struct DecryptError;

/// What a sealed value is tied to: moved to another record, or another workspace, it does not open.
fn associated_data(workspace: &WorkspaceId, id: &CredentialId) -> [u8; 33] {
    let mut bytes = [FORMAT; 33];
    bytes[1..17].copy_from_slice(workspace.bytes());
    bytes[17..].copy_from_slice(id.bytes());
    bytes
}

impl Vault {
    /// A vault under this key.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self { cipher: XChaCha20Poly1305::new(key.into()) }
    }

    /// Seals the fields of one credential under a fresh nonce.
    ///
    /// # Panics
    /// When the operating system has no random bytes.
    #[must_use]
    pub fn seal(
        &self,
        workspace: &WorkspaceId,
        id: &CredentialId,
        fields: &Map<String, Value>,
    ) -> Ciphertext {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).expect("the operating system gives random bytes");
        let plain = serde_json::to_vec(fields).expect("a JSON object is always writable");
        let payload = Payload { msg: &plain, aad: &associated_data(workspace, id) };
        let cipher_text =
            self.cipher.encrypt(&XNonce::from(nonce), payload).expect("a credential is far from 256 GB");
        Ciphertext([&[FORMAT][..], &nonce, &cipher_text].concat())
    }

    /// Opens what [`Self::seal`] made for the same record.
    ///
    /// # Errors
    /// [`DecryptError`], which never says more.
    pub fn open(
        &self,
        workspace: &WorkspaceId,
        id: &CredentialId,
        sealed: &Ciphertext,
    ) -> Result<Map<String, Value>, DecryptError> {
        let rest = sealed.0.strip_prefix(&[FORMAT]).ok_or(DecryptError)?;
        let (nonce, cipher_text) = rest.split_at_checked(NONCE_BYTES).ok_or(DecryptError)?;
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().map_err(|_| DecryptError)?;
        let payload = Payload { msg: cipher_text, aad: &associated_data(workspace, id) };
        let plain = self.cipher.decrypt(&XNonce::from(nonce), payload).map_err(|_| DecryptError)?;
        serde_json::from_slice(&plain).map_err(|_| DecryptError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_sealed_value_opens_in_its_own_place_only() {
        let vault = Vault::new(&[7; 32]);
        let (workspace, id) = (WorkspaceId::random(), CredentialId::random());
        let fields = json!({"openAIApiKey": "sk-very-secret"}).as_object().unwrap().clone();
        let sealed = vault.seal(&workspace, &id, &fields);
        assert_eq!(vault.open(&workspace, &id, &sealed), Ok(fields.clone()));
        assert_ne!(sealed, vault.seal(&workspace, &id, &fields), "each sealing has its own nonce");
        assert!(!String::from_utf8_lossy(&sealed.0).contains("secret"));
        assert_eq!(vault.open(&WorkspaceId::random(), &id, &sealed), Err(DecryptError));
        assert_eq!(vault.open(&workspace, &CredentialId::random(), &sealed), Err(DecryptError));
        assert_eq!(Vault::new(&[8; 32]).open(&workspace, &id, &sealed), Err(DecryptError));
        for at in 0..sealed.0.len() {
            let mut damaged = sealed.clone();
            damaged.0[at] ^= 1;
            assert_eq!(vault.open(&workspace, &id, &damaged), Err(DecryptError), "byte {at}");
            damaged.0.truncate(at);
            assert_eq!(vault.open(&workspace, &id, &damaged), Err(DecryptError), "cut at {at}");
        }
    }
}
