//! A flow of a file on its way in: through the operations that a person's own save goes through, made as any new flow is
//! (manual 5.4 r1), or changed in its draft or Live.

use super::import::parse_body;
use super::parse::{ImportItem, SETTINGS, UNNAMED};
use super::plan::ImportStep;
use super::with_permission;
use super::workspace_view::{KeyBinding, flow_canvas};
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::card_problems::CardProblems;
use crate::domain::flows::draft::EditTarget;
use crate::domain::flows::flow::FlowKind;
use crate::domain::flows::flow_change::{FlowChange, ImportedFlow};
use crate::domain::ids::FlowId;
use crate::domain::workspace::import::ImportAction;
use crate::ops::checks::carried;
use crate::ops::flows;
use crate::ops::flows::access::{self, FlowAction as ImportMode};
use crate::ops::flows::drafts::{self, DraftPrecondition};
use crate::ops::flows::live::ParsedCanvas;
use crate::ops::flows::settings;
use crate::ops::flows::snapshot;
use crate::ops::flows::validation::{ImportedResources, Validator};
use crate::store::tables::{CANVASES, FLOWS};
use crate::wire::flows::records::FlowEdit;
use serde_json::{Map, Value};

/// The canvas that comes in: what was to be published, where the file holds that too.
pub(super) fn canvas_of(item: &ImportItem) -> &str {
    let draft = item.fields.get("draft").and_then(|draft| draft.get("flowData"));
    draft.or_else(|| item.fields.get("flowData")).and_then(Value::as_str).unwrap_or_default()
}

/// Judges what a save would refuse, so that a dry run says it too.
///
/// # Errors
/// 400 naming what is wrong.
pub(super) fn check(item: &ImportItem) -> Result<()> {
    flows::take_in(canvas_of(item), None)?;
    for name in SETTINGS {
        settings::parse(name, item.fields.get(*name).filter(|value| !value.is_null()))?;
    }
    Ok(())
}

/// What is wrong with the flow as it will be here, beside what else the file brings.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn problems(
    app: &App,
    caller: &Caller,
    item: &ImportItem,
    kind: FlowKind,
    step: &ImportStep,
    arrivals: &ImportedResources,
) -> Result<Vec<CardProblems>> {
    let sent = canvas_of(item);
    app.store.read(|tx| {
        let validator = Validator::with_imports(app, tx, &caller.workspace, arrivals);
        if step.action != ImportAction::Update {
            return validator.check_canvas(kind, sent);
        }
        let flow = FLOWS.get(tx, &caller.workspace, &FlowId::from_bytes(*step.id.as_bytes()))?;
        let mine = flow.map(|flow| flow_canvas(tx, &flow)).transpose()?;
        validator.check_canvas(kind, &snapshot::merge_import(mine.as_deref().unwrap_or(sent), sent)?)
    })
}

/// Makes or changes a flow as the file says.
///
/// # Errors
/// What a save of it refuses; 409 when its draft is another than when this was planned.
pub(super) fn import(
    app: &App,
    caller: &Caller,
    item: &ImportItem,
    kind: FlowKind,
    step: &ImportStep,
) -> Result<()> {
    const OWN: &[&str] = &["name", "category", "deployed", "isPublic", "publishInstantly"];
    let taken = |name: &&&str| item.fields.get(**name).is_some_and(|value| !value.is_null());
    let mut edit: Map<String, Value> = OWN
        .iter()
        .chain(SETTINGS)
        .filter(taken)
        .map(|name| ((*name).to_owned(), item.fields[*name].clone()))
        .collect();
    edit.insert("type".to_owned(), kind.as_str().into());
    if let KeyBinding::Key(key) = step.binding {
        edit.insert("apikeyid".to_owned(), key.to_string().into());
    }
    let canvas = canvas_of(item);
    let id = FlowId::from_bytes(*step.id.as_bytes());
    let questions = item.questions.as_deref();
    if step.action == ImportAction::Update {
        // What would refuse the questions has to do so before anything is changed.
        questions.map_or(Ok(()), |sent| carried::check(app, &caller.workspace, &id, sent))?;
        update(app, caller, &id, (kind, edit, canvas), &step.draft)?;
        return questions.map_or(Ok(()), |sent| carried::import(app, &caller.workspace, &id, sent));
    }
    if edit.get("name").and_then(Value::as_str).is_none_or(|name| name.trim().is_empty()) {
        edit.insert("name".to_owned(), UNNAMED.into());
    }
    edit.insert("flowData".to_owned(), canvas.into());
    let change = FlowChange {
        imported: Some(ImportedFlow { has_unknown_key: step.binding == KeyBinding::Nobody }),
        ..parse_change(&edit)?
    };
    flows::create_as(app, &with_permission(caller, kind, "create"), id, &change)?;
    questions.map_or(Ok(()), |sent| carried::import(app, &caller.workspace, &id, sent))
}

fn parse_change(fields: &Map<String, Value>) -> Result<FlowChange> {
    let imported = Some(ImportedFlow { has_unknown_key: false });
    Ok(FlowChange { imported, ..parse_body::<FlowEdit>(fields)?.into() })
}

/// What no file holds, such as passwords typed into cards and the credentials of settings, stays as it is here.
fn update(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    (kind, mut edit, sent): (FlowKind, Map<String, Value>, &str),
    seen: &DraftPrecondition,
) -> Result<()> {
    let (now, live, open) = app.store.read(|tx| {
        let now = FLOWS.get(tx, &caller.workspace, id)?.ok_or_else(|| Error::no_flow(id))?;
        let live = CANVASES.get(tx, &now.workspace, id)?.unwrap_or_default();
        let open = drafts::find(tx, &now)?.zip(drafts::canvas(tx, &now)?);
        Ok((now, live, open))
    })?;
    for name in SETTINGS {
        if let Some(value) = edit.get_mut(*name)
            && let Some(sent) = settings::parse(name, Some(value))?
        {
            *value = snapshot::merge_imported_setting(&now.settings, name, sent).into();
        }
    }
    // How the flow is saved here is not the file's to say.
    edit.remove("publishInstantly");
    if drafts::mode(app, &now) != EditTarget::Draft {
        edit.insert("flowData".to_owned(), snapshot::merge_import(&live, sent)?.into());
        return flows::update(app, caller, id, &parse_change(&edit)?).map(drop);
    }
    // The settings are stored first: what would refuse the draft has to do so before.
    access::check_permission(caller, now.kind, ImportMode::Update)?;
    if now.kind != kind {
        return Err(Conflict::KindChangeWithDraft.into());
    }
    if !seen.matches(open.as_ref().map(|(draft, _)| draft)) {
        return Err(Conflict::DraftMoved.into());
    }
    let mine = open.map_or(live, |(_, canvas)| canvas);
    let canvas = snapshot::merge_import(&mine, sent)?;
    ParsedCanvas::parse(canvas.clone())?;
    edit.remove("type");
    flows::update(app, caller, id, &parse_change(&edit)?)?;
    drafts::save(app, caller, id, &canvas, seen).map(drop)
}
