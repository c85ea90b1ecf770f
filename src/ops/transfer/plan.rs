//! What becomes of each thing of a file, before anything is written: the answer of a dry run.

use super::super::drafts::{self, Expected};
use super::export::keep_hidden;
use super::here::{Binding, Found, Here, own_id};
use super::reading::{Incoming, Item};
use super::{IMPORT_ALL, Kind};
use crate::app::App;
use crate::domain::caller::Caller;
use crate::domain::draft::Mode;
use crate::domain::error::Result;
use crate::domain::ids::FlowId;
use crate::ops::validation::Problems;
use crate::store::tables::FLOWS;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use uuid::Uuid;

/// What is done with a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It is made: nothing of it is here.
    Create,
    /// It is made under an id of its own, beside what is here.
    Duplicate,
    /// What is here under its id becomes what the file says.
    Update,
    /// Nothing.
    Skip,
}

/// What is done with things that are here already, where nothing was chosen for one of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Existing {
    /// They stay as they are.
    #[default]
    Skip,
    /// They become what the file says, where that is something else.
    Update,
    /// They are made once more.
    Duplicate,
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
    /// Who may ask the flow.
    pub binding: Binding,
    /// What an update would do to what is here.
    pub notes: Vec<String>,
    /// What a caller may choose.
    choices: Vec<Action>,
}

impl Step {
    /// Something new.
    fn new(id: Uuid) -> Self {
        Self {
            action: Action::Create,
            id,
            reason: None,
            refused: None,
            draft: Expected::None,
            binding: Binding::Open,
            notes: Vec::new(),
            choices: vec![Action::Create, Action::Skip],
        }
    }

    fn refused(id: Uuid, why: String) -> Self {
        Self { action: Action::Skip, refused: Some(why), choices: Vec::new(), ..Self::new(id) }
    }

    /// True when something is written for it.
    pub fn comes_in(&self) -> bool {
        self.refused.is_none() && self.action != Action::Skip
    }
}

/// What a caller says of things that are here already.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// Of each for itself, by its id in the file.
    pub chosen: HashMap<String, Action>,
    /// Of the others.
    pub existing: Existing,
}

/// Decides.
pub(super) fn plan(app: &App, caller: &Caller, incoming: &Incoming, choices: &Choices) -> Result<Vec<Step>> {
    let here = Here::of(app, caller, &incoming.items)?;
    let step = |item: &Item| {
        let mut step = step(app, caller, &here, item, choices)?;
        if let Kind::Flow(_) = item.kind {
            step.binding = here.binding(item, &incoming.keys);
        }
        Ok(step)
    };
    incoming.items.iter().map(step).collect()
}

fn step(app: &App, caller: &Caller, here: &Here<'_>, item: &Item, choices: &Choices) -> Result<Step> {
    let sent = item.id.unwrap_or_else(Uuid::new_v4);
    if let Some(fault) = &item.fault {
        return Ok(Step::refused(sent, fault.clone()));
    }
    if !item.kind.may_import(caller) {
        let own = item.kind.import_permission();
        return Ok(Step::refused(sent, format!("This needs the permission {IMPORT_ALL} or {own}.")));
    }
    let id = if item.id.is_some() { own_id(app, caller, item.kind, sent)? } else { sent };
    let mut step = Step::new(id);
    settle(here, item, choices.existing, sent, &mut step)?;
    if step.choices.contains(&Action::Update) {
        replaced(app, caller, here, item, &mut step)?;
    }
    if let Some(wanted) = item.id.and_then(|id| choices.chosen.get(&id.to_string())).copied() {
        if !step.choices.contains(&wanted) {
            let why = step.reason.unwrap_or_else(|| "There is nothing of it here.".to_owned());
            return Ok(Step::refused(id, format!("The choice does not fit. {why}")));
        }
        step.action = wanted;
    }
    if step.action == Action::Duplicate {
        step.id = Uuid::new_v4();
    }
    Ok(step)
}

/// What is done unless something else is chosen, what may be chosen, and why.
fn settle(here: &Here<'_>, item: &Item, existing: Existing, sent: Uuid, step: &mut Step) -> Result<()> {
    let found = here.find(item, step.id)?;
    let reason = match &found {
        Found::Nothing if step.id != sent => {
            Some("It comes in as a copy, under an id of its own.".to_owned())
        }
        Found::Nothing => None,
        Found::ById { same: true } => Some("It is here already, just as it is in the file.".to_owned()),
        Found::ById { same: false } => Some("It is here already, and differs from the file.".to_owned()),
        Found::ByContent(Some(name)) => {
            let name: String = name.chars().filter(|c| !c.is_control()).collect();
            Some(format!("The same content is here already, as '{name}'."))
        }
        Found::ByContent(None) => Some("The same content is here already.".to_owned()),
    };
    step.reason = reason;
    step.choices = match &found {
        Found::Nothing => vec![Action::Create, Action::Skip],
        Found::ById { .. } => vec![Action::Skip, Action::Update, Action::Duplicate],
        Found::ByContent(_) => vec![Action::Skip, Action::Duplicate],
    };
    step.action = match (&found, existing) {
        (Found::Nothing, _) => Action::Create,
        (Found::ById { same: false }, Existing::Update) => Action::Update,
        (_, Existing::Duplicate) => Action::Duplicate,
        (_, Existing::Skip | Existing::Update) => Action::Skip,
    };
    let name = item.fields.get("name").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if item.kind == Kind::Variable
        && let Some(holder) = here.variable(name)
    {
        // A copy would bear its name; the variable itself may still change its type.
        let is_own = holder == step.id.to_string();
        step.choices.retain(|choice| *choice == Action::Skip || (is_own && *choice == Action::Update));
        if !step.choices.contains(&step.action) {
            step.action = Action::Skip;
        }
        step.reason = Some("A variable of this name is here already and keeps its value.".to_owned());
    }
    Ok(())
}

/// Notes what an update would replace.
fn replaced(app: &App, caller: &Caller, here: &Here<'_>, item: &Item, step: &mut Step) -> Result<()> {
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
            let kept = here.row(&step.id);
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

/// A row of the answer.
pub(super) fn told(
    item: &Item,
    step: &Step,
    notes: &[String],
    problems: &[Problems],
    is_done: bool,
) -> Value {
    let mut row = Map::new();
    row.insert("kind".into(), item.kind.group().into());
    row.insert("id".into(), json!(item.id));
    row.insert("name".into(), item.name.clone().into());
    if step.comes_in() && item.id != Some(step.id) && (is_done || item.id.is_some()) {
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
    if let (Kind::Flow(kind), true) = (item.kind, step.comes_in()) {
        row.insert("type".into(), json!(kind));
        row.insert("problems".into(), json!(problems));
    }
    Value::Object(row)
}
