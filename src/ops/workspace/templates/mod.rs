//! Templates to begin with: those every service brings, and those of the workspace (manual 5.12).

#[cfg(test)]
pub(crate) mod starter_drawings;
mod starters;

pub(crate) use self::starters::starters;
use super::tools;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::FlowKind;
use crate::domain::ids::{FlowId, TemplateId};
use crate::domain::resource::ResourceId as _;
use crate::domain::secrets::redact;
use crate::domain::workspace::template::{
    SharedTemplate, Template, TemplateChange, TemplateKind, TemplateLabel, TemplateSource,
};
use crate::domain::workspace::tool::ToolChange;
use crate::ops::accounts::membership;
use crate::ops::flows::access::{self, FlowAction};
use crate::ops::flows::drafts;
use crate::ops::flows::snapshot::{self, Snapshot};
use crate::ops::flows::take_in;
use crate::store::WriteTx;
use crate::store::tables::{CANVASES, SHARED_TEMPLATES, TEMPLATES};
use serde_json::{Map, Value};

/// Templates of a workspace (manual 14.4).
const KEPT_MAX: usize = 1_000;
/// Templates of all workspaces together that are shared, since everybody's list shows them (manual 14.4).
const SHARED_MAX: usize = 1_000;
/// Largest content of one.
const CONTENT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The templates of the caller's workspace, newest first.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn list(app: &App, caller: &Caller) -> Result<Vec<Template>> {
    let mut found = app.store.read(|tx| TEMPLATES.list(tx, &caller.workspace))?;
    sort_newest_first(&mut found);
    Ok(found)
}

fn sort_newest_first(templates: &mut [Template]) {
    templates.sort_by_key(|template| std::cmp::Reverse((template.created, template.id)));
}

/// The templates that the caller may begin with: those of the workspace, and those that others share, newest first.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn list_usable(app: &App, caller: &Caller) -> Result<Vec<Template>> {
    let mut found = app.store.read(|tx| {
        let mut found = TEMPLATES.list(tx, &caller.workspace)?;
        let shared = SHARED_TEMPLATES.list(tx)?;
        for place in shared.iter().filter(|place| place.workspace != caller.workspace) {
            found.extend(TEMPLATES.get(tx, &place.workspace, &place.template)?);
        }
        Ok(found)
    })?;
    sort_newest_first(&mut found);
    Ok(found)
}

/// Makes a template of a flow or of a tool, without secrets and credentials.
///
/// # Errors
/// 400 for a bad field, 404 for an unknown flow, 403 without the permission for what it is made of, or to share it.
pub(crate) fn create(
    app: &App,
    caller: &Caller,
    label: TemplateLabel,
    source: &TemplateSource,
) -> Result<Template> {
    if label.shared {
        require(caller, SHARE)?;
    }
    let (kind, content) = match source {
        TemplateSource::Flow(id) => content_of_flow(app, caller, id)?,
        TemplateSource::Tool { fields, change } => content_of_tool(caller, fields, change)?,
    };
    let template = Template {
        id: TemplateId::random(),
        workspace: caller.workspace,
        name: label.name.trim().to_owned(),
        description: label.description,
        badge: label.badge,
        usecases: label.usecases,
        kind,
        content,
        created: app.clock.monotonic_now(),
        shared: label.shared,
    };
    save(app, &template, false)?;
    Ok(template)
}

/// Changes what people read of a template of the workspace, and who may use it. What it makes stays.
///
/// # Errors
/// 404, 400 for a bad field, 403 without the permission to share it, or to make such templates.
pub(crate) fn update(app: &App, caller: &Caller, id: TemplateId, change: TemplateChange) -> Result<Template> {
    app.store.write(|tx| {
        let before = TEMPLATES.get(tx, &caller.workspace, &id)?.ok_or_else(|| id.not_found())?;
        if change.has_label() {
            match before.kind {
                TemplateKind::Tool => check_tool_export(caller)?,
                _ => check_flow_export(caller)?,
            }
        }
        if change.shared.is_some_and(|shared| shared != before.shared) {
            require(caller, SHARE)?;
        }
        let after = change.clone().apply(before);
        after.check()?;
        put(tx, &after)?;
        Ok(after)
    })
}

/// Stores a template, and whether others may use it.
fn put(tx: &WriteTx, template: &Template) -> Result<()> {
    let place = SharedTemplate { workspace: template.workspace, template: template.id };
    if template.shared {
        let shared = SHARED_TEMPLATES.keys(tx)?;
        if shared.len() >= SHARED_MAX && !shared.iter().any(|key| *key == place.key()) {
            return Err(Error::Invalid(format!("At most {SHARED_MAX} templates are shared.")));
        }
        SHARED_TEMPLATES.put(tx, &place.key(), &place)?;
    } else {
        SHARED_TEMPLATES.remove(tx, &place.key())?;
    }
    TEMPLATES.put(tx, &template.workspace, &template.id, template)
}

/// Judges making a template of a flow.
///
/// # Errors
/// 403.
pub(crate) fn check_flow_export(caller: &Caller) -> Result<()> {
    require(caller, "templates:flowexport")
}

/// Judges making a template of a tool.
///
/// # Errors
/// 403.
pub(crate) fn check_tool_export(caller: &Caller) -> Result<()> {
    require(caller, "templates:toolexport")
}

/// To let other workspaces use a template.
const SHARE: &str = "templates:custom-share";

fn require(caller: &Caller, permission: &str) -> Result<()> {
    if caller.permissions.has(permission) {
        return Ok(());
    }
    Err(Error::Forbidden(format!("This needs the permission {permission}.")))
}

fn content_of_flow(app: &App, caller: &Caller, id: &FlowId) -> Result<(TemplateKind, String)> {
    check_flow_export(caller)?;
    let (flow, live, draft) = app.store.read(|tx| {
        let flow = access::flow(tx, caller, id, FlowAction::Read)?;
        let live = CANVASES.get(tx, &flow.workspace, id)?.unwrap_or_default();
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

fn content_of_tool(
    caller: &Caller,
    fields: &Map<String, Value>,
    change: &ToolChange,
) -> Result<(TemplateKind, String)> {
    check_tool_export(caller)?;
    tools::preview(change)?;
    Ok((TemplateKind::Tool, tool_without_secrets(fields)))
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
        return Ok((kind, snapshot::anonymize(take_in(sent, None)?.text())?));
    }
    let tool: Map<String, Value> = serde_json::from_str(sent)
        .map_err(|_| Error::invalid("Invalid flowData: it must be JSON text of a tool."))?;
    Ok((kind, tool_without_secrets(&tool)))
}

/// Stores a template whole. Where it takes the place of another, who may use that one may use it too.
fn save(app: &App, template: &Template, replaces: bool) -> Result<()> {
    template.check()?;
    if template.content.len() > CONTENT_BYTES_MAX {
        return Err(Error::invalid("The template is too large."));
    }
    app.store.write(|tx| {
        let before = TEMPLATES.get(tx, &template.workspace, &template.id)?;
        if before.is_some() && !replaces {
            return Err(crate::domain::error::Conflict::IdTaken.into());
        }
        if before.is_none() && TEMPLATES.count(tx, &template.workspace)? >= KEPT_MAX {
            return Err(Error::Invalid(format!("A workspace keeps at most {KEPT_MAX} templates.")));
        }
        membership::require_workspace(tx, &template.workspace)?;
        let shared = before.map_or(template.shared, |before| before.shared);
        put(tx, &Template { shared, ..template.clone() })
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
        shared: false,
    };
    save(app, &template, !is_new)
}

/// Deletes a template of the workspace.
///
/// # Errors
/// 404.
pub(crate) fn delete(app: &App, caller: &Caller, id: TemplateId) -> Result<()> {
    let is_removed = app.store.write(|tx| {
        SHARED_TEMPLATES.remove(tx, &SharedTemplate { workspace: caller.workspace, template: id }.key())?;
        TEMPLATES.remove(tx, &caller.workspace, &id)
    })?;
    if is_removed { Ok(()) } else { Err(id.not_found()) }
}
