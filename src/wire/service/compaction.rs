//! What making the data smaller came to (manual 13.19).

use crate::domain::service::compaction::{
    CompactionHealth, CompactionReport, DatabaseCompaction, HistoryCompaction, Shrinkage,
};
use crate::time::IsoTime;
use serde::Serialize;

/// One compaction.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Compaction"))]
pub struct CompactionView {
    ended_at: IsoTime,
    took_ms: u64,
    database: ShrinkageView,
    /// Null where nothing of it was packed.
    history: Option<HistoryCompactionView>,
}

/// Before and after.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct ShrinkageView {
    bytes_before: u64,
    bytes_after: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
struct HistoryCompactionView {
    bytes_before: u64,
    bytes_after: u64,
    /// Objects with a file of their own.
    loose_before: usize,
    loose_after: usize,
    packs_before: usize,
    packs_after: usize,
}

/// How the compactions are since the start.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub(crate) struct CompactionHealthView {
    /// Null before the first one since the start.
    last: Option<CompactionView>,
    /// Why the last one failed.
    error: Option<String>,
}

impl From<CompactionReport> for CompactionView {
    fn from(CompactionReport { ended, took, database, history }: CompactionReport) -> Self {
        let database = match database {
            DatabaseCompaction::Smaller(Shrinkage { before, after }) => {
                ShrinkageView { bytes_before: before, bytes_after: after }
            }
            DatabaseCompaction::Unchanged { bytes } => {
                ShrinkageView { bytes_before: bytes, bytes_after: bytes }
            }
        };
        let history = history.map(|HistoryCompaction { bytes, loose, packs }| HistoryCompactionView {
            bytes_before: bytes.before,
            bytes_after: bytes.after,
            loose_before: loose.before,
            loose_after: loose.after,
            packs_before: packs.before,
            packs_after: packs.after,
        });
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        Self { ended_at: ended.into(), took_ms, database, history }
    }
}

impl From<CompactionHealth> for CompactionHealthView {
    fn from(CompactionHealth { last, error }: CompactionHealth) -> Self {
        Self { last: last.map(CompactionView::from), error }
    }
}
