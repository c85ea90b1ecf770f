//! Reading history: the list, one version, what changed (manual 6.4, 6.5, 6.6).

use super::access::{self, FlowAction};
use super::password_masks;
use super::snapshot::{self, Snapshot};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::canvas::secrets::{AmbiguousCredential, HiddenSecret, MissingCredential, PlaceholderPolicy};
use crate::clock::iso;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::flows::version::{ShaPrefix, Version, VersionContent};
use crate::domain::ids::FlowId;
use crate::history::{History, HistoryError, RestartResult};
use crate::ops::service::history;
use crate::store::tables::CANVASES;
use serde::Serialize;
use serde_json::{Value, json};

/// A version brought up to date with this server: credentials matched, never-stored values filled.
pub struct RestorableVersion {
    /// The flow as it is now.
    pub flow: Flow,
    pub version: Version,
    /// The flow's name in it.
    pub name: String,
    /// The flow's kind in it.
    pub kind: FlowKind,
    pub category: Option<String>,
    /// Its canvas, filled, as `flowData`.
    pub canvas: String,
    /// True when Live matches it already, hidden secrets included.
    pub is_live: bool,
    /// What its reader must be told: credentials missing or ambiguous, secrets hidden.
    pub notes: Notes,
}

/// What the reader of a version must be told (manual 6.5).
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notes {
    /// Credentials the version names and the workspace lacks.
    pub missing_credentials: Vec<MissingCredential>,
    /// Credentials whose name and type several of the workspace have.
    pub ambiguous_credentials: Vec<AmbiguousCredential>,
    pub hidden_secrets: Vec<HiddenSecret>,
}

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
fn find(app: &App, id: &FlowId, sha: &str) -> Result<Version> {
    let prefix = ShaPrefix::parse(sha)?;
    let (found, _) = or_indexed(app.history.find(id, &prefix), || app.history.known_version(id, &prefix))?;
    found.ok_or_else(|| prefix.not_found())
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

/// What a version holds; a deletion holds nothing that could be read.
fn require_snapshot(app: &App, flow: &Flow, version: &Version) -> Result<Snapshot> {
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
fn check_kind_permission(caller: &Caller, flow: &Flow, kind: FlowKind, action: FlowAction) -> Result<()> {
    if kind == flow.kind { Ok(()) } else { access::check_permission(caller, kind, action) }
}

/// `GET /flow-versions/:id` (manual 6.4). While the history cannot be read, what the database knows of it.
///
/// # Errors
/// 404, 403.
pub fn list(app: &App, caller: &Caller, id: &FlowId) -> Result<Value> {
    let (flow, canvas) = live_with_canvas(app, caller, id, FlowAction::View)?;
    let history = &app.history;
    if !history.is_enabled() {
        return Ok(
            json!({"enabled": false, "versions": [], "lastError": null, "liveSha": null, "lastPublished": null}),
        );
    }
    let (versions, fault) = or_indexed(history.list(id), || history.known_versions(id))?;
    let (live_sha, damage) = match versions.first() {
        Some(newest) => live_sha(app, &flow, &canvas, newest)?,
        None => (None, None),
    };
    let fault = fault.or(damage).map(|fault| fault.to_string());
    let (recorded, _) = or_indexed(history.last_published(id), || history.known_last_published(id))?;
    let may_see = |version: &&Version| {
        version
            .flow_kind
            .is_none_or(|kind| check_kind_permission(caller, &flow, kind, FlowAction::View).is_ok())
    };
    Ok(json!({
        "enabled": true,
        "versions": versions.iter().filter(may_see).map(Version::wire).collect::<Vec<_>>(),
        "lastError": fault.or_else(|| history.last_error(id)),
        "liveSha": live_sha,
        "lastPublished": last_published(&flow, recorded.as_ref()),
    }))
}

/// The last Publish or Roll back Live, whether or not it could be recorded.
fn last_published(flow: &Flow, recorded: Option<&Version>) -> Value {
    match (&flow.last_published, recorded) {
        (Some(last), _) if last.sha.is_none() => json!({"sha": null, "date": iso(last.date)}),
        (_, Some(version)) => json!({"sha": version.sha, "date": version.iso_date()}),
        (_, None) => Value::Null,
    }
}

/// The newest version, when the flow has not changed since; and why that cannot be told.
fn live_sha(
    app: &App,
    flow: &Flow,
    canvas: &str,
    newest: &Version,
) -> Result<(Option<String>, Option<HistoryError>)> {
    let held = match read_snapshot(app, flow, newest)? {
        Ok(Some(held)) => held,
        Ok(None) => return Ok((None, None)),
        Err(fault) => return Ok((None, Some(fault))),
    };
    let live = Snapshot::take(app, flow, canvas)?;
    Ok((live.has_same_content(&held).then(|| newest.sha.to_string()), None))
}

/// `GET /flow-versions/:id/:sha` (manual 6.5).
///
/// # Errors
/// 400 for a bad sha, 404, 403.
pub fn read(app: &App, caller: &Caller, id: &FlowId, sha: &str) -> Result<Value> {
    let filled = load_restorable(app, caller, id, sha, FlowAction::View)?;
    Ok(json!({
        "sha": filled.version.sha,
        "name": filled.name,
        "type": filled.kind,
        "flowData": password_masks::mask_for(caller, filled.flow.kind, filled.canvas),
        "missingCredentials": filled.notes.missing_credentials,
        "ambiguousCredentials": filled.notes.ambiguous_credentials,
        "hiddenSecrets": filled.notes.hidden_secrets,
    }))
}

/// A version, filled from the flow as it is now.
///
/// # Errors
/// As [`read`].
pub fn load_restorable(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    sha: &str,
    action: FlowAction,
) -> Result<RestorableVersion> {
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
        notes: Notes {
            missing_credentials: filled.missing_credentials,
            ambiguous_credentials: filled.ambiguous_credentials,
            hidden_secrets: filled.hidden_secrets,
        },
        flow,
    })
}

/// `GET /flow-versions/:id/:sha/diff?against=` (manual 6.6).
///
/// # Errors
/// 400 for a bad sha or `against`, 404, 403.
pub fn diff(app: &App, caller: &Caller, id: &FlowId, sha: &str, against: &str) -> Result<Value> {
    let (flow, live_canvas) = live_with_canvas(app, caller, id, FlowAction::View)?;
    let version = find(app, id, sha)?;
    let held = require_snapshot(app, &flow, &version)?;
    check_kind_permission(caller, &flow, held.kind, FlowAction::View)?;
    let (name, other) = match against {
        "previous" => match previous(app, id, &version)? {
            Some(previous) => (Some(previous.sha.to_string()), find_snapshot(app, &flow, &previous)?),
            None => (None, None),
        },
        "current" => (Some("current".to_owned()), Some(Snapshot::take(app, &flow, &live_canvas)?)),
        text if ShaPrefix::parse(text).is_ok() => {
            let other = find(app, id, text)?;
            (Some(other.sha.to_string()), find_snapshot(app, &flow, &other)?)
        }
        _ => {
            return Err(Error::invalid(
                "Invalid against: it must be 'previous', 'current' or the id of a version.",
            ));
        }
    };
    if let Some(other) = &other {
        check_kind_permission(caller, &flow, other.kind, FlowAction::View)?;
    }
    // What it is compared with is the older side: `current` so shows what a restore would change.
    let mut compared =
        serde_json::to_value(held.diff_with_record(other.as_ref())).map_err(Error::internal)?;
    compared["sha"] = version.sha.to_string().into();
    compared["against"] = name.into();
    Ok(compared)
}

/// The newest versions for the operator: of one flow, or of all.
///
/// # Errors
/// 409 while history is off.
pub fn log(app: &App, flow: Option<&FlowId>, limit: usize) -> Result<Value> {
    require_history(&app.history)?;
    let found: Vec<(FlowId, Version)> = match flow {
        Some(flow) => {
            let versions = app.history.list(flow).map_err(history_error)?;
            versions.into_iter().take(limit).map(|version| (*flow, version)).collect()
        }
        None => app.history.log(limit).map_err(history_error)?,
    };
    let row = |(flow, version): &(FlowId, Version)| {
        let mut row = version.wire();
        row["flowId"] = flow.to_string().into();
        row
    };
    Ok(found.iter().map(row).collect())
}

/// Checks the whole history: objects, what the database knows of them, index, secrecy. Nothing is written.
///
/// # Errors
/// 409 while history is off; [`crate::domain::error::Error::Cancelled`] when `cancel` was set.
pub fn verify(history: &History, cancel: &CancelToken) -> Result<Value> {
    require_history(history)?;
    snapshot::verify(history, cancel)
}

/// Goes on with the history as it is, or begins a new one where it is missing: the operator gives up what is gone.
///
/// # Errors
/// 409 while history is off, when what is there cannot be read or is no history of this service's.
pub fn restart(app: &App) -> Result<Value> {
    require_history(&app.history)?;
    let restarted = app.history.restart().map_err(history_error)?;
    app.store.write(|tx| history::record_mark(tx, &app.history))?;
    let is_new = restarted == RestartResult::NewHistory;
    tracing::warn!(is_new, "the operator goes on with the version history as it is");
    Ok(json!({ "isNew": is_new }))
}

fn require_history(history: &History) -> Result<()> {
    if history.is_enabled() { Ok(()) } else { Err(Conflict::HistoryOff.into()) }
}

/// A history that cannot be read, in words; its cause is for the log.
fn history_error(fault: HistoryError) -> Error {
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
