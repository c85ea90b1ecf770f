//! Schedules that are due. A time is claimed in the database before its run begins, so that a crash between the two costs this
//! run and never starts it twice.

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::ids::{ExecutionId, FlowId, TriggerLogId, WorkspaceId};
use crate::domain::pipelines::run::PipelineState;
use crate::domain::predictions::prediction::Question;
use crate::domain::triggers::schedule::{DueTimes, Schedule, ScheduleInput, TriggerLog, TriggerStatus};
use crate::ops::{pipelines, predictions};
use crate::state::schedule_timers::ScheduledRunGuard;
use crate::store::queries::trigger_log;
use crate::store::tables::{FLOWS, SCHEDULES, WORKSPACES};
use crate::store::{Tx, WriteTx};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::time::Instant;

/// Rows that the log of a schedule keeps, the newest (manual 14.4).
const TRIGGER_LOG_MAX_COUNT: u64 = 1_000;
/// Schedules whose times are claimed in one commit, so that no other writer waits long (manual 14.4).
const CLAIMS_AT_ONCE: usize = 32;
/// Time after which times of schedules that could not be claimed are tried again (manual 14.4).
const CLAIM_RETRY_SECONDS: i64 = 10;

const MISSED: &str = "Missed while the service was not running, or while its clock was set forwards.";
const OVERLAPS: &str = "The run before it has not ended.";
const INTERRUPTED: &str = "The service stopped before the run ended.";
const LOST: &str = "The run ended, and how could not be stored.";
const NO_SCHEDULE: &str = "Live no longer starts by a schedule.";
const SWITCHED_OFF: &str = "The schedule was switched off before the run began.";

/// A time of a schedule that is claimed and to be run.
#[derive(Debug)]
pub struct ScheduledRun {
    pub workspace: WorkspaceId,
    pub flow: FlowId,
    /// The number of its row in the log.
    row: u64,
    /// No other run of the schedule begins while this is there.
    _under_way: ScheduledRunGuard,
}

/// Ends in the log what a crash or a stop of the service left without an end.
///
/// # Errors
/// When the database cannot be read or written.
pub fn recover(app: &App) -> Result<()> {
    let mut left = Vec::new();
    for schedule in app.store.read(all)? {
        left.extend(schedule.running.map(|_| (schedule.workspace, schedule.flow)));
    }
    for some in left.chunks(CLAIMS_AT_ONCE) {
        app.store.write(|tx| {
            for (workspace, flow) in some {
                let Some(mut schedule) = SCHEDULES.get(tx, workspace, flow)? else { continue };
                end_running(tx, &mut schedule, INTERRUPTED)?;
                SCHEDULES.put(tx, workspace, flow, &schedule)?;
            }
            Ok(())
        })?;
    }
    if !left.is_empty() {
        tracing::warn!(count = left.len(), "runs of schedules were under way when the service stopped last");
    }
    Ok(())
}

fn all(tx: &impl Tx) -> Result<Vec<Schedule>> {
    let mut found = Vec::new();
    for workspace in WORKSPACES.list(tx)? {
        found.extend(SCHEDULES.list_intact(tx, &workspace.id)?);
    }
    Ok(found)
}

/// Notes when each schedule comes next: after a start of the service, and from time to time.
///
/// # Errors
/// When the database cannot be read.
pub fn load_timers(app: &App) -> Result<()> {
    app.state.schedule_timers.read(|| {
        app.store.read(all)?.iter().for_each(|schedule| set_timer(app, schedule));
        Ok(())
    })
}

fn set_timer(app: &App, schedule: &Schedule) {
    let next = schedule.next_due(app.settings.schedule_seconds_min);
    app.state.schedule_timers.set(schedule.workspace, schedule.flow, next);
}

/// Notes when the schedule of a flow comes next, after it may have changed. One at a time: whoever read the record before a
/// change must not note it after somebody who read what changed.
pub fn rearm(app: &App, workspace: &WorkspaceId, flow: &FlowId) {
    app.state.schedule_timers.read(|| match app.store.read(|tx| SCHEDULES.get(tx, workspace, flow)) {
        Ok(Some(schedule)) => set_timer(app, &schedule),
        Ok(None) => app.state.schedule_timers.set(*workspace, *flow, None),
        Err(error) => {
            tracing::warn!(error = error.for_log(), %flow, "the schedule of a flow could not be read");
            try_later(app, *workspace, *flow);
        }
    });
}

fn try_later(app: &App, workspace: WorkspaceId, flow: FlowId) {
    let later = app.clock.now().saturating_add(SignedDuration::from_secs(CLAIM_RETRY_SECONDS));
    app.state.schedule_timers.set(workspace, flow, later.ok());
}

/// Claims what is due now. What cannot be claimed is tried again a little later.
#[must_use]
pub fn claim_due(app: &App) -> Vec<ScheduledRun> {
    let now = app.clock.now();
    let mut runs = Vec::new();
    for some in app.state.schedule_timers.take_due(now).chunks(CLAIMS_AT_ONCE) {
        claim_some(app, some, now, &mut runs);
    }
    runs
}

/// Claims the times of these in one write, and of each in its own where that fails: one schedule that cannot be claimed keeps no
/// other from its time.
fn claim_some(app: &App, some: &[(WorkspaceId, FlowId)], now: Timestamp, runs: &mut Vec<ScheduledRun>) {
    let claimed = app.store.write(|tx| {
        let claim = |(workspace, flow): &(_, _)| claim(app, tx, workspace, flow, now);
        Ok(some.iter().map(claim).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect::<Vec<_>>())
    });
    match claimed {
        Ok(claimed) => {
            runs.extend(claimed);
            some.iter().for_each(|(workspace, flow)| rearm(app, workspace, flow));
        }
        Err(_) if some.len() > 1 => some.chunks(1).for_each(|one| claim_some(app, one, now, runs)),
        Err(error) => {
            tracing::error!(error = error.for_log(), "a time of a schedule could not be claimed");
            some.iter().for_each(|(workspace, flow)| try_later(app, *workspace, *flow));
        }
    }
}

/// Claims the times of one schedule that are due, and says in its log what becomes of each.
fn claim(
    app: &App,
    tx: &WriteTx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    now: Timestamp,
) -> Result<Option<ScheduledRun>> {
    let Some(mut schedule) = SCHEDULES.get(tx, workspace, flow)? else { return Ok(None) };
    let Some(due) = schedule.due_times(app.settings.schedule_seconds_min, now) else { return Ok(None) };
    let DueTimes { run, late, missed, newest } = due;
    schedule.done_until = newest;
    let row = |scheduled_at, status, error: Option<&str>| TriggerLog {
        id: TriggerLogId::random(),
        schedule: schedule.id,
        workspace: *workspace,
        flow: *flow,
        status,
        scheduled_at,
        created: app.clock.monotonic_now(),
        execution: None,
        error: error.map(str::to_owned),
        elapsed_ms: None,
        late_seconds: None,
        count: None,
    };
    let skipped = missed.map(|(count, at)| {
        let skipped = row(at, TriggerStatus::Skipped, Some(MISSED));
        TriggerLog { count: Some(count), ..skipped }
    });
    let guard = run.and_then(|_| app.state.schedule_timers.begin(*flow));
    let begun = run.map(|at| match &guard {
        None => row(at, TriggerStatus::Skipped, Some(OVERLAPS)),
        Some(_) => TriggerLog {
            late_seconds: u64::try_from(late.as_secs()).ok().filter(|late| *late > 0),
            ..row(at, TriggerStatus::Queued, None)
        },
    });
    if let Some(skipped) = skipped {
        add(tx, &mut schedule, &skipped)?;
    }
    let mut number = 0;
    if let Some(begun) = begun {
        if guard.is_some() {
            // Nothing runs, so a row that says so was left by a run whose end could not be stored.
            end_running(tx, &mut schedule, LOST)?;
            schedule.running = Some(schedule.next_row);
            schedule.last_run = Some(app.clock.monotonic_now());
        }
        number = add(tx, &mut schedule, &begun)?;
    }
    SCHEDULES.put(tx, workspace, flow, &schedule)?;
    Ok(guard.map(|guard| ScheduledRun { workspace: *workspace, flow: *flow, row: number, _under_way: guard }))
}

/// Adds a row to the log, and removes what is beyond those that are kept. The number of the row.
fn add(tx: &WriteTx, schedule: &mut Schedule, row: &TriggerLog) -> Result<u64> {
    let number = schedule.next_row;
    schedule.next_row += 1;
    trigger_log::put(tx, number, row)?;
    let below = schedule.next_row.saturating_sub(TRIGGER_LOG_MAX_COUNT);
    trigger_log::remove_below(tx, &schedule.flow, below, schedule.running)?;
    Ok(number)
}

/// Says of the run that is under way by the log that it failed.
fn end_running(tx: &WriteTx, schedule: &mut Schedule, why: &str) -> Result<()> {
    let Some(number) = schedule.running.take() else { return Ok(()) };
    if let Some(row) = trigger_log::get(tx, &schedule.flow, number)? {
        let ended = TriggerLog { status: TriggerStatus::Failed, error: Some(why.to_owned()), ..row };
        trigger_log::put(tx, number, &ended)?;
    }
    Ok(())
}

/// Runs Live for a time that was claimed, and says in the log how that went.
pub fn run(app: &App, run: &ScheduledRun, cancel: &CancelToken) {
    let began = Instant::now();
    // Whoever stops this run stops no other.
    let own = cancel.child();
    let outcome = match begin(app, run) {
        Ok(Some((flow, _))) if flow.kind == FlowKind::Etl => run_pipeline(app, &flow, &own.token),
        Ok(Some((flow, input))) => {
            let (execution, answered) =
                predictions::run_scheduled(app, Arc::new(flow), question(input), &own.token);
            if let Err(fault) = &answered {
                tracing::warn!(error = fault.for_log(), flow = %run.flow, "a scheduled run failed");
            }
            RunOutcome::new(execution, answered)
        }
        // It is said already why there is no run.
        Ok(None) => return,
        Err(fault) => RunOutcome::new(None, Err(fault)),
    };
    let elapsed = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    if let Err(error) = app.store.write(|tx| end(tx, run, &outcome, elapsed)) {
        tracing::error!(error = error.for_log(), flow = %run.flow, "the end of a scheduled run could not be stored");
    }
}

/// What a run came to.
struct RunOutcome {
    execution: Option<ExecutionId>,
    status: TriggerStatus,
    error: Option<String>,
}

impl RunOutcome {
    fn new(execution: Option<ExecutionId>, ran: Result<()>) -> Self {
        match ran {
            Ok(()) => Self { execution, status: TriggerStatus::Succeeded, error: None },
            Err(fault) => Self { execution, status: TriggerStatus::Failed, error: Some(fault.to_string()) },
        }
    }
}

/// Runs a pipeline, whose runs are records of their own.
fn run_pipeline(app: &App, flow: &Flow, cancel: &CancelToken) -> RunOutcome {
    let (status, error) = match pipelines::run_scheduled(app, flow, cancel) {
        Ok(run) => match run.state {
            PipelineState::Finished => (TriggerStatus::Succeeded, None),
            PipelineState::Running => (TriggerStatus::Failed, Some(INTERRUPTED.to_owned())),
            PipelineState::Failed | PipelineState::Stopped => (TriggerStatus::Failed, Some(run.summary())),
        },
        // Somebody else started one that has not ended.
        Err(fault @ Error::Conflict(Conflict::PipelineUnderWay)) => {
            (TriggerStatus::Skipped, Some(fault.to_string()))
        }
        Err(Error::Cancelled) => (TriggerStatus::Failed, Some(INTERRUPTED.to_owned())),
        Err(fault) => (TriggerStatus::Failed, Some(fault.to_string())),
    };
    RunOutcome { execution: None, status, error }
}

/// What a flow starts with is what Live says when the run begins.
fn begin(app: &App, run: &ScheduledRun) -> Result<Option<(Flow, ScheduleInput)>> {
    app.store.write(|tx| {
        let Some(mut schedule) = claimed(tx, run)? else { return Ok(None) };
        let Some(flow) = FLOWS.get(tx, &run.workspace, &run.flow)? else { return Ok(None) };
        let refused = match (&schedule.definition, schedule.is_on) {
            (None, _) => Some(NO_SCHEDULE),
            (Some(_), false) => Some(SWITCHED_OFF),
            (Some(_), true) => None,
        };
        let status = if refused.is_some() { TriggerStatus::Skipped } else { TriggerStatus::Running };
        if let Some(row) = trigger_log::get(tx, &run.flow, run.row)? {
            let row = TriggerLog { status, error: refused.map(str::to_owned), ..row };
            trigger_log::put(tx, run.row, &row)?;
        }
        match (refused, &schedule.definition) {
            (None, Some(definition)) => Ok(Some((flow, definition.input.clone()))),
            _ => {
                schedule.running = None;
                SCHEDULES.put(tx, &run.workspace, &run.flow, &schedule)?;
                Ok(None)
            }
        }
    })
}

/// The schedule, unless its flow was deleted meanwhile.
fn claimed(tx: &impl Tx, run: &ScheduledRun) -> Result<Option<Schedule>> {
    let schedule = SCHEDULES.get(tx, &run.workspace, &run.flow)?;
    Ok(schedule.filter(|schedule| schedule.running == Some(run.row)))
}

fn question(input: ScheduleInput) -> Question {
    // A run without anything to say is still asked something, as every run is.
    let blank = || " ".to_owned();
    match input {
        ScheduleInput::Text(text) if !text.is_empty() => Question { text, ..Question::default() },
        ScheduleInput::Form(form) => Question { text: blank(), form: Some(form), ..Question::default() },
        ScheduleInput::Text(_) | ScheduleInput::Nothing => Question { text: blank(), ..Question::default() },
    }
}

fn end(tx: &WriteTx, run: &ScheduledRun, outcome: &RunOutcome, elapsed_ms: u64) -> Result<()> {
    let Some(mut schedule) = claimed(tx, run)? else { return Ok(()) };
    schedule.running = None;
    SCHEDULES.put(tx, &run.workspace, &run.flow, &schedule)?;
    let Some(row) = trigger_log::get(tx, &run.flow, run.row)? else { return Ok(()) };
    let ended = TriggerLog {
        status: outcome.status,
        execution: outcome.execution,
        error: outcome.error.clone(),
        elapsed_ms: Some(elapsed_ms),
        ..row
    };
    trigger_log::put(tx, run.row, &ended)
}
