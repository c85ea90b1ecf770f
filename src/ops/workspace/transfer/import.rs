//! Taking a file in: each thing for itself, so that a bad one takes none of the others along.

use super::ItemKind;
use super::coverage;
use super::credentials::{self, CredentialMatches};
use super::export;
use super::flow;
use super::parse::{ImportFile, ImportItem, display_name, parse};
use super::plan::{ImportStep, bind_to_arrivals, plan, report_item};
use super::runs;
use super::tool_servers;
use super::workspace_view::KeyBinding;
use crate::app::App;
use crate::canvas::Canvas;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result, count_phrase};
use crate::domain::flows::card_problems::CardProblems;
use crate::domain::ids::{
    AssistantId, DocumentStoreId, FlowId, KeyId, TemplateId, ToolId, ToolServerId, VariableId, replace_ids_in,
};
use crate::domain::workspace::import::{FileImport, ImportAction};
use crate::domain::workspace::variable::VariableChange;
use crate::ops::flows::validation::{ImportedResources, former_names, unknown_cards};
use crate::ops::knowledge::stores;
use crate::ops::workspace::assistants;
use crate::ops::workspace::quota;
use crate::ops::workspace::templates;
use crate::ops::workspace::tools;
use crate::ops::workspace::variables;
use crate::wire::knowledge::stores::{DocumentStoreEdit, NewDocumentStore};
use crate::wire::workspace::assistants::AssistantEdit;
use crate::wire::workspace::coverage::Coverage;
use crate::wire::workspace::import::{ImportItemView, ImportResult, UnsupportedKind, UnsupportedView};
use crate::wire::workspace::tools::ToolEdit;
use crate::wire::workspace::variables::VariableEdit;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use uuid::Uuid;

/// Imports a file, or tells what would become of it. A thing that cannot come in is named with the reason; the others
/// come in all the same.
///
/// # Errors
/// 400 for a file with nothing in it, 409 when its new flows are more than the quota of the workspace has room for.
pub(crate) fn import(app: &App, caller: &Caller, wanted: FileImport) -> Result<ImportResult> {
    Ok(FilePlan::new(app, caller, wanted)?.run(app, caller, &Companions::default())?.result)
}

/// What comes in beside a file that was made of another product's database.
#[derive(Debug, Default)]
pub(super) struct Companions {
    /// Things that come in by themselves, and count as here when flows are judged.
    pub arrivals: ImportedResources,
    pub keys: BTreeSet<KeyId>,
    /// The variables of the file have the values that they shall have here.
    pub has_values: bool,
}

/// What became of a file.
pub(super) struct FileOutcome {
    pub result: ImportResult,
    /// From the ids in the file to the ids here, of all that did not have to stay outside.
    pub ids: HashMap<Uuid, Uuid>,
    pub homes: HashMap<FlowId, FlowId>,
    /// How the flows that came in run here.
    pub coverage: Coverage,
}

/// What a file holds, and what becomes of each part of it. Nothing was written yet.
pub(super) struct FilePlan {
    incoming: ImportFile,
    steps: Vec<ImportStep>,
    is_preview: bool,
}

impl FilePlan {
    /// Reads a file.
    ///
    /// # Errors
    /// As [`import`].
    pub(super) fn new(app: &App, caller: &Caller, wanted: FileImport) -> Result<Self> {
        let FileImport { is_preview, choices, file_name, file } = wanted;
        let incoming = parse(file, file_name.as_deref())?;
        let mut steps = plan(app, caller, &incoming, &choices)?;
        require_room(app, caller, &incoming.items, &mut steps, is_preview)?;
        Ok(Self { incoming, steps, is_preview })
    }

    /// Does what was planned, with what came in beside the file; of a preview it only tells.
    ///
    /// # Errors
    /// When the database cannot be read; what of the file cannot come in is part of the outcome.
    pub(super) fn run(self, app: &App, caller: &Caller, beside: &Companions) -> Result<FileOutcome> {
        let Self { mut incoming, mut steps, is_preview } = self;
        let is_import = !is_preview;
        bind_to_arrivals(&incoming.items, &mut steps, &beside.keys);
        let known = credentials::load(app, &caller.workspace)?;
        let stands = credentials::match_credentials(caller, &known, &incoming.credentials);
        let told_of =
            incoming.items.iter().zip(&steps).map(|(item, step)| notes(item, step, &stands, beside));
        let notes: Vec<Vec<String>> = told_of.collect();
        replace_ids(&mut incoming.items, &steps, &stands)?;
        let problems = problems(app, caller, &incoming.items, &steps, beside)?;
        let unsupported = count_unsupported(&incoming.items, &steps);
        if is_import {
            for (item, step) in incoming.items.iter().zip(&mut steps) {
                if step.is_written() {
                    let done = import_item(app, caller, item, step, beside);
                    step.refusal = done.err().map(|fault| fault_text(&fault));
                }
            }
        }
        let coverage = coverage::of_flows(&incoming.items, &steps, &problems);
        let (ids, homes) = (local_ids(&incoming.items, &steps), homes(&incoming.items, &steps));
        let rows = incoming.items.iter().zip(&steps).zip(notes.into_iter().zip(problems));
        let mut items = rows
            .map(|((item, step), (notes, problems))| report_item(item, step, notes, problems, is_import))
            .collect::<Vec<_>>();
        items.extend(runs::import(app, caller, &incoming.runs, &homes, is_import)?);
        let left_out = incoming.left_out.iter();
        items.extend(left_out.map(|(name, count, why)| ImportItemView::left_out(name, *count, why)));
        let count = |actions: &[ImportAction]| {
            steps.iter().filter(|step| step.refusal.is_none() && actions.contains(&step.action)).count()
        };
        let (created, updated) =
            (count(&[ImportAction::Create, ImportAction::Duplicate]), count(&[ImportAction::Update]));
        let refused = steps.iter().filter(|step| step.refusal.is_some()).count();
        if is_import {
            tracing::info!(created, updated, refused, by = %caller.principal, "a file was imported");
        }
        let message = match (is_import, refused) {
            (false, _) => "preview",
            (true, 0) => "success",
            (true, _) => "some items were refused",
        };
        let skipped = count(&[ImportAction::Skip]);
        let result = ImportResult { message, items, created, updated, skipped, refused, unsupported };
        Ok(FileOutcome { result, ids, homes, coverage })
    }
}

/// Refuses a file with more new flows than the workspace has room for, before anything is written. A preview says so of each of them,
/// because which of them are to come is for a person to choose.
fn require_room(
    app: &App,
    caller: &Caller,
    items: &[ImportItem],
    steps: &mut [ImportStep],
    is_preview: bool,
) -> Result<()> {
    let is_new = |item: &ImportItem, step: &ImportStep| {
        matches!(item.kind, ItemKind::Flow(_)) && step.is_written() && step.action != ImportAction::Update
    };
    let more = items.iter().zip(steps.iter()).filter(|(item, step)| is_new(item, step)).count();
    let here = caller.workspace;
    let admitted = app.store.read(|tx| quota::admit_flows(tx, &here, &quota::of(tx, &here)?, more));
    match admitted {
        Err(full @ Error::QuotaExceeded(_)) if is_preview => {
            for (_, step) in items.iter().zip(steps).filter(|(item, step)| is_new(item, step)) {
                step.notes.push(full.to_string());
            }
            Ok(())
        }
        admitted => admitted,
    }
}

/// The ids here of the things of the file.
fn local_ids(items: &[ImportItem], steps: &[ImportStep]) -> HashMap<Uuid, Uuid> {
    let of = |(item, step): (&ImportItem, &ImportStep)| {
        item.id.filter(|_| step.refusal.is_none()).map(|id| (id, step.id))
    };
    items.iter().zip(steps).filter_map(of).collect()
}

/// The ids here of the flows of the file.
fn homes(items: &[ImportItem], steps: &[ImportStep]) -> HashMap<FlowId, FlowId> {
    let of = |(item, step): (&ImportItem, &ImportStep)| {
        let is_here = matches!(item.kind, ItemKind::Flow(_)) && step.refusal.is_none();
        let id = item.id.filter(|_| is_here)?;
        Some((FlowId::from_bytes(*id.as_bytes()), FlowId::from_bytes(*step.id.as_bytes())))
    };
    items.iter().zip(steps).filter_map(of).collect()
}

/// What is wrong with each flow that comes in, as validation says it of flows that are here.
fn problems(
    app: &App,
    caller: &Caller,
    items: &[ImportItem],
    steps: &[ImportStep],
    beside: &Companions,
) -> Result<Vec<Vec<CardProblems>>> {
    let mut arrivals = beside.arrivals.clone();
    for (item, step) in items.iter().zip(steps).filter(|(_, step)| step.is_written()) {
        arrivals.ids.insert(step.id);
        if let (ItemKind::Variable, Some(name)) = (item.kind, item.fields.get("name").and_then(Value::as_str))
        {
            arrivals.variables.insert(name.to_owned());
        }
    }
    let of = |(item, step): (&ImportItem, &ImportStep)| match item.kind {
        ItemKind::Flow(kind) if step.is_written() => flow::problems(app, caller, item, kind, step, &arrivals),
        _ => Ok(Vec::new()),
    };
    items.iter().zip(steps).map(of).collect()
}

/// Cards that come in and are not known here: how many, and in how many flows.
fn count_unsupported(items: &[ImportItem], steps: &[ImportStep]) -> Vec<UnsupportedView> {
    let mut cards: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (item, step) in items.iter().zip(steps) {
        let ItemKind::Flow(_) = item.kind else { continue };
        if !step.is_written() {
            continue;
        }
        let Ok(canvas) = Canvas::parse(flow::canvas_of(item)) else { continue };
        let mut seen = HashSet::new();
        for name in unknown_cards(&canvas) {
            let (count, flows) = cards.entry(display_name(name)).or_default();
            *count += 1;
            *flows += usize::from(seen.insert(name));
        }
    }
    let view = cards.into_iter().map(|(name, (count, flows))| UnsupportedView {
        what: UnsupportedKind::Card,
        name,
        count,
        flows,
    });
    view.collect()
}

/// A fault of the service is named as such, and logged.
fn fault_text(fault: &Error) -> String {
    if let Error::Internal(_) = fault {
        tracing::error!(cause = fault.for_log(), "a thing of a file could not be imported");
    }
    fault.to_string()
}

/// What a person should know of a thing that comes in.
fn notes(
    item: &ImportItem,
    step: &ImportStep,
    stands: &CredentialMatches,
    beside: &Companions,
) -> Vec<String> {
    let mut notes = step.notes.clone();
    let ItemKind::Flow(_) = item.kind else {
        if item.kind == ItemKind::Variable && !beside.has_values {
            notes.push("It comes without a value: one that is here keeps its own.".to_owned());
        }
        if item.kind == ItemKind::ToolServer
            && matches!(step.action, ImportAction::Create | ImportAction::Duplicate)
        {
            notes.extend(tool_servers::missing(&item.fields));
        }
        notes.extend(item.notes.iter().cloned());
        return notes;
    };
    notes.extend(item.notes.iter().cloned());
    notes.extend(renamed_cards(item));
    notes.extend(stands.notes_on(&Value::from(item.fields.clone()).to_string()));
    match (step.binding, step.action) {
        (KeyBinding::Nobody, ImportAction::Create | ImportAction::Duplicate) => notes.push(
            "It was bound to an API key that is not here: it answers nobody (401) until you choose in its settings \
             which key opens it, or that it needs none."
                .to_owned(),
        ),
        (KeyBinding::Nobody, ImportAction::Update) => {
            notes.push("The API key it was bound to is not here: who may ask it stays as it is.".to_owned());
        }
        (KeyBinding::Open | KeyBinding::Key(_), _) | (_, ImportAction::Skip) => {}
    }
    if step.is_written() && item.fields.get("draft").is_some_and(Value::is_object) {
        notes.push("Its unpublished changes come along as what is to be published.".to_owned());
    }
    let questions = item.questions.as_ref().map_or(0, Vec::len);
    if step.is_written() && questions > 0 {
        let told = count_phrase(questions, "question", "questions");
        notes.push(format!("It comes with {told} for its checks."));
    }
    notes
}

/// What is said of cards that were drawn under names which they have given up since.
pub(super) fn renamed_cards(item: &ImportItem) -> Option<String> {
    let canvas = Canvas::parse(flow::canvas_of(item)).ok()?;
    let told = |(former, label): (&str, &str)| format!("'{former}' runs as '{label}'");
    let told: Vec<String> = former_names(&canvas).into_iter().map(told).collect();
    (!told.is_empty()).then(|| format!("Cards were drawn under former names: {}.", told.join(", ")))
}

/// Writes the new ids wherever the old ones stand, in one pass over each thing.
fn replace_ids(items: &mut [ImportItem], steps: &[ImportStep], stands: &CredentialMatches) -> Result<()> {
    let mut names = stands.ids.clone();
    for (item, step) in items.iter().zip(steps) {
        if let Some(old) = item.id.filter(|old| *old != step.id && step.refusal.is_none()) {
            names.insert(old.to_string(), step.id.to_string());
        }
    }
    if names.is_empty() {
        return Ok(());
    }
    for item in items {
        let text = replace_ids_in(&Value::from(std::mem::take(&mut item.fields)).to_string(), &names);
        item.fields = serde_json::from_str(&text).map_err(Error::internal)?;
    }
    Ok(())
}

fn import_item(
    app: &App,
    caller: &Caller,
    item: &ImportItem,
    step: &ImportStep,
    beside: &Companions,
) -> Result<()> {
    let bytes = *step.id.as_bytes();
    let is_new = step.action != ImportAction::Update;
    let fields = &item.fields;
    match item.kind {
        ItemKind::Flow(kind) => flow::import(app, caller, item, kind, step),
        ItemKind::Tool => {
            let id = ToolId::from_bytes(bytes);
            if is_new {
                let change = parse_body::<ToolEdit>(fields)?.into();
                return tools::create_as(app, caller, id, &change).map(drop);
            }
            require(caller, "tools:update")?;
            let mut fields = fields.clone();
            export::merge_redacted(&mut fields, &tools::read(app, caller, id)?);
            tools::update(app, caller, id, &parse_body::<ToolEdit>(&fields)?.into()).map(drop)
        }
        ItemKind::ToolServer => {
            tool_servers::import(app, caller, ToolServerId::from_bytes(bytes), fields, is_new)
        }
        ItemKind::Variable => {
            // Files of others may hold values: they stay outside as they do in ours.
            let sent: VariableChange = parse_body::<VariableEdit>(fields)?.into();
            let change = VariableChange { value: sent.value.filter(|_| beside.has_values), ..sent };
            let id = VariableId::from_bytes(bytes);
            if !is_new {
                require(caller, "variables:update")?;
                return variables::update(app, caller, id, &change).map(drop);
            }
            variables::create_as(app, caller, id, &change).map(drop)
        }
        ItemKind::DocumentStore => {
            let id = DocumentStoreId::from_bytes(bytes);
            if is_new {
                let new: NewDocumentStore = parse_body(fields)?;
                return stores::create_as(app, caller, id, new.into()).map(drop);
            }
            require(caller, "documentStores:update")?;
            let change: DocumentStoreEdit = parse_body(fields)?;
            stores::update(app, caller, &id, change.into()).map(drop)
        }
        ItemKind::OpenAiAssistant | ItemKind::AzureAssistant => import_hosted(app, caller, item, step),
        ItemKind::Template => templates::import(app, caller, TemplateId::from_bytes(bytes), fields, is_new),
    }
}

/// An assistant at its provider: its row, as the file has it.
fn import_hosted(app: &App, caller: &Caller, item: &ImportItem, step: &ImportStep) -> Result<()> {
    let Some(kind) = item.kind.assistant() else { return Ok(()) };
    let id = AssistantId::from_bytes(*step.id.as_bytes());
    let change = parse_body::<AssistantEdit>(&item.fields)?.into();
    if step.action != ImportAction::Update {
        return assistants::create_as(app, caller, (id, kind), &change).map(drop);
    }
    require(caller, "assistants:update")?;
    assistants::update(app, caller, id, &change).map(drop)
}

pub(super) fn require(caller: &Caller, permission: &str) -> Result<()> {
    if caller.permissions.has(permission) {
        return Ok(());
    }
    Err(Error::Forbidden(format!("This needs the permission {permission}.")))
}

pub(super) fn parse_body<T: DeserializeOwned>(fields: &Map<String, Value>) -> Result<T> {
    serde_json::from_value(Value::from(fields.clone()))
        .map_err(|_| Error::invalid("One of its fields is of the wrong type."))
}
