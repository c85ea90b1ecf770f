//! Pauses whose time is up: the run goes on as if a person had rejected, and its answer is stored in the conversation
//! (manual 16.5).

use super::ask::{self, PredictionRequest, StartedBy};
use super::conversation::ConversationRef;
use super::nested::CallPath;
use super::run;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::NullSink;
use crate::domain::conversations::conversation_name::ConversationName;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::predictions::consumption::Asker;
use crate::domain::predictions::execution::{Execution, ExecutionState};
use crate::domain::predictions::human_input::{Decision, HumanInput};
use crate::domain::predictions::prediction::{ChatType, Question};
use crate::state::due_timers::DuePause;
use crate::store::Order;
use crate::store::queries::executions::{self as rows, ExecutionScope, TimeSpan};
use crate::store::tables::{FLOWS, WORKSPACES};
use jiff::{SignedDuration, Timestamp};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Time after which a pause that could not be ended is tried again (manual 14.4).
const PAUSE_RETRY_SECONDS: i64 = 60;

/// What the conversation shows in the place of an answer.
const NO_ANSWER: &str = "There was no answer in time.";

/// Starts the timers of all pauses that wait, after a start of the service.
///
/// # Errors
/// When the database cannot be read.
pub fn load_pause_timers(app: &App) -> Result<()> {
    let waiting = app.store.read_messages(|tx| {
        let mut found = Vec::new();
        for workspace in WORKSPACES.list(tx)? {
            let scope = ExecutionScope::State(ExecutionState::Stopped);
            rows::walk(tx, &workspace.id, scope, TimeSpan::ALWAYS, Order::Ascending, |row| {
                found.extend(rows::find(tx, &workspace.id, &row.id)?);
                Ok(ControlFlow::Continue(()))
            })?;
        }
        Ok(found)
    })?;
    waiting.iter().for_each(|run| start_timers(app, run));
    Ok(())
}

/// Starts the timers of a run's pauses.
pub(super) fn start_timers(app: &App, run: &Execution) {
    for pause in run.pauses() {
        if let Some(ends) = pause.timeout_at {
            let (workspace, execution) = (run.workspace, run.id);
            app.state.pause_timers.add(ends, DuePause { workspace, execution, pause: pause.id });
        }
    }
}

/// Ends a pause whose time is up. One that was answered meanwhile is over already; one that cannot be ended now is tried
/// again later.
pub fn end_pause(app: &App, due: &DuePause, cancel: &CancelToken) {
    // Whoever stops this run stops no other.
    let own = cancel.child();
    match go_on(app, due, &own.token) {
        // The timers of a run that is under way are set anew when it stops.
        Ok(())
        | Err(Error::Conflict(Conflict::NothingToAnswer | Conflict::RunUnderWay) | Error::NotFound(_)) => {}
        Err(fault) => {
            tracing::warn!(error = fault.for_log(), execution = %due.execution, "a run whose pause ended failed");
            // Whether that ended the run, its record knows.
            let later = app.clock.now().saturating_add(SignedDuration::from_secs(PAUSE_RETRY_SECONDS));
            app.state.pause_timers.add(later.unwrap_or(Timestamp::MAX), *due);
        }
    }
}

fn go_on(app: &App, due: &DuePause, cancel: &CancelToken) -> Result<()> {
    let found = app.store.read_messages(|tx| {
        let run = rows::find(tx, &due.workspace, &due.execution)?;
        let Some(run) = run.filter(|run| run.pauses().any(|pause| pause.id == due.pause)) else {
            return Ok(None);
        };
        Ok(FLOWS.get(tx, &due.workspace, &run.flow)?.map(|flow| (run, flow)))
    })?;
    let Some((run, flow)) = found else { return Ok(()) };
    let input = HumanInput {
        decision: Decision::Reject,
        action: Some(due.pause.to_string()),
        node: None,
        feedback: None,
    };
    let question = Question { text: NO_ANSWER.to_owned(), human_input: Some(input), ..Question::default() };
    let (chat_type, side, asker) = if run.is_test {
        (ChatType::Internal, CanvasSide::Draft, Asker::TEST)
    } else {
        (ChatType::External, CanvasSide::Live, Asker::ANYBODY)
    };
    let name = Some(run.session).filter(|session| *session != run.chat.to_string());
    let asked = PredictionRequest { flow: Arc::new(flow), question, chat_type, side, asker };
    let within = ask::Within {
        conversation: ConversationRef::Existing(run.chat),
        name: name.map(|name| ConversationName::parse(&name.into())).transpose()?,
        path: CallPath::default(),
        started_by: StartedBy::PauseEnd(due.execution),
    };
    let entry = ask::prepare_nested(app, asked, Some(within), cancel)?;
    run::run(app, &entry, cancel, &mut NullSink).map(drop)
}
