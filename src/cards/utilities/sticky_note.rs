//! Sticky Note: a note on the canvas. It never runs.

use crate::kit::{Card, Category, Factory, Input, Risk};

pub(crate) const CARD: Card = Card {
    name: "stickyNote",
    label: "Sticky Note",
    version: 2.0,
    category: Category::Utilities,
    description: "A note beside the cards; it does nothing.",
    base_classes: &["StickyNote"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::lines("note", "Note").optional()],
    outputs: &[],
    make: Factory::Nothing,
};
