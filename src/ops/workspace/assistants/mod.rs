//! Assistants (manual 8.14). One that runs here is a flow: its canvas is drawn from its details, and its details are read off the
//! canvas, so that both change in one write of Live. Those of providers are rows that nothing calls.

pub(crate) mod components;
pub(crate) mod drawing;
pub(crate) mod instruction;

use crate::app::App;
use crate::canvas::{Canvas, assistant};
use crate::clock::iso;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::{FlowKind, FlowWithCanvas};
use crate::domain::flows::flow_change::FlowChange;
use crate::domain::ids::{AssistantId, FlowId};
use crate::domain::resource::ResourceId as _;
use crate::domain::workspace::assistant::{
    Assistant, AssistantChange, AssistantDetails, AssistantKind, AssistantMarks, parse_object,
};
use crate::ops::accounts::membership;
use crate::ops::flows::live::precondition::LivePrecondition;
use crate::ops::flows::{self, FlowFilter};
use crate::store::Tx;
use crate::store::tables::{FLOWS, HOSTED_ASSISTANTS};

/// Length of the details of an assistant at its provider, and of a mark: they are rows that lists hold whole.
const HOSTED_BYTES_MAX: usize = 256 * 1024;
const MARK_BYTES_MAX: usize = 64 * 1024;

/// The assistants of the workspace, the newest change first.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn list(app: &App, caller: &Caller, kind: Option<AssistantKind>) -> Result<Vec<Assistant>> {
    let mut found = Vec::new();
    if kind.is_none_or(|kind| kind == AssistantKind::Custom) {
        let filter = FlowFilter { kind: Some(FlowKind::Assistant), page: None };
        found.extend(flows::list(app, caller, filter)?.0.iter().map(of_flow));
    }
    let hosted = app.store.read(|tx| HOSTED_ASSISTANTS.list(tx, &caller.workspace))?;
    found.extend(hosted.into_iter().filter(|one| kind.is_none_or(|kind| kind == one.kind)));
    found.sort_by(|a, b| b.updated.cmp(&a.updated).then_with(|| a.id.cmp(&b.id)));
    Ok(found)
}

/// One assistant.
///
/// # Errors
/// 404; 403 without the permission.
pub(crate) fn read(app: &App, caller: &Caller, id: AssistantId) -> Result<Assistant> {
    match flow_of(app, caller, id)? {
        Some(flow) => Ok(of_flow(&flows::read(app, caller, &flow)?)),
        None => app.store.read(|tx| hosted(tx, caller, id)),
    }
}

/// Makes an assistant.
///
/// # Errors
/// 400 naming what is wrong.
pub(crate) fn create(app: &App, caller: &Caller, change: &AssistantChange) -> Result<Assistant> {
    let kind = change.kind.as_deref().map_or(Ok(AssistantKind::Custom), AssistantKind::parse)?;
    create_as(app, caller, (AssistantId::random(), kind), change)
}

/// As [`create`], under an id that a file brought along.
///
/// # Errors
/// As [`create`]; 409 when the id is in use.
pub(crate) fn create_as(
    app: &App,
    caller: &Caller,
    (id, kind): (AssistantId, AssistantKind),
    change: &AssistantChange,
) -> Result<Assistant> {
    let details =
        change.details.as_deref().ok_or_else(|| Error::invalid("Invalid details: they are required."))?;
    let marks = check_marks(change.marks(AssistantMarks::default()))?;
    if kind == AssistantKind::Custom {
        let (name, canvas) = draw(details, &marks)?;
        let kind = FlowKind::Assistant.as_str().to_owned();
        let change =
            FlowChange { name: Some(name), kind: Some(kind), canvas: Some(canvas), ..FlowChange::default() };
        return Ok(of_flow(&flows::create_as(app, caller, flow_id(id), &change)?));
    }
    check_hosted(details)?;
    let now = app.clock.monotonic_now();
    let details = details.to_owned();
    let made =
        Assistant { id, workspace: caller.workspace, kind, details, marks, created: now, updated: now };
    app.store.write(|tx| {
        membership::require_workspace(tx, &made.workspace)?;
        if HOSTED_ASSISTANTS.has(tx, &made.workspace, &made.id)? {
            return Err(Conflict::IdTaken.into());
        }
        HOSTED_ASSISTANTS.put(tx, &made.workspace, &made.id, &made)
    })?;
    Ok(made)
}

/// Changes what `change` names. Of an assistant that runs here, Live is another at once.
///
/// # Errors
/// 404, and 400 as for [`create`]; 409 when a change that says only a part meets another one.
pub(crate) fn update(
    app: &App,
    caller: &Caller,
    id: AssistantId,
    change: &AssistantChange,
) -> Result<Assistant> {
    let wanted = change.kind.as_deref().map(AssistantKind::parse).transpose()?;
    let keeps_kind = |kind| match wanted {
        Some(wanted) if wanted != kind => Err(Error::invalid("Invalid type: an assistant keeps its type.")),
        _ => Ok(()),
    };
    let Some(flow) = flow_of(app, caller, id)? else {
        return app.store.write(|tx| {
            let stored = hosted(tx, caller, id)?;
            keeps_kind(stored.kind)?;
            let details = change.details.clone().unwrap_or_else(|| stored.details.clone());
            check_hosted(&details)?;
            let marks = check_marks(change.marks(stored.marks.clone()))?;
            let stored = Assistant { details, marks, updated: app.clock.monotonic_now(), ..stored };
            HOSTED_ASSISTANTS.put(tx, &stored.workspace, &stored.id, &stored)?;
            Ok(stored)
        });
    };
    keeps_kind(AssistantKind::Custom)?;
    let seen = flows::read(app, caller, &flow)?;
    let stored = of_flow(&seen);
    let marks = check_marks(change.marks(stored.marks))?;
    let (name, canvas) = draw(change.details.as_deref().unwrap_or(&stored.details), &marks)?;
    // The marks and the details lie in one canvas: who sends both replaces it, and who sends one must have seen the other.
    let expected = match change.details {
        Some(_) => LivePrecondition::Any,
        None => LivePrecondition::Saved(iso(seen.flow.updated)),
    };
    let change = FlowChange { name: Some(name), canvas: Some(canvas), ..FlowChange::default() };
    Ok(of_flow(&flows::redraw_assistant(app, caller, &flow, &change, &expected)?))
}

/// Deletes an assistant, and the flow of one that runs here with everything that belongs to a flow.
///
/// # Errors
/// 404; 403 without the permission.
pub(crate) fn delete(app: &App, caller: &Caller, id: AssistantId) -> Result<()> {
    if let Some(flow) = flow_of(app, caller, id)? {
        return flows::delete(app, caller, &flow);
    }
    app.store.write(|tx| {
        let stored = hosted(tx, caller, id)?;
        HOSTED_ASSISTANTS.remove(tx, &stored.workspace, &stored.id).map(drop)
    })
}

/// The assistant of a flow, as its canvas says.
#[must_use]
pub(crate) fn of_flow(shown: &FlowWithCanvas) -> Assistant {
    let FlowWithCanvas { flow, canvas, .. } = shown;
    let parsed = Canvas::parse(canvas).ok();
    let nodes =
        parsed.as_ref().and_then(|canvas| canvas.raw()["nodes"].as_array()).map_or(&[][..], Vec::as_slice);
    Assistant {
        id: AssistantId::from_bytes(*flow.id.bytes()),
        workspace: flow.workspace,
        kind: AssistantKind::Custom,
        details: assistant::details(&flow.name, nodes).to_text(),
        marks: assistant::marks(nodes),
        created: flow.created,
        updated: flow.updated,
    }
}

/// Name and canvas of an assistant with these details.
///
/// # Errors
/// 400 naming what is wrong.
pub(crate) fn draw(details: &str, marks: &AssistantMarks) -> Result<(String, String)> {
    let details = AssistantDetails::parse(details)?;
    let canvas = drawing::draw(&details, marks)?;
    Ok((details.name, canvas))
}

/// The flow that an assistant is; `None` for an id that no assistant's flow of the workspace has.
fn flow_of(app: &App, caller: &Caller, id: AssistantId) -> Result<Option<FlowId>> {
    let flow = app.store.read(|tx| FLOWS.get(tx, &caller.workspace, &flow_id(id)))?;
    Ok(flow.filter(|flow| flow.kind == FlowKind::Assistant).map(|flow| flow.id))
}

const fn flow_id(id: AssistantId) -> FlowId {
    FlowId::from_bytes(*id.bytes())
}

fn hosted(tx: &impl Tx, caller: &Caller, id: AssistantId) -> Result<Assistant> {
    HOSTED_ASSISTANTS.get(tx, &caller.workspace, &id)?.ok_or_else(|| id.not_found())
}

fn check_hosted(details: &str) -> Result<()> {
    if details.len() > HOSTED_BYTES_MAX {
        return Err(Error::Invalid(format!(
            "Invalid details: they have more than {HOSTED_BYTES_MAX} bytes."
        )));
    }
    parse_object(details).map(drop)
}

fn check_marks(marks: AssistantMarks) -> Result<AssistantMarks> {
    let is_long = |mark: &Option<String>| mark.as_ref().is_some_and(|text| text.len() > MARK_BYTES_MAX);
    if is_long(&marks.credential) || is_long(&marks.icon) {
        return Err(Error::Invalid(format!(
            "Invalid credential or iconSrc: each has at most {MARK_BYTES_MAX} bytes."
        )));
    }
    Ok(marks)
}
