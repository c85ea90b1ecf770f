//! How many flows use a thing of their workspace.

use super::flow::FlowKind;
use crate::domain::ids::FlowId;

/// How many flows use a thing, and those of them that a caller may see, up to a number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ResourceUsage {
    pub count: usize,
    pub flows: Vec<UsingFlow>,
}

/// A flow that uses a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UsingFlow {
    pub id: FlowId,
    pub name: String,
    pub kind: FlowKind,
}
