//! What a version notes of the records that its flow uses (manual 6.3, 20.5).

use crate::base::hex::to_hex;
use crate::canvas::secrets::noted_credentials;
use crate::canvas::{Canvas, StoredCanvas};
use crate::cards::kit::Picker;
use crate::cards::kit::stores::databases::CREDENTIAL_TYPES;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::flows::references::{RecordReference, ReferenceKind};
use crate::domain::ids::{DocumentStoreId, FlowId, ToolId, ToolServerId, WorkspaceId};
use crate::domain::secrets::redact;
use crate::domain::workspace::tool::WorkspaceTool;
use crate::domain::workspace::variable::VariableKind;
use crate::engine::uses::{CanvasUses, CodeUse, PickUse};
use crate::ops::workspace::credentials;
use crate::store::Tx;
use crate::store::tables::{DOCUMENT_STORES, FLOWS, TOOL_SERVERS, TOOLS, VARIABLES};
use serde_json::json;
use sha2::{Digest as _, Sha256};

/// The records that a canvas uses, each once. `stored` is the canvas as a version holds it.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn of_canvas(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    stored: &StoredCanvas,
    canvas: &str,
) -> Result<Vec<RecordReference>> {
    let canvas = Canvas::parse(canvas).map_err(|fault| Error::Invalid(fault.to_string()))?;
    let uses = CanvasUses::of(&canvas);
    let mut found: Vec<RecordReference> = Vec::new();
    for (_, used) in noted_credentials(stored) {
        found.push(credential(used.name, used.credential_name));
    }
    if !uses.codes.is_empty() {
        for known in credentials::list_of_types(tx, workspace, CREDENTIAL_TYPES)? {
            if uses.codes.iter().any(|used| names_in_code(used, &known.name)) {
                found.push(credential(redact(&known.name).text, known.credential_name));
            }
        }
    }
    for pick in &uses.picks {
        found.extend(picked(tx, workspace, pick)?);
    }
    if !uses.variables.is_empty() {
        for known in VARIABLES.list(tx, workspace)? {
            if uses.variables.iter().any(|used| used.name == known.name) {
                found.push(RecordReference {
                    kind: ReferenceKind::Variable,
                    id: Some(known.id.to_string()),
                    name: redact(&known.name).text,
                    sort: Some(variable_sort(known.kind).to_owned()),
                    digest: None,
                });
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// True when code names a database by this name.
pub(crate) fn names_in_code(used: &CodeUse, name: &str) -> bool {
    ['"', '\'', '`'].iter().any(|quote| used.code.contains(&format!("{quote}{name}{quote}")))
}

const fn credential(name: String, sort: String) -> RecordReference {
    RecordReference { kind: ReferenceKind::Credential, id: None, name, sort: Some(sort), digest: None }
}

/// What a variable's kind is called in a note.
#[must_use]
pub(crate) const fn variable_sort(kind: VariableKind) -> &'static str {
    match kind {
        VariableKind::Static => "static",
        VariableKind::Runtime => "runtime",
    }
}

fn picked(tx: &impl Tx, workspace: &WorkspaceId, pick: &PickUse) -> Result<Option<RecordReference>> {
    Ok(match pick.what {
        Picker::Tool => match ToolId::parse(&pick.id) {
            Some(id) => TOOLS.get(tx, workspace, &id)?.map(|tool| RecordReference {
                kind: ReferenceKind::Tool,
                id: Some(tool.id.to_string()),
                digest: Some(tool_digest(&tool)),
                name: redact(&tool.name).text,
                sort: None,
            }),
            None => None,
        },
        Picker::ToolServer => match ToolServerId::parse(&pick.id) {
            Some(id) => TOOL_SERVERS.get(tx, workspace, &id)?.map(|server| RecordReference {
                kind: ReferenceKind::ToolServer,
                id: Some(server.id.to_string()),
                name: redact(&server.name).text,
                sort: None,
                digest: None,
            }),
            None => None,
        },
        Picker::DocumentStore => match DocumentStoreId::parse(&pick.id) {
            Some(id) => DOCUMENT_STORES.get(tx, workspace, &id)?.map(|store| RecordReference {
                kind: ReferenceKind::Store,
                id: Some(store.id.to_string()),
                name: redact(&store.name).text,
                sort: None,
                digest: None,
            }),
            None => None,
        },
        Picker::Flow | Picker::Pipeline => match FlowId::parse(&pick.id) {
            Some(id) => FLOWS.get(tx, workspace, &id)?.map(|flow| of_flow(&flow)),
            None => None,
        },
        Picker::Harness => {
            let flows = FLOWS.list(tx, workspace)?;
            let meant =
                flows.iter().find(|flow| flow.harness.as_ref().is_some_and(|name| name.as_str() == pick.id));
            meant.map(of_flow)
        }
        Picker::Actions | Picker::Step | Picker::ToolArgument => None,
    })
}

fn of_flow(flow: &Flow) -> RecordReference {
    RecordReference {
        kind: flow_reference(flow.kind),
        id: Some(flow.id.to_string()),
        name: redact(&flow.name).text,
        sort: Some(flow.kind.as_str().to_owned()),
        digest: None,
    }
}

/// As what kind of record a flow that is used counts.
#[must_use]
pub(crate) const fn flow_reference(kind: FlowKind) -> ReferenceKind {
    match kind {
        FlowKind::Harness => ReferenceKind::Harness,
        _ => ReferenceKind::Flow,
    }
}

/// Over what a tool does and says of itself to models, without any secret in it: two with the same digest do the same.
#[must_use]
pub(crate) fn tool_digest(tool: &WorkspaceTool) -> String {
    let rows = tool
        .arguments
        .iter()
        .map(|row| json!([row.property, row.kind, redact(&row.description).text, row.required]));
    let rows: Vec<_> = rows.collect();
    let says = json!([tool.model_name(), redact(&tool.description).text, rows, redact(&tool.code).text]);
    to_hex(&Sha256::digest(says.to_string()))
}
