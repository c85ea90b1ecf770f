//! What a run keeps of each step that ended.

use super::graph::NodeIndex;
use super::items::ItemsNote;
use crate::domain::predictions::execution::ExecutionEntry;
use crate::domain::predictions::prediction::{Document, HistoryMessage, UsedTool};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// A step that ended, as later steps and the answer read it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StepRecord {
    pub(super) node: NodeIndex,
    /// What the record of the run shows of it.
    pub(super) entry: Arc<ExecutionEntry>,
    /// What it added to what was said in the run.
    pub(super) said: Vec<HistoryMessage>,
    /// What it wrote into the state of the run.
    pub(super) updates: Map<String, Value>,
    /// How often the loop that it is went back.
    pub(super) loop_count: Option<u32>,
    pub(super) used_tools: Vec<UsedTool>,
    pub(super) sources: Vec<Document>,
    /// How its items ran, where it is an iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) items: Option<ItemsNote>,
}

impl StepRecord {
    pub(super) fn output(&self) -> Option<&Map<String, Value>> {
        self.entry.data.get(OUTPUT)?.as_object()
    }

    /// Its text; empty where it made none.
    pub(super) fn text(&self) -> &str {
        self.entry.text().unwrap_or_default()
    }
}

/// The entry of a step's data that holds what it made.
pub(super) const OUTPUT: &str = "output";

/// Writes into a state what these steps wrote, in their order.
pub(super) fn update_state<'a>(
    state: &mut Map<String, Value>,
    steps: impl IntoIterator<Item = &'a Arc<StepRecord>>,
) {
    for step in steps {
        state.extend(step.updates.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
}

/// What these steps said, in their order, after what the person said. Nothing was said where no step spoke.
pub(super) fn said_by<'a>(
    asked: impl FnOnce() -> HistoryMessage,
    steps: impl IntoIterator<Item = &'a Arc<StepRecord>>,
) -> Vec<HistoryMessage> {
    let mut said: Vec<HistoryMessage> =
        steps.into_iter().flat_map(|step| step.said.iter().cloned()).collect();
    if !said.is_empty() {
        said.insert(0, asked());
    }
    said
}
