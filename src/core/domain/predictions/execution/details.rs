//! A record as somebody sees it.

use super::{Execution, ExecutionEntry};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::ids::FlowId;

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

/// What a record tells of its flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowOfRun {
    pub id: FlowId,
    pub name: String,
    pub kind: FlowKind,
}

impl From<Flow> for FlowOfRun {
    fn from(Flow { id, name, kind, .. }: Flow) -> Self {
        Self { id, name, kind }
    }
}

/// A record as somebody sees it.
#[derive(Debug, Clone)]
pub struct ExecutionDetails {
    pub execution: Execution,
    pub flow: Option<FlowOfRun>,
    /// The caller may see flows of its kind, and so what the run did.
    pub is_open: bool,
    /// `None` when they were not asked for, or may not be seen.
    pub entries: Option<ShownEntries>,
}
