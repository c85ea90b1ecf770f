//! Tools that people write (manual 8.10).

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Result};
use crate::domain::ids::{ToolId, WorkspaceId};
use crate::domain::resource::ResourceId as _;
use crate::domain::workspace::tool::{ToolArgument, ToolChange, WorkspaceTool};
use crate::ops::accounts::membership;
use crate::ops::flows::usage::{self, ResourceKind};
use crate::store::Tx;
use crate::store::tables::TOOLS;
use jiff::Timestamp;

fn blank(id: ToolId, workspace: WorkspaceId, now: Timestamp) -> WorkspaceTool {
    WorkspaceTool {
        id,
        workspace,
        name: String::new(),
        description: String::new(),
        color: "#7a8b99".to_owned(),
        icon: None,
        arguments: Vec::new(),
        code: String::new(),
        created: now,
        updated: now,
    }
}

/// The tools of the caller's workspace, by name.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn list(app: &App, caller: &Caller) -> Result<Vec<WorkspaceTool>> {
    let mut found = app.store.read(|tx| TOOLS.list(tx, &caller.workspace))?;
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// One tool.
///
/// # Errors
/// 404.
pub(crate) fn read(app: &App, caller: &Caller, id: ToolId) -> Result<WorkspaceTool> {
    app.store.read(|tx| get(tx, &caller.workspace, &id))
}

/// Stores a tool.
///
/// # Errors
/// 400 naming what is wrong.
pub(crate) fn create(app: &App, caller: &Caller, change: &ToolChange) -> Result<WorkspaceTool> {
    create_as(app, caller, ToolId::random(), change)
}

/// As [`create`], under an id that a file brought along.
///
/// # Errors
/// As [`create`]; 409 when the id is in use.
pub(crate) fn create_as(
    app: &App,
    caller: &Caller,
    id: ToolId,
    change: &ToolChange,
) -> Result<WorkspaceTool> {
    let fresh = blank(id, caller.workspace, app.clock.monotonic_now());
    let made = apply(fresh, change)?;
    app.store.write(|tx| {
        membership::require_workspace(tx, &made.workspace)?;
        if TOOLS.has(tx, &made.workspace, &made.id)? {
            return Err(Conflict::IdTaken.into());
        }
        TOOLS.put(tx, &made.workspace, &made.id, &made)
    })?;
    app.state.metrics.tools_created.increment();
    Ok(made)
}

/// The tool that `change` alone would make.
///
/// # Errors
/// 400 naming what is wrong.
pub(crate) fn preview(change: &ToolChange) -> Result<WorkspaceTool> {
    apply(blank(ToolId::random(), WorkspaceId::random(), Timestamp::UNIX_EPOCH), change)
}

/// Changes what `change` names.
///
/// # Errors
/// 404, and 400 as for [`create`].
pub(crate) fn update(app: &App, caller: &Caller, id: ToolId, change: &ToolChange) -> Result<WorkspaceTool> {
    app.store.write(|tx| {
        let stored = get(tx, &caller.workspace, &id)?;
        let stored = WorkspaceTool { updated: app.clock.monotonic_now(), ..apply(stored, change)? };
        TOOLS.put(tx, &stored.workspace, &stored.id, &stored)?;
        Ok(stored)
    })
}

/// Deletes a tool.
///
/// # Errors
/// 404; 409 while flows use it, unless `force`.
pub(crate) fn delete(app: &App, caller: &Caller, id: ToolId, force: bool) -> Result<()> {
    app.store.write(|tx| {
        let stored = get(tx, &caller.workspace, &id)?;
        usage::require_unused(tx, caller, ResourceKind::Tools, &stored.id.to_string(), force)?;
        TOOLS.remove(tx, &caller.workspace, &stored.id).map(drop)
    })
}

fn apply(stored: WorkspaceTool, change: &ToolChange) -> Result<WorkspaceTool> {
    let text = |sent: &Option<String>, stored: String| sent.clone().unwrap_or(stored);
    let changed = WorkspaceTool {
        name: text(&change.name, stored.name).trim().to_owned(),
        description: text(&change.description, stored.description),
        color: text(&change.color, stored.color),
        icon: change.icon.clone().or(stored.icon),
        arguments: change.schema.as_ref().map_or(Ok(stored.arguments), ToolArgument::parse_rows)?,
        code: text(&change.code, stored.code),
        ..stored
    };
    changed.check()?;
    Ok(changed)
}

fn get(tx: &impl Tx, workspace: &WorkspaceId, id: &ToolId) -> Result<WorkspaceTool> {
    TOOLS.get(tx, workspace, id)?.ok_or_else(|| id.not_found())
}
