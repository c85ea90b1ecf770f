//! The schedule that a canvas says it starts by.

use super::agentflow::graph::START;
use crate::canvas::{Canvas, Node};
use crate::cards::kit::knowledge::transform::START as PIPELINE_START;
use crate::cards::registry;
use crate::domain::flows::flow::FlowKind;
use crate::domain::triggers::schedule::ScheduleDefinition;

/// The card that says what starts flows of this kind.
const fn start_card(kind: FlowKind) -> Option<&'static str> {
    match kind {
        FlowKind::Agentflow => Some(START),
        FlowKind::Etl => Some(PIPELINE_START),
        FlowKind::Chatflow | FlowKind::Multiagent | FlowKind::Assistant | FlowKind::Harness => None,
    }
}

/// Reads the schedule of a canvas; `None` when it starts with something else.
///
/// # Errors
/// A sentence that names the card and the input that is wrong.
pub(crate) fn schedule_of(
    kind: FlowKind,
    canvas: &Canvas,
    seconds_min: u64,
) -> Result<Option<ScheduleDefinition>, String> {
    let Some(card) = start_card(kind) else { return Ok(None) };
    let Some(start) = canvas.nodes().iter().find(|node| node.name == card) else { return Ok(None) };
    read_schedule(start, seconds_min).map_err(|issue| format!("{}: {issue}", start.label()))
}

/// What is wrong with the schedule of a card, if it is one that starts a flow.
pub(super) fn schedule_issue(node: &Node, seconds_min: u64) -> Option<String> {
    let starts = [START, PIPELINE_START].contains(&node.name.as_str());
    if starts { read_schedule(node, seconds_min).err() } else { None }
}

fn read_schedule(start: &Node, seconds_min: u64) -> Result<Option<ScheduleDefinition>, String> {
    ScheduleDefinition::read(&start.id, &start.inputs, seconds_min).map_err(|fault| {
        let input = registry::find(&start.name).and_then(|card| card.input(fault.input));
        format!("{}: {}", input.map_or(fault.input, |input| input.label), fault.why)
    })
}
