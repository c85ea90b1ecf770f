//! What history made of a change of Live.

use super::version::Version;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordResult {
    Off,
    /// The change says nothing that history keeps.
    Nothing,
    Version(Box<Version>),
    /// It could not be recorded; Live is changed all the same.
    Failed(String),
}

impl RecordResult {
    /// The version, when there is one.
    #[must_use]
    pub fn version(&self) -> Option<&Version> {
        match self {
            Self::Version(version) => Some(version),
            Self::Off | Self::Nothing | Self::Failed(_) => None,
        }
    }

    /// Why there is none, when history failed (manual 5.7 r5).
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Failed(why) => Some(why),
            Self::Off | Self::Nothing | Self::Version(_) => None,
        }
    }
}
