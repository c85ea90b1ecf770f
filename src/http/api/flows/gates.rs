//! The flow that a path names, for guards: it is judged before the body (manual 1.3).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::http::api::predictions::prediction::flow_id;
use crate::http::request::Request;
use crate::ops::flows::access::{self, FlowAction};

/// A flow that the caller may see the record of.
///
/// # Errors
/// 404, 403.
pub(crate) fn readable(app: &App, caller: &Caller, request: &Request) -> Result<()> {
    access::require_flow(app, caller, &flow_id(request)?, FlowAction::Read)
}

/// A flow that the caller may change.
///
/// # Errors
/// 404, 403.
pub(crate) fn changeable(app: &App, caller: &Caller, request: &Request) -> Result<()> {
    access::require_flow(app, caller, &flow_id(request)?, FlowAction::Update)
}

/// A flow of which the caller may change how it is reached from outside.
///
/// # Errors
/// 404, 403.
pub(crate) fn configurable(app: &App, caller: &Caller, request: &Request) -> Result<()> {
    access::require_flow(app, caller, &flow_id(request)?, FlowAction::Configure)
}
