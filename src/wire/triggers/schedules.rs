//! Schedules of flows (manual 16.7).

use crate::domain::flows::flow::FlowKind;
use crate::domain::ids::{ExecutionId, FlowId, ScheduleId, TriggerLogId, WorkspaceId};
use crate::domain::triggers::schedule::{
    DeletedLogs, DraftSchedule, ScheduleDetails, ScheduleInput, ScheduleStatus, TriggerLog, TriggerStatus,
};
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How the schedule of a flow stands.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ScheduleStatus"))]
pub struct ScheduleStatusView {
    /// It starts the flow.
    enabled: bool,
    can_enable: bool,
    /// Why it cannot be switched on.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Null while Live has no schedule.
    record: Option<ScheduleView>,
    /// Only while there is none: whether one that is published next is on from then.
    #[serde(skip_serializing_if = "Option::is_none")]
    starts_with_publish: Option<bool>,
    /// What the unpublished changes of the flow mean instead; null where that comes at the times of Live, or never.
    draft: Option<DraftScheduleView>,
}

/// A schedule that is not published.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "DraftSchedule"))]
struct DraftScheduleView {
    /// Five fields, also where times were picked.
    cron_expression: String,
    timezone: String,
    /// When it would come next, five times at most.
    upcoming_runs: Vec<IsoTime>,
}

/// The schedule of Live.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Schedule"))]
pub struct ScheduleView {
    id: ScheduleId,
    trigger_type: TriggerKind,
    target_id: FlowId,
    /// The card that starts it.
    node_id: String,
    /// Five fields, also where times were picked.
    cron_expression: String,
    timezone: String,
    enabled: bool,
    schedule_input_mode: InputMode,
    /// The question of each run.
    #[serde(skip_serializing_if = "Option::is_none")]
    default_input: Option<String>,
    /// The form of each run, JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    default_form: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_run_at: Option<IsoTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_run_at: Option<IsoTime>,
    /// That one and those after it, five at most.
    upcoming_runs: Vec<IsoTime>,
    /// The last moment at which it may come.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_date: Option<IsoTime>,
    workspace_id: WorkspaceId,
    created_date: IsoTime,
    updated_date: IsoTime,
}

/// What a schedule starts.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum TriggerKind {
    Agentflow,
    /// A pipeline.
    Etl,
}

impl From<FlowKind> for TriggerKind {
    fn from(kind: FlowKind) -> Self {
        match kind {
            FlowKind::Etl => Self::Etl,
            _ => Self::Agentflow,
        }
    }
}

/// What each run begins with.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum InputMode {
    Text,
    Form,
    None,
}

/// The switch of a schedule.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct ScheduleSwitch {
    pub enabled: bool,
}

/// What became of a time of a schedule.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "TriggerLog"))]
pub struct TriggerLogView {
    id: TriggerLogId,
    schedule_record_id: ScheduleId,
    trigger_type: TriggerKind,
    target_id: FlowId,
    /// The record of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_id: Option<ExecutionId>,
    status: TriggerStatus,
    /// Why it failed, or why there was no run.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elapsed_time_ms: Option<u64>,
    /// When it was due; of several that were missed, the newest.
    scheduled_at: IsoTime,
    /// How many seconds late it was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    late_by: Option<u64>,
    /// How many times were missed, where the row stands for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    workspace_id: WorkspaceId,
    created_date: IsoTime,
}

/// Rows of the log of a schedule.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct TriggerLogList {
    /// Their ids.
    #[cfg_attr(feature = "test-support", schemars(required, length(min = 1)))]
    pub log_ids: Option<Vec<String>>,
}

/// What was deleted of the log of a schedule.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "DeletedTriggerLogs"))]
pub struct DeletedTriggerLogsView {
    success: bool,
    deleted_logs: usize,
    /// Records of the runs that the rows told of.
    deleted_executions: usize,
}

impl From<DeletedLogs> for DeletedTriggerLogsView {
    fn from(DeletedLogs { rows, runs }: DeletedLogs) -> Self {
        Self { success: true, deleted_logs: rows, deleted_executions: runs }
    }
}

/// A page of the log, newest first.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "TriggerLogPage"))]
pub struct TriggerLogPageView {
    pub data: Vec<TriggerLogView>,
    /// Rows in all, in these states.
    pub total: usize,
    pub page: usize,
    pub limit: usize,
}

impl From<ScheduleStatus> for ScheduleStatusView {
    fn from(ScheduleStatus { details, obstacle, starts_with_publish, draft }: ScheduleStatus) -> Self {
        Self {
            enabled: details.as_ref().is_some_and(|details| details.schedule.is_on),
            can_enable: obstacle.is_none(),
            reason: obstacle,
            starts_with_publish: details.is_none().then_some(starts_with_publish),
            record: details.map(ScheduleView::from),
            draft: draft.map(DraftScheduleView::from),
        }
    }
}

impl From<DraftSchedule> for DraftScheduleView {
    fn from(DraftSchedule { definition, upcoming }: DraftSchedule) -> Self {
        Self {
            cron_expression: definition.cron,
            timezone: definition.zone,
            upcoming_runs: upcoming.into_iter().map(IsoTime::from).collect(),
        }
    }
}

impl From<ScheduleDetails> for ScheduleView {
    fn from(ScheduleDetails { kind, schedule, definition, upcoming }: ScheduleDetails) -> Self {
        let (mode, text, form) = match definition.input {
            ScheduleInput::Text(text) => (InputMode::Text, Some(text), None),
            ScheduleInput::Form(form) => (InputMode::Form, None, Some(Value::Object(form).to_string())),
            ScheduleInput::Nothing => (InputMode::None, None, None),
        };
        Self {
            id: schedule.id,
            trigger_type: kind.into(),
            target_id: schedule.flow,
            node_id: definition.node,
            cron_expression: definition.cron,
            timezone: definition.zone,
            enabled: schedule.is_on,
            schedule_input_mode: mode,
            default_input: text,
            default_form: form,
            last_run_at: schedule.last_run.map(IsoTime::from),
            next_run_at: upcoming.first().copied().map(IsoTime::from),
            upcoming_runs: upcoming.into_iter().map(IsoTime::from).collect(),
            end_date: definition.end.map(IsoTime::from),
            workspace_id: schedule.workspace,
            created_date: schedule.created.into(),
            updated_date: schedule.updated.into(),
        }
    }
}

impl TriggerLogView {
    /// A row of the log, and the kind of the flow that was started.
    pub fn new(row: TriggerLog, kind: FlowKind) -> Self {
        Self {
            id: row.id,
            schedule_record_id: row.schedule,
            trigger_type: kind.into(),
            target_id: row.flow,
            execution_id: row.execution,
            status: row.status,
            error: row.error,
            elapsed_time_ms: row.elapsed_ms,
            scheduled_at: row.scheduled_at.into(),
            late_by: row.late_seconds,
            count: row.count,
            workspace_id: row.workspace,
            created_date: row.created.into(),
        }
    }
}
