//! Watching the runs that calls of a flow's webhook start, while its owner tries it out.

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::{FlowId, WebhookListenerId};
use crate::ops::flows::access::{self, FlowAction};
pub use crate::state::webhook_listeners::{ListenerEvent, ListenerEvents};
use std::time::Instant;

/// Notes that the caller is going to watch a flow.
///
/// # Errors
/// 404 or 403; 409 when there are as many as there may be.
pub fn register_listener(app: &App, caller: &Caller, flow: &FlowId) -> Result<WebhookListenerId> {
    app.store.read(|tx| access::flow(tx, caller, flow, FlowAction::Save))?;
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
    app.store.read(|tx| access::flow(tx, caller, flow, FlowAction::Save))?;
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
