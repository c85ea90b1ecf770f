//! How many flows use a thing of their workspace.

use super::flow::FlowKind;
use crate::domain::ids::FlowId;

/// How many flows use a thing, how many of those by their draft alone, and those of them that a caller may see, up to a number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceUsage {
    pub count: usize,
    pub drafts: usize,
    pub flows: Vec<UsingFlow>,
}

/// A flow that uses a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsingFlow {
    pub id: FlowId,
    pub name: String,
    pub kind: FlowKind,
    /// Its draft names the thing, and Live does not.
    pub is_draft: bool,
}
