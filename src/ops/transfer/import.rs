//! Taking a file in: each thing for itself, so that a bad one takes none of the others along.

use super::super::document_stores::{self, StoreChange, StoreEdit};
use super::super::templates;
use super::super::tools;
use super::super::variables::{self, VariableBody};
use super::Kind;
use super::credentials::{self, Stands};
use super::export;
use super::flow;
use super::plan::{Action, Step, plan, told};
use super::reading::{Incoming, Item, read};
use crate::app::App;
use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{DocumentStoreId, TemplateId, ToolId, VariableId, found_in};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The body: how, and the file itself beside it, as the family sends it.
#[derive(Deserialize)]
pub struct ImportBody {
    /// `preview` changes nothing and tells what an import would do.
    #[serde(default)]
    mode: Option<Doing>,
    /// What to do with things of the file, by their ids there.
    #[serde(default)]
    choices: HashMap<String, Action>,
    #[serde(flatten)]
    file: Map<String, Value>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Doing {
    Preview,
    Import,
}

impl ImportBody {
    /// A file with nothing chosen.
    ///
    /// # Errors
    /// 400 when it is no JSON object.
    pub fn of_file(text: &str, preview: bool) -> Result<Self> {
        let wrong = |_| Error::invalid("This is not a file of JSON with an export, a flow or a canvas.");
        let file: Map<String, Value> = serde_json::from_str(text).map_err(wrong)?;
        let mode = Some(if preview { Doing::Preview } else { Doing::Import });
        Ok(Self { mode, choices: HashMap::new(), file })
    }
}

/// Imports a file, or tells what would become of it. A thing that cannot come in is named with the reason; the others
/// come in all the same.
///
/// # Errors
/// 400 for a file with nothing in it.
pub fn import(app: &App, caller: &Caller, body: ImportBody) -> Result<Value> {
    let ImportBody { mode, choices, file } = body;
    let Incoming { mut items, left_out, credentials: named } = read(file)?;
    let mut steps = plan(app, caller, &items, &choices)?;
    let stands = credentials::stands(caller, &credentials::of(app, &caller.workspace)?, &named);
    let told_of = items.iter().zip(&steps).map(|(item, step)| notes(app, caller, item, step, &stands));
    let notes: Vec<Vec<String>> = told_of.collect::<Result<_>>()?;
    let is_import = mode != Some(Doing::Preview);
    if is_import {
        rename(&mut items, &steps, &stands)?;
        for (item, step) in items.iter().zip(&mut steps) {
            if step.refused.is_none() && step.action != Action::Skip {
                step.refused = bring(app, caller, item, step).err().map(|fault| told_fault(&fault));
            }
        }
    }
    let rows = items.iter().zip(&steps).zip(&notes);
    let mut told: Vec<Value> = rows.map(|((item, step), notes)| told(item, step, notes, is_import)).collect();
    told.extend(left_out.iter().map(|(name, count, why)| {
        json!({"kind": name, "count": count, "action": "skip", "reason": why, "choices": ["skip"]})
    }));
    let count =
        |action: Action| steps.iter().filter(|step| step.refused.is_none() && step.action == action).count();
    let refused = steps.iter().filter(|step| step.refused.is_some()).count();
    let (created, updated) = (count(Action::Create), count(Action::Update));
    if is_import {
        tracing::info!(created, updated, refused, by = ?caller.principal, "a file was imported");
    }
    Ok(json!({
        "message": if !is_import { "preview" } else if refused == 0 { "success" } else { "some items were refused" },
        "items": told, "created": created, "updated": updated, "skipped": count(Action::Skip), "refused": refused,
    }))
}

/// A fault of the service is told as such, and logged.
fn told_fault(fault: &Error) -> String {
    if let Error::Internal(cause) = fault {
        tracing::error!(%cause, "a thing of a file could not be imported");
    }
    fault.to_string()
}

/// What a person should know of a thing that comes in.
fn notes(app: &App, caller: &Caller, item: &Item, step: &Step, stands: &Stands) -> Result<Vec<String>> {
    let mut notes = step.notes.clone();
    let Kind::Flow(_) = item.kind else {
        if item.kind == Kind::Variable {
            notes.push("It comes without a value: one that is here keeps its own.".to_owned());
        }
        return Ok(notes);
    };
    notes.extend(stands.notes_on(&Value::from(item.fields.clone()).to_string()));
    let bound = item.fields.get("apikeyid").and_then(Value::as_str).filter(|id| !id.is_empty());
    let is_bound = item.fields.get("keyBound") == Some(&Value::Bool(true)) || bound.is_some();
    if is_bound && flow::kept_key(app, caller, bound)?.is_none() {
        notes.push(
            "It was bound to an API key that is not here: until one is chosen it answers anyone.".to_owned(),
        );
    }
    if item.fields.get("draft").is_some_and(Value::is_object) {
        notes.push("Its unpublished changes come along as what is to be published.".to_owned());
    }
    Ok(notes)
}

/// Writes the new ids wherever the old ones stand, in one pass over each thing.
fn rename(items: &mut [Item], steps: &[Step], stands: &Stands) -> Result<()> {
    let mut names = stands.ids.clone();
    for (item, step) in items.iter().zip(steps) {
        if let Some(old) = item.id.filter(|old| *old != step.id && step.refused.is_none()) {
            names.insert(old.to_string(), step.id.to_string());
        }
    }
    if names.is_empty() {
        return Ok(());
    }
    for item in items {
        let text = renamed(&Value::from(std::mem::take(&mut item.fields)).to_string(), &names);
        item.fields = serde_json::from_str(&text).map_err(Error::internal)?;
    }
    Ok(())
}

fn renamed(text: &str, names: &HashMap<String, String>) -> String {
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (at, id) in found_in(text) {
        if let Some(new) = names.get(id).filter(|_| at >= done) {
            out.push_str(&text[done..at]);
            out.push_str(new);
            done = at + id.len();
        }
    }
    out.push_str(&text[done..]);
    out
}

fn bring(app: &App, caller: &Caller, item: &Item, step: &Step) -> Result<()> {
    let bytes = *step.id.as_bytes();
    let (text, is_new) = (step.id.to_string(), step.action == Action::Create);
    let fields = &item.fields;
    match item.kind {
        Kind::Flow(kind) => flow::bring(app, caller, item, kind, step),
        Kind::Tool => {
            if is_new {
                return tools::create_as(app, caller, ToolId::from_bytes(bytes), &body(fields)?).map(drop);
            }
            may(caller, "tools:update")?;
            let mut fields = fields.clone();
            export::keep_hidden(&mut fields, &tools::read(app, caller, &text)?);
            tools::update(app, caller, &text, &body(&fields)?).map(drop)
        }
        Kind::Variable => {
            let mut body: VariableBody = body(fields)?;
            // Files of others may hold values: they stay outside as they do in ours.
            body.value = None;
            if !is_new {
                may(caller, "variables:update")?;
                return variables::update(app, caller, &text, &body).map(drop);
            }
            variables::create_as(app, caller, VariableId::from_bytes(bytes), &body).map(drop)
        }
        Kind::DocumentStore => {
            let id = DocumentStoreId::from_bytes(bytes);
            if is_new {
                let edit: StoreEdit = body(fields)?;
                return document_stores::create_as(app, caller, id, edit).map(drop);
            }
            may(caller, "documentStores:update")?;
            let change: StoreChange = body(fields)?;
            document_stores::update(app, caller, &id, change).map(drop)
        }
        Kind::Template => templates::bring(app, caller, TemplateId::from_bytes(bytes), fields, is_new),
    }
}

fn may(caller: &Caller, permission: &str) -> Result<()> {
    if caller.grants.allow(permission) {
        return Ok(());
    }
    Err(Error::Forbidden(format!("This needs the permission {permission}.")))
}

pub(super) fn body<T: DeserializeOwned>(fields: &Map<String, Value>) -> Result<T> {
    serde_json::from_value(Value::from(fields.clone()))
        .map_err(|_| Error::invalid("One of its fields is of the wrong type."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn ids_are_renamed_wherever_they_stand() {
        let (old, new) = (Uuid::new_v4().to_string(), Uuid::new_v4().to_string());
        let names = HashMap::from([(old.clone(), new.clone())]);
        let other = Uuid::new_v4();
        let text = format!("{{\"a\":\"{old}\",\"b\":\"\\\"{old}\\\" ü {other}\"}}");
        assert_eq!(renamed(&text, &names), text.replace(&old, &new));
        assert_eq!(renamed("nothing", &names), "nothing");
    }
}
