//! What a workspace may hold and use (manual 5.17).

use crate::domain::workspace::quota::{WorkspaceQuota, WorkspaceUse};
use crate::predictions::consumption::BudgetView;
use serde::Serialize;

/// What a workspace may hold and use; whatever is left out has no bound.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "WorkspaceQuota"))]
pub(crate) struct WorkspaceQuotaView {
    /// A whole number from 0 to 1000000000000, as those below.
    #[serde(skip_serializing_if = "Option::is_none")]
    flows: Option<u64>,
    /// Of its document stores.
    #[serde(skip_serializing_if = "Option::is_none")]
    chunks: Option<u64>,
    /// Of these chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    characters: Option<u64>,
    /// Chunks that are kept here with their vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    vectors: Option<u64>,
    /// Of the files of its flows, document stores, conversations and pipelines.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<BudgetView>,
}

/// What is used of the quota of a workspace.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "WorkspaceUse"))]
pub(crate) struct WorkspaceUseView {
    flows: u64,
    chunks: u64,
    characters: u64,
    vectors: u64,
    file_bytes: u64,
    questions_today: u64,
    tokens_today: u64,
}

impl From<WorkspaceQuota> for WorkspaceQuotaView {
    fn from(quota: WorkspaceQuota) -> Self {
        let WorkspaceQuota { flows, chunks, characters, vectors, file_bytes, budget } = quota;
        Self { flows, chunks, characters, vectors, file_bytes, budget: budget.map(Into::into) }
    }
}

impl From<WorkspaceUse> for WorkspaceUseView {
    fn from(used: WorkspaceUse) -> Self {
        let WorkspaceUse { flows, chunks, characters, vectors, file_bytes, today } = used;
        Self {
            flows,
            chunks,
            characters,
            vectors,
            file_bytes,
            questions_today: today.questions,
            tokens_today: today.tokens,
        }
    }
}
