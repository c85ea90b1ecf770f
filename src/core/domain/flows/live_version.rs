//! Which version of Live answers (manual 6.11).

use super::version::{Sha, Version, iso_with_offset};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What of Live answers: the change that made name, type, category and canvas what they are. A change of settings alone is
/// none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveVersion {
    /// The change's own number, under which its answers are found whatever becomes of the history.
    pub change: Uuid,
    /// The version that holds it, once that is recorded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<VersionName>,
}

/// What a version is called by where it is told beside an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionName {
    pub sha: Sha,
    /// As [`Version`] has both.
    pub date: Timestamp,
    pub offset_seconds: i32,
}

impl LiveVersion {
    /// A change that is promised to the history, and not there yet.
    #[must_use]
    pub const fn unrecorded(change: Uuid) -> Self {
        Self { change, name: None }
    }

    /// The version in short, once it is recorded.
    #[must_use]
    pub fn short(&self) -> Option<String> {
        self.name.map(|name| name.sha.short())
    }
}

impl VersionName {
    /// The date as the wire has it: ISO 8601 with the server's offset then.
    #[must_use]
    pub fn iso_date(&self) -> String {
        iso_with_offset(self.date, self.offset_seconds)
    }
}

impl From<&Version> for VersionName {
    fn from(version: &Version) -> Self {
        Self { sha: version.sha, date: version.date, offset_seconds: version.offset_seconds }
    }
}
