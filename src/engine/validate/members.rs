//! What is wrong with a canvas of a Multi-Agent or Sequential Agent flow.

use super::{cards, connected_nodes, dangling, node_issues, problems_of_card, problems_of_flow};
use crate::canvas::Canvas;
use crate::domain::flows::card_problems::CardProblems;
use crate::engine::legacy::find_problems;
use crate::engine::renamed_cards::former_name;
use crate::engine::resources::{
    Resources, forbidden_program, missing_flows, missing_records, missing_variables,
};

/// Lists the problems of a canvas; empty when it is fine. What a member needs keeps the flow from running.
pub(super) fn problems(canvas: &Canvas, resources: &dyn Resources) -> Vec<CardProblems> {
    let drawn = find_problems(canvas);
    let connected = connected_nodes(canvas);
    let mut found = Vec::new();
    for node in cards(canvas) {
        let mut issues = node_issues(canvas, node, resources);
        issues.extend(missing_records(node, resources));
        issues.extend(forbidden_program(node, resources));
        let of_drawing = drawn.iter().filter(|problem| problem.node == node.id);
        issues.extend(of_drawing.map(|problem| problem.message.clone()));
        let blocks = !issues.is_empty() && connected.contains(node.id.as_str());
        if !connected.contains(node.id.as_str()) {
            issues.push("This card is connected to nothing.".to_owned());
        }
        issues.extend(missing_flows(node, resources));
        issues.extend(missing_variables(node, resources));
        issues.extend(former_name(node));
        if !issues.is_empty() {
            found.push(problems_of_card(node, issues, blocks));
        }
    }
    let mut whole = dangling(canvas);
    let of_flow: Vec<String> = drawn
        .iter()
        .filter(|problem| problem.node.is_empty())
        .map(|problem| problem.message.clone())
        .collect();
    let blocks = !of_flow.is_empty();
    whole.extend(of_flow);
    if !whole.is_empty() {
        found.push(problems_of_flow(whole, blocks));
    }
    found
}
