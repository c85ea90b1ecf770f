//! What is wrong with the canvas of a harness: its drawing, the inputs of its cards, and the cards that are picked in them.

use super::agentflow::picked_issues;
use super::{card_problems, cards, node_issues, problems_of_flow, unknown_card};
use crate::canvas::{Canvas, Node};
use crate::cards::kit::Factory;
use crate::cards::kit::steps::structured_output::key_faults;
use crate::cards::registry;
use crate::domain::flows::card_problems::CardProblems;
use crate::engine::harness::TeamDrawing;
use crate::engine::resources::{Resources, missing_records};

pub(super) fn problems(canvas: &Canvas, resources: &dyn Resources) -> Vec<CardProblems> {
    let (drawn, is_empty) = match TeamDrawing::read(canvas) {
        Ok(drawing) => (Vec::new(), drawing.is_none()),
        Err(problems) => (problems, false),
    };
    let mut found = Vec::new();
    for node in cards(canvas) {
        let here =
            drawn.iter().filter(|problem| problem.node == node.id).map(|problem| problem.message.clone());
        let mut issues: Vec<String> = here.collect();
        for issue in card_issues(canvas, node, resources) {
            if !issues.contains(&issue) {
                issues.push(issue);
            }
        }
        let blocks = !issues.is_empty();
        found.extend(card_problems(node, issues, blocks, resources));
    }
    let of_flow = drawn.iter().filter(|problem| canvas.node(&problem.node).is_none());
    let whole = of_flow.map(|problem| problem.message.clone());
    let nothing = is_empty.then(|| "The flow has no cards.".to_owned());
    found.extend(problems_of_flow(Vec::new(), whole.chain(nothing), true));
    found
}

fn card_issues(canvas: &Canvas, node: &Node, resources: &dyn Resources) -> Vec<String> {
    let Some(card) = registry::find(&node.name) else { return vec![unknown_card(node)] };
    // Another card has no place there, so nothing else of it counts.
    if !matches!(card.make, Factory::Team) {
        return Vec::new();
    }
    // The drawing says which names and connections are missing, in words of its own.
    let is_drawn = |issue: &String| {
        ["Harness Name ", "Specialist Name ", "Specialists "].iter().any(|label| issue.starts_with(label))
    };
    let mut issues = node_issues(canvas, node, resources);
    issues.retain(|issue| !is_drawn(issue));
    issues.extend(missing_records(node, resources));
    issues.extend(picked_issues(canvas, node, card.inputs, &node.inputs, resources));
    issues.extend(
        key_faults(card, &node.inputs).map(|(input, fault)| format!("{}, {}.", input.label, fault.phrase())),
    );
    issues
}
