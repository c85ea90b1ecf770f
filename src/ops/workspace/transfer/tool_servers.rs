//! Servers of tools in a file: how one is reached may be secret, so a file tells where it is and what its headers are called.

use super::import::{parse_body, require};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::ids::ToolServerId;
use crate::domain::workspace::credential::MASK;
use crate::domain::workspace::tool_server::{ToolServerAccess, ToolServerChange};
use crate::ops::workspace::tool_servers;
use crate::wire::workspace::tool_servers::ToolServerEdit;
use serde_json::{Map, Value};

/// What is said of one that is here already.
pub(super) const NOTE: &str = "How it is reached stays as it is here, where the file hides it.";

/// What is wrong with it, as far as the file itself says it.
///
/// # Errors
/// 400 naming the field.
pub(super) fn check(fields: &Map<String, Value>) -> Result<()> {
    ToolServerAccess::blank().with_change(&as_new(change(fields)?)).map(drop)
}

/// What somebody has to do before it can be used; `None` where the file hides nothing of it.
pub(super) fn missing(fields: &Map<String, Value>) -> Option<String> {
    let change = change(fields).ok()?;
    let hides = is_hidden(change.url.as_deref()) || hides_headers(&change);
    let told = "It comes without what is secret of its address and its headers: enter it under Tools, and ask the server for its tools.";
    hides.then(|| told.to_owned())
}

/// Takes it in. One that is new is known by scheme, host and port, and its headers are empty, until somebody enters the rest.
///
/// # Errors
/// 400 naming what is wrong; 403 for an update without the permission for it.
pub(super) fn import(
    app: &App,
    caller: &Caller,
    id: ToolServerId,
    fields: &Map<String, Value>,
    is_new: bool,
) -> Result<()> {
    let change = change(fields)?;
    if is_new {
        let made = tool_servers::prepare_as(app, caller, id, &as_new(change))?;
        return tool_servers::insert(app, caller, &made);
    }
    require(caller, "tools:update")?;
    let headers = if hides_headers(&change) { None } else { change.headers };
    let url = change.url.filter(|url| !is_hidden(Some(url)));
    tool_servers::update(app, caller, id, &ToolServerChange { url, headers, ..change }).map(drop)
}

fn change(fields: &Map<String, Value>) -> Result<ToolServerChange> {
    Ok(parse_body::<ToolServerEdit>(fields)?.into())
}

fn is_hidden(url: Option<&str>) -> bool {
    url.is_some_and(|url| url.contains(MASK))
}

fn hides_headers(change: &ToolServerChange) -> bool {
    change.headers.iter().flatten().any(|(_, value)| value == MASK)
}

/// With nothing in the place of what is hidden.
fn as_new(change: ToolServerChange) -> ToolServerChange {
    let unhidden = |text: String| text.replace(MASK, "");
    let headers =
        change.headers.map(|rows| rows.into_iter().map(|(name, value)| (name, unhidden(value))).collect());
    ToolServerChange { url: change.url.map(unhidden), headers, ..change }
}
