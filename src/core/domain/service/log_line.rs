//! A line of the log, as it is kept in memory for the owner.

use jiff::Timestamp;

/// How grave a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gravity {
    Error,
    Warn,
    Info,
}

impl Gravity {
    /// From the word for it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "error" => Some(Self::Error),
            "warn" => Some(Self::Warn),
            "info" => Some(Self::Info),
            _ => None,
        }
    }
}

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    pub at: Timestamp,
    pub gravity: Gravity,
    /// The module that wrote it.
    pub target: &'static str,
    pub message: String,
    /// Names and values beside the message, in the order in which they were written.
    pub fields: Vec<(&'static str, String)>,
}

impl LogLine {
    /// About how many bytes of memory it takes.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        let fields: usize =
            self.fields.iter().map(|(_, value)| size_of::<(&str, String)>() + value.len()).sum();
        size_of::<Self>() + self.message.len() + fields
    }
}

/// The newest lines that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogExcerpt {
    /// Newest first.
    pub lines: Vec<LogLine>,
    /// Lines of the last hour that were dropped because newer ones needed their room.
    pub dropped: u64,
}
