//! What is wrong with the canvas of a pipeline: what keeps it from being one, and the inputs of its cards.

use super::agentflow::picked_issues;
use super::{card_problems, cards, dangling, problems_of_flow, saved_issues};
use crate::canvas::Canvas;
use crate::cards::registry;
use crate::domain::flows::card_problems::CardProblems;
use crate::engine::pipeline::PipelinePlan;
use crate::engine::resources::Resources;
use crate::engine::schedule::schedule_issue;

pub(super) fn problems(canvas: &Canvas, resources: &dyn Resources) -> Vec<CardProblems> {
    let fault = PipelinePlan::compile(canvas).err();
    let mut found = Vec::new();
    for node in cards(canvas) {
        let mut issues = saved_issues(canvas, node, resources);
        if let Some(card) = registry::find(&node.name) {
            issues.extend(picked_issues(canvas, node, card.inputs, &node.inputs, resources));
        }
        let of_node = fault.as_ref().filter(|fault| fault.node() == Some(&node.id)).map(ToString::to_string);
        // A setting that is none of its choices is said once.
        issues.extend(of_node.filter(|fault| !issues.iter().any(|issue| fault.ends_with(issue))));
        let blocks = !issues.is_empty();
        issues.extend(schedule_issue(node, resources.schedule_seconds_min()));
        found.extend(card_problems(node, issues, blocks, resources));
    }
    let of_flow = fault.filter(|fault| fault.node().is_none());
    let blocks = of_flow.is_some();
    found.extend(problems_of_flow(dangling(canvas), of_flow.map(|fault| fault.to_string()), blocks));
    found
}
