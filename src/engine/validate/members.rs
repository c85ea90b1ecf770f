//! What is wrong with a canvas of a Multi-Agent or Sequential Agent flow.

use super::{card_problems, cards, connected_nodes, dangling, problems_of_flow, saved_issues};
use crate::canvas::Canvas;
use crate::domain::flows::card_problems::CardProblems;
use crate::engine::legacy::find_problems;
use crate::engine::resources::Resources;

/// Lists the problems of a canvas; empty when it is fine. What a member needs keeps the flow from running.
pub(super) fn problems(canvas: &Canvas, resources: &dyn Resources) -> Vec<CardProblems> {
    let drawn = find_problems(canvas);
    let connected = connected_nodes(canvas);
    let mut found = Vec::new();
    for node in cards(canvas) {
        let mut issues = saved_issues(canvas, node, resources);
        let of_drawing = drawn.iter().filter(|problem| problem.node == node.id);
        let own_count = issues.len();
        issues.extend(of_drawing.map(|problem| problem.message.clone()));
        // No run begins while the drawing is wrong; what stands beside it only looks unfinished.
        let is_connected = connected.contains(node.id.as_str());
        let blocks = issues.len() > own_count || (is_connected && !issues.is_empty());
        if !is_connected {
            issues.push("This card is connected to nothing.".to_owned());
        }
        found.extend(card_problems(node, issues, blocks, resources));
    }
    let of_flow: Vec<String> = drawn
        .iter()
        .filter(|problem| problem.node.is_empty())
        .map(|problem| problem.message.clone())
        .collect();
    let blocks = !of_flow.is_empty();
    found.extend(problems_of_flow(dangling(canvas), of_flow, blocks));
    found
}
