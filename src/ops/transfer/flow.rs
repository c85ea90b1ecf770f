//! A flow of a file on its way in: through the doors that a person's own save goes through, made as contract 4.1 says, or
//! changed in its draft or Live.

use super::super::access::{self, Action as Doing};
use super::super::drafts::{self, Expected};
use super::super::flow_config;
use super::super::flows::{self, FlowEdit};
use super::super::live::NewCanvas;
use super::super::snapshot;
use super::import::body;
use super::plan::{Action, Step};
use super::reading::{Item, SETTINGS};
use super::with;
use crate::app::App;
use crate::domain::caller::Caller;
use crate::domain::draft::Mode;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flow::FlowKind;
use crate::domain::ids::{FlowId, KeyId};
use crate::store::tables::{API_KEYS, CANVASES, FLOWS};
use serde_json::{Map, Value};

/// Makes or changes a flow as the file says.
///
/// # Errors
/// What a save of it refuses; 409 when its draft is another than when this was planned.
pub(super) fn bring(app: &App, caller: &Caller, item: &Item, kind: FlowKind, step: &Step) -> Result<()> {
    const OWN: &[&str] = &["name", "category", "deployed", "isPublic", "publishInstantly"];
    let taken = |name: &&&str| item.fields.get(**name).is_some_and(|value| !value.is_null());
    let mut edit: Map<String, Value> = OWN
        .iter()
        .chain(SETTINGS)
        .filter(taken)
        .map(|name| ((*name).to_owned(), item.fields[*name].clone()))
        .collect();
    edit.insert("type".to_owned(), kind.as_str().into());
    let bound = kept_key(app, caller, item.fields.get("apikeyid").and_then(Value::as_str))?;
    edit.extend(bound.map(|key| ("apikeyid".to_owned(), key.into())));
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let draft = item.fields.get("draft").and_then(|draft| text(draft.get("flowData")));
    let canvas = draft.or_else(|| text(item.fields.get("flowData"))).unwrap_or_default();
    let id = FlowId::from_bytes(*step.id.as_bytes());
    if step.action == Action::Update {
        return update(app, caller, &id, (kind, edit, &canvas), &step.draft);
    }
    if edit.get("name").and_then(Value::as_str).is_none_or(|name| name.trim().is_empty()) {
        edit.insert("name".to_owned(), "Imported flow".into());
    }
    edit.insert("flowData".to_owned(), canvas.into());
    flows::create_as(app, &with(caller, kind, "create"), id, &body(&edit)?).map(drop)
}

/// What no file holds, such as passwords typed into cards and the credentials of settings, stays as it is here.
fn update(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    (kind, mut edit, sent): (FlowKind, Map<String, Value>, &str),
    seen: &Expected,
) -> Result<()> {
    let (now, live, open) = app.store.read(|tx| {
        let now = FLOWS.get(tx, &caller.workspace, id)?.ok_or_else(|| Error::no_flow(id))?;
        let live = CANVASES.get(tx, &now.workspace, id)?.unwrap_or_default();
        let open = drafts::of(tx, &now)?.zip(drafts::canvas(tx, &now)?);
        Ok((now, live, open))
    })?;
    for name in SETTINGS {
        if let Some(value) = edit.get_mut(*name)
            && let Some(sent) = flow_config::read(name, Some(value))?
        {
            *value = snapshot::merged_setting(&now.settings, name, sent).into();
        }
    }
    // How the flow is saved here is not the file's to say.
    edit.remove("publishInstantly");
    if drafts::mode(app, &now) != Mode::Draft {
        edit.insert("flowData".to_owned(), snapshot::merged(&live, sent)?.into());
        return flows::update(app, caller, id, &body::<FlowEdit>(&edit)?).map(drop);
    }
    // The settings are stored first: what would refuse the draft has to do so before.
    access::permitted(caller, now.kind, Doing::Update)?;
    if now.kind != kind {
        return Err(Conflict::KindChangeWithDraft.into());
    }
    if !seen.fits(open.as_ref().map(|(draft, _)| draft)) {
        return Err(Conflict::DraftMoved.into());
    }
    let mine = open.map_or(live, |(_, canvas)| canvas);
    let canvas = snapshot::merged(&mine, sent)?;
    NewCanvas::check(canvas.clone())?;
    edit.remove("type");
    flows::update(app, caller, id, &body::<FlowEdit>(&edit)?)?;
    drafts::save(app, caller, id, canvas, seen).map(drop)
}

/// The key a flow of the file is bound to, if it is one of this workspace.
pub(super) fn kept_key(app: &App, caller: &Caller, id: Option<&str>) -> Result<Option<String>> {
    let Some(id) = id.and_then(KeyId::parse) else { return Ok(None) };
    let is_here = app.store.read(|tx| API_KEYS.has(tx, &caller.workspace, &id))?;
    Ok(is_here.then(|| id.to_string()))
}
