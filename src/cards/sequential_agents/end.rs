//! End: the flow, or one branch of it, ends here.

use crate::kit::members::Member;
use crate::kit::{Card, Category, Factory, Input, Risk, WireType};

pub(crate) const CARD: Card = Card {
    name: "seqEnd",
    label: "End",
    version: 2.1,
    category: Category::SequentialAgents,
    description: "Ends the flow.",
    base_classes: &["End"],
    risk: Risk::Risky,
    needs: &[],
    inputs: &[Input::wires("sequentialNode", "Sequential Node", WireType::SequentialNode)],
    outputs: &[],
    make: Factory::Member(|_| Ok(Member::Mark)),
};
