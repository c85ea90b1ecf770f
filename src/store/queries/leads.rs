//! What visitors of chats left of themselves, by flow, in the order they came.

use super::messages::is_in_workspace;
use crate::domain::conversations::lead::Lead;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{FlowId, LeadId, WorkspaceId};
use crate::store::keys::{self, KeyRange};
use crate::store::tables::LEADS;
use crate::store::transaction::{Order, Tx, WriteTx};
use std::ops::ControlFlow;

/// Reads leads of a flow, newest first, until `each` has what it looks for.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn scan(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    mut each: impl FnMut(Lead) -> ControlFlow<()>,
) -> Result<()> {
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(());
    }
    tx.scan(LEADS, &KeyRange::prefix(flow.bytes()), Order::Descending, |_, value| {
        let lead =
            serde_json::from_slice(value).map_err(|_| Error::internal("a stored lead cannot be read"))?;
        Ok(each(lead))
    })
}

/// The newest `newest` leads of a flow, newest first.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn list(tx: &impl Tx, workspace: &WorkspaceId, flow: &FlowId, newest: usize) -> Result<Vec<Lead>> {
    let mut found = Vec::new();
    scan(tx, workspace, flow, |lead| {
        if found.len() < newest {
            found.push(lead);
        }
        if found.len() < newest { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(found)
}

/// The oldest leads of a flow that leave it `most`; none is read.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn oldest_beyond(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    most: usize,
) -> Result<Vec<LeadId>> {
    let mut ids = Vec::new();
    if is_in_workspace(tx, workspace, flow)? {
        tx.scan_keys(LEADS, &KeyRange::prefix(flow.bytes()), Order::Ascending, |key| {
            ids.extend(keys::parse_lead(key));
            Ok(ControlFlow::Continue(()))
        })?;
    }
    ids.truncate(ids.len().saturating_sub(most));
    Ok(ids)
}

/// Removes leads of a flow; those that are gone already are no error.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub(crate) fn remove(tx: &WriteTx, workspace: &WorkspaceId, flow: &FlowId, leads: &[LeadId]) -> Result<()> {
    if leads.is_empty() || !is_in_workspace(tx, workspace, flow)? {
        return Ok(());
    }
    leads.iter().try_for_each(|lead| tx.remove(LEADS, &keys::lead(flow, lead)).map(drop))
}

/// True when the flow has the lead of this id.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub(crate) fn has(tx: &impl Tx, workspace: &WorkspaceId, flow: &FlowId, id: &LeadId) -> Result<bool> {
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(false);
    }
    Ok(tx.get_with(LEADS, &keys::lead(flow, id), |_| Ok(()))?.is_some())
}

/// Stores a lead after all others.
///
/// # Errors
/// 404 when the flow is not (any more) in the workspace.
pub(crate) fn add(tx: &WriteTx, workspace: &WorkspaceId, flow: &FlowId, lead: &Lead) -> Result<()> {
    if !is_in_workspace(tx, workspace, flow)? {
        return Err(Error::no_flow(flow));
    }
    tx.put(LEADS, &keys::lead(flow, &lead.id), &serde_json::to_vec(lead).map_err(Error::internal)?)
}

/// Removes the leads of a flow that goes away.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub(crate) fn remove_flow(tx: &WriteTx, workspace: &WorkspaceId, flow: &FlowId) -> Result<()> {
    if is_in_workspace(tx, workspace, flow)? {
        tx.remove_range(LEADS, &KeyRange::prefix(flow.bytes()))?;
    }
    Ok(())
}
