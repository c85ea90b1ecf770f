//! Loop: goes back to an earlier card.

use crate::kit::members::Member;
use crate::kit::{Card, Category, Factory, Input, Risk, WireType};

/// The input that names the card that a Loop goes back to.
pub const TARGET: &str = "loopToName";

pub(crate) const CARD: Card = Card {
    name: "seqLoop",
    label: "Loop",
    version: 2.1,
    category: Category::SequentialAgents,
    description: "Goes back to an earlier card.",
    base_classes: &["Loop"],
    risk: Risk::Risky,
    needs: &[],
    inputs: &[
        Input::wires("sequentialNode", "Sequential Node", WireType::SequentialNode),
        Input::text(TARGET, "Loop To").help("The name of the card that the flow goes back to."),
    ],
    outputs: &[],
    make: Factory::Member(|_| Ok(Member::Mark)),
};
