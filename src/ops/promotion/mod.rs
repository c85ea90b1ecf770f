//! Promotion: what Dev has that is not Live here, what it would change, and making it Live (manual 20).

mod assessment;
pub(crate) mod check;
mod mapping;
mod offer;
mod promote;
mod records;
mod warnings;

use self::assessment::Candidate;
use self::offer::Offer;
pub(crate) use self::promote::promote;
use self::records::WorkspaceRecords;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::FlowId;
use crate::domain::promotion::entry::{IncomingEntry, IncomingFlow, IncomingList};
use crate::ops::flows::live;
use crate::ops::remote;
use std::rc::Rc;

/// Everything that Dev offers to this workspace, the newest version first; nothing on a server that does not promote.
///
/// # Errors
/// When the history or the database cannot be read.
pub(crate) fn list(app: &App, caller: &Caller) -> Result<IncomingList> {
    let (is_connected, last_checked) = connection(app)?;
    let mut list = IncomingList {
        is_enabled: app.history.is_enabled(),
        is_connected,
        last_checked,
        entries: Vec::new(),
    };
    if !offer::is_prod(app)? {
        return Ok(list);
    }
    let Some(tip) = offer::tip(app)? else { return Ok(list) };
    let records = Rc::new(app.store.read(|tx| WorkspaceRecords::read(tx, &caller.workspace))?);
    let promoted = records.last_promotions();
    for (flow, version) in offer::all(app)? {
        // The record answers without the content, which the history would have to unpack.
        if promoted.get(&flow) == Some(&version.sha) {
            continue;
        }
        let read = offer::with_content(app, tip, &flow, version);
        match read.and_then(|offer| offer.map_or(Ok(None), |offer| entry(app, caller, &offer, &records))) {
            Ok(entry) => list.entries.extend(entry),
            // One that cannot be read keeps nobody from the others.
            Err(error) => {
                tracing::warn!(%flow, error = error.for_log(), "a version from Dev cannot be offered");
            }
        }
    }
    Ok(list)
}

fn entry(
    app: &App,
    caller: &Caller,
    offer: &Offer,
    records: &Rc<WorkspaceRecords>,
) -> Result<Option<IncomingEntry>> {
    if !is_ours(app, caller, offer)? {
        return Ok(None);
    }
    let found =
        app.store.read(|tx| Candidate::find(app, tx, &caller.workspace, offer, Rc::clone(records)))?;
    let Some(candidate) = found else { return Ok(None) };
    let line = offer::line(app, &offer.content.id)?;
    Ok(Some(candidate.entry(&offer.version, line)))
}

/// The version as it would stand here; `None` where it is not offered.
fn find(app: &App, caller: &Caller, offer: &Offer) -> Result<Option<Candidate>> {
    if !is_ours(app, caller, offer)? {
        return Ok(None);
    }
    app.store.read(|tx| {
        let records = Rc::new(WorkspaceRecords::read(tx, &caller.workspace)?);
        Candidate::find(app, tx, &caller.workspace, offer, records)
    })
}

/// False where the id of the flow belongs to another workspace: that of a flow that was deleted stays with its own, and what the
/// database does not know of, the history may.
fn is_ours(app: &App, caller: &Caller, offer: &Offer) -> Result<bool> {
    Ok(live::workspace_of_id(app, &offer.content.id)?.is_none_or(|home| home == caller.workspace))
}

/// What promoting a flow would do.
///
/// # Errors
/// 404 when Dev has no new version of it, and on a server that does not promote.
pub(crate) fn read(app: &App, caller: &Caller, id: &FlowId) -> Result<IncomingFlow> {
    let (offer, candidate) = require(app, caller, id)?;
    let line = offer::line(app, id)?;
    app.store.read(|tx| candidate.show(app, tx, &offer, line.clone()))
}

/// What Dev offers of this flow, and how it would stand here.
///
/// # Errors
/// 404 when it offers nothing.
fn require(app: &App, caller: &Caller, id: &FlowId) -> Result<(Offer, Candidate)> {
    let offer = if offer::is_prod(app)? { offer::newest(app, id)? } else { None };
    let offer = offer.ok_or_else(|| nothing_new(id))?;
    let candidate = find(app, caller, &offer)?.ok_or_else(|| nothing_new(id))?;
    Ok((offer, candidate))
}

fn nothing_new(id: &FlowId) -> Error {
    Error::NotFound(format!("Dev has no new version of flow {id}"))
}

/// Whether a repository is connected, and when it was read last.
fn connection(app: &App) -> Result<(bool, Option<jiff::Timestamp>)> {
    let is_connected = remote::is_connected(app)?;
    Ok((is_connected, is_connected.then(|| app.state.remote_copy.checked()).flatten()))
}
