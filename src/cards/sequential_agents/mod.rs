//! The cards of Sequential Agent flows: members of a run that share one state.

pub(crate) mod agent;
pub(crate) mod condition;
pub(crate) mod condition_agent;
pub(crate) mod custom_function;
pub(crate) mod end;
pub(crate) mod execute_flow;
pub(crate) mod llm_node;
pub mod loop_back;
pub(crate) mod returned;
pub(crate) mod start;
pub(crate) mod state;
pub(crate) mod structured_reply;
pub(crate) mod tool_node;

use super::kit::{Input, Output, WireType};

/// What comes before a card.
const BEFORE: Input = Input::wires("sequentialNode", "Sequential Node", WireType::SequentialNode)
    .help("The cards that this one comes after.");

/// The outputs of a card that decides, before anything is named in it; each name that it can give is one more.
const DECISIONS: &[Output] = &[
    Output { name: "next", label: "Next", base_classes: &["Condition"], predicts: false },
    Output { name: "end", label: "End", base_classes: &["Condition"], predicts: false },
];
