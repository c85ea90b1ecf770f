//! What is said of the versions of a flow, and of the whole history (manual 6.4).

use super::version::{Sha, Version};
use crate::domain::ids::FlowId;
use jiff::Timestamp;

/// The versions of a flow, newest first.
#[derive(Debug, Clone)]
pub struct VersionList {
    pub versions: Vec<Version>,
    /// Why the last version was not recorded, or why the history cannot be read now.
    pub last_error: Option<String>,
    /// The version that Live is the same as.
    pub live: Option<Sha>,
    pub last_published: Option<LastPublication>,
}

/// The last Publish or Roll back, as the history knows it.
#[derive(Debug, Clone)]
pub enum LastPublication {
    /// It could not be recorded.
    Unrecorded(Timestamp),
    Version(Box<Version>),
}

/// A version, of whichever flow.
#[derive(Debug, Clone)]
pub struct LoggedVersion {
    pub flow: FlowId,
    pub version: Version,
}

/// What was found in the whole history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryReport {
    pub versions: usize,
    pub commits: usize,
    pub objects: usize,
    /// A sentence for each; none for a sound history.
    pub problems: Vec<String>,
}
