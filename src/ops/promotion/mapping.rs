//! The records that a version of Dev uses, found again in this workspace: by id, else by a name that only one of them has.

use super::records::WorkspaceRecords;
use crate::canvas::{Canvas, StoredCanvas};
use crate::cards::kit::Picker;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::flows::harness_name::HarnessName;
use crate::domain::flows::references::{RecordReference, ReferenceKind};
use crate::domain::ids::{FlowId, find_ids, replace_ids_in};
use crate::domain::promotion::warning::{Finding, MissingReason, MissingRecord, Warning};
use crate::domain::secrets::redact;
use crate::engine::uses::{CanvasUses, PickUse};
use crate::ops::flows::references::{flow_reference, tool_digest, variable_sort};
use std::collections::HashMap;

/// A canvas of Dev that picks records of this workspace.
pub(super) struct MappedCanvas {
    pub canvas: StoredCanvas,
    pub warnings: Vec<Warning>,
}

/// A record of this workspace that could be meant.
struct Candidate<'r> {
    id: String,
    name: &'r str,
    kind: ReferenceKind,
    sort: Option<&'static str>,
}

/// Finds what `canvas` picks. What is not found stays as it is, and a warning says so.
///
/// # Errors
/// When it is no canvas.
pub(super) fn map(
    flow: FlowId,
    canvas: &StoredCanvas,
    noted: Option<&[RecordReference]>,
    here: &WorkspaceRecords,
) -> Result<MappedCanvas> {
    let text = canvas.text();
    let parsed = Canvas::parse(&text).map_err(|fault| Error::Invalid(fault.to_string()))?;
    let uses = CanvasUses::of(&parsed);
    let noted = noted.unwrap_or_default();
    let mut ids = HashMap::new();
    let mut warnings = Vec::new();
    for pick in &uses.picks {
        if pick.what == Picker::Harness {
            warnings.extend(missing_harness(pick, here));
            continue;
        }
        // Where no id stands, nothing was chosen yet, or a run fills it in.
        if find_ids(&pick.id).next().is_none() || pick.id == flow.to_string() {
            continue;
        }
        let own = noted.iter().find(|one| one.id.as_deref() == Some(&pick.id) && is_of(one.kind, pick.what));
        let about =
            |finding| Warning { finding, node: Some(pick.node.clone()), input: Some(pick.input.to_owned()) };
        match find(pick, own, here) {
            Ok(found) => {
                warnings.extend(difference(&found, own, here).map(about));
                if found != pick.id {
                    ids.insert(pick.id.clone(), found);
                }
            }
            Err((kind, why)) => {
                let name = own.map(|own| own.name.clone());
                warnings.push(about(Finding::RecordMissing { kind, name, why }));
            }
        }
    }
    for used in &uses.variables {
        let note = noted.iter().find(|one| one.kind == ReferenceKind::Variable && one.name == used.name);
        let finding = match here.variables.iter().find(|known| known.name == used.name) {
            None => Some(Finding::VariableMissing { name: used.name.clone() }),
            Some(known) => note.and_then(|note| note.sort.as_deref()).and_then(|there| {
                let here = variable_sort(known.kind);
                (there != here).then(|| Finding::VariableType {
                    name: used.name.clone(),
                    there: there.to_owned(),
                    here: here.to_owned(),
                })
            }),
        };
        warnings.extend(finding.map(|finding| Warning {
            finding,
            node: Some(used.node.clone()),
            input: None,
        }));
    }
    let canvas = if ids.is_empty() {
        canvas.clone()
    } else {
        let replaced = replace_ids_in(&text, &ids);
        StoredCanvas::parse(&replaced).ok_or_else(|| Error::internal("a canvas lost its lists"))?
    };
    Ok(MappedCanvas { canvas, warnings })
}

/// What is said of a harness that is picked and not here: it is picked by its name, so there is nothing to map.
fn missing_harness(pick: &PickUse, here: &WorkspaceRecords) -> Option<Warning> {
    let is_meant = |flow: &Flow| flow.harness.as_ref().is_some_and(|name| name.as_str() == pick.id);
    let is_missing = HarnessName::parse(&pick.id).is_some() && !here.flows.iter().any(is_meant);
    is_missing.then(|| Warning {
        finding: Finding::RecordMissing {
            kind: MissingRecord::Harness,
            name: Some(pick.id.clone()),
            why: MissingReason::NotHere,
        },
        node: Some(pick.node.clone()),
        input: Some(pick.input.to_owned()),
    })
}

/// Whether a note of this kind can be of what an input picks.
const fn is_of(kind: ReferenceKind, what: Picker) -> bool {
    matches!(
        (kind, what),
        (ReferenceKind::Tool, Picker::Tool)
            | (ReferenceKind::ToolServer, Picker::ToolServer)
            | (ReferenceKind::Store, Picker::DocumentStore)
            | (ReferenceKind::Flow | ReferenceKind::Harness, Picker::Flow)
            | (ReferenceKind::Flow, Picker::Pipeline)
    )
}

/// The id of what a pick means here.
fn find(
    pick: &PickUse,
    noted: Option<&RecordReference>,
    here: &WorkspaceRecords,
) -> Result<String, (MissingRecord, MissingReason)> {
    let missing = match (pick.what, noted.map(|noted| noted.kind)) {
        (Picker::Tool, _) => MissingRecord::Tool,
        (Picker::ToolServer, _) => MissingRecord::ToolServer,
        (Picker::DocumentStore, _) => MissingRecord::Store,
        (_, Some(ReferenceKind::Harness)) => MissingRecord::Harness,
        _ => MissingRecord::Flow,
    };
    let candidates = candidates(pick.what, here);
    if let Some(same) = candidates.iter().find(|one| one.id == pick.id) {
        let fits = noted.is_none_or(|noted| noted.kind == same.kind);
        return if fits { Ok(same.id.clone()) } else { Err((missing, MissingReason::NotHere)) };
    }
    let Some(noted) = noted else { return Err((missing, MissingReason::Unnamed)) };
    let is_meant = |one: &&Candidate<'_>| {
        one.kind == noted.kind
            && redact(one.name).text == noted.name
            && noted.sort.as_deref().is_none_or(|sort| one.sort == Some(sort))
    };
    let mut meant = candidates.iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(one), None) => Ok(one.id.clone()),
        (Some(_), Some(_)) => Err((missing, MissingReason::Ambiguous)),
        (None, _) => Err((missing, MissingReason::NotHere)),
    }
}

fn candidates(what: Picker, here: &WorkspaceRecords) -> Vec<Candidate<'_>> {
    match what {
        Picker::Tool => here
            .tools
            .iter()
            .map(|tool| Candidate {
                id: tool.id.to_string(),
                name: &tool.name,
                kind: ReferenceKind::Tool,
                sort: None,
            })
            .collect(),
        Picker::ToolServer => here
            .tool_servers
            .iter()
            .map(|server| Candidate {
                id: server.id.to_string(),
                name: &server.name,
                kind: ReferenceKind::ToolServer,
                sort: None,
            })
            .collect(),
        Picker::DocumentStore => here
            .stores
            .iter()
            .map(|store| Candidate {
                id: store.id.to_string(),
                name: &store.name,
                kind: ReferenceKind::Store,
                sort: None,
            })
            .collect(),
        Picker::Flow | Picker::Pipeline => here
            .flows
            .iter()
            .map(|flow| Candidate {
                id: flow.id.to_string(),
                name: &flow.name,
                kind: flow_reference(flow.kind),
                sort: Some(FlowKind::as_str(flow.kind)),
            })
            .collect(),
        Picker::Harness | Picker::Actions | Picker::Step | Picker::ToolArgument => Vec::new(),
    }
}

/// A tool that does something else here than on Dev.
fn difference(found: &str, noted: Option<&RecordReference>, here: &WorkspaceRecords) -> Option<Finding> {
    let noted = noted.filter(|noted| noted.kind == ReferenceKind::Tool)?;
    let tool = here.tools.iter().find(|tool| tool.id.to_string() == found)?;
    let is_same = noted.digest.as_deref() == Some(&tool_digest(tool));
    (!is_same).then(|| Finding::ToolDifferent { name: noted.name.clone(), here: tool.name.clone() })
}
