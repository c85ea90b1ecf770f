//! A flow's drawing: parsed once into types that keep what they do not know (manual 9.1).

mod arrival;
pub mod assistant;
pub mod describe;
pub(crate) mod diff;
pub mod files;
mod foreign;
mod former_names;
mod node;
mod parse;
pub mod rich_text;
mod schemas;
pub mod secrets;
pub mod sentences;
mod stored;
pub mod template;

pub use crate::canvas::schemas::{CardSchemas, InputSchema, InputSensitivity, NoSchemas};
pub use foreign::ForeignContent;
pub use former_names::{current_card_name, current_input_name, former_input_names};
pub use node::{Edge, InputParam, Node};
pub use parse::CanvasError;
use serde_json::{Map, Value};
use std::collections::HashMap;
pub use stored::StoredCanvas;

/// A parsed canvas. The typed view is read from `raw`, which is kept whole, so writing a canvas back gives
/// what was read: unknown keys, odd values and key order included.
#[derive(Debug, Clone, PartialEq)]
pub struct Canvas {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// By id, the place among the nodes.
    positions: HashMap<String, usize>,
    raw: Map<String, Value>,
}

impl Canvas {
    /// Reads `flowData`: JSON text with the lists `nodes` and `edges` (manual 9.1).
    ///
    /// # Errors
    /// [`CanvasError`] says what is missing. A node or an edge in a form nobody knows is no error: it is kept.
    pub fn parse(text: &str) -> Result<Self, CanvasError> {
        parse::parse(text)
    }

    /// The boxes, in stored order.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The connections, in stored order.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The box with this id.
    #[must_use]
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.positions.get(id).map(|&place| &self.nodes[place])
    }

    /// The canvas as if it had been drawn with other boxes; what it was read from stays.
    #[must_use]
    pub fn redrawn(&self, edit: impl FnOnce(&mut Vec<Node>)) -> Self {
        let mut redrawn = self.clone();
        edit(&mut redrawn.nodes);
        redrawn.positions =
            redrawn.nodes.iter().enumerate().map(|(place, node)| (node.id.clone(), place)).collect();
        redrawn
    }

    /// How many cards do something: notes do not count.
    #[must_use]
    pub fn card_count(&self) -> u32 {
        let cards = self.nodes.iter().filter(|node| !node.is_note()).count();
        u32::try_from(cards).unwrap_or(u32::MAX)
    }

    /// The canvas as JSON, exactly as it was read.
    #[must_use]
    pub const fn raw(&self) -> &Map<String, Value> {
        &self.raw
    }
}
