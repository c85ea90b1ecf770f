//! Flows as tools of MCP servers: what opens them, and what a call of one asks.

mod servers;
mod tools;

use crate::app::App;
use crate::base::cancel::CancelToken;

pub use self::servers::{create, delete, find, refresh_token, remove_flow, settings, update};
pub use self::tools::{list_tools, request, tool_of};
pub use crate::state::calls::active::{CallGuard, CallKey};

/// Notes a call that is under way, so that its caller can take it back.
#[must_use]
pub fn register_call(app: &App, key: CallKey, cancel: &CancelToken) -> CallGuard {
    app.state.active_calls.register(key, cancel)
}

/// Ends a call that its caller takes back.
pub fn take_back(app: &App, key: &CallKey) {
    app.state.active_calls.cancel(key);
}
