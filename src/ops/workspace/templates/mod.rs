//! Templates to begin with: those every service brings, and those of the workspace (manual 5.12).

#[cfg(test)]
pub(crate) mod starter_drawings;
mod starters;

pub use self::starters::starters;
use super::tools;
use crate::app::App;
use crate::clock::iso;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::FlowKind;
use crate::domain::ids::{FlowId, TemplateId};
use crate::domain::secrets::redact;
use crate::domain::workspace::template::{Template, TemplateKind};
use crate::ops::accounts::membership;
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::flows::drafts;
use crate::ops::flows::snapshot::{self, Snapshot};
use crate::store::tables::{CANVASES, TEMPLATES};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

const KEPT_MAX: usize = 1_000;
/// Largest content of one.
const CONTENT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// What makes a template: a flow of the workspace, or a tool.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateBody {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    badge: Option<String>,
    #[serde(default)]
    usecases: Option<Vec<String>>,
    #[serde(default)]
    chatflow_id: Option<String>,
    #[serde(default)]
    tool: Option<Map<String, Value>>,
}

/// The templates of the caller's workspace, newest first.
///
/// # Errors
/// When the database cannot be read.
pub fn list(app: &App, caller: &Caller) -> Result<Vec<Value>> {
    let mut found = app.store.read(|tx| TEMPLATES.list(tx, &caller.workspace))?;
    found.sort_by_key(|template| std::cmp::Reverse((template.created, template.id)));
    Ok(found.iter().map(row).collect())
}

fn row(template: &Template) -> Value {
    let mut row = json!({
        "id": template.id, "name": template.name, "templateName": template.name,
        "description": template.description, "badge": template.badge, "usecases": template.usecases,
        "type": template.kind, "flowData": template.content, "framework": [], "categories": [],
        "createdDate": iso(template.created), "workspaceId": template.workspace,
    });
    match template.kind {
        TemplateKind::Tool => {
            // The page reads a tool's parts beside the template's.
            if let Ok(Value::Object(tool)) = serde_json::from_str(&template.content) {
                for name in ["schema", "func", "color", "iconSrc"] {
                    row[name] = tool.get(name).cloned().unwrap_or_default();
                }
            }
        }
        _ => row["categories"] = json!(starters::categories(&template.content)),
    }
    row
}

/// Makes a template of a flow or of a tool, without secrets and credentials.
///
/// # Errors
/// 400 for a bad field, 404 for an unknown flow, 403 without the permission for what it is made of.
pub fn create(app: &App, caller: &Caller, body: TemplateBody) -> Result<Value> {
    let (kind, content) = match (&body.chatflow_id, body.tool) {
        (Some(id), None) => content_of_flow(app, caller, id)?,
        (None, Some(tool)) => content_of_tool(caller, tool)?,
        _ => return Err(Error::invalid("Send either 'chatflowId' or 'tool'.")),
    };
    let template = Template {
        id: TemplateId::random(),
        workspace: caller.workspace,
        name: body.name.trim().to_owned(),
        description: body.description.unwrap_or_default(),
        badge: body.badge.unwrap_or_default(),
        usecases: body.usecases.unwrap_or_default(),
        kind,
        content,
        created: app.clock.monotonic_now(),
    };
    save(app, &template, false)?;
    Ok(row(&template))
}

fn require(caller: &Caller, permission: &str) -> Result<()> {
    if caller.permissions.has(permission) {
        return Ok(());
    }
    Err(Error::Forbidden(format!("This needs the permission {permission}.")))
}

fn content_of_flow(app: &App, caller: &Caller, id: &str) -> Result<(TemplateKind, String)> {
    require(caller, "templates:flowexport")?;
    let id = FlowId::parse(id).ok_or_else(|| Error::no_flow_text(id))?;
    let (flow, live, draft) = app.store.read(|tx| {
        let flow = access::flow(tx, caller, &id, FlowAction::Read)?;
        let live = CANVASES.get(tx, &flow.workspace, &id)?.unwrap_or_default();
        let draft = if flow.card_count == 0 { drafts::canvas(tx, &flow)? } else { None };
        Ok((flow, live, draft))
    })?;
    let kind = match flow.kind {
        FlowKind::Agentflow => TemplateKind::AgentflowV2,
        FlowKind::Multiagent => TemplateKind::Agentflow,
        _ => TemplateKind::Chatflow,
    };
    Ok((kind, Snapshot::take(app, &flow, &draft.unwrap_or(live))?.without_credentials()))
}

fn content_of_tool(caller: &Caller, tool: Map<String, Value>) -> Result<(TemplateKind, String)> {
    require(caller, "templates:toolexport")?;
    let body: tools::ToolBody = serde_json::from_value(Value::from(tool.clone()))
        .map_err(|_| Error::invalid("'tool' must be a tool as GET /tools shows it."))?;
    body.check()?;
    Ok((TemplateKind::Tool, tool_without_secrets(&tool)))
}

fn tool_without_secrets(tool: &Map<String, Value>) -> String {
    let mut kept = Map::new();
    for name in ["name", "description", "color", "iconSrc", "schema", "func"] {
        if let Some(value) = tool.get(name) {
            let hidden = value.as_str().map_or_else(|| value.clone(), |text| redact(text).text.into());
            kept.insert(name.to_owned(), hidden);
        }
    }
    Value::Object(kept).to_string()
}

/// What a template of a file would be kept as: files of others may hold secrets, a template never does.
///
/// # Errors
/// 400 for a kind that is none, and for what is neither a canvas nor a tool.
pub(in crate::ops) fn content_of(fields: &Map<String, Value>) -> Result<(TemplateKind, String)> {
    let kind = fields.get("type").cloned().unwrap_or_else(|| "Chatflow".into());
    let kind: TemplateKind = serde_json::from_value(kind).map_err(|_| {
        Error::invalid("Invalid type: a template is a Chatflow, Agentflow, AgentflowV2 or Tool.")
    })?;
    let sent = fields.get("flowData").and_then(Value::as_str).unwrap_or_default();
    if kind != TemplateKind::Tool {
        return Ok((kind, snapshot::anonymize(sent)?));
    }
    let tool: Map<String, Value> = serde_json::from_str(sent)
        .map_err(|_| Error::invalid("Invalid flowData: it must be JSON text of a tool."))?;
    Ok((kind, tool_without_secrets(&tool)))
}

fn save(app: &App, template: &Template, replaces: bool) -> Result<()> {
    template.check()?;
    if template.content.len() > CONTENT_BYTES_MAX {
        return Err(Error::invalid("The template is too large."));
    }
    app.store.write(|tx| {
        let is_there = TEMPLATES.has(tx, &template.workspace, &template.id)?;
        if is_there && !replaces {
            return Err(crate::domain::error::Conflict::IdTaken.into());
        }
        if !is_there && TEMPLATES.count(tx, &template.workspace)? >= KEPT_MAX {
            return Err(Error::Invalid(format!("A workspace keeps at most {KEPT_MAX} templates.")));
        }
        membership::require_workspace(tx, &template.workspace)?;
        TEMPLATES.put(tx, &template.workspace, &template.id, template)
    })
}

/// Takes in a template of a file.
///
/// # Errors
/// 400 for a bad field.
pub(in crate::ops) fn import(
    app: &App,
    caller: &Caller,
    id: TemplateId,
    fields: &Map<String, Value>,
    is_new: bool,
) -> Result<()> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = [text("name"), text("templateName")].into_iter().find(|name| !name.is_empty());
    let (kind, content) = content_of(fields)?;
    let usecases = match fields.get("usecases") {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        _ => Vec::new(),
    };
    let template = Template {
        id,
        workspace: caller.workspace,
        name: name.unwrap_or_default(),
        description: text("description"),
        badge: text("badge"),
        usecases,
        kind,
        content,
        created: app.clock.monotonic_now(),
    };
    save(app, &template, !is_new)
}

/// Deletes a template of the workspace.
///
/// # Errors
/// 404.
pub fn delete(app: &App, caller: &Caller, id: &str) -> Result<()> {
    let removed = match TemplateId::parse(id) {
        Some(id) => app.store.write(|tx| TEMPLATES.remove(tx, &caller.workspace, &id))?,
        None => false,
    };
    if removed {
        return Ok(());
    }
    let shown: String = id.chars().filter(|c| !c.is_control()).take(64).collect();
    Err(Error::NotFound(format!("Template {shown} not found")))
}

/// The categories of the cards of a canvas.
fn categories_of(canvas: &str) -> BTreeSet<String> {
    let canvas: Value = serde_json::from_str(canvas).unwrap_or_default();
    let nodes = canvas["nodes"].as_array().into_iter().flatten();
    nodes.filter_map(|node| node["data"]["category"].as_str()).map(str::to_owned).collect()
}
