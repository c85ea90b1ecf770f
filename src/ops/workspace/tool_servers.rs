//! Servers of tools that a workspace keeps (manual 8.15).

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::action_lists;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::{CredentialId, ToolServerId, WorkspaceId};
use crate::domain::resource::ResourceId as _;
use crate::domain::workspace::credential::Ciphertext;
use crate::domain::workspace::tool_server::{
    OfferedTool, ToolServer, ToolServerAccess, ToolServerChange, ToolServerState, origin,
};
use crate::engine::StandaloneCard;
use crate::files::Vault;
use crate::ops::accounts::membership;
use crate::ops::flows::usage::{self, ResourceKind};
use crate::ops::workspace::offered_tools;
use crate::store::Tx;
use crate::store::tables::TOOL_SERVERS;
use serde_json::Map;
use std::time::Duration;

/// The longest that somebody who asks a server for its tools waits for it.
const LISTING_SECONDS: u64 = 30;
/// The field of the sealed record that holds the access.
const ACCESS: &str = "access";

/// The servers of the caller's workspace, by name.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn list(app: &App, caller: &Caller) -> Result<Vec<ToolServer>> {
    let mut found = app.store.read(|tx| TOOL_SERVERS.list(tx, &caller.workspace))?;
    found.sort_by(|one, other| (&one.name, one.created).cmp(&(&other.name, other.created)));
    Ok(found)
}

/// One server.
///
/// # Errors
/// 404.
pub(crate) fn read(app: &App, caller: &Caller, id: ToolServerId) -> Result<ToolServer> {
    app.store.read(|tx| get(tx, &caller.workspace, &id))
}

/// Stores a server. Nobody asks it yet.
///
/// # Errors
/// 400 naming what is wrong.
pub(crate) fn create(app: &App, caller: &Caller, change: &ToolServerChange) -> Result<ToolServer> {
    let made = prepare_as(app, caller, ToolServerId::random(), change)?;
    insert(app, caller, &made)?;
    Ok(made)
}

/// A server under an id that another product gave it, not stored yet.
///
/// # Errors
/// As [`create`].
pub(in crate::ops) fn prepare_as(
    app: &App,
    caller: &Caller,
    id: ToolServerId,
    change: &ToolServerChange,
) -> Result<ToolServer> {
    let (now, workspace) = (app.clock.monotonic_now(), caller.workspace);
    let access = ToolServerAccess::blank().with_change(change)?;
    let blank = ToolServer {
        id,
        workspace,
        name: String::new(),
        color: None,
        icon: None,
        origin: String::new(),
        header_names: Vec::new(),
        sealed: seal(&app.secrets.vault, &workspace, &id, &access),
        state: ToolServerState::Pending,
        tools: Vec::new(),
        created: now,
        updated: now,
    };
    let made = with_access(with_words(blank, change), &access)?;
    made.check()?;
    Ok(made)
}

/// Stores what [`prepare_as`] made.
///
/// # Errors
/// 409 when its id is in use.
pub(in crate::ops) fn insert(app: &App, caller: &Caller, made: &ToolServer) -> Result<()> {
    app.store.write(|tx| {
        membership::require_workspace(tx, &made.workspace)?;
        if TOOL_SERVERS.has(tx, &made.workspace, &made.id)? {
            return Err(Conflict::IdTaken.into());
        }
        TOOL_SERVERS.put(tx, &made.workspace, &made.id, made)
    })?;
    tracing::info!(server = %made.id, by = %caller.principal, "a server of tools was added");
    Ok(())
}

/// Changes what `change` names. A server that is reached in another way has to be asked anew.
///
/// # Errors
/// 404, and 400 as for [`create`].
pub(crate) fn update(
    app: &App,
    caller: &Caller,
    id: ToolServerId,
    change: &ToolServerChange,
) -> Result<ToolServer> {
    app.store.write(|tx| {
        let stored = get(tx, &caller.workspace, &id)?;
        let before = open(&app.secrets.vault, &stored)?;
        let access = before.clone().with_change(change)?;
        let mut changed = with_words(stored, change);
        if access != before {
            let sealed = seal(&app.secrets.vault, &caller.workspace, &id, &access);
            changed = with_access(ToolServer { sealed, ..changed }, &access)?;
        }
        changed.check()?;
        changed.updated = app.clock.monotonic_now();
        TOOL_SERVERS.put(tx, &caller.workspace, &id, &changed)?;
        Ok(changed)
    })
}

/// Deletes a server.
///
/// # Errors
/// 404; 409 while flows use it, unless `force`.
pub(crate) fn delete(app: &App, caller: &Caller, id: ToolServerId, force: bool) -> Result<()> {
    app.store.write(|tx| {
        let stored = get(tx, &caller.workspace, &id)?;
        usage::require_unused(tx, caller, ResourceKind::ToolServers, &stored.id.to_string(), force)?;
        TOOL_SERVERS.remove(tx, &caller.workspace, &id).map(drop)
    })
}

/// Asks a server for its tools, and keeps what it says.
///
/// # Errors
/// 404; 400 in words when it does not list them, which is kept as its state.
pub(crate) fn authorize(
    app: &App,
    caller: &Caller,
    id: ToolServerId,
    cancel: &CancelToken,
) -> Result<ToolServer> {
    let stored = read(app, caller, id)?;
    let asked = ask_for_tools(app, &stored, cancel)?;
    if asked.is_err() && cancel.reason().is_some() {
        return Err(Error::Cancelled);
    }
    let (state, tools) = match &asked {
        Ok(tools) => (ToolServerState::Authorized, tools.clone()),
        Err(_) => (ToolServerState::Error, Vec::new()),
    };
    let kept = app.store.write(|tx| {
        let now = get(tx, &caller.workspace, &id)?;
        // What was heard belongs to the server as it was asked.
        if now.sealed != stored.sealed {
            return Ok(now);
        }
        let updated = app.clock.monotonic_now();
        let kept = ToolServer { state, tools: tools.clone(), updated, ..now };
        TOOL_SERVERS.put(tx, &caller.workspace, &id, &kept)?;
        Ok(kept)
    })?;
    asked.map(|_| kept).map_err(Error::Invalid)
}

/// How a server of a workspace is reached, for a run of a flow; `None` where there is no such server.
///
/// # Errors
/// When it cannot be read, or was sealed by another server.
pub(in crate::ops) fn find_access(
    app: &App,
    workspace: &WorkspaceId,
    id: &ToolServerId,
) -> Result<Option<(ToolServer, ToolServerAccess)>> {
    let found = app.store.read(|tx| TOOL_SERVERS.get(tx, workspace, id))?;
    found.map(|server| open(&app.secrets.vault, &server).map(|access| (server, access))).transpose()
}

fn ask_for_tools(
    app: &App,
    server: &ToolServer,
    cancel: &CancelToken,
) -> Result<std::result::Result<Vec<OfferedTool>, String>> {
    let (card, settings) = action_lists::saved_server(&server.id);
    let lone = StandaloneCard { card, label: &server.name, settings: &settings, credential: None };
    offered_tools::list(app, server.workspace, &lone, Duration::from_secs(LISTING_SECONDS), cancel)
}

/// The server with the names and looks that `change` says.
fn with_words(stored: ToolServer, change: &ToolServerChange) -> ToolServer {
    let name = change.name.as_deref().map(str::trim).map(str::to_owned);
    ToolServer {
        name: name.unwrap_or(stored.name),
        color: change.color.clone().or(stored.color),
        icon: change.icon.clone().or(stored.icon),
        ..stored
    }
}

/// The server as one that is reached like this and was not asked yet.
fn with_access(server: ToolServer, access: &ToolServerAccess) -> Result<ToolServer> {
    Ok(ToolServer {
        origin: origin(&access.url)?,
        header_names: access.headers.keys().cloned().collect(),
        state: ToolServerState::Pending,
        tools: Vec::new(),
        ..server
    })
}

fn seal(vault: &Vault, workspace: &WorkspaceId, id: &ToolServerId, access: &ToolServerAccess) -> Ciphertext {
    let text = serde_json::to_value(access).unwrap_or_default();
    vault.seal(workspace, &record_id(id), &Map::from_iter([(ACCESS.to_owned(), text)]))
}

fn open(vault: &Vault, server: &ToolServer) -> Result<ToolServerAccess> {
    let mut fields =
        vault.open(&server.workspace, &record_id(&server.id), &server.sealed).map_err(Error::internal)?;
    serde_json::from_value(fields.remove(ACCESS).unwrap_or_default()).map_err(Error::internal)
}

/// What the vault ties the access to: its server.
const fn record_id(id: &ToolServerId) -> CredentialId {
    CredentialId::from_bytes(*id.bytes())
}

fn get(tx: &impl Tx, workspace: &WorkspaceId, id: &ToolServerId) -> Result<ToolServer> {
    TOOL_SERVERS.get(tx, workspace, id)?.ok_or_else(|| id.not_found())
}
