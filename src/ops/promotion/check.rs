//! Comparing the answers of Live with those of a version of Dev (manual 20.6).

use super::require;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::checks::check::CheckRequest;
use crate::domain::checks::setup::CheckSetup;
use crate::domain::error::{Error, Result};
use crate::domain::flows::version::Sha;
use crate::domain::ids::{CheckId, FlowId};
use crate::ops::checks::CheckReport;
use crate::ops::checks::promotion::{self, IncomingCanvas};

/// The newest version of Dev as it would stand here, as a side of a check.
///
/// # Errors
/// 404 when Dev has no new version of the flow.
fn incoming_canvas(app: &App, caller: &Caller, id: &FlowId) -> Result<IncomingCanvas> {
    let (offer, candidate) = require(app, caller, id)?;
    let missing_credentials = candidate.missing_credentials().to_vec();
    Ok(IncomingCanvas {
        flow: candidate.flow,
        canvas: candidate.canvas,
        sha: offer.version.sha,
        missing_credentials,
    })
}

/// The version that could be promoted now.
fn offered(app: &App, caller: &Caller, id: &FlowId) -> Result<Option<Sha>> {
    match require(app, caller, id) {
        Ok((offer, _)) => Ok(Some(offer.version.sha)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What a check would be, and the newest one.
///
/// # Errors
/// 404 when Dev has no new version of the flow.
pub(crate) fn setup(app: &App, caller: &Caller, id: &FlowId) -> Result<(CheckSetup, Option<CheckReport>)> {
    promotion::setup(app, caller, incoming_canvas(app, caller, id)?)
}

/// Begins a check.
///
/// # Errors
/// 404 when Dev has no new version of the flow; as a check of a draft.
pub(crate) fn start(app: &App, caller: &Caller, id: &FlowId, request: CheckRequest) -> Result<CheckReport> {
    promotion::start(app, caller, incoming_canvas(app, caller, id)?, request)
}

/// The newest check of the flow, if it is this one.
///
/// # Errors
/// 404 for any other.
pub(crate) fn read(app: &App, caller: &Caller, id: &FlowId, check: Option<CheckId>) -> Result<CheckReport> {
    promotion::read(app, caller, (id, check), offered(app, caller, id)?)
}

/// Stops a check.
///
/// # Errors
/// 404 for any other.
pub(crate) fn stop(app: &App, caller: &Caller, id: &FlowId, check: Option<CheckId>) -> Result<CheckReport> {
    promotion::stop(app, caller, (id, check), offered(app, caller, id)?)
}
