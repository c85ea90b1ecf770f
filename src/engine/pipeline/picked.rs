//! The splitter that is picked inside of a card: it is built as one that stands beside it and is wired into it.

use super::plan::PipelineFault;
use crate::canvas::{Canvas, Node};
use crate::cards::kit::WireType;
use crate::cards::kit::knowledge::transform::{SPLIT, SPLITTER_PICK, SPLITTER_WIRE};
use crate::cards::registry;
use crate::engine::placed::CONFIG;
use crate::engine::validate::unknown_card;
use serde_json::Value;

/// What stands behind the id of a card in that of the one that is picked inside of it. No editor makes an id of it.
const MARK: char = '\u{1f}';

/// The canvas with what is picked beside the cards that pick it.
///
/// # Errors
/// When something else than a splitter is picked.
pub(super) fn set_beside(canvas: &Canvas) -> Result<Canvas, PipelineFault> {
    let mut picked: Vec<(usize, Node)> = Vec::new();
    for (at, node) in canvas.nodes().iter().enumerate().filter(|(_, node)| node.name == SPLIT) {
        let name = node.inputs.get(SPLITTER_PICK).and_then(Value::as_str).unwrap_or_default().trim();
        if name.is_empty() {
            continue;
        }
        let config = node.inputs.get(&format!("{SPLITTER_PICK}{CONFIG}")).and_then(Value::as_object);
        let splitter = Node { id: format!("{}{MARK}{SPLITTER_PICK}", node.id), ..node.picked(name, config) };
        let why = match registry::find(&splitter.name) {
            None => unknown_card(&splitter),
            Some(card) if registry::is_of_kind(card, WireType::TextSplitter) => {
                picked.push((at, splitter));
                continue;
            }
            Some(card) => format!("'{}' cannot be picked here.", card.label),
        };
        return Err(PipelineFault::setting(node, &format!("Splitter: {why}")));
    }
    Ok(canvas.redrawn(|nodes| {
        for (at, splitter) in picked {
            let wire = format!("{{{{{}.data.instance}}}}", splitter.id);
            nodes[at].inputs.insert(SPLITTER_WIRE.to_owned(), wire.into());
            nodes.push(splitter);
        }
    }))
}

/// The card of the canvas that this one stands on or in.
pub(super) fn drawn_id(id: &str) -> &str {
    id.split(MARK).next().unwrap_or(id)
}
