//! Which flows use a thing of their workspace.

use crate::domain::flows::flow::FlowKind;
use crate::domain::flows::usage::{ResourceUsage, UsingFlow};
use crate::domain::ids::FlowId;
use serde::Serialize;

/// How many flows use something, and those the caller may see.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Uses"))]
pub struct ResourceUsageView {
    count: usize,
    /// Of these, how many by their draft alone.
    drafts: usize,
    flows: Vec<UsingFlowView>,
}

/// A flow that uses it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "UsingFlow"))]
struct UsingFlowView {
    id: FlowId,
    name: String,
    r#type: FlowKind,
    /// Its draft uses it, and Live does not.
    draft: bool,
}

impl From<ResourceUsage> for ResourceUsageView {
    fn from(ResourceUsage { count, drafts, flows }: ResourceUsage) -> Self {
        let row = |UsingFlow { id, name, kind, is_draft }| UsingFlowView {
            id,
            name,
            r#type: kind,
            draft: is_draft,
        };
        Self { count, drafts, flows: flows.into_iter().map(row).collect() }
    }
}
