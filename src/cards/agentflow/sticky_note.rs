//! Sticky Note of agentflows: a note on the canvas. It never runs.

use crate::kit::{Card, Category, Factory, Input, Risk};

pub(crate) const CARD: Card = Card {
    name: "stickyNoteAgentflow",
    label: "Sticky Note",
    version: 1.0,
    category: Category::AgentFlows,
    description: "A note beside the steps; it does nothing.",
    base_classes: &["StickyNote"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[Input::text("note", "Note").optional()],
    outputs: &[],
    make: Factory::Nothing,
};
