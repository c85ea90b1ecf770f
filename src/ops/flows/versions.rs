//! Reading history: the list, one version, what changed (manual 6.4, 6.5, 6.6).

use super::access::{self, FlowAction};
use super::snapshot::{self, Snapshot};
use super::{drafts, password_masks, titles};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::canvas::secrets::PlaceholderPolicy;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::flows::history::{HistoryReport, LastPublication, LoggedVersion, VersionList};
use crate::domain::flows::restore::{RestorableVersion, RestoreNotes};
use crate::domain::flows::version::{Sha, ShaPrefix, Version, VersionContent, VersionKind};
use crate::domain::flows::version_diff::{ComparedWith, VersionComparison};
use crate::domain::ids::FlowId;
use crate::history::{History, HistoryError, RestartResult};
use crate::ops::service::history;
use crate::store::tables::CANVASES;

/// The flow with its Live canvas, for a caller who may do this.
fn live_with_canvas(app: &App, caller: &Caller, id: &FlowId, action: FlowAction) -> Result<(Flow, String)> {
    app.store.read(|tx| {
        let flow = access::flow(tx, caller, id, action)?;
        let canvas = CANVASES.get(tx, &flow.workspace, &flow.id)?.unwrap_or_default();
        Ok((flow, canvas))
    })
}

/// Finds a version of this flow by its id or the start of one: among those the database knows while the history cannot be
/// read, so that the answer says what is the matter with it.
pub(super) fn find(app: &App, id: &FlowId, sha: &str) -> Result<Version> {
    let prefix = ShaPrefix::parse(sha)?;
    find_by_prefix(app, id, &prefix)?.ok_or_else(|| prefix.not_found())
}

fn find_by_prefix(app: &App, id: &FlowId, prefix: &ShaPrefix) -> Result<Option<Version>> {
    let known = || app.history.known_version(id, prefix);
    or_indexed(app.history.find(id, prefix), known).map(|(found, _)| found)
}

/// The version that another one is to be compared with. It stands in the query, so one that is not there makes the request
/// wrong (manual 6.6).
fn find_compared(app: &App, id: &FlowId, sha: &str) -> Result<Version> {
    let found = match ShaPrefix::parse(sha) {
        Ok(prefix) => find_by_prefix(app, id, &prefix)?,
        Err(_) => None,
    };
    found.ok_or_else(|| {
        Error::invalid(
            "Invalid against: it must be 'previous', 'current' or the id of a version of this flow.",
        )
    })
}

/// The version of the same flow before this one.
fn previous(app: &App, id: &FlowId, version: &Version) -> Result<Option<Version>> {
    let known = || app.history.known_previous(id, &version.sha);
    or_indexed(app.history.previous(id, &version.sha), known).map(|(previous, _)| previous)
}

/// What the history says, else what the database knows, and why only that.
fn or_indexed<T>(
    said: Result<T, HistoryError>,
    known: impl FnOnce() -> Result<T, HistoryError>,
) -> Result<(T, Option<HistoryError>)> {
    match said {
        Ok(said) => Ok((said, None)),
        Err(HistoryError::Index(fault)) => Err(fault),
        Err(fault) => {
            warn(&fault);
            Ok((known()?, Some(fault)))
        }
    }
}

fn warn(fault: &HistoryError) {
    tracing::error!(error = %fault.with_causes(), "the version history cannot be read");
}

/// What a version holds: after a deletion a flow without cards, of the kind that it had.
fn require_snapshot(app: &App, flow: &Flow, version: &Version) -> Result<Snapshot> {
    if version.kind == VersionKind::Delete {
        let kind = previous(app, &flow.id, version)?.and_then(|before| before.flow_kind);
        return Ok(Snapshot::deleted(flow.id, version.name.clone(), kind.unwrap_or(flow.kind)));
    }
    find_snapshot(app, flow, version)?.ok_or_else(|| not_found(version))
}

fn not_found(version: &Version) -> Error {
    Error::NotFound(format!("Version {} was not found for this flow", version.sha.short()))
}

/// The flow in a version; `None` when it holds none.
fn find_snapshot(app: &App, flow: &Flow, version: &Version) -> Result<Option<Snapshot>> {
    // The database knows the version, and its files are damaged: others may be well, and the service is.
    let damaged = |fault| Error::NotFound(format!("{}. {fault}", not_found(version)));
    read_snapshot(app, flow, version)?.map_err(damaged)
}

/// As [`find_snapshot`]; the inner error is what is the matter with the history.
fn read_snapshot(
    app: &App,
    flow: &Flow,
    version: &Version,
) -> Result<Result<Option<Snapshot>, HistoryError>> {
    let (held, fault) = or_indexed(app.history.content(&flow.id, version), || Ok(None))?;
    if let Some(fault) = fault {
        return Ok(Err(fault));
    }
    let held = match held {
        Some(VersionContent::Flow(held)) => Snapshot::from_record(held),
        Some(VersionContent::Deleted { .. }) | None => None,
    };
    held.map(|held| held.with_current_credential_names(app, &flow.workspace)).transpose().map(Ok)
}

/// A version from the time when the flow was of another kind is for those who may do this to flows of that kind.
pub(super) fn check_kind_permission(
    caller: &Caller,
    flow: &Flow,
    kind: FlowKind,
    action: FlowAction,
) -> Result<()> {
    if kind == flow.kind { Ok(()) } else { access::check_permission(caller, kind, action) }
}

/// The versions of a flow (manual 6.4); `None` while history is off. While the history cannot be read, what the database knows
/// of it.
///
/// # Errors
/// 404, 403.
pub fn list(app: &App, caller: &Caller, id: &FlowId) -> Result<Option<VersionList>> {
    let (flow, canvas) = live_with_canvas(app, caller, id, FlowAction::View)?;
    let history = &app.history;
    if !history.is_enabled() {
        return Ok(None);
    }
    let (mut versions, fault) = or_indexed(history.list(id), || history.known_versions(id))?;
    let (live, damage) = match versions.first() {
        Some(newest) => live_version(app, &flow, &canvas, newest)?,
        None => (None, None),
    };
    let fault = fault.or(damage).map(|fault| fault.to_string());
    let (recorded, _) = or_indexed(history.last_published(id), || history.known_last_published(id))?;
    versions.retain(|version| {
        version
            .flow_kind
            .is_none_or(|kind| check_kind_permission(caller, &flow, kind, FlowAction::View).is_ok())
    });
    Ok(Some(VersionList {
        versions,
        last_error: fault.or_else(|| history.last_error(id)),
        live,
        last_published: last_published(&flow, recorded),
    }))
}

/// The last Publish or Roll back Live, whether or not it could be recorded.
fn last_published(flow: &Flow, recorded: Option<Version>) -> Option<LastPublication> {
    match &flow.last_published {
        Some(last) if last.sha.is_none() => Some(LastPublication::Unrecorded(last.date)),
        _ => recorded.map(|version| LastPublication::Version(Box::new(version))),
    }
}

/// The newest version, when the flow has not changed since; and why that cannot be told.
fn live_version(
    app: &App,
    flow: &Flow,
    canvas: &str,
    newest: &Version,
) -> Result<(Option<Sha>, Option<HistoryError>)> {
    let held = match read_snapshot(app, flow, newest)? {
        Ok(Some(held)) => held,
        Ok(None) => return Ok((None, None)),
        Err(fault) => return Ok((None, Some(fault))),
    };
    let live = Snapshot::take(app, flow, canvas)?;
    Ok((live.has_same_content(&held).then_some(newest.sha), None))
}

/// A version as its reader may see it (manual 6.5).
///
/// # Errors
/// 400 for a bad sha, 404, 403.
pub fn read(app: &App, caller: &Caller, id: &FlowId, sha: &str) -> Result<RestorableVersion> {
    let filled = load(app, caller, id, sha, FlowAction::View)?;
    let canvas = password_masks::mask_for(caller, filled.flow.kind, filled.canvas);
    Ok(RestorableVersion { canvas, ..filled })
}

/// A version that can become the flow again, filled from the flow as it is now.
///
/// # Errors
/// As [`read`]; 409 for the deletion of the flow.
pub fn load_restorable(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    sha: &str,
    action: FlowAction,
) -> Result<RestorableVersion> {
    let filled = load(app, caller, id, sha, action)?;
    if filled.version.kind == VersionKind::Delete {
        return Err(Conflict::NothingInVersion.into());
    }
    Ok(filled)
}

fn load(app: &App, caller: &Caller, id: &FlowId, sha: &str, action: FlowAction) -> Result<RestorableVersion> {
    let (flow, live_canvas) = live_with_canvas(app, caller, id, action)?;
    let version = find(app, id, sha)?;
    let held = require_snapshot(app, &flow, &version)?;
    check_kind_permission(caller, &flow, held.kind, action)?;
    let is_live = Snapshot::take(app, &flow, &live_canvas)?.has_same_content(&held);
    let filled = held.restore_onto(app, &flow, &live_canvas, PlaceholderPolicy::Keep)?;
    Ok(RestorableVersion {
        version,
        name: held.name,
        kind: held.kind,
        category: held.category,
        canvas: filled.flow_data,
        is_live,
        notes: RestoreNotes {
            missing_credentials: filled.missing_credentials,
            ambiguous_credentials: filled.ambiguous_credentials,
            hidden_secrets: filled.hidden_secrets,
        },
        flow,
    })
}

/// What a version changed in comparison with another (manual 6.6).
///
/// # Errors
/// 400 for a bad sha or `against`, 404, 403.
pub fn diff(app: &App, caller: &Caller, id: &FlowId, sha: &str, against: &str) -> Result<VersionComparison> {
    let (flow, live_canvas) = live_with_canvas(app, caller, id, FlowAction::View)?;
    let version = find(app, id, sha)?;
    let held = require_snapshot(app, &flow, &version)?;
    check_kind_permission(caller, &flow, held.kind, FlowAction::View)?;
    let (against, other) = match against {
        "previous" => match previous(app, id, &version)? {
            Some(previous) => (ComparedWith::Version(previous.sha), find_snapshot(app, &flow, &previous)?),
            None => (ComparedWith::Nothing, None),
        },
        "current" => (ComparedWith::Live, Some(Snapshot::take(app, &flow, &live_canvas)?)),
        sha => {
            let other = find_compared(app, id, sha)?;
            (ComparedWith::Version(other.sha), find_snapshot(app, &flow, &other)?)
        }
    };
    if let Some(other) = &other {
        check_kind_permission(caller, &flow, other.kind, FlowAction::View)?;
    }
    // What it is compared with is the older side: `current` so shows what a restore would change.
    let (diff, sentences) = if version.kind == VersionKind::Delete {
        (held.diff(other.as_ref()), vec!["The flow was deleted.".to_owned()])
    } else {
        (held.diff_with_record(other.as_ref()), titles::sentences(other.as_ref(), &held))
    };
    Ok(VersionComparison { sha: version.sha, against, diff, sentences })
}

/// What Publish would change of Live, a sentence for each change; what the draft is while nothing is Live; nothing without
/// a draft.
///
/// # Errors
/// 404, 403.
pub fn draft_changes(app: &App, caller: &Caller, id: &FlowId) -> Result<Vec<String>> {
    let (flow, live_canvas) = live_with_canvas(app, caller, id, FlowAction::View)?;
    let status = app.store.read(|tx| drafts::status_in(app, tx, &flow))?;
    let Some(draft) = status.canvas else { return Ok(Vec::new()) };
    let has_live = flow.card_count > 0;
    let live = has_live.then(|| Snapshot::take(app, &flow, &live_canvas)).transpose()?;
    Ok(titles::sentences(live.as_ref(), &Snapshot::take(app, &flow, &draft)?))
}

/// The newest versions for the operator: of one flow, or of all.
///
/// # Errors
/// 409 while history is off.
pub fn log(app: &App, flow: Option<&FlowId>, limit: usize) -> Result<Vec<LoggedVersion>> {
    require_history(&app.history)?;
    let found: Vec<(FlowId, Version)> = match flow {
        Some(flow) => {
            let versions = app.history.list(flow).map_err(history_error)?;
            versions.into_iter().take(limit).map(|version| (*flow, version)).collect()
        }
        None => app.history.log(limit).map_err(history_error)?,
    };
    Ok(found.into_iter().map(|(flow, version)| LoggedVersion { flow, version }).collect())
}

/// Checks the whole history: objects, what the database knows of them, index, secrecy. Nothing is written.
///
/// # Errors
/// 409 while history is off; [`crate::domain::error::Error::Cancelled`] when `cancel` was set.
pub fn verify(history: &History, cancel: &CancelToken) -> Result<HistoryReport> {
    require_history(history)?;
    snapshot::verify(history, cancel)
}

/// Goes on with the history as it is, or begins a new one where it is missing: the operator gives up what is gone. True for a
/// new one.
///
/// # Errors
/// 409 while history is off, when what is there cannot be read or is no history of this service's.
pub fn restart(app: &App) -> Result<bool> {
    require_history(&app.history)?;
    let restarted = app.history.restart().map_err(history_error)?;
    app.store.write(|tx| history::record_mark(tx, &app.history))?;
    let is_new = restarted == RestartResult::NewHistory;
    tracing::warn!(is_new, "the operator goes on with the version history as it is");
    Ok(is_new)
}

/// # Errors
/// 409 while history is off.
pub(in crate::ops) fn require_history(history: &History) -> Result<()> {
    if history.is_enabled() { Ok(()) } else { Err(Conflict::HistoryOff.into()) }
}

/// A history that cannot be read, in words; its cause is for the log.
pub(in crate::ops) fn history_error(fault: HistoryError) -> Error {
    match fault {
        HistoryError::Index(fault) => fault,
        HistoryError::Cancelled => Error::Cancelled,
        fault => {
            warn(&fault);
            Conflict::HistoryBroken(fault.to_string()).into()
        }
    }
}

/// Keeps loose objects few and writes the list of versions to the database; never in the way of a save.
///
/// # Errors
/// When the history cannot be read or written; nothing that was recorded depends on it.
pub fn maintain(app: &App, cancel: &CancelToken) -> Result<()> {
    if app.history.is_enabled() {
        app.history.maintain(cancel)?;
    }
    store_index(app)
}

/// Writes what the list of versions holds in memory only, so that the next start need not walk it again.
///
/// # Errors
/// When the database cannot be written.
pub fn store_index(app: &App) -> Result<()> {
    Ok(app.history.flush_index()?)
}
