//! States in a table of a server: a row for each run, so that questions of one conversation that are answered at once add to it
//! and none takes the place of another's.

use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{FlowId, MessageId};
use crate::kit::members::{RunState, StateKeeper};
use crate::kit::{Conversations, Grant, Host, Inputs};
use crate::limits::MEMORY_MESSAGES_MAX;

/// The table in which states lie. It is made when it is missing.
pub(super) const TABLE: &str = "flowkeep_agent_state";
/// Runs of a conversation that are read, the newest: as many as the messages that the database of the service gives.
pub(super) const RUNS_MAX: usize = MEMORY_MESSAGES_MAX / 2;
/// Bytes of what one run may leave in the state that a server keeps (manual 14.6).
const RUN_STATE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A conversation as a table knows it: no two flows share one, however their conversations are called.
pub(super) struct StatePlace {
    pub(super) flow: String,
    pub(super) session: String,
}

/// A row of the table: the id of a run, and what it left as JSON.
pub(super) struct StateRow {
    pub(super) run: String,
    pub(super) state: String,
}

/// The table on one kind of server. Errors name `card`.
pub(super) trait StateTable: Send + Sync {
    /// The newest [`RUNS_MAX`] rows, the newest first.
    fn read(&self, place: &StatePlace, card: &str, cancel: &CancelToken) -> Result<Vec<StateRow>>;

    /// Stores a row, in the place of that of the same run.
    fn write(&self, place: &StatePlace, row: &StateRow, card: &str, cancel: &CancelToken) -> Result<()>;

    /// Removes all rows of the conversation.
    fn delete(&self, place: &StatePlace, card: &str, cancel: &CancelToken) -> Result<()>;
}

/// An agent memory over a table.
pub(super) struct TableKeeper<T> {
    label: String,
    conversations: Grant<dyn Conversations>,
    table: T,
}

impl<T: StateTable> TableKeeper<T> {
    pub(super) fn new(inputs: &Inputs<'_>, table: T) -> Result<Self> {
        Ok(Self { label: inputs.label.to_owned(), conversations: inputs.need()?, table })
    }

    fn fault(&self, what: &str) -> Error {
        Error::RunFailed(format!("{}: {what}", self.label))
    }

    fn flow(&self, host: &dyn Host) -> Result<FlowId> {
        let facts = host.context().facts.map(|facts| facts.ids.flow);
        facts.ok_or_else(|| self.fault("there is no flow here whose state could be kept"))
    }

    /// The conversation that is asked.
    fn place(&self, host: &dyn Host) -> Result<StatePlace> {
        let session = self.conversations.of(host)?.memory_session(None)?;
        Ok(StatePlace { flow: self.flow(host)?.to_string(), session })
    }
}

impl<T: StateTable> StateKeeper for TableKeeper<T> {
    fn states(&self, host: &dyn Host) -> Result<Vec<RunState>> {
        let rows = self.table.read(&self.place(host)?, &self.label, host.cancel())?;
        let state = |row: StateRow| {
            let run = MessageId::parse(&row.run);
            let (run, state) =
                run.zip(serde_json::from_str(&row.state).ok()).ok_or_else(|| self.unreadable())?;
            Ok(RunState { run, state })
        };
        rows.into_iter().rev().map(state).collect()
    }

    fn keep(&self, state: &RunState, host: &dyn Host) -> Result<()> {
        let row = StateRow { run: state.run.to_string(), state: state.state.to_string() };
        if row.state.len() > RUN_STATE_BYTES_MAX {
            return Err(self.fault("what this run left in the state is larger than 4 MiB, and was not kept"));
        }
        self.table.write(&self.place(host)?, &row, &self.label, host.cancel())
    }

    fn forget(&self, session: &str, host: &dyn Host) -> Result<()> {
        let place = StatePlace { flow: self.flow(host)?.to_string(), session: session.to_owned() };
        self.table.delete(&place, &self.label, host.cancel())
    }

    fn unreadable(&self) -> Error {
        self.fault(&format!(
            "the state of this conversation in the table {TABLE} was damaged; remove its rows, or begin a new conversation"
        ))
    }
}

/// The error about a state that is too large to be read.
pub(super) fn too_large(card: &str) -> Error {
    Error::RunFailed(format!(
        "{card}: the state of this conversation is larger than 32 MiB and cannot be read; begin a new conversation"
    ))
}
