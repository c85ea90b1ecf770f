//! Reading history: the list, one version, what changed (spec 4.3 r1 to r4).

use super::access::{self, Action};
use super::snapshot::{self, Snapshot};
use crate::app::App;
use crate::canvas::secrets::{AmbiguousCredential, Hidden, HiddenSecret, MissingCredential};
use crate::clock::iso;
use crate::domain::caller::Caller;
use crate::domain::cancel::Cancel;
use crate::domain::error::{Error, Result};
use crate::domain::flow::{Flow, FlowKind};
use crate::domain::ids::FlowId;
use crate::domain::version::{Content, ShaPrefix, Version};
use crate::store::tables::CANVASES;
use serde::Serialize;
use serde_json::{Value, json};

/// A version brought up to date with this server: credentials matched, never-stored values filled.
pub struct Filled {
    /// The flow as it is now.
    pub flow: Flow,
    /// The version.
    pub version: Version,
    /// The flow's name in it.
    pub name: String,
    /// The flow's kind in it.
    pub kind: FlowKind,
    /// Its tags.
    pub category: Option<String>,
    /// Its canvas, filled, as `flowData`.
    pub canvas: String,
    /// True when Live matches it already, hidden secrets included.
    pub is_live: bool,
    /// What its reader must be told: credentials missing or ambiguous, secrets hidden.
    pub notes: Notes,
}

/// What the reader of a version must be told (spec 4.3 r3).
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notes {
    /// Credentials the version names and the workspace lacks.
    pub missing_credentials: Vec<MissingCredential>,
    /// Credentials whose name and type several of the workspace have.
    pub ambiguous_credentials: Vec<AmbiguousCredential>,
    /// Inputs that hold the placeholder.
    pub hidden_secrets: Vec<HiddenSecret>,
}

/// The flow with its Live canvas, for a caller who may do this.
fn live(app: &App, caller: &Caller, id: &FlowId, action: Action) -> Result<(Flow, String)> {
    app.store.read(|tx| {
        let flow = access::flow(tx, caller, id, action)?;
        let canvas = CANVASES.get(tx, &flow.workspace, &flow.id)?.unwrap_or_default();
        Ok((flow, canvas))
    })
}

/// Finds a version of this flow by its id or the start of one.
fn find(app: &App, id: &FlowId, sha: &str) -> Result<Version> {
    let prefix = ShaPrefix::parse(sha)?;
    app.history.find(id, &prefix)?.ok_or_else(|| prefix.not_found())
}

/// What a version holds; a deletion holds nothing that could be read.
fn snapshot_of(app: &App, flow: &Flow, version: &Version) -> Result<Snapshot> {
    content(app, flow, version)?.ok_or_else(|| {
        Error::NotFound(format!("Version {} was not found for this flow", version.sha.short()))
    })
}

/// The flow in a version; `None` when it holds none.
fn content(app: &App, flow: &Flow, version: &Version) -> Result<Option<Snapshot>> {
    let held = match app.history.content(&flow.id, version)? {
        Some(Content::Flow(held)) => Snapshot::read(held),
        Some(Content::Deleted { .. }) | None => None,
    };
    held.map(|held| held.in_names_of_now(app, &flow.workspace)).transpose()
}

/// `GET /flow-versions/:id` (spec 4.3 r2).
///
/// # Errors
/// 404, 403.
pub fn list(app: &App, caller: &Caller, id: &FlowId) -> Result<Value> {
    let (flow, canvas) = live(app, caller, id, Action::View)?;
    if !app.history.enabled() {
        return Ok(
            json!({"enabled": false, "versions": [], "lastError": null, "liveSha": null, "lastPublished": null}),
        );
    }
    let versions = app.history.list(id)?;
    let live_sha = match versions.first() {
        Some(newest) => live_sha(app, &flow, &canvas, newest)?,
        None => None,
    };
    let recorded = app.history.last_published(id)?;
    Ok(json!({
        "enabled": true,
        "versions": versions.iter().map(Version::wire).collect::<Vec<_>>(),
        "lastError": app.history.last_error(id),
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

/// The newest version, when the flow has not changed since.
fn live_sha(app: &App, flow: &Flow, canvas: &str, newest: &Version) -> Result<Option<String>> {
    let Some(held) = content(app, flow, newest)? else { return Ok(None) };
    let live = Snapshot::take(app, flow, canvas)?;
    Ok(live.restores_the_same_as(&held).then(|| newest.sha.to_string()))
}

/// `GET /flow-versions/:id/:sha` (spec 4.3 r3).
///
/// # Errors
/// 400 for a bad sha, 404, 403.
pub fn read(app: &App, caller: &Caller, id: &FlowId, sha: &str) -> Result<Value> {
    let filled = filled(app, caller, id, sha, Action::View)?;
    Ok(json!({
        "sha": filled.version.sha,
        "name": filled.name,
        "type": filled.kind,
        "flowData": filled.canvas,
        "missingCredentials": filled.notes.missing_credentials,
        "ambiguousCredentials": filled.notes.ambiguous_credentials,
        "hiddenSecrets": filled.notes.hidden_secrets,
    }))
}

/// A version, filled from the flow as it is now.
///
/// # Errors
/// As [`read`].
pub fn filled(app: &App, caller: &Caller, id: &FlowId, sha: &str, action: Action) -> Result<Filled> {
    let (flow, live_canvas) = live(app, caller, id, action)?;
    let version = find(app, id, sha)?;
    let held = snapshot_of(app, &flow, &version)?;
    let is_live = Snapshot::take(app, &flow, &live_canvas)?.restores_the_same_as(&held);
    let filled = held.fill(app, &flow, &live_canvas, Hidden::Stays)?;
    Ok(Filled {
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

/// `GET /flow-versions/:id/:sha/diff?against=` (spec 4.3 r4).
///
/// # Errors
/// 400 for a bad sha or `against`, 404, 403.
pub fn diff(app: &App, caller: &Caller, id: &FlowId, sha: &str, against: &str) -> Result<Value> {
    let (flow, live_canvas) = live(app, caller, id, Action::View)?;
    let version = find(app, id, sha)?;
    let held = snapshot_of(app, &flow, &version)?;
    let (name, other) = match against {
        "previous" => match app.history.previous(id, &version.sha)? {
            Some(previous) => (Some(previous.sha.to_string()), content(app, &flow, &previous)?),
            None => (None, None),
        },
        "current" => (Some("current".to_owned()), Some(Snapshot::take(app, &flow, &live_canvas)?)),
        text if ShaPrefix::parse(text).is_ok() => {
            let other = find(app, id, text)?;
            (Some(other.sha.to_string()), content(app, &flow, &other)?)
        }
        _ => {
            return Err(Error::invalid(
                "Invalid against: it must be 'previous', 'current' or the id of a version.",
            ));
        }
    };
    // What it is compared with is the older side: `current` so shows what a restore would change.
    let mut told = serde_json::to_value(held.diff(other.as_ref())).map_err(Error::internal)?;
    told["sha"] = version.sha.to_string().into();
    told["against"] = name.into();
    Ok(told)
}

/// The newest versions for the operator: of one flow, or of all.
///
/// # Errors
/// 409 while history is off.
pub fn log(app: &App, flow: Option<&FlowId>, limit: usize) -> Result<Value> {
    if !app.history.enabled() {
        return Err(crate::domain::error::Conflict::HistoryOff.into());
    }
    let found: Vec<(FlowId, Version)> = match flow {
        Some(flow) => {
            app.history.list(flow)?.into_iter().take(limit).map(|version| (*flow, version)).collect()
        }
        None => app.history.log(limit)?,
    };
    let row = |(flow, version): &(FlowId, Version)| {
        let mut row = version.wire();
        row["flowId"] = flow.to_string().into();
        row
    };
    Ok(found.iter().map(row).collect())
}

/// Checks the whole history: objects, index, secrecy.
///
/// # Errors
/// 409 while history is off; [`crate::domain::error::Error::Cancelled`] when `cancel` was set.
pub fn verify(app: &App, cancel: &Cancel) -> Result<Value> {
    if !app.history.enabled() {
        return Err(crate::domain::error::Conflict::HistoryOff.into());
    }
    snapshot::verify(app, cancel)
}

/// Keeps loose objects few and writes the list of versions to the database; never in the way of a save.
///
/// # Errors
/// When the history cannot be read or written; nothing that was recorded depends on it.
pub fn maintain(app: &App, cancel: &Cancel) -> Result<()> {
    if app.history.enabled() {
        app.history.maintain(cancel)?;
    }
    store_index(app)
}

/// Writes what the list of versions holds in memory only, so that the next start need not walk it again.
///
/// # Errors
/// When the database cannot be written.
pub fn store_index(app: &App) -> Result<()> {
    Ok(app.history.store_index()?)
}
