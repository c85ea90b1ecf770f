//! What is promised to be recorded of a change of Live: who made it, what it holds, and which records it uses.

use super::live::ChangeOrigin;
use super::references;
use super::snapshot::Snapshot;
use super::titles::VersionSummary;
use crate::app::App;
use crate::domain::accounts::caller::{Caller, Principal};
use crate::domain::error::Result;
use crate::domain::flows::version::{Author, NewVersion, VersionContent, VersionKind};
use crate::domain::ids::WorkspaceId;
use crate::domain::secrets::redact;
use uuid::Uuid;

/// The author of a version (manual 6.1): the person, or the service for keys.
#[must_use]
pub(super) fn version_author(caller: &Caller) -> Author {
    match &caller.principal {
        Principal::User { id, name, .. } => Author::person(redact(name).text, *id),
        Principal::Key { .. } | Principal::Operator => Author::system(),
    }
}

/// A flow as it is about to be, for its version.
pub(super) struct RecordedFlow<'a> {
    pub snapshot: &'a Snapshot,
    pub workspace: &'a WorkspaceId,
    pub canvas: &'a str,
}

/// What is to be recorded of a change.
///
/// # Errors
/// 400 when the canvas is too large for a version; when the database cannot be read.
pub(super) fn new_intent(
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
