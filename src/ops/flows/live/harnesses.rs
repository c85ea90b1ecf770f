//! Harnesses by their names, which are those of their teams and belong to one flow of a workspace each (manual 22.1).

use super::ParsedCanvas;
use crate::app::App;
use crate::canvas::Canvas;
use crate::cards::harness::{specialist, team};
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::flows::harness_name::HarnessName;
use crate::domain::ids::WorkspaceId;
use crate::engine::harness;
use crate::ops::flows::access::{self, FlowAction};
use crate::store::Tx;
use crate::store::tables::{CANVASES, FLOWS};
use serde_json::{Map, Value};

/// A harness, as whoever wants to ask one reads of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedHarness {
    pub name: HarnessName,
    pub flow: Flow,
    /// The names of its specialists and what they can do, in the order of the team.
    pub specialists: Vec<(HarnessName, String)>,
}

/// The harnesses of the caller's workspace, by their names.
///
/// # Errors
/// 403 without the permission to see them; when the database cannot be read.
pub fn list(app: &App, caller: &Caller) -> Result<Vec<ListedHarness>> {
    access::check_permission(caller, FlowKind::Harness, FlowAction::Read)?;
    app.store.read(|tx| {
        let mut found = Vec::new();
        for flow in FLOWS.list(tx, &caller.workspace)? {
            let Some(name) = flow.harness.clone() else { continue };
            let text = CANVASES.get(tx, &flow.workspace, &flow.id)?.unwrap_or_default();
            found.push(ListedHarness { name, specialists: specialists(&text), flow });
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    })
}

/// Those of a stored canvas, which was checked when it was saved.
fn specialists(text: &str) -> Vec<(HarnessName, String)> {
    let Ok(canvas) = Canvas::parse(text) else { return Vec::new() };
    let Ok(Some(drawing)) = harness::TeamDrawing::read(&canvas) else { return Vec::new() };
    let description = |inputs: &Map<String, Value>| {
        inputs.get(specialist::DESCRIPTION).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    drawing.specialists.into_iter().map(|(name, node)| (name, description(&node.inputs))).collect()
}

/// The harness of this name.
///
/// # Errors
/// 404 when the workspace has none.
pub(crate) fn find(tx: &impl Tx, workspace: &WorkspaceId, name: &HarnessName) -> Result<Flow> {
    let mut flows = FLOWS.list(tx, workspace)?.into_iter();
    flows
        .find(|flow| flow.harness.as_ref() == Some(name))
        .ok_or_else(|| Error::NotFound(format!("There is no harness '{name}' in this workspace.")))
}

/// As [`find`], for who may see it.
///
/// # Errors
/// 403 without the permission to see harnesses, 404 for a name that none has.
pub fn read(app: &App, caller: &Caller, name: &str) -> Result<Flow> {
    access::check_permission(caller, FlowKind::Harness, FlowAction::Read)?;
    let missing =
        || Error::NotFound(format!("There is no harness '{}' in this workspace.", name.escape_debug()));
    let name = HarnessName::parse(name).ok_or_else(missing)?;
    app.store.read(|tx| find(tx, &caller.workspace, &name))
}

/// Judges the canvas that a flow is to have, and notes on its record what its team is called.
///
/// # Errors
/// 400 naming card and input when it is no harness.
pub(super) fn judge(flow: &mut Flow, canvas: &Canvas) -> Result<()> {
    flow.harness = match flow.kind {
        FlowKind::Harness => harness::read(canvas)?.map(|drawing| drawing.name),
        _ => None,
    };
    Ok(())
}

/// As [`judge`], for a flow that changes. One whose canvas and kind stay keeps what it had.
///
/// # Errors
/// As [`judge`].
pub(super) fn follow(
    before: &Flow,
    after: &mut Flow,
    canvas: Option<&ParsedCanvas>,
    text: &str,
) -> Result<()> {
    match canvas {
        Some(canvas) => judge(after, canvas.canvas()),
        None if before.kind == after.kind => Ok(()),
        None => {
            let canvas = Canvas::parse(text).map_err(|fault| Error::Invalid(fault.to_string()))?;
            judge(after, &canvas)
        }
    }
}

/// # Errors
/// 409 when another flow of the workspace has the name of this harness.
pub(super) fn require_free_name(tx: &impl Tx, flow: &Flow) -> Result<()> {
    let Some(name) = &flow.harness else { return Ok(()) };
    let is_other = |other: &Flow| other.id != flow.id && other.harness.as_ref() == Some(name);
    if FLOWS.list(tx, &flow.workspace)?.iter().any(is_other) {
        return Err(Conflict::NameTaken { what: "harness" }.into());
    }
    Ok(())
}

/// The canvas of a harness that a file brings, under a name that none of the workspace has: it gets a number behind its own
/// where that is taken. Anything else stays as it is.
///
/// # Errors
/// When the database cannot be read.
pub(in crate::ops::flows) fn with_free_name(
    tx: &impl Tx,
    flow: &Flow,
    canvas: ParsedCanvas,
) -> Result<ParsedCanvas> {
    if flow.kind != FlowKind::Harness {
        return Ok(canvas);
    }
    // What is wrong with it is told when it is to become Live.
    let Ok(Some(drawing)) = harness::TeamDrawing::read(canvas.canvas()) else { return Ok(canvas) };
    let (name, node) = (drawing.name, drawing.team.id.clone());
    let others = FLOWS.list(tx, &flow.workspace)?;
    let is_taken = |name: &HarnessName| {
        others.iter().any(|other| other.id != flow.id && other.harness.as_ref() == Some(name))
    };
    let free = name.first_free(is_taken);
    if free == name {
        return Ok(canvas);
    }
    let mut raw = Value::Object(canvas.canvas().raw().clone());
    for card in raw["nodes"].as_array_mut().into_iter().flatten().filter(|card| card["id"] == node.as_str()) {
        card["data"]["inputs"][team::NAME] = free.as_str().into();
    }
    ParsedCanvas::parse(raw.to_string())
}
