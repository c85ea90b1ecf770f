//! The cards of a pipeline whose documents the service itself keeps.

use super::plan::PipelineFault;
use crate::canvas::{Canvas, Node};
use crate::cards::kit::knowledge::transform::{DOCUMENT_STORE, FILE, FILE_NAME, MODE, REPLACE, STORE};
use crate::cards::kit::{Factory, InputKind};
use crate::cards::registry;
use crate::domain::ids::DocumentStoreId;
use crate::domain::pipelines::target::{PipelineFileName, PipelineTarget};
use crate::engine::validate::no_choice;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A target on its canvas.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TargetCard<'a> {
    pub(crate) node: &'a str,
    pub(crate) label: &'a str,
    pub(crate) target: &'a PipelineTarget,
    /// What a run brings takes the place of what is there.
    pub(crate) replaces: bool,
}

/// Refuses what a card is to do with what its target holds, where that is neither of the two ways there are.
fn check_modes(canvas: &Canvas) -> Result<(), PipelineFault> {
    for node in canvas.nodes() {
        let card = registry::find(&node.name)
            .filter(|card| matches!(card.make, Factory::Target(_) | Factory::VectorStore(_)));
        let Some(card) = card else { continue };
        let Some(input) = card.input(MODE) else {
            if node.inputs.get(MODE).and_then(Value::as_str) == Some(REPLACE) {
                let why =
                    "Mode: what this card fills lies on another server and is not emptied; let it append.";
                return Err(PipelineFault::setting(node, why));
            }
            continue;
        };
        let InputKind::Choice(modes) = input.kind else { continue };
        let mode = match node.inputs.get(MODE) {
            None | Some(Value::Null) => continue,
            Some(Value::String(text)) if text.trim().is_empty() => continue,
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        if modes.iter().all(|known| known.name != mode) {
            return Err(PipelineFault::setting(node, &no_choice(input, &mode)));
        }
    }
    Ok(())
}

/// Refuses files and stores that no run could write, or that two cards would write at once.
pub(super) fn check(canvas: &Canvas) -> Result<(), PipelineFault> {
    check_modes(canvas)?;
    let mut files = BTreeSet::new();
    for node in canvas.nodes().iter().filter(|node| node.name == FILE) {
        let name = text(node, FILE_NAME);
        let Some(name) = PipelineFileName::parse(name) else {
            return Err(PipelineFault::setting(node, &format!("File Name: {}.", PipelineFileName::RULE)));
        };
        if !files.insert(name) {
            return Err(PipelineFault::setting(node, "File Name: another card writes a file of this name."));
        }
    }
    let stores = canvas.nodes().iter().filter(|node| node.name == DOCUMENT_STORE);
    let unpicked = stores.into_iter().find(|node| picked_store(node).is_none());
    let why = "Select Store: choose a document store of this workspace.";
    unpicked.map_or(Ok(()), |node| Err(PipelineFault::setting(node, why)))
}

/// The document stores that a canvas puts documents into, each with the label of a card that does.
pub(crate) fn filled_stores(canvas: &Canvas) -> BTreeMap<DocumentStoreId, String> {
    let cards = canvas.nodes().iter().filter(|node| node.name == DOCUMENT_STORE);
    cards.filter_map(|node| Some((picked_store(node)?, node.label().to_owned()))).collect()
}

fn picked_store(node: &Node) -> Option<DocumentStoreId> {
    DocumentStoreId::parse(text(node, STORE))
}

fn text<'n>(node: &'n Node, input: &str) -> &'n str {
    node.inputs.get(input).and_then(Value::as_str).unwrap_or_default().trim()
}
