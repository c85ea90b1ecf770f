//! The token of a git host.

use crate::domain::error::{Error, Result};
use std::fmt;

/// The type of the credentials that hold one, and the field it stands in.
pub const TOKEN_CREDENTIAL: &str = "githubApi";
pub const TOKEN_FIELD: &str = "accessToken";

/// Longest token (manual 14.16).
const TOKEN_BYTES_MAX: usize = 4096;

/// A token that can stand in a header. Nothing shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct HostToken(String);

impl HostToken {
    /// Reads it as a person pasted it.
    ///
    /// # Errors
    /// 400 for a text that is no token.
    pub fn parse(text: &str) -> Result<Self> {
        let token = text.trim();
        let fits =
            (1..=TOKEN_BYTES_MAX).contains(&token.len()) && token.bytes().all(|b| b.is_ascii_graphic());
        if fits {
            Ok(Self(token.to_owned()))
        } else {
            Err(Error::invalid("The token is empty, or is no token."))
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for HostToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostToken")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_header_carries_is_no_token() {
        assert_eq!(HostToken::parse(" ghx_1\r\n").unwrap().as_str(), "ghx_1");
        for wrong in ["", "  ", "a b", "a\nb", "t\u{f6}ken", "\u{0}", &"x".repeat(4097)] {
            assert!(HostToken::parse(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(format!("{:?}", HostToken::parse("geheim").unwrap()), "HostToken");
    }
}
