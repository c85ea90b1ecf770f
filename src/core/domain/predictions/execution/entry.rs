//! One step of a run, as the record shows it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How a step ended. One that is under way has no entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum StepStatus {
    Finished,
    Error,
    /// It waits for an answer.
    Stopped,
    /// It had begun when the run ended, and may have done something.
    Terminated,
}

/// A step that has begun.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepStart {
    pub node_id: String,
    pub node_label: String,
    pub previous_node_ids: Vec<String>,
    /// What its entry shows when it never comes to an end.
    #[serde(default)]
    pub data: Map<String, Value>,
    /// What its engine wants back then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Value>,
}

impl StepStart {
    /// How a step began that has ended.
    #[must_use]
    pub fn of(entry: &ExecutionEntry) -> Self {
        Self {
            node_id: entry.node_id.clone(),
            node_label: entry.node_label.clone(),
            previous_node_ids: entry.previous_node_ids.clone(),
            data: Map::new(),
            note: None,
        }
    }

    /// What becomes of it when its run ends first.
    #[must_use]
    pub fn terminate(self) -> ExecutionEntry {
        let Self { node_id, node_label, previous_node_ids, data, .. } = self;
        ExecutionEntry { node_id, node_label, data, previous_node_ids, status: StepStatus::Terminated }
    }
}

/// A step that has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionEntry {
    pub node_id: String,
    pub node_label: String,
    pub data: Map<String, Value>,
    pub previous_node_ids: Vec<String>,
    pub status: StepStatus,
}

impl ExecutionEntry {
    /// What its step said; `None` when it said nothing.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.data.get("output")?.get("content")?.as_str().filter(|text| !text.is_empty())
    }
}
