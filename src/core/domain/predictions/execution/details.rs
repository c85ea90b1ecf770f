//! A record as somebody sees it.

use super::{Execution, ExecutionEntry};
use crate::domain::flows::flow::Flow;

/// An entry as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownEntry {
    pub entry: ExecutionEntry,
    /// A text of it was too long.
    pub is_cut: bool,
}

/// The steps of a run, as far as they are shown.
#[derive(Debug, Clone, PartialEq)]
pub enum ShownEntries {
    All(Vec<ShownEntry>),
    /// There was no room for them in a list.
    LeftOut,
}

/// A record as somebody sees it.
#[derive(Debug, Clone)]
pub struct ExecutionDetails {
    pub execution: Execution,
    pub flow: Option<Flow>,
    /// The caller may see flows of its kind, and so what the run did.
    pub is_open: bool,
    /// `None` when they were not asked for, or may not be seen.
    pub entries: Option<ShownEntries>,
}
