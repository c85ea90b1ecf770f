//! Promotion: what Dev has that is not Live here, what it would change, and making it Live (manual 20).

pub(crate) mod check;

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::version::Sha;
use crate::domain::ids::FlowId;
use crate::domain::promotion::entry::{IncomingFlow, IncomingList, Promotion};

/// Everything that Dev offers to this workspace.
///
/// # Errors
/// When the history or the database cannot be read.
pub(crate) fn list(app: &App, _: &Caller) -> Result<IncomingList> {
    Ok(IncomingList { is_enabled: app.settings.history, ..IncomingList::default() })
}

/// What promoting a flow would do.
///
/// # Errors
/// 404 when Dev has no new version of it.
pub(crate) fn read(_: &App, _: &Caller, id: &FlowId) -> Result<IncomingFlow> {
    Err(nothing_new(id))
}

/// Makes the newest version of Dev Live.
///
/// # Errors
/// 400 for what is no full version id; 409 when it is not what would be promoted, or not what was shown.
pub(crate) fn promote(_: &App, _: &Caller, _: &FlowId, sha: &str, _: Option<&str>) -> Result<Promotion> {
    Sha::parse(sha)
        .ok_or_else(|| Error::invalid("Invalid sha: a version to promote is named by all 40 lowercase hex characters."))?;
    Err(Conflict::NotProd.into())
}

fn nothing_new(id: &FlowId) -> Error {
    Error::NotFound(format!("Dev has no new version of flow {id}"))
}
