//! Comparing the answers of Live with those of a version of Dev (manual 20.4).

use super::nothing_new;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::checks::check::CheckRequest;
use crate::domain::checks::setup::CheckSetup;
use crate::domain::error::Result;
use crate::domain::ids::{CheckId, FlowId};
use crate::ops::checks::CheckReport;

/// What a check would be, and the newest one.
///
/// # Errors
/// 404 when Dev has no new version of the flow.
pub(crate) fn setup(_: &App, _: &Caller, id: &FlowId) -> Result<(CheckSetup, Option<CheckReport>)> {
    Err(nothing_new(id))
}

/// Begins a check.
///
/// # Errors
/// 404 when Dev has no new version of the flow.
pub(crate) fn start(_: &App, _: &Caller, id: &FlowId, _: CheckRequest) -> Result<CheckReport> {
    Err(nothing_new(id))
}

/// The newest check of the flow, if it is this one.
///
/// # Errors
/// 404 when Dev has no new version of the flow.
pub(crate) fn read(_: &App, _: &Caller, id: &FlowId, _: Option<CheckId>) -> Result<CheckReport> {
    Err(nothing_new(id))
}

/// Stops a check.
///
/// # Errors
/// 404 when Dev has no new version of the flow.
pub(crate) fn stop(_: &App, _: &Caller, id: &FlowId, _: Option<CheckId>) -> Result<CheckReport> {
    Err(nothing_new(id))
}
