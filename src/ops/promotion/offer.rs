//! What stands in the history of Dev, as it was read here: nothing of this server's own.

use crate::app::App;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow_change::is_name;
use crate::domain::flows::references::RecordReference;
use crate::domain::flows::version::{Sha, Version, VersionContent};
use crate::domain::ids::FlowId;
use crate::domain::remote::environment::Environment;
use crate::history::HistoryError;
use crate::ops::flows::snapshot::Snapshot;
use crate::ops::remote::environment_of;

/// Records that a version may note: a file of another server may say any number.
const NOTED_MAX: usize = 2_000;
/// Versions of one flow that are looked through for those since its last promotion.
const LINE_MAX: usize = 200;

/// The newest version of a flow on Dev.
#[derive(Debug)]
pub(super) struct Offer {
    /// The tip of what was read of Dev; while it stands, this is the newest version.
    pub tip: Sha,
    pub version: Version,
    pub content: Snapshot,
    /// The records that it uses there; `None` where an earlier build noted none.
    pub references: Option<Vec<RecordReference>>,
}

/// True on a server that promotes: history is on, and it is labeled Prod.
///
/// # Errors
/// When the history cannot be read.
pub(super) fn is_prod(app: &App) -> Result<bool> {
    if !app.history.is_enabled() {
        return Ok(false);
    }
    match app.history.environment() {
        // A server that never was Prod has lost nothing of Dev with its history.
        Err(HistoryError::Missing) if environment_of(app) != Some(Environment::Prod) => Ok(false),
        label => Ok(label.map_err(broken)? == Some(Environment::Prod)),
    }
}

/// # Errors
/// 409 on any server that does not promote.
pub(super) fn require_prod(app: &App) -> Result<()> {
    if !app.history.is_enabled() {
        return Err(Conflict::HistoryOff.into());
    }
    if is_prod(app)? { Ok(()) } else { Err(Conflict::NotProd.into()) }
}

/// The tip of what was read of Dev; `None` when nothing was.
///
/// # Errors
/// When the history cannot be read.
pub(super) fn tip(app: &App) -> Result<Option<Sha>> {
    app.history.incoming().map_err(broken)
}

/// The newest version of a flow on Dev; `None` where there is none, where it was deleted there, and where it could answer
/// nobody.
///
/// # Errors
/// When the history cannot be read.
pub(super) fn newest(app: &App, flow: &FlowId) -> Result<Option<Offer>> {
    let Some(tip) = tip(app)? else { return Ok(None) };
    let newest = app.history.incoming_versions(flow, 1).map_err(broken)?.pop();
    newest.map_or(Ok(None), |version| with_content(app, tip, flow, version))
}

/// As [`newest`], of every flow, newest first. A version that cannot be read is left out, and the log says so.
///
/// # Errors
/// When the history cannot be read at all.
pub(super) fn all(app: &App) -> Result<Vec<(FlowId, Version)>> {
    match tip(app)? {
        None => Ok(Vec::new()),
        Some(_) => app.history.incoming_newest().map_err(broken),
    }
}

/// What this version holds; as [`newest`].
///
/// # Errors
/// When the version cannot be read.
pub(super) fn with_content(app: &App, tip: Sha, flow: &FlowId, version: Version) -> Result<Option<Offer>> {
    let held = app.history.incoming_content(flow, &version).map_err(broken)?;
    let Some(VersionContent::Flow(mut held)) = held else { return Ok(None) };
    let mut references = held.references.take();
    references.iter_mut().for_each(|noted| noted.truncate(NOTED_MAX));
    let content = Snapshot::from_record(held).filter(|content| content.id == *flow && is_name(&content.name));
    Ok(content.map(|content| Offer { tip, version, content, references }))
}

/// The versions of a flow on Dev, newest first.
///
/// # Errors
/// When the history cannot be read.
pub(super) fn line(app: &App, flow: &FlowId) -> Result<Vec<Version>> {
    app.history.incoming_versions(flow, LINE_MAX).map_err(broken)
}

fn broken(fault: HistoryError) -> Error {
    match fault {
        HistoryError::Index(fault) => fault,
        HistoryError::Cancelled => Error::Cancelled,
        fault => {
            tracing::error!(error = %fault.with_causes(), "the history of Dev cannot be read");
            Conflict::HistoryBroken(fault.to_string()).into()
        }
    }
}
