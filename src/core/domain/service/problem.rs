//! What of the server somebody has to see to.

/// Something that somebody has to see to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    /// What it is, and what to do.
    pub sentence: String,
}

/// The part of the server that a problem is one of: two sentences of a part are one problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    Database,
    History,
    Copy,
    Backup,
    Compaction,
    Disk,
    Clock,
    Mail,
}

impl ProblemKind {
    /// Those that the owner is told by mail. Mail tells nothing of itself.
    pub const MAILED: [Self; 7] =
        [Self::Database, Self::History, Self::Copy, Self::Backup, Self::Compaction, Self::Disk, Self::Clock];

    /// The name under which it is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Database => "database",
            Self::History => "history",
            Self::Copy => "copy",
            Self::Backup => "backup",
            Self::Compaction => "compaction",
            Self::Disk => "disk",
            Self::Clock => "clock",
            Self::Mail => "mail",
        }
    }

    /// What it is called in a subject.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Database => "the database",
            Self::History => "the history of versions",
            Self::Copy => "the copy of versions",
            Self::Backup => "backups",
            Self::Compaction => "making the data smaller",
            Self::Disk => "the disk",
            Self::Clock => "the clock",
            Self::Mail => "mail",
        }
    }

    /// A problem of this part.
    #[must_use]
    pub fn because(self, sentence: impl Into<String>) -> Problem {
        Problem { kind: self, sentence: sentence.into() }
    }
}
