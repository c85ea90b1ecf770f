//! What making the data smaller came to.

use jiff::Timestamp;
use std::time::Duration;

/// Something before and after.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shrinkage<T> {
    pub before: T,
    pub after: T,
}

/// What became of the file of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseCompaction {
    Smaller(Shrinkage<u64>),
    /// It is as small as it can be, or so much was written meanwhile that it stayed what it was.
    Unchanged {
        bytes: u64,
    },
}

/// What became of the repository of versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryCompaction {
    pub bytes: Shrinkage<u64>,
    /// Objects with a file of their own.
    pub loose: Shrinkage<usize>,
    pub packs: Shrinkage<usize>,
}

/// One compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionReport {
    pub ended: Timestamp,
    pub took: Duration,
    pub database: DatabaseCompaction,
    /// `None` where there is no history yet, it is off, or a backup is being made of it.
    pub history: Option<HistoryCompaction>,
}

/// How the compactions are since the start.
#[derive(Debug, Clone, Default)]
pub struct CompactionHealth {
    pub last: Option<CompactionReport>,
    /// Why the last one failed; `None` after one that did not.
    pub error: Option<String>,
}
