//! What a flow names and the workspace does not have any more: tools, document stores and flows that its cards pick,
//! variables in their texts, the key it is bound to.

use super::used_by::variables;
use crate::canvas::{Canvas, Node};
use crate::cards::kit::{InputKind, Picked};
use crate::cards::registry;
use crate::domain::error::Result;
use crate::domain::flow::Flow;
use crate::domain::ids::{DocumentStoreId, FlowId, ToolId};
use crate::engine::validate::Problems;
use crate::store::Tx;
use crate::store::tables::{API_KEYS, DOCUMENT_STORES, FLOWS, TOOLS, VARIABLES};
use serde_json::Value;
use std::collections::BTreeSet;

/// Adds the gaps of a flow to the problems that its canvas has by itself.
///
/// # Errors
/// When the database cannot be read.
pub fn add(tx: &impl Tx, flow: &Flow, canvas: &Canvas, problems: &mut Vec<Problems>) -> Result<()> {
    let saved = VARIABLES.list(tx, &flow.workspace)?;
    let saved: BTreeSet<String> = saved.into_iter().map(|variable| variable.name).collect();
    for node in canvas.nodes().iter().filter(|node| !node.is_note()) {
        let mut issues = of_picks(tx, flow, node)?;
        let text = Value::Object(node.inputs.clone()).to_string();
        let named: BTreeSet<&str> = variables(&text).filter(|name| !name.is_empty()).collect();
        let gone = named.into_iter().filter(|name| !saved.contains(*name));
        issues.extend(gone.map(|name| format!("There is no variable '{name}': make it, or leave it out.")));
        note(problems, node, issues);
    }
    let key = flow.settings.api_key;
    if let Some(key) = key
        && !API_KEYS.has(tx, &flow.workspace, &key)?
    {
        problems.push(Problems {
            id: String::new(),
            label: flow.name.clone(),
            name: String::new(),
            issues: vec![
                "The API key that this flow is bound to was deleted, so nobody can ask it: choose another one, or none."
                    .to_owned(),
            ],
            blocks: false,
        });
    }
    Ok(())
}

fn of_picks(tx: &impl Tx, flow: &Flow, node: &Node) -> Result<Vec<String>> {
    let home = &flow.workspace;
    let mut issues = Vec::new();
    for input in registry::find(&node.name).map_or(&[][..], |card| card.inputs) {
        let InputKind::Pick(what) = input.kind else { continue };
        let Some(id) = node.inputs.get(input.name).and_then(Value::as_str) else { continue };
        let is_there = match what {
            Picked::Tool => ToolId::parse(id).map(|id| TOOLS.has(tx, home, &id)),
            Picked::DocumentStore => DocumentStoreId::parse(id).map(|id| DOCUMENT_STORES.has(tx, home, &id)),
            Picked::Flow => FlowId::parse(id).map(|id| FLOWS.has(tx, home, &id)),
            Picked::Actions => None,
        };
        // What is no id is another matter: nothing was chosen yet, or a reference stands there.
        if !is_there.transpose()?.unwrap_or(true) {
            issues.push(format!("{}: what was chosen no longer exists; choose another one.", input.label));
        }
    }
    Ok(issues)
}

fn note(problems: &mut Vec<Problems>, node: &Node, issues: Vec<String>) {
    if issues.is_empty() {
        return;
    }
    match problems.iter_mut().find(|known| known.id == node.id) {
        Some(known) => known.issues.extend(issues),
        None => problems.push(Problems {
            id: node.id.clone(),
            label: node.shown().to_owned(),
            name: node.name.clone(),
            issues,
            blocks: false,
        }),
    }
}
