//! The check before a promotion (manual 18.10): people's questions of this server, to Live and to the version from Dev as it would
//! stand here.

use super::canvases::{FlowCanvases, Sources};
use super::sides::{self, CanvasSource, GivenCanvas};
use super::{CheckReport, begin, find, prepare};
use crate::app::App;
use crate::base::cancel::CancelReason;
use crate::canvas::Canvas;
use crate::domain::accounts::caller::Caller;
use crate::domain::checks::check::CheckRequest;
use crate::domain::checks::setup::{CheckSetup, Unavailable};
use crate::domain::checks::sides::{Comparison, SideName, SideNames};
use crate::domain::error::Result;
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::flows::restore::MissingCredential;
use crate::domain::flows::version::Sha;
use crate::domain::ids::{CheckId, FlowId};
use crate::ops::flows::access::{self, FlowAction};
use crate::state::checks::CheckEntry;
use crate::store::tables::FLOWS;

/// The newest version of a flow that Dev published, as it would stand on this server.
pub(crate) struct IncomingCanvas {
    /// The flow as it would be here: its kind is that of the version.
    pub flow: Flow,
    /// With credentials of this server.
    pub canvas: String,
    pub sha: Sha,
    /// What it names and this server does not have.
    pub missing_credentials: Vec<MissingCredential>,
}

impl IncomingCanvas {
    /// What stands against a check besides the canvases.
    fn credentials(&self) -> Option<Unavailable> {
        without_credentials(&self.missing_credentials)
    }

    fn sources(self) -> Sources {
        let name = SideName::Incoming(self.sha);
        let given = GivenCanvas { name, kind: self.flow.kind, canvas: self.canvas };
        Sources { left: CanvasSource::Live, right: CanvasSource::Given(given) }
    }
}

/// What a check of this version would be, and the newest one. A flow that is new here is told of as one that cannot be checked.
///
/// # Errors
/// 403.
pub(crate) fn setup(
    app: &App,
    caller: &Caller,
    incoming: IncomingCanvas,
) -> Result<(CheckSetup, Option<CheckReport>)> {
    let (id, sha, credentials) = (incoming.flow.id, incoming.sha, incoming.credentials());
    let Some(canvases) = canvases(app, caller, incoming, FlowAction::View)? else {
        return Ok((of_new_flow(app), None));
    };
    let setup = prepare(app, canvases, credentials)?;
    let newest = app.state.checks.newest_of(&(id, Comparison::Promotion), app.clock.now());
    Ok((setup, newest.map(|entry| report(&entry, Some(sha)))))
}

/// Why a version from Dev and Live, by kind and canvas, cannot be checked.
pub(crate) fn unavailable(
    sides: &[(FlowKind, Option<&Canvas>)],
    sha: Sha,
    missing: &[MissingCredential],
) -> Option<Unavailable> {
    let names = SideNames { left: SideName::Live, right: SideName::Incoming(sha) };
    sides::unavailable(sides, names).or_else(|| without_credentials(missing))
}

fn without_credentials(missing: &[MissingCredential]) -> Option<Unavailable> {
    let name = |one: &MissingCredential| format!("{} ({})", one.name, one.credential_name);
    let names: Vec<String> = missing.iter().map(name).collect();
    (!names.is_empty()).then_some(Unavailable::Credentials(names))
}

/// Begins a check of this version; its runs go on in the background.
///
/// # Errors
/// As a check of a draft; 409 too for a flow that is new here, and where credentials are missing.
pub(crate) fn start(
    app: &App,
    caller: &Caller,
    incoming: IncomingCanvas,
    request: CheckRequest,
) -> Result<CheckReport> {
    let (sha, credentials) = (incoming.sha, incoming.credentials());
    let canvases = canvases(app, caller, incoming, FlowAction::Update)?;
    let canvases = canvases.ok_or_else(|| Unavailable::NewFlow.conflict())?;
    Ok(report(&*begin(app, canvases, credentials, request)?, Some(sha)))
}

/// The newest check of a version from Dev, if it is this one. `offered` is the version that could be promoted now.
///
/// # Errors
/// 404, 403.
pub(crate) fn read(
    app: &App,
    caller: &Caller,
    (id, check): (&FlowId, Option<CheckId>),
    offered: Option<Sha>,
) -> Result<CheckReport> {
    access::require_flow(app, caller, id, FlowAction::View)?;
    Ok(report(&*find(app, id, check, &[Comparison::Promotion])?, offered))
}

/// Stops a check of a version from Dev. One that ended stays as it is.
///
/// # Errors
/// 404, 403.
pub(crate) fn stop(
    app: &App,
    caller: &Caller,
    (id, check): (&FlowId, Option<CheckId>),
    offered: Option<Sha>,
) -> Result<CheckReport> {
    access::require_flow(app, caller, id, FlowAction::Update)?;
    let entry = find(app, id, check, &[Comparison::Promotion])?;
    entry.cancel.cancel(CancelReason::Aborted);
    Ok(report(&entry, offered))
}

/// `None` for a flow that this server does not have.
fn canvases(
    app: &App,
    caller: &Caller,
    incoming: IncomingCanvas,
    action: FlowAction,
) -> Result<Option<FlowCanvases>> {
    let id = incoming.flow.id;
    if !app.store.read(|tx| FLOWS.has(tx, &caller.workspace, &id))? {
        return Ok(None);
    }
    FlowCanvases::read(app, caller, &id, action, incoming.sources()).map(Some)
}

fn of_new_flow(app: &App) -> CheckSetup {
    CheckSetup {
        unavailable: Some(Unavailable::NewFlow),
        questions: Vec::new(),
        risky_steps: Vec::new(),
        limits: super::limits(app, false),
        control_seconds_max: super::limits(app, true).seconds_max,
        live_empty: true,
        estimate: None,
    }
}

fn report(entry: &CheckEntry, offered: Option<Sha>) -> CheckReport {
    let check = entry.check().clone();
    let draft_changed = offered.map(SideName::Incoming) != Some(check.sides.right);
    CheckReport { check, draft_changed }
}
