//! What is wrong with the canvas of a pipeline: what keeps it from being one, and the inputs of its cards.

use super::{cards, dangling, node_issues, problems_of_card, problems_of_flow};
use crate::canvas::Canvas;
use crate::domain::flows::card_problems::CardProblems;
use crate::engine::pipeline::PipelinePlan;
use crate::engine::renamed_cards::former_name;
use crate::engine::resources::{
    Resources, forbidden_program, missing_flows, missing_records, missing_variables,
};
use crate::engine::schedule::schedule_issue;

pub(super) fn problems(canvas: &Canvas, resources: &dyn Resources) -> Vec<CardProblems> {
    let fault = PipelinePlan::compile(canvas).err();
    let mut found = Vec::new();
    for node in cards(canvas) {
        let mut issues = node_issues(canvas, node, resources);
        issues.extend(missing_records(node, resources));
        issues.extend(forbidden_program(node, resources));
        issues.extend(fault.as_ref().filter(|fault| fault.node() == Some(&node.id)).map(ToString::to_string));
        let blocks = !issues.is_empty();
        issues.extend(schedule_issue(node, resources.schedule_seconds_min()));
        issues.extend(missing_flows(node, resources));
        issues.extend(missing_variables(node, resources));
        issues.extend(former_name(node));
        if !issues.is_empty() {
            found.push(problems_of_card(node, issues, blocks));
        }
    }
    let mut whole = dangling(canvas);
    let of_flow = fault.filter(|fault| fault.node().is_none());
    let blocks = of_flow.is_some();
    whole.extend(of_flow.map(|fault| fault.to_string()));
    if !whole.is_empty() {
        found.push(problems_of_flow(whole, blocks));
    }
    found
}
