//! Which pages a flow turned away lately: what its owner looks at before listing one.

use super::access::{self, FlowAction};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::flows::flow::{Flow, RefusedOrigin};
use crate::domain::ids::FlowId;

/// Counts a request of a page that the flow does not admit.
pub(crate) fn record(app: &App, flow: &FlowId, origin: &str) {
    app.state.refused_origins.record(flow, origin, app.clock.now());
}

/// The flow, and the pages it turned away lately, the newest first.
///
/// # Errors
/// 404 or 403, as [`access::flow`].
pub(crate) fn list(app: &App, caller: &Caller, id: &FlowId) -> Result<(Flow, Vec<RefusedOrigin>)> {
    let flow = app.store.read(|tx| access::flow(tx, caller, id, FlowAction::Read))?;
    let refused = app.state.refused_origins.recent(id, app.clock.now());
    Ok((flow, refused))
}
