//! What is to be recorded of a change of Live, and which version answers from then on.

use super::{ChangeOrigin, LiveChange, ParsedCanvas};
use crate::app::App;
use crate::canvas::describe;
use crate::domain::accounts::caller::{Caller, Principal};
use crate::domain::error::Result;
use crate::domain::flows::flow::Flow;
use crate::domain::flows::live_version::LiveVersion;
use crate::domain::flows::version::{Author, NewVersion, VersionContent, VersionKind};
use crate::domain::ids::WorkspaceId;
use crate::domain::secrets::redact;
use crate::ops::flows::references;
use crate::ops::flows::snapshot::Snapshot;
use crate::ops::flows::titles::{self, PreviousFlow, VersionSummary};
use uuid::Uuid;

/// What is to be recorded of a flow that is made.
///
/// # Errors
/// When the canvas cannot be read or is too large for a version.
pub(super) fn of_creation(
    app: &App,
    caller: &Caller,
    flow: &mut Flow,
    canvas: &ParsedCanvas,
    (kind, origin): (VersionKind, &ChangeOrigin),
) -> Result<NewVersion> {
    let taken = Snapshot::take(app, flow, canvas.text())?;
    let told = titles::summarize(kind, origin, None, &taken, &flow.settings);
    let recorded = RecordedFlow { snapshot: &taken, workspace: &flow.workspace, canvas: canvas.text() };
    let intent = new_intent(app, caller, (kind, origin), &recorded, told)?;
    flow.live_version = Some(LiveVersion::unrecorded(intent.intent));
    Ok(intent)
}

/// What is to be recorded of a change of Live, if anything; which version answers from then on is noted on the flow.
///
/// # Errors
/// When a canvas cannot be read or is too large for a version.
pub(super) fn of_change(
    app: &App,
    caller: &Caller,
    change: &LiveChange<'_>,
    (before, canvas_before): (&Flow, &str),
    (after, canvas_after): (&mut Flow, &str),
) -> Result<Option<NewVersion>> {
    let old = Snapshot::take(app, before, canvas_before)?;
    let new = Snapshot::take(app, after, canvas_after)?;
    // A save that changes nothing is no version; the key binding is a change, though history has no value of it.
    let is_save = change.kind == VersionKind::Save;
    if is_save && old == new && before.settings == after.settings {
        return Ok(None);
    }
    let old_and_settings: PreviousFlow<'_> = (&old, &before.settings);
    let told = titles::summarize(change.kind, &change.origin, Some(old_and_settings), &new, &after.settings);
    let recorded = RecordedFlow { snapshot: &new, workspace: &after.workspace, canvas: canvas_after };
    let intent = new_intent(app, caller, (change.kind, &change.origin), &recorded, told)?;
    // Settings alone change nothing of what answers; whoever publishes or rolls back has put a version there.
    if !is_save || !old.has_same_content(&new) {
        after.live_version = Some(LiveVersion::unrecorded(intent.intent));
    }
    Ok(Some(intent))
}

/// Without a history nobody knows which version a changed Live is.
pub(super) fn forget_version_if_changed(before: &Flow, after: &mut Flow) {
    let is_same = before.digest == after.digest
        && before.name == after.name
        && before.kind == after.kind
        && before.category == after.category;
    if !is_same {
        after.live_version = None;
    }
}

/// What is to be recorded of a flow that is deleted.
pub(super) fn of_deletion(app: &App, caller: &Caller, flow: &Flow) -> NewVersion {
    NewVersion {
        content: VersionContent::Deleted { id: flow.id, name: redact(&flow.name).text },
        kind: VersionKind::Delete,
        author: version_author(caller),
        date: app.clock.monotonic_now(),
        title: describe::delete_title(&flow.name),
        details: Vec::new(),
        promoted_from: None,
        hidden_secrets: 0,
        intent: Uuid::now_v7(),
    }
}

/// A flow as it is about to be, for its version.
struct RecordedFlow<'a> {
    snapshot: &'a Snapshot,
    workspace: &'a WorkspaceId,
    canvas: &'a str,
}

/// What is to be recorded of a change.
fn new_intent(
    app: &App,
    caller: &Caller,
    (kind, origin): (VersionKind, &ChangeOrigin),
    recorded: &RecordedFlow<'_>,
    told: VersionSummary,
) -> Result<NewVersion> {
    let RecordedFlow { snapshot, workspace, canvas } = recorded;
    let mut content = snapshot.to_record()?;
    content.references =
        Some(app.store.read(|tx| references::of_canvas(tx, workspace, &snapshot.canvas, canvas))?);
    Ok(NewVersion {
        content: VersionContent::Flow(content),
        kind,
        author: version_author(caller),
        date: app.clock.monotonic_now(),
        title: told.title,
        details: told.details,
        promoted_from: match origin {
            ChangeOrigin::Dev { sha, .. } => Some(*sha),
            ChangeOrigin::Edit | ChangeOrigin::File | ChangeOrigin::Version { .. } => None,
        },
        hidden_secrets: snapshot.hidden_count(),
        intent: Uuid::now_v7(),
    })
}

/// The author of a version (manual 6.1): the person, or the service for keys.
fn version_author(caller: &Caller) -> Author {
    match &caller.principal {
        Principal::User { id, name, .. } => Author::person(redact(name).text, *id),
        Principal::Key { .. } | Principal::Operator => Author::system(),
    }
}
