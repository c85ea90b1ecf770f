//! The name of a harness, and of each of its specialists (manual 22.1).

use serde::{Deserialize, Serialize};
use std::fmt;

/// Longest name of a harness or of a specialist, in characters (manual 14.4).
const CHARS_MAX: usize = 64;

/// A name that stands in paths: small letters, digits and dashes, a dash never first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline, with = "String"))]
pub struct HarnessName(String);

impl HarnessName {
    /// `None` for a text that no harness can be called.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_name =
            !text.starts_with('-') && (1..=CHARS_MAX).contains(&text.len()) && text.bytes().all(fits);
        is_name.then(|| Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first of this name and those with a number behind it that is not taken.
    #[must_use]
    pub fn first_free(&self, is_taken: impl Fn(&Self) -> bool) -> Self {
        let numbered = |number: usize| {
            let end = format!("-{number}");
            let room = CHARS_MAX - end.len();
            Self(format!("{}{end}", &self.0[..self.0.len().min(room)]))
        };
        std::iter::once(self.clone())
            .chain((2..).map(numbered))
            .find(|name| !is_taken(name))
            .unwrap_or_else(|| self.clone())
    }
}

impl TryFrom<String> for HarnessName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("no name of a harness")
    }
}

impl From<HarnessName> for String {
    fn from(name: HarnessName) -> Self {
        name.0
    }
}

impl fmt::Display for HarnessName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_what_can_stand_in_a_path() {
        for good in ["a", "7", "support-desk-2", "a-", &"x".repeat(64)] {
            assert!(HarnessName::parse(good).is_some(), "{good}");
        }
        for bad in ["", "-a", "A", "a b", "a_b", "ä", "a/b", &"x".repeat(65)] {
            assert_eq!(HarnessName::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_taken_name_gets_the_first_number_that_is_free() {
        let name = |text: &str| HarnessName::parse(text).unwrap();
        let taken = [name("desk"), name("desk-2")];
        let is_taken = |name: &HarnessName| taken.contains(name);
        assert_eq!(name("desk").first_free(is_taken), name("desk-3"));
        assert_eq!(name("team").first_free(is_taken), name("team"));
        let long = name(&"x".repeat(64));
        let other = long.first_free(|name| *name == long);
        assert_eq!(other.as_str(), format!("{}-2", "x".repeat(62)));
    }
}
