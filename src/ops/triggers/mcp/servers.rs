//! What opens a flow as a tool: made, changed and forgotten by whoever may configure the flow.

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::ids::FlowId;
use crate::domain::triggers::mcp_server::{FreshToken, McpServer, McpServerChange};
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::workspace::audit;
use crate::store::WriteTx;
use crate::store::tables::MCP_SERVERS;

/// How a flow stands as a tool; `None` where it is none.
///
/// # Errors
/// 404 or 403.
pub fn settings(app: &App, caller: &Caller, id: &FlowId) -> Result<Option<McpServer>> {
    app.store.read(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Configure)?;
        MCP_SERVERS.get(tx, &flow.workspace, id)
    })
}

/// Makes a flow a tool, with a token of its own.
///
/// # Errors
/// 404 or 403; 400 for a bad name or description and for a flow that answers nobody; 409 for a name that is taken.
pub fn create(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    (tool_name, description): (&str, &str),
) -> Result<(McpServer, FreshToken)> {
    let (server, fresh) = McpServer::create(tool_name, description)?;
    app.store.write(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Configure)?;
        put(tx, &flow, &server)?;
        note(app, tx, caller, AuditAction::McpTokenMade, &flow)
    })?;
    tracing::info!(flow = %id, by = %caller.principal, "a flow was made a tool");
    Ok((server, fresh))
}

/// Changes what is said of the tool, or whether it is on; the token stays.
///
/// # Errors
/// As [`create`]; 404 where the flow is no tool.
pub fn update(app: &App, caller: &Caller, id: &FlowId, change: &McpServerChange) -> Result<McpServer> {
    app.store.write(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Configure)?;
        let server = stored(tx, &flow)?.with_change(change)?;
        put(tx, &flow, &server)?;
        Ok(server)
    })
}

/// Gives the tool another token.
///
/// # Errors
/// 404 or 403.
pub fn refresh_token(app: &App, caller: &Caller, id: &FlowId) -> Result<(McpServer, FreshToken)> {
    let made = app.store.write(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Configure)?;
        let made = stored(tx, &flow)?.with_new_token();
        MCP_SERVERS.put(tx, &flow.workspace, id, &made.0)?;
        note(app, tx, caller, AuditAction::McpTokenMade, &flow)?;
        Ok(made)
    })?;
    tracing::info!(flow = %id, by = %caller.principal, "the token of a tool was made anew");
    Ok(made)
}

/// Forgets that the flow is a tool, and its token.
///
/// # Errors
/// 404 or 403.
pub fn delete(app: &App, caller: &Caller, id: &FlowId) -> Result<()> {
    app.store.write(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Configure)?;
        if !MCP_SERVERS.remove(tx, &flow.workspace, id)? {
            return Err(no_tool());
        }
        note(app, tx, caller, AuditAction::McpTokenDeleted, &flow)
    })?;
    tracing::info!(flow = %id, by = %caller.principal, "a flow is a tool no more");
    Ok(())
}

/// The flow as a tool, for whoever calls it from outside.
///
/// # Errors
/// 404 where it is none, or is switched off.
pub fn find(app: &App, flow: &Flow) -> Result<McpServer> {
    let server = app.store.read(|tx| MCP_SERVERS.get(tx, &flow.workspace, &flow.id))?;
    server.filter(|server| server.enabled).ok_or_else(|| {
        Error::NotFound("This flow is no tool of an MCP server, or it is switched off.".to_owned())
    })
}

/// Removes what belongs to a flow that goes away.
///
/// # Errors
/// When the database cannot be written.
pub fn remove_flow(tx: &WriteTx, flow: &Flow) -> Result<()> {
    MCP_SERVERS.remove(tx, &flow.workspace, &flow.id).map(|_| ())
}

fn put(tx: &WriteTx, flow: &Flow, server: &McpServer) -> Result<()> {
    if flow.kind == FlowKind::Etl {
        return Err(Error::invalid("A pipeline answers nobody, so it cannot be a tool."));
    }
    let taken = MCP_SERVERS.entries(tx, &flow.workspace)?;
    if taken.iter().any(|(other, known)| *other != flow.id && known.tool_name == server.tool_name) {
        return Err(Conflict::ToolNameTaken.into());
    }
    MCP_SERVERS.put(tx, &flow.workspace, &flow.id, server)
}

fn stored(tx: &WriteTx, flow: &Flow) -> Result<McpServer> {
    MCP_SERVERS.get(tx, &flow.workspace, &flow.id)?.ok_or_else(no_tool)
}

fn no_tool() -> Error {
    Error::NotFound("This flow is no tool of an MCP server yet.".to_owned())
}

fn note(app: &App, tx: &WriteTx, caller: &Caller, action: AuditAction, flow: &Flow) -> Result<()> {
    let entry = AuditEntry::by_caller(caller, action, app.clock.monotonic_now());
    audit::record(tx, &entry.with_target(AuditTargetKind::Flow, flow.id, &flow.name))
}
