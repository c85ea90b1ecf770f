//! What is wrong with a canvas, by card and input, before anybody runs it.

use super::plan::Plan;
use crate::canvas::{Canvas, Node};
use crate::cards::kit::{Card, Input, InputKind};
use crate::cards::registry;
use serde::Serialize;
use serde_json::Value;

/// The problems of one card, in the family's shape (reference 1.1, `/validation/:id`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problems {
    /// Node id; empty for problems of the whole flow.
    pub id: String,
    /// The card's label.
    pub label: String,
    /// The card's name.
    pub name: String,
    /// One sentence each.
    pub issues: Vec<String>,
}

/// Lists the problems of a chat canvas; empty when it is fine.
#[must_use]
pub fn validate(canvas: &Canvas) -> Vec<Problems> {
    let mut found: Vec<Problems> = canvas
        .nodes()
        .iter()
        .filter(|node| !node.is_note())
        .filter_map(|node| of_node(canvas, node))
        .collect();
    let dangling = canvas
        .edges()
        .iter()
        .filter(|edge| canvas.node(&edge.source).is_none() || canvas.node(&edge.target).is_none());
    let mut whole: Vec<String> = dangling
        .map(|edge| {
            format!(
                "A connection leads from '{}' to '{}', and one of them is missing.",
                edge.source, edge.target
            )
        })
        .collect();
    if let Err(fault) = Plan::compile(canvas) {
        whole.push(fault.to_string());
    }
    if !whole.is_empty() {
        found.push(Problems { id: String::new(), label: "Flow".into(), name: String::new(), issues: whole });
    }
    found
}

fn of_node(canvas: &Canvas, node: &Node) -> Option<Problems> {
    let issues = match registry::find(&node.name) {
        None => vec![format!("This server does not know the card '{}'.", node.name)],
        Some(card) => card.inputs.iter().filter_map(|input| issue(canvas, node, card, input)).collect(),
    };
    let problems =
        Problems { id: node.id.clone(), label: node.shown().to_owned(), name: node.name.clone(), issues };
    (!problems.issues.is_empty()).then_some(problems)
}

fn issue(canvas: &Canvas, node: &Node, card: &Card, input: &Input) -> Option<String> {
    if let Some((other, wanted)) = input.shown_if
        && !shows(node, card, other, wanted)
    {
        return None;
    }
    let value = node.inputs.get(input.name);
    if let (true, Some(value)) = (input.is_wire(), value) {
        let mut missing = None;
        super::source::referenced(value, &mut |id| {
            if canvas.node(id).is_none() {
                missing = Some(id.to_owned());
            }
        });
        if let Some(id) = missing {
            return Some(format!("{} is connected to '{id}', which is not on the canvas.", input.label));
        }
    }
    if input.optional || input.default.is_some() {
        return number_issue(input, value);
    }
    let empty = match input.kind {
        InputKind::Credential(_) => node.credential.is_none(),
        _ => value.is_none_or(is_empty),
    };
    match (empty, input.is_wire()) {
        (true, true) => Some(format!("{} needs a connection.", input.label)),
        (true, false) => Some(format!("{} is required.", input.label)),
        (false, _) => number_issue(input, value),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn shows(node: &Node, card: &Card, other: &str, wanted: &str) -> bool {
    let default = card.input(other).and_then(|input| input.default).unwrap_or_default();
    match node.inputs.get(other) {
        Some(Value::Bool(on)) => on.to_string() == wanted,
        Some(Value::String(text)) if !text.is_empty() => text == wanted,
        _ => default == wanted,
    }
}

fn number_issue(input: &Input, value: Option<&Value>) -> Option<String> {
    let InputKind::Number { min, max, .. } = input.kind else { return None };
    let number = match value? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) if text.trim().is_empty() || text.contains("{{") => return None,
        Value::String(text) => text.trim().parse().ok(),
        Value::Null => return None,
        _ => None,
    };
    match number {
        None => Some(format!("{} must be a number.", input.label)),
        Some(number) if !(min..=max).contains(&number) => {
            Some(format!("{} must be between {min} and {max}.", input.label))
        }
        Some(_) => None,
    }
}
