//! What an input of a card is chosen from (manual 9.8 r2).

use serde_json::{Map, Value};

/// Something that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub label: String,
    /// What the input holds when it is chosen.
    pub name: String,
    pub description: Option<String>,
}

/// A card as somebody has set it so far, and which list of it is wanted.
#[derive(Debug, Clone, Default)]
pub struct ChoiceQuery {
    /// The list, as the card's definition names it.
    pub method: String,
    pub inputs: Map<String, Value>,
    pub credential: Option<String>,
    /// The cards before it on its canvas, as the editor knows them.
    pub previous: Vec<PlacedCard>,
    /// The card on its canvas, where its lists depend on that.
    pub current: Option<PlacedCard>,
}

/// A card on a canvas that somebody draws.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlacedCard {
    /// The id of its node.
    pub id: String,
    pub label: String,
    pub inputs: Map<String, Value>,
}
