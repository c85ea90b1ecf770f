//! The one door to Live: every write of a flow record or its canvas goes through here, settles the draft in the
//! same transaction, and is recorded as a version.
//!
//! Order: first the recorder's lock, then the database. Versions so appear in the order in which Live changed,
//! and a recorder that holds the lock sees no other change of Live. The transaction that writes Live also writes
//! an intent: what is to be recorded. After a crash between database and history the intent is recorded at the
//! next start, exactly once (`outbox.rs`).

use super::audit;
use super::chat_passages;
use super::destinations;
use super::drafts;
use super::named_sessions;
use super::outbox::{self, Recorded};
use super::places;
use super::snapshot::Snapshot;
use super::titles::{self, Before, Told};
use crate::app::App;
use crate::canvas::{Canvas, describe};
use crate::cards::registry::Registry;
use crate::domain::audit::{Action, Entry, Kind};
use crate::domain::caller::{Caller, Principal};
use crate::domain::draft::LastPublished;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flow::{CanvasDigest, Flow};
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::domain::secrets::hide;
use crate::domain::version::{Author, Change, Content, Sha, VersionKind};
use crate::store::tables::{CANVASES, FILLINGS, FLOW_HOME, FLOW_LAST_HOME, FLOWS};
use crate::store::{ReadTx, Tx, WriteTx, leads, messages};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

/// A checked canvas on its way to Live or into a draft.
#[derive(Debug, Clone)]
pub struct NewCanvas {
    text: String,
    parsed: Canvas,
}

impl NewCanvas {
    /// Checks a canvas text (manual 5.4 r3). What is no part of a canvas is left out; a text without any stays as it was sent,
    /// to the byte.
    ///
    /// # Errors
    /// 400 when it is not JSON text with the lists `nodes` and `edges`.
    pub fn check(text: String) -> Result<Self> {
        let parsed = Canvas::parse(&text).and_then(|canvas| canvas.without_foreign(&Registry));
        let (parsed, left_out) = parsed.map_err(|fault| Error::Invalid(fault.to_string()))?;
        let text = if left_out.is_empty() {
            text
        } else {
            serde_json::to_string(parsed.raw()).map_err(Error::internal)?
        };
        Ok(Self { text, parsed })
    }

    /// The canvas of a flow nobody has drawn yet.
    #[must_use]
    pub fn empty() -> Self {
        Self::check(r#"{"nodes":[],"edges":[]}"#.to_owned()).expect("an empty canvas is a canvas")
    }

    /// How many cards it holds.
    #[must_use]
    pub fn card_count(&self) -> u32 {
        self.parsed.card_count()
    }

    /// What it holds.
    #[must_use]
    pub const fn parsed(&self) -> &Canvas {
        &self.parsed
    }

    /// Puts what the record says about its canvas in line with this one.
    pub fn describe(&self, flow: &mut Flow) {
        flow.digest = CanvasDigest::of(flow.kind, &self.text);
        flow.card_count = self.parsed.card_count();
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Where a change of Live comes from, which decides its title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A person or key edited it.
    Edit,
    /// A file was imported.
    File,
    /// An older version of this flow.
    Version {
        /// Its title.
        title: String,
        /// Its id.
        sha: Sha,
    },
}

/// How an operation gets the record it wants from the one that is there.
pub type Edit<'a> = dyn Fn(&ReadTx, Flow) -> Result<Flow> + 'a;

/// A change of Live.
pub struct LiveChange<'a> {
    /// The flow.
    pub flow: &'a FlowId,
    /// What kind of version it makes.
    pub kind: VersionKind,
    /// Where it comes from.
    pub origin: Origin,
    /// The Live its author saw; another one by now is a conflict. `None` writes over whatever is there.
    pub seen: Option<CanvasDigest>,
    /// The new canvas; `None` keeps the old one.
    pub canvas: Option<&'a NewCanvas>,
    /// The new record.
    pub edit: &'a Edit<'a>,
    /// The draft that is being published: it is cleared if it is still the same.
    pub publishes: Option<CanvasDigest>,
}

/// What a write of Live came to.
#[derive(Debug)]
pub struct Written {
    /// The flow as it is now.
    pub flow: Flow,
    /// What history made of it.
    pub recorded: Recorded,
}

/// Two saves within one millisecond still differ, so that a page can tell them apart.
#[must_use]
pub fn later(now: Timestamp, before: Timestamp) -> Timestamp {
    now.max(before + SignedDuration::from_millis(1))
}

/// The author of a version (manual 6.1): the person, or the service for keys.
#[must_use]
pub fn author(caller: &Caller) -> Author {
    match &caller.principal {
        Principal::User { id, name, .. } => Author::person(hide(name).text, *id),
        Principal::Key { .. } | Principal::Operator => Author::system(),
    }
}

/// The workspace to which the id of a flow belongs, whether the flow is still there or was deleted: what is found by the
/// id alone, its versions and the pages that embed it, must not become another workspace's.
///
/// # Errors
/// When the database cannot be read.
pub fn owner_of_id(app: &App, id: &FlowId) -> Result<Option<WorkspaceId>> {
    if let Some(owner) = app.store.read(|tx| noted_owner(tx, id))? {
        return Ok(Some(owner));
    }
    // Flows deleted before owners of ids were noted: there was one workspace then. A history that cannot be read
    // may hold one.
    match app.history.newest(id) {
        Ok(None) => Ok(None),
        Ok(Some(_)) | Err(_) => app.store.read(|tx| Ok(Some(places::organization(tx)?.default_workspace))),
    }
}

fn noted_owner(tx: &impl Tx, id: &FlowId) -> Result<Option<WorkspaceId>> {
    match FLOW_HOME.get(tx, id)? {
        None => FLOW_LAST_HOME.get(tx, id),
        home => Ok(home),
    }
}

/// Makes a flow.
///
/// # Errors
/// 409 when its id is in use, or was in use in another workspace; when the database cannot be written.
pub fn create(
    app: &App,
    caller: &Caller,
    mut flow: Flow,
    canvas: &NewCanvas,
    draft: Option<&NewCanvas>,
    origin: &Origin,
) -> Result<Written> {
    canvas.describe(&mut flow);
    let recorder = outbox::turn(app);
    let change = match &recorder {
        Some(_) => {
            let taken = Snapshot::take(app, &flow, canvas.text())?;
            let told = titles::tell(VersionKind::Create, origin, None, &taken, &flow.settings);
            Some(intent(app, caller, VersionKind::Create, &taken, told)?)
        }
        None => None,
    };
    app.store.write(|tx| {
        let is_others = noted_owner(tx, &flow.id)?.is_some_and(|owner| owner != flow.workspace);
        if is_others || FLOW_HOME.get(tx, &flow.id)?.is_some() {
            return Err(Conflict::IdTaken.into());
        }
        places::must_stand(tx, &flow.workspace)?;
        let drawn = std::iter::once(canvas).chain(draft);
        let mut sent: Vec<_> = drawn.flat_map(|canvas| destinations::of_canvas(canvas.parsed())).collect();
        sent.extend(destinations::of_settings(&flow.settings));
        destinations::settle(tx, caller, &sent, || Ok(Vec::new()))?;
        FLOW_LAST_HOME.remove(tx, &flow.id)?;
        FLOW_HOME.put(tx, &flow.id, &flow.workspace)?;
        put(tx, &flow, Some(canvas))?;
        if let Some(draft) = draft {
            drafts::start(tx, &flow, draft, caller)?;
        }
        if let Some(action) = told_in_audit(VersionKind::Create, origin) {
            let entry = Entry::by(caller, action, app.clock.now());
            audit::note(tx, &entry.on(Kind::Flow, flow.id, &flow.name))?;
        }
        outbox::put(tx, change.as_ref())
    })?;
    app.boards.metrics.flows_made(flow.kind).count();
    app.boards.metrics.live(VersionKind::Create).count();
    let recorded = outbox::record(app, recorder, change, &flow);
    Ok(Written { flow, recorded })
}

/// A save straight to Live (manual 5.9): an open draft turns stale.
///
/// # Errors
/// 404, and what `edit` refuses; 409 when the kind changes over unpublished changes.
pub fn save(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    canvas: Option<&NewCanvas>,
    edit: &Edit<'_>,
    origin: Origin,
) -> Result<Written> {
    let change =
        LiveChange { flow: id, kind: VersionKind::Save, origin, seen: None, canvas, edit, publishes: None };
    write(app, caller, &change)
}

/// How often a write looks again at a record that changed under it: only settings can, while the lock is held.
const TRIES_MAX: u32 = 16;

/// Writes Live, settles the draft in the same transaction, then records the version.
///
/// # Errors
/// 404; 409 when Live is not what was seen; what `edit` refuses.
pub fn write(app: &App, caller: &Caller, change: &LiveChange<'_>) -> Result<Written> {
    let recorder = outbox::turn(app);
    for _ in 0..TRIES_MAX {
        let (before, canvas_before, mut after) =
            app.store.read(|tx| before(tx, &caller.workspace, change))?;
        let canvas_after = change.canvas.map_or(canvas_before.as_str(), NewCanvas::text);
        match change.canvas {
            Some(canvas) => canvas.describe(&mut after),
            // The digest covers the kind, so a flow that changes kind has another Live with the same canvas.
            None => after.digest = CanvasDigest::of(after.kind, canvas_after),
        }
        if change.kind.counts_as_last_published() {
            after.last_published = Some(LastPublished { sha: None, date: after.updated });
        }
        let intent = match &recorder {
            None => None,
            Some(_) => {
                let old = Snapshot::take(app, &before, &canvas_before)?;
                let new = Snapshot::take(app, &after, canvas_after)?;
                let old_and_settings: Before<'_> = (&old, &before.settings);
                let told =
                    titles::tell(change.kind, &change.origin, Some(old_and_settings), &new, &after.settings);
                // A save that changes nothing is no version; the key binding is a change, though history has no value of it.
                let says_something =
                    change.kind != VersionKind::Save || old != new || before.settings != after.settings;
                says_something.then(|| intent(app, caller, change.kind, &new, told)).transpose()?
            }
        };
        let written = app.store.write(|tx| {
            if FLOWS.get(tx, &caller.workspace, change.flow)?.as_ref() != Some(&before) {
                return Ok(false);
            }
            settle_destinations(tx, caller, (&before, &after), change.canvas)?;
            settle_draft(tx, &before, &after, change)?;
            put(tx, &after, change.canvas)?;
            outbox::put(tx, intent.as_ref())?;
            if let Some(action) = told_in_audit(change.kind, &change.origin) {
                let entry = Entry::by(caller, action, app.clock.date());
                audit::note(tx, &entry.on(Kind::Flow, after.id, &after.name))?;
            }
            Ok(true)
        })?;
        if written {
            if after.digest != before.digest {
                app.boards.replies.forget(&after.workspace, &after.id);
            }
            app.boards.metrics.live(change.kind).count();
            let recorded = outbox::record(app, recorder, intent, &after);
            return Ok(Written { flow: outbox::published(&after, change.kind, &recorded), recorded });
        }
    }
    Err(change_conflict(change.kind).into())
}

fn before(tx: &ReadTx, workspace: &WorkspaceId, change: &LiveChange<'_>) -> Result<(Flow, String, Flow)> {
    let before = FLOWS.get(tx, workspace, change.flow)?.ok_or_else(|| Error::no_flow(change.flow))?;
    if change.seen.is_some_and(|seen| seen != before.digest) {
        return Err(change_conflict(change.kind).into());
    }
    let canvas = CANVASES.get(tx, workspace, change.flow)?.unwrap_or_default();
    let after = (change.edit)(tx, before.clone())?;
    if after.kind != before.kind && drafts::of(tx, &before)?.is_some() {
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
const fn told_in_audit(kind: VersionKind, origin: &Origin) -> Option<Action> {
    match kind {
        VersionKind::Create | VersionKind::Save if matches!(origin, Origin::File) => {
            Some(Action::FlowImported)
        }
        VersionKind::Create => Some(Action::FlowCreated),
        VersionKind::Publish => Some(Action::FlowPublished),
        VersionKind::Rollback => Some(Action::FlowRolledBack),
        VersionKind::Restore => Some(Action::FlowRestored),
        _ => None,
    }
}

/// Settles where the credentials of a changed flow are sent: of what the change says, not of what stays as it was.
fn settle_destinations(
    tx: &WriteTx,
    caller: &Caller,
    (before, after): (&Flow, &Flow),
    canvas: Option<&NewCanvas>,
) -> Result<()> {
    let mut sent = canvas.map(|canvas| destinations::of_canvas(canvas.parsed())).unwrap_or_default();
    if after.settings != before.settings {
        sent.extend(destinations::of_settings(&after.settings));
    }
    destinations::settle(tx, caller, &sent, || destinations::of_flow(tx, before))
}

/// What becomes of the draft (manual 5.9).
fn settle_draft(tx: &WriteTx, before: &Flow, after: &Flow, change: &LiveChange<'_>) -> Result<()> {
    let Some(draft) = drafts::of(tx, before)? else { return Ok(()) };
    if after.kind != before.kind {
        return Err(Conflict::KindChangeWithDraft.into());
    }
    // Asked again here: a draft may have been saved since the settings were read.
    if after.settings.publish_instantly && !before.settings.publish_instantly {
        return Err(Conflict::DraftInTheWay.into());
    }
    match change.kind {
        VersionKind::Publish if change.publishes == Some(draft.digest) => drafts::remove(tx, before),
        // A newer draft saved during a publish, and every draft during a roll back, goes on from the new Live.
        VersionKind::Publish | VersionKind::Rollback => drafts::rebase(tx, draft, after.digest),
        _ => Ok(()),
    }
}

fn put(tx: &WriteTx, flow: &Flow, canvas: Option<&NewCanvas>) -> Result<()> {
    if let Some(canvas) = canvas {
        CANVASES.put(tx, &flow.workspace, &flow.id, canvas.text())?;
    }
    FLOWS.put(tx, &flow.workspace, &flow.id, flow)
}

/// Notes the version of a Publish or Roll back on the flow, if no later one took its place.
///
/// # Errors
/// When the database cannot be written.
pub fn note_published(tx: &WriteTx, flow: &Flow, sha: &Sha) -> Result<()> {
    let Some(mut current) = FLOWS.get(tx, &flow.workspace, &flow.id)? else { return Ok(()) };
    let (Some(last), Some(noted)) = (&mut current.last_published, &flow.last_published) else {
        return Ok(());
    };
    if last.date != noted.date || last.sha.is_some() {
        return Ok(());
    }
    last.sha = Some(sha.to_string());
    FLOWS.put(tx, &flow.workspace, &flow.id, &current)
}

/// As [`note_published`], for a version that was recorded after a crash: it is the one of a Publish that came before
/// its intent was written, and of no later one.
///
/// # Errors
/// When the database cannot be written.
pub fn note_replayed(tx: &WriteTx, change: &Change, sha: &Sha) -> Result<()> {
    let id = change.content.flow();
    let Some(workspace) = FLOW_HOME.get(tx, &id)? else { return Ok(()) };
    let Some(flow) = FLOWS.get(tx, &workspace, &id)? else { return Ok(()) };
    let is_its_own = flow.last_published.as_ref().is_some_and(|last| last.date <= change.date);
    if is_its_own { note_published(tx, &flow, sha) } else { Ok(()) }
}

/// Deletes a flow with its canvas, its draft, its conversations and its files. `permit` judges the record first.
///
/// # Errors
/// 404 when the workspace has no such flow; what `permit` refuses.
pub fn delete(app: &App, caller: &Caller, id: &FlowId, permit: impl Fn(&Flow) -> Result<()>) -> Result<()> {
    let workspace = &caller.workspace;
    let recorder = outbox::turn(app);
    let flow = app.store.read(|tx| FLOWS.get(tx, workspace, id))?.ok_or_else(|| Error::no_flow(id))?;
    permit(&flow)?;
    let change = recorder.is_some().then(|| Change {
        content: Content::Deleted { id: *id, name: hide(&flow.name).text },
        kind: VersionKind::Delete,
        author: author(caller),
        date: app.clock.date(),
        title: describe::deleted(&flow.name),
        details: Vec::new(),
        promoted_from: None,
        hidden_secrets: 0,
        intent: Uuid::now_v7(),
    });
    app.store.write(|tx| {
        let flow = FLOWS.get(tx, workspace, id)?.ok_or_else(|| Error::no_flow(id))?;
        permit(&flow)?;
        messages::remove_flow(tx, workspace, id)?;
        leads::remove_flow(tx, workspace, id)?;
        named_sessions::forget_flow(tx, workspace, id)?;
        drafts::remove(tx, &flow)?;
        FILLINGS.remove(tx, workspace, id)?;
        CANVASES.remove(tx, workspace, id)?;
        FLOWS.remove(tx, workspace, id)?;
        FLOW_HOME.remove(tx, id)?;
        FLOW_LAST_HOME.put(tx, id, workspace)?;
        let entry = Entry::by(caller, Action::FlowDeleted, app.clock.date());
        audit::note(tx, &entry.on(Kind::Flow, id, &flow.name))?;
        outbox::put(tx, change.as_ref())
    })?;
    // Nobody can read what is still being answered, and each further call of a model is paid for.
    app.boards.runs.abort_flow(*id);
    app.boards.replies.forget(workspace, id);
    app.boards.refused_origins.forget(id);
    app.boards.indexes.forget(workspace, id.bytes());
    app.boards.metrics.live(VersionKind::Delete).count();
    outbox::record(app, recorder, change, &flow);
    app.chat_files.remove_flow(workspace, id);
    chat_passages::forget_flow(app, workspace, id);
    app.files.remove_flow(workspace, id);
    Ok(())
}

/// What is to be recorded of a change.
fn intent(app: &App, caller: &Caller, kind: VersionKind, taken: &Snapshot, told: Told) -> Result<Change> {
    Ok(Change {
        content: Content::Flow(taken.to_record()?),
        kind,
        author: author(caller),
        date: app.clock.date(),
        title: told.title,
        details: told.details,
        promoted_from: None,
        hidden_secrets: taken.hidden_count(),
        intent: Uuid::now_v7(),
    })
}
