//! What visitors of chats left of themselves, by flow, in the order they came.

use super::messages::is_in_workspace;
use crate::domain::conversations::lead::Lead;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FlowId, LeadId, WorkspaceId};
use crate::store::keys::{self, KeyRange};
use crate::store::tables::{LEAD_CONVERSATIONS, LEADS};
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
    tx.scan(LEADS, &KeyRange::prefix(flow.bytes()), Order::Descending, |_, value| Ok(each(parse(value)?)))
}

/// The newest `newest` leads of a flow, newest first.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn list(tx: &impl Tx, workspace: &WorkspaceId, flow: &FlowId, newest: usize) -> Result<Vec<Lead>> {
    let mut found = Vec::new();
    scan(tx, workspace, flow, |lead| {
        if found.len() < newest {
            found.push(lead);
        }
        if found.len() < newest { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(found)
}

/// The leads that were left in a conversation, newest first.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn of_conversation(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    chat: &ChatId,
) -> Result<Vec<Lead>> {
    let (mut ids, mut found) = (Vec::new(), Vec::new());
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(found);
    }
    let range = KeyRange::prefix(&keys::conversation(flow, chat));
    tx.scan_keys(LEAD_CONVERSATIONS, &range, Order::Descending, |key| {
        ids.extend(key.get(32..).and_then(|id| id.try_into().ok()).map(LeadId::from_bytes));
        Ok(ControlFlow::Continue(()))
    })?;
    for id in &ids {
        found.extend(tx.get_with(LEADS, &keys::lead(flow, id), parse)?);
    }
    Ok(found)
}

/// The newest leads of a flow before one, at most so many, newest first. None is read.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn newest_before(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    before: Option<&LeadId>,
    most: usize,
) -> Result<Vec<LeadId>> {
    let mut ids = Vec::new();
    if most == 0 || !is_in_workspace(tx, workspace, flow)? {
        return Ok(ids);
    }
    let whole = KeyRange::prefix(flow.bytes());
    let range = before
        .map_or_else(|| whole.clone(), |before| KeyRange::between(flow.bytes(), &keys::lead(flow, before)));
    tx.scan_keys(LEADS, &range, Order::Descending, |key| {
        ids.extend(keys::parse_lead(key).map(|(_, id)| id));
        Ok(if ids.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(ids)
}

/// The lead of this id, if the flow has it.
///
/// # Errors
/// [`Error::Internal`] when the database or the lead cannot be read.
pub fn get(tx: &impl Tx, workspace: &WorkspaceId, flow: &FlowId, id: &LeadId) -> Result<Option<Lead>> {
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(None);
    }
    tx.get_with(LEADS, &keys::lead(flow, id), parse)
}

fn parse(value: &[u8]) -> Result<Lead> {
    // The cause is not kept: its text may quote what a person left.
    serde_json::from_slice(value).map_err(|_| Error::internal("a stored lead cannot be read"))
}

/// The oldest leads of a flow that leave it `most`; none is read.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn oldest_beyond(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    flow: &FlowId,
    most: usize,
) -> Result<Vec<LeadId>> {
    let mut ids = Vec::new();
    if is_in_workspace(tx, workspace, flow)? {
        tx.scan_keys(LEADS, &KeyRange::prefix(flow.bytes()), Order::Ascending, |key| {
            ids.extend(keys::parse_lead(key).map(|(_, id)| id));
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
pub fn remove(tx: &WriteTx, workspace: &WorkspaceId, flow: &FlowId, leads: &[LeadId]) -> Result<()> {
    if leads.is_empty() || !is_in_workspace(tx, workspace, flow)? {
        return Ok(());
    }
    for id in leads {
        let key = keys::lead(flow, id);
        match tx.get_with(LEADS, &key, parse) {
            Ok(Some(lead)) => {
                tx.remove(LEAD_CONVERSATIONS, &keys::lead_of_conversation(flow, &lead.chat, id))?;
            }
            // The note of its conversation stays, and leads to nothing.
            Ok(None) | Err(Error::Damaged(_)) => {}
            Err(error) => return Err(error),
        }
        tx.remove(LEADS, &key)?;
    }
    Ok(())
}

/// True when the flow has the lead of this id.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be read.
pub fn has(tx: &impl Tx, workspace: &WorkspaceId, flow: &FlowId, id: &LeadId) -> Result<bool> {
    if !is_in_workspace(tx, workspace, flow)? {
        return Ok(false);
    }
    Ok(tx.get_with(LEADS, &keys::lead(flow, id), |_| Ok(()))?.is_some())
}

/// Stores a lead after all others.
///
/// # Errors
/// 404 when the flow is not (any more) in the workspace.
pub fn add(tx: &WriteTx, workspace: &WorkspaceId, flow: &FlowId, lead: &Lead) -> Result<()> {
    if !is_in_workspace(tx, workspace, flow)? {
        return Err(Error::no_flow(flow));
    }
    tx.put(LEAD_CONVERSATIONS, &keys::lead_of_conversation(flow, &lead.chat, &lead.id), &[])?;
    tx.put(LEADS, &keys::lead(flow, &lead.id), &serde_json::to_vec(lead).map_err(Error::internal)?)
}

/// Removes the leads of a flow that goes away.
///
/// # Errors
/// [`Error::Internal`] when the database cannot be written.
pub fn remove_flow(tx: &WriteTx, workspace: &WorkspaceId, flow: &FlowId) -> Result<()> {
    if is_in_workspace(tx, workspace, flow)? {
        tx.remove_range(LEADS, &KeyRange::prefix(flow.bytes()))?;
        tx.remove_range(LEAD_CONVERSATIONS, &KeyRange::prefix(flow.bytes()))?;
    }
    Ok(())
}
