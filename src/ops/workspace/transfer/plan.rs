//! What becomes of each thing of a file, before anything is written: the answer of a dry run.

use super::export::merge_redacted;
use super::parse::{ImportFile, ImportItem};
use super::workspace_view::{KeyBinding, LocalMatch, WorkspaceView, local_id};
use super::{IMPORT_ALL, ItemKind, tool_servers};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::flows::card_problems::CardProblems;
use crate::domain::flows::draft::EditTarget;
use crate::domain::ids::{FlowId, KeyId};
use crate::domain::workspace::import::{ExistingPolicy, ImportAction, ImportChoices};
use crate::ops::checks::carried;
use crate::ops::flows::drafts::{self, DraftPrecondition};
use crate::store::tables::FLOWS;
use crate::wire::flows::problems::CardProblemsView;
use crate::wire::workspace::import::{FlowReport, ImportItemView, ItemIdentity};
use serde_json::Value;
use std::collections::BTreeSet;
use uuid::Uuid;

/// What becomes of one thing.
#[derive(Debug)]
pub(super) struct ImportStep {
    pub action: ImportAction,
    pub id: Uuid,
    /// Why it is like that, for a person.
    pub reason: Option<String>,
    /// Why it cannot come in.
    pub refusal: Option<String>,
    /// The draft of the flow here, which an update replaces if it is still there.
    pub draft: DraftPrecondition,
    pub binding: KeyBinding,
    /// What an update would do to what is here.
    pub notes: Vec<String>,
    choices: Vec<ImportAction>,
}

impl ImportStep {
    fn new(id: Uuid) -> Self {
        Self {
            action: ImportAction::Create,
            id,
            reason: None,
            refusal: None,
            draft: DraftPrecondition::None,
            binding: KeyBinding::Open,
            notes: Vec::new(),
            choices: vec![ImportAction::Create, ImportAction::Skip],
        }
    }

    fn refuse(id: Uuid, why: String) -> Self {
        Self { action: ImportAction::Skip, refusal: Some(why), choices: Vec::new(), ..Self::new(id) }
    }

    /// True when something is written for it.
    pub(super) fn is_written(&self) -> bool {
        self.refusal.is_none() && self.action != ImportAction::Skip
    }
}

pub(super) fn plan(
    app: &App,
    caller: &Caller,
    incoming: &ImportFile,
    choices: &ImportChoices,
) -> Result<Vec<ImportStep>> {
    let here = WorkspaceView::load(app, caller, &incoming.items)?;
    let step = |item: &ImportItem| {
        let mut step = plan_item(app, caller, &here, item, choices)?;
        if let ItemKind::Flow(_) = item.kind {
            step.binding = here.binding(item, &incoming.keys);
        }
        Ok(step)
    };
    incoming.items.iter().map(step).collect()
}

/// Ties flows to keys that come in beside the file.
pub(super) fn bind_to_arrivals(items: &[ImportItem], steps: &mut [ImportStep], keys: &BTreeSet<KeyId>) {
    for (item, step) in items.iter().zip(steps) {
        let id = item.fields.get("apikeyid").and_then(Value::as_str).and_then(KeyId::parse);
        if let Some(id) = id.filter(|id| keys.contains(id) && matches!(item.kind, ItemKind::Flow(_))) {
            step.binding = KeyBinding::Key(id);
        }
    }
}

fn plan_item(
    app: &App,
    caller: &Caller,
    here: &WorkspaceView<'_>,
    item: &ImportItem,
    choices: &ImportChoices,
) -> Result<ImportStep> {
    let sent = item.id.unwrap_or_else(Uuid::new_v4);
    if let Some(fault) = &item.fault {
        return Ok(ImportStep::refuse(sent, fault.clone()));
    }
    if !item.kind.can_import(caller) {
        let own = item.kind.import_permission();
        return Ok(ImportStep::refuse(sent, format!("This needs the permission {IMPORT_ALL} or {own}.")));
    }
    let id = if item.id.is_some() { local_id(app, caller, item.kind, sent)? } else { sent };
    let mut step = ImportStep::new(id);
    choose_action(here, item, choices.existing, sent, &mut step)?;
    if step.choices.contains(&ImportAction::Update) {
        note_replacements(app, caller, here, item, &mut step)?;
    }
    if let Some(wanted) = item.id.and_then(|id| choices.chosen.get(&id.to_string())).copied() {
        if !step.choices.contains(&wanted) {
            let why = step.reason.unwrap_or_else(|| "There is nothing of it here.".to_owned());
            return Ok(ImportStep::refuse(id, format!("The choice does not fit. {why}")));
        }
        step.action = wanted;
    }
    if step.action == ImportAction::Duplicate {
        step.id = Uuid::new_v4();
    }
    if let (ImportAction::Update, Some(sent)) = (step.action, &item.questions) {
        let flow = FlowId::from_bytes(*id.as_bytes());
        match carried::check(app, &caller.workspace, &flow, sent) {
            Err(Error::Invalid(why)) => return Ok(ImportStep::refuse(id, why)),
            checked => checked?,
        }
    }
    Ok(step)
}

/// What is done unless something else is chosen, what may be chosen, and why.
fn choose_action(
    here: &WorkspaceView<'_>,
    item: &ImportItem,
    existing: ExistingPolicy,
    sent: Uuid,
    step: &mut ImportStep,
) -> Result<()> {
    let found = here.find(item, step.id)?;
    let reason = match &found {
        LocalMatch::Nothing if step.id != sent => {
            Some("It comes in as a copy, under an id of its own.".to_owned())
        }
        LocalMatch::Nothing => None,
        LocalMatch::ById { same: true } => Some("It is here already, just as it is in the file.".to_owned()),
        LocalMatch::ById { same: false } => Some("It is here already, and differs from the file.".to_owned()),
        LocalMatch::ByContent(Some(name)) => {
            let name: String = name.chars().filter(|c| !c.is_control()).collect();
            Some(format!("The same content is here already, as '{name}'."))
        }
        LocalMatch::ByContent(None) => Some("The same content is here already.".to_owned()),
    };
    step.reason = reason;
    step.choices = match &found {
        LocalMatch::Nothing => vec![ImportAction::Create, ImportAction::Skip],
        LocalMatch::ById { .. } => vec![ImportAction::Skip, ImportAction::Update, ImportAction::Duplicate],
        LocalMatch::ByContent(_) => vec![ImportAction::Skip, ImportAction::Duplicate],
    };
    step.action = match (&found, existing) {
        (LocalMatch::Nothing, _) => ImportAction::Create,
        (LocalMatch::ById { same: false }, ExistingPolicy::Update) => ImportAction::Update,
        (_, ExistingPolicy::Duplicate) => ImportAction::Duplicate,
        (_, ExistingPolicy::Skip | ExistingPolicy::Update) => ImportAction::Skip,
    };
    let name = item.fields.get("name").and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if item.kind == ItemKind::Variable
        && let Some(holder) = here.variable(name)
    {
        // A copy would bear its name; the variable itself may still change its type.
        let is_own = holder == step.id.to_string();
        step.choices
            .retain(|choice| *choice == ImportAction::Skip || (is_own && *choice == ImportAction::Update));
        if !step.choices.contains(&step.action) {
            step.action = ImportAction::Skip;
        }
        step.reason = Some("A variable of this name is here already and keeps its value.".to_owned());
    }
    Ok(())
}

/// Notes what an update would replace.
fn note_replacements(
    app: &App,
    caller: &Caller,
    here: &WorkspaceView<'_>,
    item: &ImportItem,
    step: &mut ImportStep,
) -> Result<()> {
    match item.kind {
        ItemKind::Flow(_) => {
            let flow = FlowId::from_bytes(*step.id.as_bytes());
            let found = app.store.read(|tx| {
                let flow = FLOWS.get(tx, &caller.workspace, &flow)?;
                let draft = flow.as_ref().map(|flow| drafts::find(tx, flow)).transpose()?.flatten();
                Ok(flow.filter(|flow| drafts::mode(app, flow) == EditTarget::Draft).and(draft))
            })?;
            step.draft = DraftPrecondition::from_current(found.as_ref());
            if found.is_some() {
                step.notes.push("If it is updated, your unpublished changes are replaced.".to_owned());
            }
        }
        ItemKind::Tool => {
            let kept = here.tool(&step.id);
            let kept = kept.map(|here| merge_redacted(&mut item.fields.clone(), here)).unwrap_or_default();
            if !kept.is_empty() {
                let names = kept.join(" and ");
                step.notes.push(format!(
                    "Hidden secrets stand in its {names}: if it is updated, that stays as it is here."
                ));
            }
        }
        ItemKind::ToolServer => step.notes.push(tool_servers::NOTE.to_owned()),
        ItemKind::Variable
        | ItemKind::DocumentStore
        | ItemKind::Template
        | ItemKind::OpenAiAssistant
        | ItemKind::AzureAssistant => {}
    }
    Ok(())
}

/// What is told of a thing.
pub(super) fn report_item(
    item: &ImportItem,
    step: &ImportStep,
    notes: Vec<String>,
    problems: Vec<CardProblems>,
    is_done: bool,
) -> ImportItemView {
    let is_renamed = step.is_written() && item.id != Some(step.id) && (is_done || item.id.is_some());
    let identity =
        ItemIdentity { id: item.id, name: item.name.clone(), new_id: is_renamed.then_some(step.id) };
    let kind = item.kind.group();
    let told = match &step.refusal {
        Some(why) => ImportItemView::refused(kind, identity, why.clone()),
        None => {
            let (reason, choices) = (step.reason.clone(), step.choices.clone());
            ImportItemView::planned(kind, identity, step.action, reason, choices)
        }
    };
    let flow = match item.kind {
        ItemKind::Flow(r#type) if step.is_written() => {
            let problems = problems.into_iter().map(CardProblemsView::from).collect();
            Some(FlowReport { r#type, problems })
        }
        _ => None,
    };
    told.with_notes(notes).with_flow(flow)
}
