//! Tools that people write (manual 8.10).

use crate::app::App;
use crate::clock::iso;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::ids::{ToolId, WorkspaceId};
use crate::domain::workspace::tool::{ToolArgument, WorkspaceTool};
use crate::ops::accounts::membership;
use crate::ops::flows::usage::{self, ResourceKind};
use crate::store::Tx;
use crate::store::tables::TOOLS;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

/// The body of `POST /tools`, and of `PUT /tools/:id`, where all of it is optional.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolBody {
    name: Option<String>,
    description: Option<String>,
    color: Option<String>,
    icon_src: Option<String>,
    /// The rows as JSON text, as Flowise's page sends them, or as such.
    schema: Option<Value>,
    func: Option<String>,
}

impl ToolBody {
    /// Checks what a tool of this body would be.
    ///
    /// # Errors
    /// 400 naming what is wrong.
    pub fn check(&self) -> Result<()> {
        preview(self).map(drop)
    }
}

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
pub fn list(app: &App, caller: &Caller) -> Result<Vec<Value>> {
    let mut found = app.store.read(|tx| TOOLS.list(tx, &caller.workspace))?;
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found.iter().map(row).collect())
}

/// One tool.
///
/// # Errors
/// 404.
pub fn read(app: &App, caller: &Caller, id: &str) -> Result<Value> {
    app.store.read(|tx| get(tx, &caller.workspace, id)).map(|tool| row(&tool))
}

/// Stores a tool.
///
/// # Errors
/// 400 naming what is wrong.
pub fn create(app: &App, caller: &Caller, body: &ToolBody) -> Result<Value> {
    create_as(app, caller, ToolId::random(), body)
}

/// As [`create`], under an id that a file brought along.
///
/// # Errors
/// As [`create`]; 409 when the id is in use.
pub fn create_as(app: &App, caller: &Caller, id: ToolId, body: &ToolBody) -> Result<Value> {
    let fresh = blank(id, caller.workspace, app.clock.monotonic_now());
    let made = apply(fresh, body)?;
    app.store.write(|tx| {
        membership::require_workspace(tx, &made.workspace)?;
        if TOOLS.has(tx, &made.workspace, &made.id)? {
            return Err(Conflict::IdTaken.into());
        }
        TOOLS.put(tx, &made.workspace, &made.id, &made)
    })?;
    app.state.metrics.tools_created.increment();
    Ok(row(&made))
}

/// What a tool of this body would look like in a list.
///
/// # Errors
/// 400 naming what is wrong.
pub fn preview(body: &ToolBody) -> Result<Value> {
    let made = apply(blank(ToolId::random(), WorkspaceId::random(), Timestamp::UNIX_EPOCH), body)?;
    Ok(row(&made))
}

/// Changes what the body names.
///
/// # Errors
/// 404, and 400 as for [`create`].
pub fn update(app: &App, caller: &Caller, id: &str, body: &ToolBody) -> Result<Value> {
    let stored = app.store.write(|tx| {
        let stored = get(tx, &caller.workspace, id)?;
        let stored = WorkspaceTool { updated: app.clock.monotonic_now(), ..apply(stored, body)? };
        TOOLS.put(tx, &stored.workspace, &stored.id, &stored)?;
        Ok(stored)
    })?;
    Ok(row(&stored))
}

/// Deletes a tool.
///
/// # Errors
/// 404; 409 while flows use it, unless `force`.
pub fn delete(app: &App, caller: &Caller, id: &str, force: bool) -> Result<Value> {
    app.store.write(|tx| {
        let stored = get(tx, &caller.workspace, id)?;
        usage::require_unused(tx, caller, ResourceKind::Tools, &stored.id.to_string(), force)?;
        TOOLS.remove(tx, &caller.workspace, &stored.id)
    })?;
    Ok(json!({ "raw": [], "affected": 1 }))
}

fn apply(stored: WorkspaceTool, body: &ToolBody) -> Result<WorkspaceTool> {
    let text = |sent: &Option<String>, stored: String| sent.clone().unwrap_or(stored);
    let changed = WorkspaceTool {
        name: text(&body.name, stored.name).trim().to_owned(),
        description: text(&body.description, stored.description),
        color: text(&body.color, stored.color),
        icon: body.icon_src.clone().or(stored.icon),
        arguments: body.schema.as_ref().map_or(Ok(stored.arguments), parse_arguments)?,
        code: text(&body.func, stored.code),
        ..stored
    };
    changed.check()?;
    Ok(changed)
}

fn parse_arguments(sent: &Value) -> Result<Vec<ToolArgument>> {
    let wrong = || {
        Error::invalid(
            "Invalid schema: send a list of {property, type, description, required}; a type is string, number, boolean or date.",
        )
    };
    match sent {
        Value::String(text) if text.trim().is_empty() => Ok(Vec::new()),
        Value::String(text) => serde_json::from_str(text).map_err(|_| wrong()),
        other => serde_json::from_value(other.clone()).map_err(|_| wrong()),
    }
}

/// The tool of this id in a workspace.
///
/// # Errors
/// 404 when there is none.
fn get(tx: &impl Tx, workspace: &WorkspaceId, id: &str) -> Result<WorkspaceTool> {
    let found = ToolId::parse(id).map(|id| TOOLS.get(tx, workspace, &id)).transpose()?;
    found.flatten().ok_or_else(|| {
        let shown: String = id.chars().filter(|c| !c.is_control()).take(64).collect();
        Error::NotFound(format!("Tool {shown} not found"))
    })
}

fn row(tool: &WorkspaceTool) -> Value {
    json!({
        "id": tool.id,
        "name": tool.name,
        "description": tool.description,
        "color": tool.color,
        "iconSrc": tool.icon,
        "schema": json!(tool.arguments).to_string(),
        "func": tool.code,
        "createdDate": iso(tool.created),
        "updatedDate": iso(tool.updated),
        "workspaceId": tool.workspace,
    })
}
