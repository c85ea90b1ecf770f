//! Watching the runs that calls of a flow's webhook start, while its owner tries it out.

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::{FlowId, WebhookListenerId};
use crate::ops::flows::access::{self, FlowAction};
pub use crate::state::webhook_listeners::{ListenerEvent, ListenerEvents};
use std::time::Instant;

/// What is watched are whole runs: whoever may save a flow and not see it sees none of them.
///
/// # Errors
/// 404 or 403.
fn require_watcher(app: &App, caller: &Caller, flow: &FlowId) -> Result<()> {
    app.store.read(|tx| {
        let flow = access::flow(tx, caller, flow, FlowAction::Save)?;
        access::check_permission(caller, flow.kind, FlowAction::View)
    })
}

/// Notes that the caller is going to watch a flow.
///
/// # Errors
/// 404 or 403; 409 when there are as many as there may be.
pub fn register_listener(app: &App, caller: &Caller, flow: &FlowId) -> Result<WebhookListenerId> {
    require_watcher(app, caller, flow)?;
    let noted = app.state.webhook_listeners.register(*flow, Instant::now());
    noted.ok_or_else(|| Conflict::TooMany { what: "listeners of webhooks" }.into())
}

/// What happens in runs of the flow's webhook from here on.
///
/// # Errors
/// 404 or 403, and 404 for somebody who was not noted, or watched no more for a while.
pub fn open_listener(
    app: &App,
    caller: &Caller,
    flow: &FlowId,
    id: &WebhookListenerId,
) -> Result<ListenerEvents> {
    require_watcher(app, caller, flow)?;
    let opened = app.state.webhook_listeners.open(flow, id, Instant::now());
    opened.ok_or_else(|| Error::no_such("Listener", &id.to_string()))
}

/// Forgets somebody who watched; one that is unknown is no error.
///
/// # Errors
/// 404 or 403.
pub fn remove_listener(app: &App, caller: &Caller, flow: &FlowId, id: &WebhookListenerId) -> Result<()> {
    app.store.read(|tx| access::flow(tx, caller, flow, FlowAction::Save))?;
    app.state.webhook_listeners.remove(flow, id);
    Ok(())
}

/// Notes that somebody still watches.
pub fn keep_listener(app: &App, flow: &FlowId, id: &WebhookListenerId) {
    app.state.webhook_listeners.touch(flow, id, Instant::now());
}

/// True when somebody watches the runs of a flow's webhook.
#[must_use]
pub fn is_watched(app: &App, flow: &FlowId) -> bool {
    app.state.webhook_listeners.has_readers(flow)
}

/// Tells those who watch.
pub fn tell_listeners(app: &App, flow: &FlowId, event: &ListenerEvent) {
    app.state.webhook_listeners.publish(flow, event);
}
