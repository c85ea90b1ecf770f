//! What becomes of each thing of a file, before anything is written: the answer of a dry run.

use super::super::drafts::{self, Expected};
use super::super::{document_stores, live, templates, tools, variables};
use super::export::{flow_row, keep_hidden, plain};
use super::reading::{Item, SETTINGS};
use super::{IMPORT_ALL, Kind};
use crate::app::App;
use crate::domain::caller::Caller;
use crate::domain::draft::Mode;
use crate::domain::error::Result;
use crate::domain::ids::{DocumentStoreId, FlowId, TemplateId, ToolId, VariableId, WorkspaceId};
use crate::store::Tx;
use crate::store::tables::{DOCUMENT_STORES, FLOWS, TEMPLATES, TOOLS, VARIABLES, WORKSPACES};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::collections::HashMap;
use uuid::Uuid;

/// What is done with a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It is made: under its id, or a new one when that is in use.
    Create,
    /// What is here under its id becomes what the file says.
    Update,
    /// Nothing.
    Skip,
}

/// What becomes of one thing.
#[derive(Debug)]
pub(super) struct Step {
    pub action: Action,
    /// Its id here.
    pub id: Uuid,
    /// Why it is like that, for a person.
    pub reason: Option<String>,
    /// Why it cannot come in.
    pub refused: Option<String>,
    /// The draft of the flow here, which an update replaces if it is still there.
    pub draft: Expected,
    /// What an update would do to what is here.
    pub notes: Vec<String>,
    /// What a caller may choose.
    choices: Vec<Action>,
}

/// Decides. `chosen` is by the ids of the file.
pub(super) fn plan(
    app: &App,
    caller: &Caller,
    items: &[Item],
    chosen: &HashMap<String, Action>,
) -> Result<Vec<Step>> {
    let here = Here::of(app, caller, items)?;
    items.iter().map(|item| step(app, caller, &here, item, chosen)).collect()
}

/// What is here of the kinds that are not flows, as lists show it; read once for a file.
struct Here {
    by_id: HashMap<String, Value>,
    /// Ids of variables, by name.
    variables: HashMap<String, String>,
}

impl Here {
    fn of(app: &App, caller: &Caller, items: &[Item]) -> Result<Self> {
        let has = |kind: Kind| items.iter().any(|item| item.kind == kind);
        let read = |kind: Kind, list: &dyn Fn(&App, &Caller) -> Result<Vec<Value>>| {
            if has(kind) { list(app, caller) } else { Ok(Vec::new()) }
        };
        let variables = read(Kind::Variable, &variables::list)?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let named = variables.iter().filter_map(|row| Some((text(&row["name"])?, text(&row["id"])?)));
        let names = named.collect();
        let rows = [
            variables,
            read(Kind::Tool, &tools::list)?,
            read(Kind::DocumentStore, &document_stores::list)?,
            read(Kind::Template, &templates::rows)?,
        ];
        let id = |row: Value| Some((row["id"].as_str()?.to_owned(), row));
        Ok(Self { by_id: rows.into_iter().flatten().filter_map(id).collect(), variables: names })
    }
}

fn step(
    app: &App,
    caller: &Caller,
    here: &Here,
    item: &Item,
    chosen: &HashMap<String, Action>,
) -> Result<Step> {
    let id = item.id.unwrap_or_else(Uuid::new_v4);
    let refused = |why: String| Step {
        action: Action::Skip,
        id,
        reason: None,
        refused: Some(why),
        draft: Expected::None,
        notes: Vec::new(),
        choices: Vec::new(),
    };
    if let Some(fault) = &item.fault {
        return Ok(refused(fault.clone()));
    }
    if !item.kind.may_import(caller) {
        let own = item.kind.import_permission();
        return Ok(refused(format!("This needs the permission {IMPORT_ALL} or {own}.")));
    }
    let sent = id;
    let id = if item.id.is_some() { own_id(app, caller, item.kind, sent)? } else { sent };
    let mut step = Step {
        action: Action::Create,
        id,
        reason: None,
        refused: None,
        draft: Expected::None,
        notes: Vec::new(),
        choices: vec![Action::Create, Action::Skip],
    };
    if app.store.read(|tx| has(tx, &caller.workspace, item.kind, *id.as_bytes()))? {
        step.choices = vec![Action::Create, Action::Update, Action::Skip];
        replaced(app, caller, here, item, &mut step)?;
        if is_same(app, caller, here, item, id)? {
            step.action = Action::Skip;
            step.reason = Some("It is here already, just as it is in the file.".to_owned());
        } else {
            step.reason = Some(
                "One with its id is here already and differs: it comes in as a copy, unless 'update' or 'skip' is chosen."
                    .to_owned(),
            );
        }
    } else if id != sent {
        step.reason = Some("It comes in as a copy, under an id of its own.".to_owned());
    }
    let name = item.fields.get("name").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if item.kind == Kind::Variable
        && let Some(holder) = here.variables.get(name)
    {
        step.action = Action::Skip;
        // A copy would bear its name; the variable itself may still change its type.
        let is_own = *holder == id.to_string();
        step.choices.retain(|choice| *choice == Action::Skip || (is_own && *choice == Action::Update));
        step.reason = Some("A variable of this name is here already and keeps its value.".to_owned());
    }
    let wanted = item.id.and_then(|id| chosen.get(&id.to_string())).copied();
    if let Some(wanted) = wanted {
        if !step.choices.contains(&wanted) {
            let why =
                step.reason.unwrap_or_else(|| "There is nothing here that could be updated.".to_owned());
            return Ok(refused(format!("The choice does not fit. {why}")));
        }
        step.action = wanted;
    }
    let is_copy = step.action == Action::Create && step.choices.contains(&Action::Update);
    if is_copy {
        step.id = Uuid::new_v4();
    }
    Ok(step)
}

/// The id under which this workspace holds what a file says under `sent`.
///
/// Only ids of flows and of document stores lead to something by themselves, so no two workspaces may have one in common.
/// Of the other kinds each workspace may have one under the same id.
///
/// Whether another workspace uses an id must not show in an answer, be it a dry run's or an import's. So nobody looks
/// there: an id stays what it is where it is known to be this workspace's own (something is here under it, or was and
/// went) and where there is no other workspace, which is how a whole house moves. Anywhere else it is derived from the
/// workspace and the id in the file: the same each time, so that a file finds again what it brought before.
fn own_id(app: &App, caller: &Caller, kind: Kind, sent: Uuid) -> Result<Uuid> {
    let bytes = *sent.as_bytes();
    let is_own = |owner: Option<WorkspaceId>| owner == Some(caller.workspace);
    let (is_here, is_alone) = app
        .store
        .read(|tx| Ok((has(tx, &caller.workspace, kind, bytes)?, WORKSPACES.list(tx)?.len() == 1)))?;
    let stays = match kind {
        Kind::Tool | Kind::Variable | Kind::Template => true,
        Kind::DocumentStore => is_here || is_alone,
        Kind::Flow(_) => {
            // A workspace that was deleted leaves its ids behind; nobody else is let to its versions.
            let owner = live::owner_of_id(app, &FlowId::from_bytes(bytes))?;
            is_own(owner) || (is_alone && owner.is_none())
        }
    };
    Ok(if stays { sent } else { derived(&caller.workspace, sent) })
}

/// An id of the usual form (reference 2 asks for version 4) that only this workspace and this id give.
fn derived(workspace: &WorkspaceId, sent: Uuid) -> Uuid {
    let mut hash = Sha256::new();
    hash.update(b"imported");
    hash.update(workspace.bytes());
    hash.update(sent.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

fn has(tx: &impl Tx, workspace: &WorkspaceId, kind: Kind, bytes: [u8; 16]) -> Result<bool> {
    match kind {
        Kind::Flow(_) => FLOWS.has(tx, workspace, &FlowId::from_bytes(bytes)),
        Kind::Tool => TOOLS.has(tx, workspace, &ToolId::from_bytes(bytes)),
        Kind::Variable => VARIABLES.has(tx, workspace, &VariableId::from_bytes(bytes)),
        Kind::DocumentStore => DOCUMENT_STORES.has(tx, workspace, &DocumentStoreId::from_bytes(bytes)),
        Kind::Template => TEMPLATES.has(tx, workspace, &TemplateId::from_bytes(bytes)),
    }
}

/// Notes what an update would replace.
fn replaced(app: &App, caller: &Caller, known: &Here, item: &Item, step: &mut Step) -> Result<()> {
    match item.kind {
        Kind::Flow(_) => {
            let flow = FlowId::from_bytes(*step.id.as_bytes());
            let found = app.store.read(|tx| {
                let flow = FLOWS.get(tx, &caller.workspace, &flow)?;
                let draft = flow.as_ref().map(|flow| drafts::of(tx, flow)).transpose()?.flatten();
                Ok(flow.filter(|flow| drafts::mode(app, flow) == Mode::Draft).and(draft))
            })?;
            step.draft = Expected::seen(found.as_ref());
            if found.is_some() {
                step.notes.push("If it is updated, your unpublished changes are replaced.".to_owned());
            }
        }
        Kind::Tool => {
            let kept = known.by_id.get(&step.id.to_string());
            let kept = kept.map(|here| keep_hidden(&mut item.fields.clone(), here)).unwrap_or_default();
            if !kept.is_empty() {
                let names = kept.join(" and ");
                step.notes.push(format!(
                    "Hidden secrets stand in its {names}: if it is updated, that stays as it is here."
                ));
            }
        }
        Kind::Variable | Kind::DocumentStore | Kind::Template => {}
    }
    Ok(())
}

/// True when what is here says the same as the file: both as a file shows them, without secrets.
fn is_same(app: &App, caller: &Caller, known: &Here, item: &Item, id: Uuid) -> Result<bool> {
    let by_id = || known.by_id.get(&id.to_string()).cloned();
    let mut sent = Cow::Borrowed(&item.fields);
    let (here, fields): (Option<Value>, Vec<&str>) = match item.kind {
        Kind::Flow(_) => {
            let flow = FlowId::from_bytes(*id.as_bytes());
            let flow = app.store.read(|tx| FLOWS.get(tx, &caller.workspace, &flow))?;
            let here = flow.map(|flow| flow_row(app, &flow)).transpose()?;
            let own = ["name", "type", "category", "flowData", "draft", "publishInstantly", "isPublic"];
            (here, own.into_iter().chain(SETTINGS.iter().copied()).collect())
        }
        Kind::Tool => (by_id().map(plain), vec!["name", "description", "color", "iconSrc", "schema", "func"]),
        Kind::Variable => (by_id(), vec!["name", "type"]),
        Kind::DocumentStore => (by_id(), vec!["name", "description"]),
        Kind::Template => {
            if let Ok((_, content)) = templates::content_of(&item.fields) {
                sent.to_mut().insert("flowData".to_owned(), content.into());
            }
            (by_id(), vec!["name", "templateName", "description", "badge", "usecases", "flowData"])
        }
    };
    let Some(here) = here else { return Ok(false) };
    let said = |value: Option<&Value>| value.cloned().unwrap_or_default();
    Ok(fields.iter().all(|field| said(here.get(*field)) == said(sent.get(*field))))
}

/// A row of the answer.
pub(super) fn told(item: &Item, step: &Step, notes: &[String], is_done: bool) -> Value {
    let mut row = Map::new();
    row.insert("kind".into(), item.kind.group().into());
    row.insert("id".into(), json!(item.id));
    row.insert("name".into(), item.name.clone().into());
    let comes_in = step.refused.is_none() && step.action != Action::Skip;
    if comes_in && item.id != Some(step.id) && (is_done || item.id.is_some()) {
        row.insert("newId".into(), json!(step.id));
    }
    match &step.refused {
        Some(why) => {
            row.insert("action".into(), "refused".into());
            row.insert("reason".into(), why.clone().into());
        }
        None => {
            row.insert("action".into(), json!(step.action));
            row.insert("reason".into(), json!(step.reason));
            row.insert("choices".into(), json!(step.choices));
        }
    }
    if !notes.is_empty() {
        row.insert("notes".into(), json!(notes));
    }
    Value::Object(row)
}
