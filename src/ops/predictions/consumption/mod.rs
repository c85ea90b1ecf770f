//! What questions and models use, and the budgets that bind it (manual 5.15, 5.16).

mod report;

pub(crate) use self::report::report;

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, KeyId, WorkspaceId};
use crate::domain::predictions::consumption::{
    Asker, BudgetRefusal, CONSUMPTION_DAYS, ConsumptionRows, DayUse, ModelCalls, UtcDay, WorkspaceDay,
};
use crate::state::consumption::{OpenQuestion, QuestionBudgets};
use crate::store::queries::consumption as rows;
use crate::store::queries::messages::MessageBatch;
use crate::store::tables::{API_KEYS, WORKSPACES};

/// Whether budgets bind what begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BudgetForce {
    Binding,
    /// It goes on with what was admitted before.
    Counting,
}

/// Counts a question as begun.
///
/// # Errors
/// 429 when the budget of the flow, the key or the workspace has no room for it.
pub(super) fn begin(app: &App, flow: &Flow, asker: Asker, force: BudgetForce) -> Result<OpenQuestion> {
    let now = app.clock.now();
    let at = (flow.workspace, UtcDay::of(now));
    let binds = force == BudgetForce::Binding && !asker.is_test;
    let key_budget = match asker.key.filter(|_| binds) {
        Some(key) => app.store.read(|tx| API_KEYS.get(tx, &flow.workspace, &key))?.and_then(|key| key.budget),
        None => None,
    };
    let flow_budget = flow.settings.api_config.budget.filter(|_| binds);
    let workspace_budget = match binds {
        true => app.flow_cache.quota(app, &flow.workspace)?.budget,
        false => None,
    };
    let question = QuestionBudgets { at, flow: flow.id, asker, flow_budget, key_budget, workspace_budget };
    app.state.consumption.begin(&question, || stored_rows(app, at))?.map_err(|owner| {
        let opens_again = at.1.next().begins();
        let wait = opens_again.as_second().saturating_sub(now.as_second());
        let retry_after_seconds = u64::try_from(wait).unwrap_or(0).max(1);
        Error::BudgetUsedUp(BudgetRefusal { owner, opens_again, retry_after_seconds })
    })
}

/// Stores the tokens of models that were called for no question: a pipeline, or documents on their way into a vector store.
/// When it returns, they are durable.
pub(in crate::ops) fn store_calls(app: &App, flow: &Flow, calls: &ModelCalls) {
    let at = (flow.workspace, UtcDay::of(app.clock.now()));
    match app.state.consumption.add_calls(at, flow.id, calls, || stored_rows(app, at)) {
        Ok(rows) => {
            let batch = MessageBatch::empty(&flow.workspace);
            store(app, flow, batch.with_consumption(&flow.id, &ChatId::random(), &rows));
        }
        Err(fault) => log_uncounted(flow, &fault),
    }
}

/// Stores what a flow used where no answer says that it could not be. When it returns, that is durable.
pub(super) fn store(app: &App, flow: &Flow, used: MessageBatch) {
    if used.is_empty() {
        return;
    }
    match app.store.append(used) {
        // A flow that was deleted meanwhile took its numbers with it.
        Ok(()) | Err(Error::NotFound(_)) => {}
        Err(fault) => log_uncounted(flow, &fault),
    }
}

fn log_uncounted(flow: &Flow, fault: &Error) {
    tracing::warn!(error = fault.for_log(), flow = %flow.id, "what a flow used could not be counted");
}

/// What is used today of the budget of a key.
///
/// # Errors
/// When the database cannot be read.
pub(in crate::ops) fn of_key_today(app: &App, workspace: &WorkspaceId, key: &KeyId) -> Result<DayUse> {
    let at = (*workspace, UtcDay::of(app.clock.now()));
    app.state.consumption.of_key(at, key, || stored_rows(app, at))
}

/// What is used today of the budget of a workspace.
///
/// # Errors
/// When the database cannot be read.
pub(in crate::ops) fn of_workspace_today(app: &App, workspace: &WorkspaceId) -> Result<DayUse> {
    let at = (*workspace, UtcDay::of(app.clock.now()));
    app.state.consumption.of_workspace(at, || stored_rows(app, at))
}

fn stored_rows(app: &App, (workspace, day): WorkspaceDay) -> Result<ConsumptionRows> {
    app.store.read_messages(|tx| {
        let mut found = Vec::new();
        rows::scan(tx, &workspace, (day, day), |row, counted| found.push((row, counted)))?;
        Ok(found)
    })
}

/// Forgets what was counted longer ago than it is kept; how many rows.
///
/// # Errors
/// When the database cannot be read or written.
pub fn delete_expired(app: &App, cancel: &CancelToken) -> Result<usize> {
    let first = UtcDay::of(app.clock.now()).before(CONSUMPTION_DAYS - 1);
    let workspaces = app.store.read(|tx| WORKSPACES.list(tx))?;
    let mut removed = 0;
    for workspace in workspaces.iter().take_while(|_| cancel.reason().is_none()) {
        if app.store.read_messages(|tx| rows::has_before(tx, &workspace.id, first))? {
            removed += app.store.write(|tx| rows::remove_before(tx, &workspace.id, first))?;
        }
    }
    Ok(removed)
}
