//! Restore and Roll back: an older version becomes the draft or Live (manual 5.8, 6.7).

use super::access::{self, FlowAction};
use super::drafts;
use super::files;
use super::live::{self, ChangeOrigin, LiveChange, ParsedCanvas};
use super::versions;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Result};
use crate::domain::flows::draft::EditTarget;
use crate::domain::flows::flow::Flow;
use crate::domain::flows::publish::{RestoreResult, RestoreTarget};
use crate::domain::flows::record_result::RecordResult;
use crate::domain::flows::restore::RestorableVersion;
use crate::domain::flows::version::{ShaPrefix, VersionKind};
use crate::domain::ids::FlowId;

/// `POST /flow-versions/:id/:sha/restore`: into the draft in draft mode, else to Live.
///
/// # Errors
/// 400 for a bad sha, 404, 403 without permission for the flow's and the version's kind, 409 with history off or for a
/// version of another kind in draft mode.
pub(crate) fn restore(app: &App, caller: &Caller, id: &FlowId, sha: &str) -> Result<RestoreResult> {
    let filled = load_permitted(app, caller, id, sha)?;
    match drafts::mode(app, &filled.flow) {
        EditTarget::Draft => restore_to_draft(app, caller, &filled),
        EditTarget::Live(_) => restore_to_live(app, caller, &filled, VersionKind::Restore),
    }
}

/// `POST /flow-drafts/:id/rollback`: Live becomes the version at once; an open draft is kept.
///
/// # Errors
/// As [`restore`]; 409 too while drafts are off, and for a version of another kind over unpublished changes.
pub(crate) fn roll_back(app: &App, caller: &Caller, id: &FlowId, sha: &str) -> Result<RestoreResult> {
    access::require_flow(app, caller, id, FlowAction::Update)?;
    ShaPrefix::parse(sha)?;
    drafts::require_drafts(app)?;
    let filled = load_permitted(app, caller, id, sha)?;
    let result = restore_to_live(app, caller, &filled, VersionKind::Rollback)?;
    let status = app
        .store
        .read(|tx| drafts::status_in(app, tx, &access::flow(tx, caller, id, FlowAction::Update)?))?;
    Ok(RestoreResult { target: RestoreTarget::Live(Some(status)), ..result })
}

/// The version, for a caller who may change flows of its kind and of the flow's own.
fn load_permitted(app: &App, caller: &Caller, id: &FlowId, sha: &str) -> Result<RestorableVersion> {
    access::require_flow(app, caller, id, FlowAction::Update)?;
    ShaPrefix::parse(sha)?;
    if !app.history.is_enabled() {
        return Err(Conflict::HistoryOff.into());
    }
    versions::load_restorable(app, caller, id, sha, FlowAction::Update)
}

fn restore_to_live(
    app: &App,
    caller: &Caller,
    filled: &RestorableVersion,
    kind: VersionKind,
) -> Result<RestoreResult> {
    let result = |flow, recorded| RestoreResult {
        flow,
        version: filled.version.sha,
        target: RestoreTarget::Live(None),
        unchanged: filled.is_live,
        recorded,
        notes: filled.notes.clone(),
    };
    if filled.is_live {
        return Ok(result(filled.flow.clone(), RecordResult::Nothing));
    }
    let canvas = ParsedCanvas::parse(filled.canvas.clone())?;
    let now = app.clock.monotonic_now();
    let edit = |_: &_, mut flow: Flow| {
        flow.name.clone_from(&filled.name);
        flow.kind = filled.kind;
        flow.category.clone_from(&filled.category);
        flow.updated = live::later(now, flow.updated);
        Ok(flow)
    };
    let change = LiveChange {
        flow: &filled.flow.id,
        kind,
        origin: ChangeOrigin::Version { title: filled.version.title.clone(), sha: filled.version.sha },
        expected_live: Some(filled.flow.digest),
        canvas: Some(&canvas),
        edit: &edit,
        published_draft: None,
        guard: None,
    };
    let written = live::write(app, caller, &change)?;
    tracing::info!(flow = %filled.flow.id, version = %filled.version.sha, %kind, by = %caller.principal, "a version was put Live");
    Ok(result(written.flow, written.record_result))
}

fn restore_to_draft(app: &App, caller: &Caller, filled: &RestorableVersion) -> Result<RestoreResult> {
    if filled.kind != filled.flow.kind {
        return Err(Conflict::OtherKindIntoDraft.into());
    }
    let canvas = ParsedCanvas::parse(filled.canvas.clone())?;
    let used = files::draft_file_names(&canvas);
    let (status, before) = app.store.write(|tx| {
        let flow = access::flow(tx, caller, &filled.flow.id, FlowAction::Update)?;
        let before = drafts::files_of(tx, &flow)?;
        if flow.kind != filled.kind {
            return Err(Conflict::OtherKindIntoDraft.into());
        }
        if drafts::mode(app, &flow) != EditTarget::Draft {
            return Err(Conflict::LiveChangedWhileSaving.into());
        }
        if filled.is_live && flow.digest == filled.flow.digest {
            // The version differs from Live only in what history leaves out: there is nothing to publish.
            drafts::remove(tx, &flow)?;
        } else {
            drafts::replace(app, tx, &flow, &canvas, caller)?;
        }
        Ok((drafts::status_in(app, tx, &flow)?, before))
    })?;
    let unused: Vec<_> = before.into_iter().filter(|name| !used.contains(name)).collect();
    files::remove(app, &caller.workspace, &filled.flow.id, &unused);
    Ok(RestoreResult {
        flow: filled.flow.clone(),
        version: filled.version.sha,
        target: RestoreTarget::Draft(status),
        unchanged: filled.is_live,
        recorded: RecordResult::Nothing,
        notes: filled.notes.clone(),
    })
}
