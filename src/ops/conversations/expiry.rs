//! Conversations that are older than anything is kept (manual 3.6 r3).

use super::messages::{self, MessageFilter};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::Result;
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::store::tables::{FLOWS, WORKSPACES};

/// Deletes the messages of all flows that are older than any is kept, until `cancel` is set; how many. A conversation of which
/// nothing is left goes whole.
///
/// # Errors
/// When the database cannot be read.
pub fn delete_expired(app: &App, cancel: &CancelToken) -> Result<usize> {
    let Some(until) = app.kept_since() else { return Ok(0) };
    let filter = MessageFilter { end: Some(until), ..MessageFilter::default() };
    let flows: Vec<(WorkspaceId, FlowId)> = app.store.read(|tx| {
        let mut flows = Vec::new();
        for workspace in WORKSPACES.list(tx)? {
            flows.extend(FLOWS.list(tx, &workspace.id)?.iter().map(|flow| (workspace.id, flow.id)));
        }
        Ok(flows)
    })?;
    let mut count = 0;
    for (workspace, flow) in flows.iter().take_while(|_| cancel.reason().is_none()) {
        match messages::delete_as(app, None, (workspace, flow), &filter, cancel) {
            Ok(deleted) => count += deleted,
            // What another server cannot forget now it may forget tomorrow, and other flows have nothing to do with it.
            Err(error) => {
                tracing::warn!(error = error.for_log(), %flow, "messages beyond their time could not be removed");
            }
        }
    }
    Ok(count)
}
