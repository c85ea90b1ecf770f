//! What was stored and is not what was stored any more: reported by name, never by content.

use std::fmt;

/// A stored thing that is damaged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Damage {
    what: String,
    place: String,
}

impl Damage {
    /// `what` is for everybody, such as "flow 8c1…"; `place` says more to the operator.
    #[must_use]
    pub const fn new(what: String, place: String) -> Self {
        Self { what, place }
    }

    /// What it is, in words that any caller may read.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What it is and where it lies, in words for the operator.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "A stored {} is damaged and cannot be read. Ask the operator of this server to run 'flowkeep data verify', which \
             lists what is damaged, and to put a backup in place.",
            self.what
        )
    }
}

/// What was found among rows and files.
#[derive(Debug, Default)]
pub struct IntegrityReport {
    pub rows: u64,
    pub files: u64,
    /// Those of them that were stored before files had checksums.
    pub unknown_files: u64,
    pub damages: Vec<Damage>,
    /// What is wrong besides and harms nothing that is stored.
    pub warnings: Vec<String>,
}
