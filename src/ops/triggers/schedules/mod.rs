//! Schedules of flows (manual 16.7): what people see of them and switch. How they follow Live is in `live.rs`, how they run in
//! `runs.rs`.

mod live;
mod runs;

pub use self::live::{LiveSchedule, delete_for_flow, follow_live, read_live, read_live_text};
pub use self::runs::{ScheduledRun, claim_due, load_timers, rearm, recover, run};

use crate::app::App;
use crate::canvas::Canvas;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::ids::{ExecutionId, FlowId, TriggerLogId};
use crate::domain::paging::PageRequest;
use crate::domain::triggers::schedule::{
    DeletedLogs, DraftSchedule, Schedule, ScheduleDefinition, ScheduleDetails, ScheduleStatus, TriggerLog,
    TriggerStatus,
};
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::engine::schedule::schedule_of;
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::flows::drafts;
use crate::ops::predictions::executions;
use crate::ops::workspace::audit;
use crate::store::Tx;
use crate::store::queries::trigger_log;
use crate::store::tables::{CANVASES, SCHEDULES};

/// Rows of one page of the log of a schedule (manual 14.4).
pub const TRIGGER_LOG_PAGE_MAX: usize = 100;

/// `GET /chatflows/:id/schedule/status`
///
/// # Errors
/// 404 or 403, as [`access::flow`].
pub fn status(app: &App, caller: &Caller, id: &FlowId) -> Result<ScheduleStatus> {
    let seconds_min = app.settings.schedule_seconds_min;
    app.store.read(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Read)?;
        let kept = SCHEDULES.get(tx, &flow.workspace, id)?;
        let starts_with_publish = kept.as_ref().is_none_or(|kept| kept.is_on && kept.definition.is_none());
        let details = kept.and_then(|kept| ScheduleDetails::new(flow.kind, kept, seconds_min));
        let obstacle = match &details {
            Some(known) => known.schedule.obstacle(seconds_min, app.clock.now()),
            None => live_definition(app, tx, &flow)?.err(),
        };
        let live = details.as_ref().map(|details| &details.definition);
        let draft = draft_schedule(app, tx, &flow, live)?;
        Ok(ScheduleStatus { details, obstacle, starts_with_publish, draft })
    })
}

/// The schedule that Live says, or why there is none.
fn live_definition(
    app: &App,
    tx: &impl Tx,
    flow: &Flow,
) -> Result<std::result::Result<ScheduleDefinition, String>> {
    if flow.card_count == 0 {
        return Ok(Err("Nothing of this flow is published.".to_owned()));
    }
    let text = CANVASES.get(tx, &flow.workspace, &flow.id)?.unwrap_or_default();
    let canvas = Canvas::parse(&text).map_err(|fault| Error::Invalid(fault.to_string()))?;
    let read = schedule_of(flow.kind, &canvas, app.settings.schedule_seconds_min);
    Ok(read.and_then(|found| found.ok_or_else(|| "Live does not start by a schedule.".to_owned())))
}

/// The schedule that unpublished changes say, where it comes at other times than that of Live.
fn draft_schedule(
    app: &App,
    tx: &impl Tx,
    flow: &Flow,
    live: Option<&ScheduleDefinition>,
) -> Result<Option<DraftSchedule>> {
    let Some((_, text)) = drafts::find_current(app, tx, flow)? else { return Ok(None) };
    let seconds_min = app.settings.schedule_seconds_min;
    // What is wrong with it is told where it is drawn.
    let drawn =
        Canvas::parse(&text).ok().and_then(|canvas| schedule_of(flow.kind, &canvas, seconds_min).ok());
    let other = drawn.flatten().filter(|drawn| live.is_none_or(|live| !live.has_times_of(drawn)));
    Ok(other.map(|drawn| DraftSchedule::new(drawn, seconds_min, app.clock.now())))
}

/// `PATCH /chatflows/:id/schedule/enabled`
///
/// # Errors
/// 404 or 403, as [`access::flow`]; 404 when Live has no schedule; 400 when nothing would come of it.
pub fn set_enabled(app: &App, caller: &Caller, id: &FlowId, is_on: bool) -> Result<ScheduleDetails> {
    let (now, seconds_min) = (app.clock.now(), app.settings.schedule_seconds_min);
    let details = app.store.write(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Update)?;
        let mut schedule = SCHEDULES
            .get(tx, &flow.workspace, id)?
            .unwrap_or_else(|| Schedule::new(flow.workspace, *id, false, now));
        if schedule.definition.is_none() {
            // What could not be kept when it became Live may be good by now: the operator may allow more.
            match live_definition(app, tx, &flow)? {
                Ok(definition) => schedule.redefine(Some(definition), now),
                Err(why) => return Err(Error::NotFound(format!("This flow has no schedule: {why}"))),
            }
        }
        let obstacle = schedule.obstacle(seconds_min, now);
        if let Some(why) = obstacle.filter(|_| is_on) {
            return Err(Error::Invalid(why));
        }
        if schedule.is_on != is_on {
            let action =
                if is_on { AuditAction::ScheduleSwitchedOn } else { AuditAction::ScheduleSwitchedOff };
            let entry = AuditEntry::by_caller(caller, action, app.clock.monotonic_now());
            audit::record(tx, &entry.with_target(AuditTargetKind::Flow, flow.id, &flow.name))?;
        }
        schedule.switch(is_on, now);
        SCHEDULES.put(tx, &flow.workspace, id, &schedule)?;
        ScheduleDetails::new(flow.kind, schedule, seconds_min)
            .ok_or_else(|| Error::internal("a schedule that was switched has no times"))
    })?;
    rearm(app, &caller.workspace, id);
    tracing::info!(flow = %id, on = is_on, by = %caller.principal, "a schedule was switched");
    Ok(details)
}

/// A page of the log of a schedule.
pub struct TriggerLogPage {
    /// Of the flow that it starts.
    pub kind: FlowKind,
    /// Newest first.
    pub rows: Vec<TriggerLog>,
    /// How many rows there are in the states that were asked for.
    pub total: usize,
}

/// `GET /chatflows/:id/schedule/trigger-logs`
///
/// # Errors
/// 404 or 403, as [`access::flow`].
pub fn logs(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    statuses: &[TriggerStatus],
    page: PageRequest,
) -> Result<TriggerLogPage> {
    app.store.read(|tx| {
        let kind = access::flow(tx, caller, id, FlowAction::Read)?.kind;
        let (rows, total) = trigger_log::list(tx, id, statuses, page.range(usize::MAX))?;
        Ok(TriggerLogPage { kind, rows, total })
    })
}

/// The permission to delete records of runs.
const DELETE_RUNS: &str = "executions:delete";

/// `DELETE /chatflows/:id/schedule/trigger-logs`: removes those rows of the log that are there, with the records of their runs.
/// The row of a run that is under way stays.
///
/// # Errors
/// 400 when none is named; 404 or 403, as [`access::flow`]; 403 for runs whose records the caller may not delete.
pub fn delete_logs(app: &App, caller: &Caller, id: &FlowId, named: &[TriggerLogId]) -> Result<DeletedLogs> {
    let (rows, runs) = app.store.write(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Update)?;
        let running = SCHEDULES.get(tx, &flow.workspace, id)?.and_then(|schedule| schedule.running);
        let mut rows = trigger_log::find(tx, id, named)?;
        rows.retain(|(number, _)| Some(*number) != running);
        let runs: Vec<ExecutionId> = rows.iter().filter_map(|(_, row)| row.execution).collect();
        if !runs.is_empty() && !caller.permissions.has(DELETE_RUNS) {
            let why = "the records of their runs go with the rows";
            return Err(Error::Forbidden(format!("This needs the permission {DELETE_RUNS}, because {why}.")));
        }
        rows.iter().try_for_each(|(number, _)| trigger_log::remove(tx, id, *number))?;
        Ok((rows.len(), runs))
    })?;
    let runs = if runs.is_empty() { 0 } else { executions::delete_each(app, caller, &runs)? };
    Ok(DeletedLogs { rows, runs })
}
