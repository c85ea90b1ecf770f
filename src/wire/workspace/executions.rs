//! Records of runs in a file (manual 5.11), as Flowise writes them, with what only this service knows beside it.

use crate::domain::ids::{ChatId, ExecutionId, FlowId, WorkspaceId};
use crate::domain::predictions::execution::{Execution, ExecutionEntry, ExecutionState, StepStatus};
use crate::time::IsoTime;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A record of a run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ExportedExecution"))]
pub struct ExecutionRow {
    id: ExecutionId,
    /// JSON text of what its steps did.
    execution_data: String,
    state: ExecutionState,
    error: Option<String>,
    agentflow_id: FlowId,
    session_id: String,
    chat_id: ChatId,
    is_test: bool,
    is_public: bool,
    /// JSON text of what a person is asked to decide.
    action: Option<String>,
    created_date: IsoTime,
    updated_date: IsoTime,
    stopped_date: Option<IsoTime>,
    workspace_id: WorkspaceId,
    flow_version: Option<String>,
}

impl ExecutionRow {
    #[must_use]
    pub fn new(run: Execution, entries: &[ExecutionEntry]) -> Self {
        let action = run.pauses().next().map(|pause| Value::from(pause.action.clone()).to_string());
        let data = serde_json::to_string(entries).unwrap_or_else(|_| "[]".to_owned());
        Self {
            id: run.id,
            execution_data: data,
            state: run.state(),
            error: run.error().map(str::to_owned),
            agentflow_id: run.flow,
            session_id: run.session,
            chat_id: run.chat,
            is_test: run.is_test,
            is_public: run.is_public,
            action,
            created_date: run.created.into(),
            updated_date: run.updated.into(),
            stopped_date: run.stopped.map(IsoTime::from),
            workspace_id: run.workspace,
            flow_version: run.flow_version,
        }
    }
}

/// A record of a run in somebody's file.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FileExecution {
    pub id: Option<String>,
    /// A list, or JSON text of one.
    execution_data: Value,
    pub state: Option<String>,
    pub error: Option<String>,
    pub agentflow_id: Option<String>,
    pub session_id: Option<String>,
    pub chat_id: Option<String>,
    pub is_test: bool,
    created_date: Option<String>,
    updated_date: Option<String>,
    stopped_date: Option<String>,
}

/// A step in somebody's file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileEntry {
    node_id: String,
    #[serde(default)]
    node_label: String,
    #[serde(default)]
    data: Map<String, Value>,
    #[serde(default)]
    previous_node_ids: Vec<String>,
    status: String,
}

impl FileExecution {
    /// What its steps did; `None` when that is no list of steps.
    #[must_use]
    pub fn entries(&self) -> Option<Vec<ExecutionEntry>> {
        let list: Vec<FileEntry> = match &self.execution_data {
            Value::String(text) => serde_json::from_str(text).ok()?,
            list => Vec::deserialize(list).ok()?,
        };
        let entry = |FileEntry { node_id, node_label, data, previous_node_ids, status }| {
            let status = match status.as_str() {
                "FINISHED" => StepStatus::Finished,
                "ERROR" => StepStatus::Error,
                "STOPPED" => StepStatus::Stopped,
                _ => StepStatus::Terminated,
            };
            ExecutionEntry { node_id, node_label, data, previous_node_ids, status }
        };
        Some(list.into_iter().map(entry).collect())
    }

    /// When it began, changed last and came to its end.
    #[must_use]
    pub fn dates(&self) -> Option<(Timestamp, Timestamp, Option<Timestamp>)> {
        let date = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<Timestamp>().ok());
        let created = date(&self.created_date)?;
        let updated = date(&self.updated_date).unwrap_or(created).max(created);
        Some((created, updated, date(&self.stopped_date)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::iso;
    use serde_json::json;

    #[test]
    fn what_steps_did_is_a_list_or_its_text() {
        let steps = json!([{"nodeId": "a_0", "nodeLabel": "A", "data": {"x": 1}, "status": "INPROGRESS"}]);
        for data in [steps.clone(), steps.to_string().into()] {
            let run: FileExecution = serde_json::from_value(json!({ "executionData": data })).unwrap();
            let entries = run.entries().unwrap();
            assert_eq!((entries[0].node_id.as_str(), entries[0].status), ("a_0", StepStatus::Terminated));
        }
        assert!(FileExecution::default().entries().is_none());
    }

    #[test]
    fn a_run_has_a_date_and_is_never_older_than_its_beginning() {
        let at = "2026-01-02T03:04:05Z";
        let run = json!({"createdDate": at, "updatedDate": "2025-01-01T00:00:00Z"});
        let run: FileExecution = serde_json::from_value(run).unwrap();
        let (created, updated, stopped) = run.dates().unwrap();
        assert_eq!((iso(created), created, stopped), ("2026-01-02T03:04:05.000Z".to_owned(), updated, None));
        assert!(FileExecution::default().dates().is_none());
    }
}
