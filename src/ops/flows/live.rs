//! The one way to Live: every write of a flow record or its canvas goes through here, settles the draft in the
//! same transaction, and is recorded as a version.
//!
//! Order: first the recorder's lock, then the database. Versions so appear in the order in which Live changed,
//! and a recorder that holds the lock sees no other change of Live. The transaction that writes Live also writes
//! an intent: what is to be recorded. After a crash between database and history the intent is recorded at the
//! next start, exactly once (`outbox.rs`).

pub mod harnesses;
mod intent;
mod parsed_canvas;
pub(crate) mod precondition;
pub(crate) mod versions;

pub use self::parsed_canvas::ParsedCanvas;
use super::drafts;
use super::outbox;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::draft::LastPublish;
use crate::domain::flows::flow::{CanvasDigest, Flow};
use crate::domain::flows::live_version::{LiveVersion, VersionName};
use crate::domain::flows::record_result::RecordResult;
use crate::domain::flows::version::{NewVersion, Sha, Version, VersionKind};
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::accounts::membership;
use crate::ops::checks::kept;
use crate::ops::conversations::chunks;
use crate::ops::conversations::named_sessions;
use crate::ops::pipelines;
use crate::ops::predictions::executions;
use crate::ops::triggers::mcp;
use crate::ops::triggers::schedules;
use crate::ops::triggers::webhooks;
use crate::ops::workspace::audit;
use crate::ops::workspace::credential_destinations;
use crate::ops::workspace::quota;
use crate::store::queries::{answers, leads, messages};
use crate::store::tables::{CANVASES, FLOW_LAST_WORKSPACE, FLOW_WORKSPACE, FLOWS, UPSERTS};
use crate::store::{ReadTx, Tx, WriteTx};
use jiff::{SignedDuration, Timestamp};

/// Where a change of Live comes from, which decides its title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeOrigin {
    /// A person or key edited it.
    Edit,
    File,
    /// An older version of this flow.
    Version {
        title: String,
        sha: Sha,
    },
    /// A version of this flow on another server.
    Dev {
        title: String,
        sha: Sha,
    },
}

/// What must hold in the transaction that writes Live, beside what always must: its failure leaves everything as it is.
pub type LiveGuard<'a> = dyn Fn(&WriteTx) -> Result<()> + 'a;

/// How an operation gets the record it wants from the one that is there.
pub type RecordEdit<'a> = dyn Fn(&ReadTx, Flow) -> Result<Flow> + 'a;

pub struct LiveChange<'a> {
    pub flow: &'a FlowId,
    /// What kind of version it makes.
    pub kind: VersionKind,
    /// Where it comes from.
    pub origin: ChangeOrigin,
    /// The Live its author saw; another one by now is a conflict. `None` writes over whatever is there.
    pub expected_live: Option<CanvasDigest>,
    /// The new canvas; `None` keeps the old one.
    pub canvas: Option<&'a ParsedCanvas>,
    pub edit: &'a RecordEdit<'a>,
    /// The draft that is being published: it is cleared if it is still the same.
    pub published_draft: Option<CanvasDigest>,
    pub guard: Option<&'a LiveGuard<'a>>,
}

/// A flow to be made.
pub struct NewFlow<'a> {
    pub flow: Flow,
    pub canvas: &'a ParsedCanvas,
    pub draft: Option<&'a ParsedCanvas>,
    pub origin: ChangeOrigin,
    pub guard: Option<&'a LiveGuard<'a>>,
}

/// What a write of Live came to.
#[derive(Debug)]
pub struct LiveUpdate {
    /// The flow as it is now.
    pub flow: Flow,
    pub record_result: RecordResult,
}

/// Two saves within one millisecond still differ, so that a page can tell them apart.
#[must_use]
pub fn later(now: Timestamp, before: Timestamp) -> Timestamp {
    now.max(before + SignedDuration::from_millis(1))
}

/// The workspace to which the id of a flow belongs, whether the flow is still there or was deleted: what is found by the
/// id alone, its versions and the pages that embed it, must not become another workspace's.
///
/// # Errors
/// When the database cannot be read.
pub fn workspace_of_id(app: &App, id: &FlowId) -> Result<Option<WorkspaceId>> {
    if let Some(owner) = app.store.read(|tx| stored_workspace_of(tx, id))? {
        return Ok(Some(owner));
    }
    // Flows deleted before owners of ids were noted: there was one workspace then. A history that cannot be read
    // may hold one.
    match app.history.newest(id) {
        Ok(None) => Ok(None),
        Ok(Some(_)) | Err(_) => {
            app.store.read(|tx| Ok(Some(membership::organization(tx)?.default_workspace)))
        }
    }
}

/// As [`workspace_of_id`], as far as the database knows.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn stored_workspace_of(tx: &impl Tx, id: &FlowId) -> Result<Option<WorkspaceId>> {
    match FLOW_WORKSPACE.get(tx, id)? {
        None => FLOW_LAST_WORKSPACE.get(tx, id),
        home => Ok(home),
    }
}

/// Makes a flow.
///
/// # Errors
/// 409 when its id is in use, or was in use in another workspace, and when the quota of the workspace is full; when the database cannot be written.
pub fn create(app: &App, caller: &Caller, new: NewFlow<'_>) -> Result<LiveUpdate> {
    let NewFlow { mut flow, canvas, draft, origin, guard } = new;
    canvas.update_record(&mut flow);
    harnesses::judge(&mut flow, canvas.canvas())?;
    let recorder = outbox::lock_recorder(app);
    let kind = match origin {
        ChangeOrigin::Dev { .. } => VersionKind::Promote,
        _ => VersionKind::Create,
    };
    let change = match &recorder {
        Some(_) => Some(intent::of_creation(app, caller, &mut flow, canvas, (kind, &origin))?),
        None => None,
    };
    let schedule = schedules::read_live(app, kind, flow.kind, canvas.canvas())?;
    app.store.write(|tx| {
        guard.map_or(Ok(()), |guard| guard(tx))?;
        let is_others = stored_workspace_of(tx, &flow.id)?.is_some_and(|owner| owner != flow.workspace);
        if is_others || FLOW_WORKSPACE.get(tx, &flow.id)?.is_some() {
            return Err(Conflict::IdTaken.into());
        }
        let home = membership::require_workspace(tx, &flow.workspace)?;
        quota::admit_flows(tx, &home.id, &home.quota.unwrap_or_default(), 1)?;
        harnesses::require_free_name(tx, &flow)?;
        let drawn = std::iter::once(canvas).chain(draft);
        let mut sent: Vec<_> =
            drawn.flat_map(|canvas| credential_destinations::of_canvas(canvas.canvas())).collect();
        sent.extend(credential_destinations::of_settings(&flow.settings));
        credential_destinations::check_and_remember(tx, caller, &sent, || Ok(Vec::new()))?;
        pipelines::check_stores(tx, caller, None, canvas.canvas())?;
        FLOW_LAST_WORKSPACE.remove(tx, &flow.id)?;
        FLOW_WORKSPACE.put(tx, &flow.id, &flow.workspace)?;
        put(tx, &flow, Some(canvas))?;
        schedules::follow_live(tx, &flow, &schedule, app.clock.now())?;
        if let Some(draft) = draft {
            drafts::create_first(tx, &flow, draft, caller)?;
        }
        if let Some(action) = audit_action(kind, &origin) {
            let entry = AuditEntry::by_caller(caller, action, app.clock.now());
            audit::record(tx, &entry.with_target(AuditTargetKind::Flow, flow.id, &flow.name))?;
        }
        outbox::put(tx, change.as_ref())
    })?;
    schedules::rearm(app, &flow.workspace, &flow.id);
    app.state.metrics.flows_created(flow.kind).increment();
    app.state.metrics.live_changes(kind).increment();
    let recorded = outbox::record(app, recorder, change, &flow);
    Ok(LiveUpdate { flow, record_result: recorded })
}

/// A save straight to Live (manual 5.9): an open draft turns stale.
///
/// # Errors
/// 404, and what `edit` refuses; 409 when the kind changes over unpublished changes.
pub fn save(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    canvas: Option<&ParsedCanvas>,
    edit: &RecordEdit<'_>,
    origin: ChangeOrigin,
) -> Result<LiveUpdate> {
    let change = LiveChange {
        flow: id,
        kind: VersionKind::Save,
        origin,
        expected_live: None,
        canvas,
        edit,
        published_draft: None,
        guard: None,
    };
    write(app, caller, &change)
}

/// How often a write looks again at a record that changed under it: only settings can, while the lock is held.
const TRIES_MAX: u32 = 16;

/// Writes Live, settles the draft in the same transaction, then records the version.
///
/// # Errors
/// 404; 409 when Live is not what was seen; what `edit` refuses.
pub fn write(app: &App, caller: &Caller, change: &LiveChange<'_>) -> Result<LiveUpdate> {
    let recorder = outbox::lock_recorder(app);
    for _ in 0..TRIES_MAX {
        let (before, canvas_before, mut after) =
            app.store.read(|tx| load_before(tx, &caller.workspace, change))?;
        let canvas_after = change.canvas.map_or(canvas_before.as_str(), ParsedCanvas::text);
        match change.canvas {
            Some(canvas) => canvas.update_record(&mut after),
            // The digest covers the kind, so a flow that changes kind has another Live with the same canvas.
            None => after.digest = CanvasDigest::compute(after.kind, canvas_after),
        }
        harnesses::follow(&before, &mut after, change.canvas, canvas_after)?;
        if change.kind.is_last_publish() {
            after.last_published = Some(LastPublish { sha: None, date: after.updated });
        }
        let schedule = match change.canvas {
            Some(canvas) => Some(schedules::read_live(app, change.kind, after.kind, canvas.canvas())?),
            None if after.kind == before.kind => None,
            None => Some(schedules::read_live_text(app, change.kind, after.kind, canvas_after)?),
        };
        let intent = if recorder.is_some() {
            intent::of_change(app, caller, change, (&before, &canvas_before), (&mut after, canvas_after))?
        } else {
            intent::forget_version_if_changed(&before, &mut after);
            None
        };
        let written = app.store.write(|tx| {
            if FLOWS.get(tx, &caller.workspace, change.flow)?.as_ref() != Some(&before) {
                return Ok(false);
            }
            change.guard.map_or(Ok(()), |guard| guard(tx))?;
            check_destinations(tx, caller, (&before, &after), change.canvas)?;
            harnesses::require_free_name(tx, &after)?;
            update_draft(tx, &before, &after, change)?;
            put(tx, &after, change.canvas)?;
            if let Some(schedule) = &schedule {
                schedules::follow_live(tx, &after, schedule, app.clock.now())?;
            }
            outbox::put(tx, intent.as_ref())?;
            if let Some(action) = audit_action(change.kind, &change.origin) {
                let entry = AuditEntry::by_caller(caller, action, app.clock.monotonic_now());
                audit::record(tx, &entry.with_target(AuditTargetKind::Flow, after.id, &after.name))?;
            }
            Ok(true)
        })?;
        if written {
            if after.digest != before.digest {
                app.state.reply_cache.evict(&after.workspace, &after.id);
                schedules::rearm(app, &after.workspace, &after.id);
            }
            app.state.metrics.live_changes(change.kind).increment();
            let recorded = outbox::record(app, recorder, intent, &after);
            return Ok(LiveUpdate {
                flow: outbox::with_version(&after, change.kind, &recorded),
                record_result: recorded,
            });
        }
    }
    Err(change_conflict(change.kind).into())
}

fn load_before(
    tx: &ReadTx,
    workspace: &WorkspaceId,
    change: &LiveChange<'_>,
) -> Result<(Flow, String, Flow)> {
    let before = FLOWS.get(tx, workspace, change.flow)?.ok_or_else(|| Error::no_flow(change.flow))?;
    if change.expected_live.is_some_and(|seen| seen != before.digest) {
        return Err(change_conflict(change.kind).into());
    }
    let canvas = CANVASES.get(tx, workspace, change.flow)?.unwrap_or_default();
    let after = (change.edit)(tx, before.clone())?;
    if after.kind != before.kind && drafts::find(tx, &before)?.is_some() {
        return Err(Conflict::KindChangeWithDraft.into());
    }
    Ok((before, canvas, after))
}

/// The 409 of a Live that moved (manual 5.7 r4).
const fn change_conflict(kind: VersionKind) -> Conflict {
    match kind {
        VersionKind::Publish => Conflict::LiveChangedWhilePublishing,
        _ => Conflict::LiveChangedWhileSaving,
    }
}

/// Which changes of Live the list of owner actions tells of: plain saves are in the history alone.
const fn audit_action(kind: VersionKind, origin: &ChangeOrigin) -> Option<AuditAction> {
    match kind {
        VersionKind::Create | VersionKind::Save if matches!(origin, ChangeOrigin::File) => {
            Some(AuditAction::FlowImported)
        }
        VersionKind::Create => Some(AuditAction::FlowCreated),
        VersionKind::Promote => Some(AuditAction::FlowPromoted),
        VersionKind::Publish => Some(AuditAction::FlowPublished),
        VersionKind::Rollback => Some(AuditAction::FlowRolledBack),
        VersionKind::Restore => Some(AuditAction::FlowRestored),
        _ => None,
    }
}

/// Settles where the credentials of a changed flow are sent, and which document stores it may fill: of what the change says, not of what stays as it was.
fn check_destinations(
    tx: &WriteTx,
    caller: &Caller,
    (before, after): (&Flow, &Flow),
    canvas: Option<&ParsedCanvas>,
) -> Result<()> {
    let mut sent =
        canvas.map(|canvas| credential_destinations::of_canvas(canvas.canvas())).unwrap_or_default();
    if after.settings != before.settings {
        sent.extend(credential_destinations::of_settings(&after.settings));
    }
    credential_destinations::check_and_remember(tx, caller, &sent, || {
        credential_destinations::of_flow(tx, before)
    })?;
    canvas.map_or(Ok(()), |canvas| pipelines::check_stores(tx, caller, Some(before), canvas.canvas()))
}

/// What becomes of the draft (manual 5.9).
fn update_draft(tx: &WriteTx, before: &Flow, after: &Flow, change: &LiveChange<'_>) -> Result<()> {
    let Some(draft) = drafts::find(tx, before)? else { return Ok(()) };
    if after.kind != before.kind {
        return Err(Conflict::KindChangeWithDraft.into());
    }
    // Asked again here: a draft may have been saved since the settings were read.
    if after.settings.publish_instantly && !before.settings.publish_instantly {
        return Err(Conflict::DraftInTheWay.into());
    }
    match change.kind {
        VersionKind::Publish if change.published_draft == Some(draft.digest) => drafts::remove(tx, before),
        // A newer draft saved during a publish, and every draft during a roll back, goes on from the new Live.
        VersionKind::Publish | VersionKind::Rollback => drafts::rebase(tx, draft, after.digest),
        _ => Ok(()),
    }
}

fn put(tx: &WriteTx, flow: &Flow, canvas: Option<&ParsedCanvas>) -> Result<()> {
    if let Some(canvas) = canvas {
        CANVASES.put(tx, &flow.workspace, &flow.id, canvas.text())?;
    }
    FLOWS.put(tx, &flow.workspace, &flow.id, flow)
}

/// Notes on the flow which version its change became: as what answers, and as the last Publish or Roll back, if no later change took
/// its place. `flow` is as the change left it.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn note_version(tx: &WriteTx, flow: &Flow, kind: VersionKind, version: &Version) -> Result<()> {
    let Some(mut current) = FLOWS.get(tx, &flow.workspace, &flow.id)? else { return Ok(()) };
    let mut is_noted = false;
    if let (true, Some(last), Some(noted)) =
        (kind.is_last_publish(), &mut current.last_published, &flow.last_published)
        && last.date == noted.date
        && last.sha.is_none()
    {
        last.sha = Some(version.sha.to_string());
        is_noted = true;
    }
    let name = VersionName::from(version);
    // Where the change itself could not be recorded, the next version holds it as well.
    if let Some(live) = flow.live_version.filter(|live| live.name.is_none()) {
        answers::put_name(tx, &flow.id, &live.change, &name)?;
        if current.live_version == Some(live) {
            current.live_version = Some(LiveVersion { name: Some(name), ..live });
            is_noted = true;
        }
    }
    if is_noted { FLOWS.put(tx, &flow.workspace, &flow.id, &current) } else { Ok(()) }
}

/// As [`note_version`], for a version that was recorded after a crash: it is the one of a Publish that came before its intent
/// was written, and of no later one.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn note_replayed_version(tx: &WriteTx, change: &NewVersion, version: &Version) -> Result<()> {
    let id = change.content.flow();
    let Some(workspace) = FLOW_WORKSPACE.get(tx, &id)? else { return Ok(()) };
    let Some(mut flow) = FLOWS.get(tx, &workspace, &id)? else { return Ok(()) };
    if flow.last_published.as_ref().is_some_and(|last| last.date > change.date) {
        flow.last_published = None;
    }
    flow.live_version = Some(LiveVersion::unrecorded(change.intent));
    note_version(tx, &flow, change.kind, version)
}

/// Notes which version answers where that was not known, or is another one by now; nothing when Live changed since `seen`.
///
/// # Errors
/// When the database cannot be written.
pub(super) fn set_live_version(tx: &WriteTx, seen: &Flow, found: Option<LiveVersion>) -> Result<()> {
    let Some(current) = FLOWS.get(tx, &seen.workspace, &seen.id)? else { return Ok(()) };
    if current.live_version != seen.live_version || current.digest != seen.digest || current.name != seen.name
    {
        return Ok(());
    }
    if let Some(LiveVersion { change, name: Some(name) }) = &found {
        answers::put_name(tx, &seen.id, change, name)?;
    }
    FLOWS.put(tx, &seen.workspace, &seen.id, &Flow { live_version: found, ..current })
}

/// Deletes a flow with its canvas, its draft, its conversations and its files. `permit` judges the record first.
///
/// # Errors
/// 404 when the workspace has no such flow; what `permit` refuses.
pub fn delete(app: &App, caller: &Caller, id: &FlowId, permit: impl Fn(&Flow) -> Result<()>) -> Result<()> {
    let workspace = &caller.workspace;
    let recorder = outbox::lock_recorder(app);
    let flow = app.store.read(|tx| FLOWS.get(tx, workspace, id))?.ok_or_else(|| Error::no_flow(id))?;
    permit(&flow)?;
    let change = recorder.is_some().then(|| intent::of_deletion(app, caller, &flow));
    app.store.write(|tx| {
        let flow = FLOWS.get(tx, workspace, id)?.ok_or_else(|| Error::no_flow(id))?;
        permit(&flow)?;
        messages::remove_flow(tx, workspace, id)?;
        leads::remove_flow(tx, workspace, id)?;
        named_sessions::delete_for_flow(tx, workspace, id)?;
        executions::unlink_flow(tx, workspace, id)?;
        webhooks::remove_flow(tx, &flow)?;
        mcp::remove_flow(tx, &flow)?;
        kept::delete_for_flow(tx, workspace, id)?;
        drafts::remove(tx, &flow)?;
        schedules::delete_for_flow(tx, workspace, id)?;
        pipelines::delete_for_flow(tx, &flow)?;
        UPSERTS.remove(tx, workspace, id)?;
        CANVASES.remove(tx, workspace, id)?;
        FLOWS.remove(tx, workspace, id)?;
        FLOW_WORKSPACE.remove(tx, id)?;
        FLOW_LAST_WORKSPACE.put(tx, id, workspace)?;
        let entry = AuditEntry::by_caller(caller, AuditAction::FlowDeleted, app.clock.monotonic_now());
        audit::record(tx, &entry.with_target(AuditTargetKind::Flow, id, &flow.name))?;
        outbox::put(tx, change.as_ref())
    })?;
    // Nobody can read what is still being answered, and each further call of a model is paid for.
    app.state.active_runs.abort_flow(*id);
    app.state.checks.forget(id);
    app.state.pipelines.stop_flow(id);
    app.state.reply_cache.evict(workspace, id);
    app.state.refused_origins.forget(id);
    app.conversation_counts.forget(id);
    app.state.schedule_timers.set(*workspace, *id, None);
    app.state.vector_indexes.evict(workspace, id.bytes());
    app.state.metrics.live_changes(VersionKind::Delete).increment();
    outbox::record(app, recorder, change, &flow);
    app.chat_files.remove_flow(workspace, id);
    chunks::delete_for_flow(app, workspace, id);
    executions::delete_for_flow(app, workspace, id);
    app.files.remove_flow(workspace, id);
    app.pipeline_files.remove_flow(workspace, id);
    Ok(())
}
