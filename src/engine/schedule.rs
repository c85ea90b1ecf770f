//! The schedule that a canvas says it starts by.

use crate::canvas::{Canvas, Node};
use crate::cards::registry;
use crate::domain::flows::flow::FlowKind;
use crate::domain::triggers::schedule::ScheduleDefinition;

const START: &str = "startAgentflow";

/// Reads the schedule of a canvas; `None` when it starts with something else.
///
/// # Errors
/// A sentence that names the card and the input that is wrong.
pub(crate) fn schedule_of(
    kind: FlowKind,
    canvas: &Canvas,
    seconds_min: u64,
) -> Result<Option<ScheduleDefinition>, String> {
    let start = canvas.nodes().iter().find(|node| kind == FlowKind::Agentflow && node.name == START);
    let Some(start) = start else { return Ok(None) };
    read_schedule(start, seconds_min).map_err(|issue| format!("{}: {issue}", start.label()))
}

/// What is wrong with the schedule of a card, if it is one that starts a flow.
pub(super) fn schedule_issue(node: &Node, seconds_min: u64) -> Option<String> {
    if node.name == START { read_schedule(node, seconds_min).err() } else { None }
}

fn read_schedule(start: &Node, seconds_min: u64) -> Result<Option<ScheduleDefinition>, String> {
    ScheduleDefinition::read(&start.id, &start.inputs, seconds_min).map_err(|fault| {
        let input = registry::find(START).and_then(|card| card.input(fault.input));
        format!("{}: {}", input.map_or(fault.input, |input| input.label), fault.why)
    })
}
