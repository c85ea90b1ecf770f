//! Which pages a flow turned away lately: what its owner looks at before listing one.

use super::access::{self, Action};
use crate::app::App;
use crate::domain::caller::Caller;
use crate::domain::error::Result;
use crate::domain::flow::{Flow, RefusedOrigin};
use crate::domain::ids::FlowId;

/// Counts a request of a page that the flow does not admit.
pub fn note(app: &App, flow: &FlowId, origin: &str) {
    app.boards.refused_origins.note(flow, origin, app.clock.now());
}

/// The flow, and the pages it turned away lately, the newest first.
///
/// # Errors
/// 404 or 403, as [`access::flow`].
pub fn list(app: &App, caller: &Caller, id: &FlowId) -> Result<(Flow, Vec<RefusedOrigin>)> {
    let flow = app.store.read_but_messages(|tx| access::flow(tx, caller, id, Action::Read))?;
    let refused = app.boards.refused_origins.of(id, app.clock.now());
    Ok((flow, refused))
}
