//! What the server of a card offers, for people who choose among it.

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result, TransientFault};
use crate::domain::ids::WorkspaceId;
use crate::domain::workspace::tool_server::OfferedTool;
use crate::engine::{self, StandaloneCard};
use crate::ops::predictions::host::workspace_host::WorkspaceHost;
use std::time::Duration;

/// Asks the server of a card for its tools; in the place of an answer, the sentence that says why there is none. A card without
/// a server offers nothing.
///
/// # Errors
/// What is no fault of the card or its server, such as a database that cannot be read.
pub(in crate::ops) fn list(
    app: &App,
    workspace: WorkspaceId,
    card: &StandaloneCard<'_>,
    most: Duration,
    cancel: &CancelToken,
) -> Result<std::result::Result<Vec<OfferedTool>, String>> {
    // It ends with its own time, and with the caller who leaves.
    let limited = cancel.child_within(most);
    let host = WorkspaceHost::new(app, workspace, limited.token.clone());
    match engine::list_actions(card, &host) {
        Ok(tools) => {
            let tool = |(name, description)| OfferedTool { name, description };
            Ok(Ok(tools.unwrap_or_default().into_iter().map(tool).collect()))
        }
        Err(
            Error::RunFailed(why)
            | Error::Invalid(why)
            | Error::Transient(TransientFault { message: why, .. }),
        ) => Ok(Err(why)),
        Err(Error::Cancelled) => {
            let seconds = most.as_secs();
            Ok(Err(format!("{}: its server did not answer within {seconds} seconds.", card.label)))
        }
        Err(other) => Err(other),
    }
}
