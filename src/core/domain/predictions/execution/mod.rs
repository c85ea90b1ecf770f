//! The record of one run of an agentflow: where it stands, and the steps it took (manual 15.1).

mod cut;
mod details;
mod entry;
mod request;
mod scrub;

pub use self::cut::{EXECUTION_TEXT_MAX_BYTES, cut_texts};
pub use self::details::{ExecutionDetails, FlowOfRun, ShownEntries, ShownEntry};
pub use self::entry::{ExecutionEntry, StepStart, StepStatus};
pub use self::request::{PastConversation, RunRequest};
pub use self::scrub::{has_secrets, remove_secrets, remove_sessions};

use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::live_version::LiveVersion;
use crate::domain::ids::{ChatId, ExecutionId, FlowId, PauseId, WorkspaceId};
use crate::domain::triggers::webhook_callback::CallbackOutcome;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

/// Where a run stands, as lists filter by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum ExecutionState {
    InProgress,
    Finished,
    Error,
    Terminated,
    Timeout,
    Stopped,
}

impl ExecutionState {
    pub const ALL: [Self; 6] =
        [Self::InProgress, Self::Finished, Self::Error, Self::Terminated, Self::Timeout, Self::Stopped];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InProgress => "INPROGRESS",
            Self::Finished => "FINISHED",
            Self::Error => "ERROR",
            Self::Terminated => "TERMINATED",
            Self::Timeout => "TIMEOUT",
            Self::Stopped => "STOPPED",
        }
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// True for a run that goes no further, whatever anybody answers.
    #[must_use]
    pub const fn is_ended(self) -> bool {
        !matches!(self, Self::InProgress | Self::Stopped)
    }

    /// True when a person may delete the record: while steps are under way they still write into it.
    #[must_use]
    pub const fn is_deletable(self) -> bool {
        !matches!(self, Self::InProgress)
    }
}

/// Where a run stands, with what belongs to that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "UPPERCASE")]
pub enum ExecutionStatus {
    /// Steps run; branches that wait for an answer stand still meanwhile.
    InProgress {
        pauses: Vec<Pause>,
    },
    /// Nothing can run before one of these is answered.
    Stopped {
        first: Box<Pause>,
        others: Vec<Pause>,
    },
    Finished,
    Error {
        error: String,
    },
    Terminated,
    Timeout {
        error: String,
    },
}

impl ExecutionStatus {
    /// Where a run stands in which nothing can run any more: stopped when a branch waits, else finished.
    fn at_rest(mut pauses: Vec<Pause>) -> Self {
        if pauses.is_empty() {
            return Self::Finished;
        }
        Self::Stopped { first: Box::new(pauses.remove(0)), others: pauses }
    }
}

/// A branch of a run that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pause {
    pub id: PauseId,
    pub node_id: String,
    pub node_label: String,
    /// The item of an iteration that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub iteration_index: Option<u32>,
    pub created: Timestamp,
    /// When the reject way is taken without an answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub timeout_at: Option<Timestamp>,
    /// What a chat shows to ask for the answer.
    pub action: Map<String, Value>,
}

/// How a run comes to its end, as the engine tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// Nothing can run any more: finished, or stopped where a branch waits for an answer.
    AtRest,
    /// A step failed, in words.
    Failed(String),
    /// A person stopped it.
    Terminated,
    /// It took longer than a run may take, in words.
    TimedOut(String),
}

/// What the record of a run begins with.
#[derive(Debug, Clone)]
pub struct NewExecution {
    pub id: ExecutionId,
    pub flow: FlowId,
    pub workspace: WorkspaceId,
    pub chat: ChatId,
    /// What callers and memories call the conversation.
    pub session: String,
    /// Asked in the canvas test chat.
    pub is_test: bool,
    /// The run whose steps were taken over.
    pub from_execution: Option<ExecutionId>,
    /// What of Live runs; none for a draft.
    pub version: Option<LiveVersion>,
    pub request: RunRequest,
}

/// The record of a run without its entries, which lie in tables of their own, so that a row stays small.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Execution {
    pub id: ExecutionId,
    pub flow: FlowId,
    pub workspace: WorkspaceId,
    pub chat: ChatId,
    pub session: String,
    #[serde(default)]
    pub is_test: bool,
    pub status: ExecutionStatus,
    #[serde(default)]
    pub is_public: bool,
    pub created: Timestamp,
    /// When it began, paused, went on, ended, or was shared: what lists are ordered by. Entries do not move it, so that
    /// they cost no row of an index.
    pub updated: Timestamp,
    /// Since when nothing of it runs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stopped: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from_execution: Option<ExecutionId>,
    /// The change of Live that ran.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub change: Option<Uuid>,
    /// Its version in short, where it was recorded when the run began.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub flow_version: Option<String>,
    /// The values that it left, where the next run of its conversation begins with them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub values: Option<Map<String, Value>>,
    /// What became of the answer that was sent to an address.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub callback: Option<CallbackOutcome>,
}

/// A deleted flow whose records are still to be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionLeftovers {
    pub workspace: WorkspaceId,
    pub flow: FlowId,
}

/// What becomes of a run that the service left in progress when it ended.
pub const INTERRUPTED: &str = "The service stopped while this run was under way.";
/// What becomes of a run whose engine left it without a word.
pub const ABANDONED: &str = "The run ended unexpectedly.";

impl Execution {
    #[must_use]
    pub fn begin(new: NewExecution, now: Timestamp) -> Self {
        let NewExecution { id, flow, workspace, chat, session, is_test, from_execution, version, .. } = new;
        Self {
            id,
            flow,
            workspace,
            chat,
            session,
            is_test,
            status: ExecutionStatus::InProgress { pauses: Vec::new() },
            is_public: false,
            created: now,
            updated: now,
            stopped: None,
            from_execution,
            change: version.map(|version| version.change),
            flow_version: version.and_then(|version| version.short()),
            values: None,
            callback: None,
        }
    }

    #[must_use]
    pub const fn state(&self) -> ExecutionState {
        match self.status {
            ExecutionStatus::InProgress { .. } => ExecutionState::InProgress,
            ExecutionStatus::Stopped { .. } => ExecutionState::Stopped,
            ExecutionStatus::Finished => ExecutionState::Finished,
            ExecutionStatus::Error { .. } => ExecutionState::Error,
            ExecutionStatus::Terminated => ExecutionState::Terminated,
            ExecutionStatus::Timeout { .. } => ExecutionState::Timeout,
        }
    }

    /// Why it failed, in words.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        match &self.status {
            ExecutionStatus::Error { error } | ExecutionStatus::Timeout { error } => Some(error),
            _ => None,
        }
    }

    /// What waits for an answer, in the order of the record.
    pub fn pauses(&self) -> impl Iterator<Item = &Pause> {
        let (first, others): (_, &[Pause]) = match &self.status {
            ExecutionStatus::InProgress { pauses } => (None, pauses),
            ExecutionStatus::Stopped { first, others } => (Some(&**first), others),
            _ => (None, &[]),
        };
        first.into_iter().chain(others)
    }

    /// Notes a branch that waits from here on, once. A run that ended has none.
    pub fn pause(&mut self, pause: Pause, now: Timestamp) {
        if let ExecutionStatus::InProgress { pauses } = &mut self.status {
            if pauses.iter().any(|open| open.id == pause.id) {
                return;
            }
            pauses.push(pause);
            self.updated = now;
        }
    }

    /// Ends or stops a run that is under way; any other stays what it is.
    pub fn end(&mut self, end: &RunEnd, now: Timestamp) {
        let ExecutionStatus::InProgress { pauses } = &mut self.status else { return };
        let pauses = std::mem::take(pauses);
        self.status = match end {
            RunEnd::AtRest => ExecutionStatus::at_rest(pauses),
            RunEnd::Failed(error) => ExecutionStatus::Error { error: error.clone() },
            RunEnd::Terminated => ExecutionStatus::Terminated,
            RunEnd::TimedOut(error) => ExecutionStatus::Timeout { error: error.clone() },
        };
        self.updated = now;
        self.stopped = Some(now);
    }

    /// What the next start makes of a run that was under way: it failed, unless nothing was in flight and a branch waits.
    pub fn recover(&mut self, was_in_flight: bool, now: Timestamp) {
        let waits = self.pauses().next().is_some();
        let end =
            if waits && !was_in_flight { RunEnd::AtRest } else { RunEnd::Failed(INTERRUPTED.to_owned()) };
        self.end(&end, now);
    }

    /// Takes the run up again where it waits for this answer. What else waits stays open.
    ///
    /// # Errors
    /// 409 while it is under way, and when it does not wait for this.
    pub fn resume(&mut self, answered: PauseId, now: Timestamp) -> Result<()> {
        let (first, others) = match &self.status {
            ExecutionStatus::Stopped { first, others } => (first, others),
            ExecutionStatus::InProgress { .. } => return Err(Conflict::RunUnderWay.into()),
            _ => return Err(Conflict::NothingToAnswer.into()),
        };
        let mut pauses: Vec<Pause> = std::iter::once(&**first).chain(others).cloned().collect();
        let place = pauses.iter().position(|pause| pause.id == answered);
        pauses.remove(place.ok_or(Error::Conflict(Conflict::NothingToAnswer))?);
        self.status = ExecutionStatus::InProgress { pauses };
        self.updated = now;
        self.stopped = None;
        Ok(())
    }

    /// Ends a run that waits for an answer, for good.
    ///
    /// # Errors
    /// 409 while it is under way, which its cancel token ends, and when it has ended.
    pub fn terminate(&mut self, now: Timestamp) -> Result<()> {
        match self.state() {
            ExecutionState::Stopped => {}
            ExecutionState::InProgress => return Err(Conflict::RunUnderWay.into()),
            _ => return Err(Conflict::RunEnded.into()),
        }
        self.status = ExecutionStatus::Terminated;
        self.updated = now;
        self.stopped = Some(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
