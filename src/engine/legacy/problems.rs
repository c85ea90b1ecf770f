//! What keeps the drawing of a Multi-Agent or Sequential Agent flow from running.

use super::compile::{MemberDrawing, fold, is_ended_by};
use crate::canvas::{Canvas, Node};
use crate::cards::multi_agents::{FINISH, worker_key};
use crate::cards::sequential_agents::loop_back;
use crate::engine::source;
use serde_json::Value;
use std::collections::HashMap;

/// One thing that is wrong, at one card; at none for the whole canvas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::engine) struct MemberProblem {
    pub(in crate::engine) node: String,
    /// A whole sentence that says what to do.
    pub(in crate::engine) message: String,
}

impl MemberProblem {
    fn of_flow(message: &str) -> Self {
        Self { node: String::new(), message: message.to_owned() }
    }

    fn of_card(node: &Node, message: String) -> Self {
        Self { node: node.id.clone(), message }
    }
}

/// All that is wrong with how the members are drawn.
pub(in crate::engine) fn find_problems(canvas: &Canvas) -> Vec<MemberProblem> {
    let drawn = MemberDrawing::new(canvas);
    match (drawn.named("supervisor").next(), drawn.named("seqStart").next()) {
        (None, None) => vec![MemberProblem::of_flow(
            "The flow has no Supervisor and no Start: every run begins with one of them.",
        )],
        (Some(_), Some(start)) => vec![MemberProblem::of_card(
            start,
            format!("'{}' cannot stand beside a Supervisor: a flow begins in one way.", start.label()),
        )],
        (Some(_), None) => team_problems(&drawn),
        (None, Some(_)) => sequence_problems(&drawn),
    }
}

fn team_problems(drawn: &MemberDrawing<'_>) -> Vec<MemberProblem> {
    let mut found = Vec::new();
    let supervisors: Vec<&Node> = drawn.named("supervisor").collect();
    for node in supervisors.iter().skip(1) {
        let message = format!("'{}' is a second Supervisor: a flow has one.", node.label());
        found.push(MemberProblem::of_card(node, message));
    }
    let workers: Vec<&Node> = drawn.named("worker").collect();
    if workers.is_empty()
        && let Some(first) = supervisors.first()
    {
        let message = "The Supervisor has no Worker: connect at least one.".to_owned();
        found.push(MemberProblem::of_card(first, message));
    }
    let mut names: HashMap<String, &Node> = HashMap::new();
    for worker in workers {
        let mut leads = Vec::new();
        source::for_each_reference(worker.inputs.get("supervisor").unwrap_or(&Value::Null), &mut |id| {
            leads.push(id.to_owned());
        });
        if !supervisors.first().is_some_and(|supervisor| leads.contains(&supervisor.id)) {
            let message = format!("'{}' is not connected to the Supervisor.", worker.label());
            found.push(MemberProblem::of_card(worker, message));
        }
        let key = worker_key(&drawn.name_of(worker));
        if key == worker_key(FINISH) {
            let message = format!("A Worker cannot be named {FINISH}: that is how the Supervisor ends.");
            found.push(MemberProblem::of_card(worker, message));
        }
        if let Some(first) = names.insert(key, worker) {
            found.push(equal_names(first, worker, &drawn.name_of(worker)));
        }
    }
    found
}

fn equal_names(first: &Node, second: &Node, name: &str) -> MemberProblem {
    let message = format!(
        "'{}' and '{}' are both named '{name}': name one of them otherwise.",
        first.label(),
        second.label()
    );
    MemberProblem::of_card(second, message)
}

fn sequence_problems(drawn: &MemberDrawing<'_>) -> Vec<MemberProblem> {
    let mut found = Vec::new();
    for node in drawn.named("seqStart").skip(1) {
        let message = format!("'{}' is a second Start: a flow has one.", node.label());
        found.push(MemberProblem::of_card(node, message));
    }
    if !drawn.members().any(|node| is_ended_by(&node.name))
        && let Some(start) = drawn.named("seqStart").next()
    {
        let message = "The flow has no End and no Loop: connect at least one.".to_owned();
        found.push(MemberProblem::of_card(start, message));
    }
    let reached: Vec<&str> = drawn.edges().map(|(_, target, _)| target.id.as_str()).collect();
    let mut names: HashMap<String, &Node> = HashMap::new();
    for node in drawn.members().filter(|node| node.name != "seqStart") {
        if !reached.contains(&node.id.as_str()) {
            let message = format!("Nothing leads to '{}': connect it or remove it.", node.label());
            found.push(MemberProblem::of_card(node, message));
        }
        let can_be_meant = !is_ended_by(&node.name) && !node.name.starts_with("seqCondition");
        if can_be_meant && let Some(first) = names.insert(fold(&drawn.name_of(node)), node) {
            found.push(equal_names(first, node, &drawn.name_of(node)));
        }
    }
    for node in drawn.named("seqLoop") {
        found.extend(loop_problem(drawn, node).map(|message| MemberProblem::of_card(node, message)));
    }
    for (source, _, _) in drawn.edges().filter(|(source, _, _)| is_ended_by(&source.name)) {
        let message = format!("'{}' ends its branch: nothing can follow it.", source.label());
        found.push(MemberProblem::of_card(source, message));
    }
    found
}

fn loop_problem(drawn: &MemberDrawing<'_>, node: &Node) -> Option<String> {
    let wanted = node.inputs.get(loop_back::TARGET).and_then(Value::as_str).unwrap_or_default();
    if wanted.trim().is_empty() {
        // That it must be filled in is said of the input.
        return None;
    }
    let label = node.label();
    match drawn.find_by_name(wanted) {
        None => Some(format!("'{label}' goes back to '{wanted}', and no card has this name.")),
        Some(target) if !drawn.leads_to(target, node) => Some(format!(
            "'{label}' can go back only to a card that leads to it, and '{}' does not.",
            target.label()
        )),
        Some(_) => None,
    }
}
