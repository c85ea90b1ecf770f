//! Secrets that are shown once and stored as a hash: 32 random bytes, base64url on the wire, SHA-256 at rest.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// How long the text of a token is: 32 bytes in base64url without padding.
pub(crate) const TEXT_LENGTH: usize = 43;

/// A freshly made secret. It can be shown and hashed, not printed by accident.
pub struct Token(String);

impl Token {
    /// Makes a fresh one.
    ///
    /// # Panics
    /// When the operating system has no random bytes, which ends all security there is.
    #[must_use]
    pub fn random() -> Self {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
        Self(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The text, for the one who owns it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// True for a text that could be a token; anything else need not be looked up.
#[must_use]
pub fn is_well_formed(text: &str) -> bool {
    text.len() == TEXT_LENGTH
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// The form in which a secret is stored and found. Plain SHA-256 is enough for 256 random bits.
#[must_use]
pub fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_well_formed_and_differ() {
        let (one, two) = (Token::random(), Token::random());
        assert!(is_well_formed(one.as_str()));
        assert_ne!(one.as_str(), two.as_str());
        assert_eq!(format!("{one:?}"), "Token(hidden)");
        for bad in ["", "short", &"x".repeat(44), &"!".repeat(43), &"é".repeat(21)] {
            assert!(!is_well_formed(bad), "{bad}");
        }
    }
}
