//! What a check compares: its two sides, and what sentences call them (manual 18.2).

use crate::domain::flows::version::Sha;
use std::fmt;

/// Where the canvas of a side is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideName {
    /// What callers get, or what a file says that they get.
    Live,
    /// What is to be published.
    Draft,
    /// A canvas that whoever checks brings along.
    Given,
    /// A version of the flow's history.
    Version(Sha),
    /// A version that Dev published and this server did not take over yet.
    Incoming(Sha),
}

impl fmt::Display for SideName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Live => f.write_str("Live"),
            Self::Draft => f.write_str("the draft"),
            Self::Given => f.write_str("the file"),
            Self::Version(sha) => write!(f, "version {}", sha.short()),
            Self::Incoming(_) => f.write_str("the version from Dev"),
        }
    }
}

impl SideName {
    /// As a sentence begins with it.
    #[must_use]
    pub fn opening(self) -> String {
        let name = self.to_string();
        let mut rest = name.chars();
        rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect()
    }
}

/// What stands, and what is to take its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SideNames {
    pub left: SideName,
    pub right: SideName,
}

impl Default for SideNames {
    fn default() -> Self {
        Self::LIVE_AND_DRAFT
    }
}

impl SideNames {
    /// What a check compares where nothing else is wanted.
    pub const LIVE_AND_DRAFT: Self = Self { left: SideName::Live, right: SideName::Draft };

    #[must_use]
    pub fn has_draft(self) -> bool {
        self.left == SideName::Draft || self.right == SideName::Draft
    }

    #[must_use]
    pub fn comparison(self) -> Comparison {
        match (self.left, self.right) {
            (SideName::Live, SideName::Draft) => Comparison::Draft,
            (_, SideName::Incoming(_)) => Comparison::Promotion,
            _ => Comparison::Versions,
        }
    }
}

/// What checks of a flow are told apart by: of each the newest one is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Comparison {
    /// Live with the draft.
    Draft,
    /// A version of the history or a canvas from elsewhere with anything, or the draft with Live.
    Versions,
    /// Live with a version from Dev.
    Promotion,
}

impl Comparison {
    /// True where checks of one flow wait for each other. One before a promotion is its owner's alone, and waits for none.
    #[must_use]
    pub fn excludes(self, other: Self) -> bool {
        (self == Self::Promotion) == (other == Self::Promotion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_called_what_they_are() {
        let sha = Sha::from_bytes([0x4a; 20]);
        let names = [
            SideName::Live,
            SideName::Draft,
            SideName::Given,
            SideName::Version(sha),
            SideName::Incoming(sha),
        ];
        let named = names.map(|name| (name.to_string(), name.opening()));
        let expected = [
            ("Live", "Live"),
            ("the draft", "The draft"),
            ("the file", "The file"),
            ("version 4a4a4a4", "Version 4a4a4a4"),
            ("the version from Dev", "The version from Dev"),
        ];
        assert_eq!(named, expected.map(|(name, opening)| (name.to_owned(), opening.to_owned())));
    }
}
