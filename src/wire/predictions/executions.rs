//! Records of agentflow runs (manual 15).

use crate::domain::flows::flow::FlowKind;
use crate::domain::ids::{ChatId, ExecutionId, FlowId, PauseId, WorkspaceId};
use crate::domain::predictions::execution::{
    Execution, ExecutionDetails, ExecutionEntry, ExecutionState, FlowOfRun, Pause, ShownEntries, ShownEntry,
    StepStatus,
};
use crate::domain::triggers::webhook_callback::CallbackOutcome;
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The record of a run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Execution"))]
pub struct ExecutionView {
    #[serde(flatten)]
    run: RunFields,
    agentflow_id: FlowId,
    /// What callers and memories call the conversation.
    session_id: String,
    chat_id: ChatId,
    /// Asked in the canvas test chat.
    is_test: bool,
    /// What a chat shows to ask for the first answer that the run waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<Map<String, Value>>,
    /// What the run waits for.
    pauses: Vec<PauseView>,
    is_public: bool,
    workspace_id: WorkspaceId,
    /// The run whose steps were taken over.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_execution: Option<ExecutionId>,
    /// The version of Live that ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_version: Option<String>,
    /// What became of the answer that was sent to an address.
    #[serde(skip_serializing_if = "Option::is_none")]
    callback: Option<CallbackView>,
}

/// What became of an answer that was sent to an address.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CallbackOutcome"))]
struct CallbackView {
    delivered: bool,
    tries: u32,
    date: IsoTime,
    /// Why it was given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl From<&CallbackOutcome> for CallbackView {
    fn from(outcome: &CallbackOutcome) -> Self {
        let CallbackOutcome { is_delivered, tries, date, error } = outcome;
        Self { delivered: *is_delivered, tries: *tries, date: (*date).into(), error: error.clone() }
    }
}

/// The record of a run that is shared, without what tells whose conversation it was.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "PublicExecution"))]
pub struct PublicExecutionView {
    #[serde(flatten)]
    run: RunFields,
    #[serde(rename = "isPublic")]
    is_public: bool,
}

/// What everybody may see who may see the record.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
struct RunFields {
    id: ExecutionId,
    state: ExecutionState,
    /// Why it failed.
    error: Option<String>,
    /// What each step did, in the order of the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_data: Option<Vec<EntryView>>,
    /// A text was cut, or there was no room for what the steps did.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    agentflow: Option<AgentflowView>,
    created_date: IsoTime,
    /// When it began, paused, went on, ended or was shared.
    updated_date: IsoTime,
    /// Since when nothing of it runs.
    stopped_date: Option<IsoTime>,
}

/// The flow of a run.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "FlowOfExecution"))]
struct AgentflowView {
    id: FlowId,
    name: String,
    r#type: FlowKind,
}

/// Something a run waits for.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Pause"))]
struct PauseView {
    action_id: PauseId,
    node_id: String,
    node_label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    iteration_index: Option<u32>,
    created_date: IsoTime,
    /// When the reject way is taken without an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_at: Option<IsoTime>,
}

/// What a step did.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ExecutionEntry"))]
pub struct EntryView {
    node_id: String,
    node_label: String,
    data: Map<String, Value>,
    previous_node_ids: Vec<String>,
    status: StepStatus,
    /// A text of it was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

impl From<ShownEntry> for EntryView {
    fn from(ShownEntry { entry, is_cut }: ShownEntry) -> Self {
        let ExecutionEntry { node_id, node_label, data, previous_node_ids, status } = entry;
        Self { node_id, node_label, data, previous_node_ids, status, cut: is_cut }
    }
}

impl EntryView {
    /// Entries as a record shows them.
    #[must_use]
    pub fn list(entries: &[ShownEntry]) -> Vec<Self> {
        entries.iter().cloned().map(Self::from).collect()
    }
}

impl From<&Pause> for PauseView {
    fn from(pause: &Pause) -> Self {
        Self {
            action_id: pause.id,
            node_id: pause.node_id.clone(),
            node_label: pause.node_label.clone(),
            iteration_index: pause.iteration_index,
            created_date: pause.created.into(),
            timeout_at: pause.timeout_at.map(IsoTime::from),
        }
    }
}

impl RunFields {
    fn new(run: &Execution, flow: Option<FlowOfRun>, entries: Option<ShownEntries>) -> Self {
        let (entries, is_left_out) = match entries {
            None => (None, false),
            Some(ShownEntries::LeftOut) => (None, true),
            Some(ShownEntries::All(all)) => (Some(all), false),
        };
        let cut = is_left_out || entries.iter().flatten().any(|shown| shown.is_cut);
        Self {
            id: run.id,
            state: run.state(),
            error: run.error().map(str::to_owned),
            execution_data: entries.map(|all| all.into_iter().map(EntryView::from).collect()),
            cut,
            agentflow: flow.map(|FlowOfRun { id, name, kind }| AgentflowView { id, name, r#type: kind }),
            created_date: run.created.into(),
            updated_date: run.updated.into(),
            stopped_date: run.stopped.map(IsoTime::from),
        }
    }
}

impl From<ExecutionDetails> for ExecutionView {
    fn from(ExecutionDetails { execution, flow, is_open, entries }: ExecutionDetails) -> Self {
        let first = execution.pauses().next().filter(|_| is_open);
        Self {
            agentflow_id: execution.flow,
            session_id: execution.session.clone(),
            chat_id: execution.chat,
            is_test: execution.is_test,
            action: first.map(|pause| pause.action.clone()),
            pauses: execution.pauses().map(PauseView::from).collect(),
            is_public: execution.is_public,
            workspace_id: execution.workspace,
            from_execution: execution.from_execution,
            flow_version: execution.flow_version.clone(),
            callback: execution.callback.as_ref().map(CallbackView::from),
            run: RunFields::new(&execution, flow, entries),
        }
    }
}

impl From<ExecutionDetails> for PublicExecutionView {
    fn from(ExecutionDetails { execution, flow, entries, .. }: ExecutionDetails) -> Self {
        Self { is_public: execution.is_public, run: RunFields::new(&execution, flow, entries) }
    }
}

/// What can be changed of a record.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct ExecutionEdit {
    /// Everybody who has its address may read it.
    pub is_public: Option<bool>,
}

/// Which records to delete.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct ExecutionList {
    /// Their ids.
    #[cfg_attr(feature = "test-support", schemars(required, length(min = 1)))]
    pub execution_ids: Option<Vec<String>>,
}

/// How many records were deleted.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "DeletedExecutions"))]
pub struct DeletedExecutionsView {
    success: bool,
    deleted_count: usize,
}

impl DeletedExecutionsView {
    #[must_use]
    pub const fn new(deleted_count: usize) -> Self {
        Self { success: true, deleted_count }
    }
}
