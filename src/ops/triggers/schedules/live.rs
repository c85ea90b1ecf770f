//! A schedule belongs to the Start card of Live: it is made, changed and put aside with it, in the transaction that writes Live.

use crate::app::App;
use crate::canvas::Canvas;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::flows::version::VersionKind;
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::domain::triggers::schedule::{Schedule, ScheduleDefinition};
use crate::engine::schedule::schedule_of;
use crate::store::WriteTx;
use crate::store::queries::trigger_log;
use crate::store::tables::SCHEDULES;
use jiff::Timestamp;

/// What a canvas on its way to Live says of the flow's schedule.
pub struct LiveSchedule {
    definition: Option<ScheduleDefinition>,
    /// It gets there by a Publish, which switches a first schedule on.
    is_published: bool,
}

/// True for what counts as publishing.
const fn is_published(kind: VersionKind) -> bool {
    matches!(kind, VersionKind::Publish | VersionKind::Promote)
}

/// Reads the schedule of a canvas that is to become Live.
///
/// # Errors
/// 400 for a Publish of a schedule that nobody can keep. Another change of Live brings it along, and nothing comes of it.
pub fn read_live(app: &App, version: VersionKind, kind: FlowKind, canvas: &Canvas) -> Result<LiveSchedule> {
    let is_published = is_published(version);
    let definition = match schedule_of(kind, canvas, app.settings.schedule_seconds_min) {
        Err(why) if is_published => return Err(Error::Invalid(why)),
        read => read.unwrap_or_default(),
    };
    Ok(LiveSchedule { definition, is_published })
}

/// As [`read_live`], of a canvas that stays as it is under another kind. A text that is no canvas has no schedule.
///
/// # Errors
/// As [`read_live`].
pub fn read_live_text(app: &App, version: VersionKind, kind: FlowKind, canvas: &str) -> Result<LiveSchedule> {
    match Canvas::parse(canvas) {
        Ok(canvas) => read_live(app, version, kind, &canvas),
        Err(_) => Ok(LiveSchedule { definition: None, is_published: is_published(version) }),
    }
}

/// Puts what is kept of the schedule in line with Live. The first Publish switches it on; what gets to Live in another way is
/// off until somebody switches it on, and what is known already keeps its switch.
///
/// # Errors
/// When the database cannot be read or written.
pub fn follow_live(tx: &WriteTx, flow: &Flow, live: &LiveSchedule, now: Timestamp) -> Result<()> {
    let kept = SCHEDULES.get(tx, &flow.workspace, &flow.id)?;
    if kept.is_none() && live.definition.is_none() {
        return Ok(());
    }
    let mut schedule = kept.unwrap_or_else(|| Schedule::new(flow.workspace, flow.id, live.is_published, now));
    if schedule.definition == live.definition {
        return Ok(());
    }
    schedule.redefine(live.definition.clone(), now);
    SCHEDULES.put(tx, &flow.workspace, &flow.id, &schedule)
}

/// Forgets the schedule of a flow that goes away, and its log.
///
/// # Errors
/// When the database cannot be written.
pub fn delete_for_flow(tx: &WriteTx, workspace: &WorkspaceId, flow: &FlowId) -> Result<()> {
    SCHEDULES.remove(tx, workspace, flow)?;
    trigger_log::remove_flow(tx, flow)
}
