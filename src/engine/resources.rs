//! What a canvas names of its workspace, and what of that is not there any more.

use crate::canvas::Node;
use crate::canvas::template::variable_names;
use crate::cards::kit::{Input, InputKind, Picker};
use crate::cards::{action_lists, registry};
use crate::domain::local_program::AllowedProgram;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What the workspace of a canvas holds of the things that a canvas can name.
pub trait Resources {
    /// The type of a stored credential; `None` when there is none of this id.
    fn credential_type(&self, id: &str) -> Option<String>;
    /// Whether what an input picks is there. True for a text that is no id: nothing was chosen yet, or a reference
    /// stands there.
    fn has(&self, what: Picker, id: &str) -> bool;
    /// Whether a variable of this name is saved.
    fn has_variable(&self, name: &str) -> bool;
    /// The programs of this machine that flows may start.
    fn programs(&self) -> &[AllowedProgram] {
        &[]
    }
    /// The least number of seconds between two runs of a schedule.
    fn schedule_seconds_min(&self) -> u64 {
        0
    }
}

/// A workspace with nothing in it.
#[derive(Debug, Clone, Copy)]
pub struct NoResources;

impl Resources for NoResources {
    fn credential_type(&self, _: &str) -> Option<String> {
        None
    }

    fn has(&self, _: Picker, _: &str) -> bool {
        false
    }

    fn has_variable(&self, _: &str) -> bool {
        false
    }
}

/// A sentence for each tool or document store that a card picks and that is not there any more: it cannot be built.
pub(super) fn missing_records(node: &Node, resources: &dyn Resources) -> Vec<String> {
    missing_picks(node, resources, |what| !is_asked(what))
}

/// A sentence for each flow that a card picks and that is not there any more. The card is built all the same: a model
/// learns of it once it asks that flow.
pub(super) fn missing_flows(node: &Node, resources: &dyn Resources) -> Vec<String> {
    missing_picks(node, resources, is_asked)
}

/// True for what a card asks while it runs, and that need not be there before.
const fn is_asked(what: Picker) -> bool {
    matches!(what, Picker::Flow | Picker::Harness | Picker::Pipeline)
}

fn missing_picks(node: &Node, resources: &dyn Resources, counts: impl Fn(Picker) -> bool) -> Vec<String> {
    let fields = registry::find(&node.name).map_or(&[][..], |card| card.inputs);
    let is_lost = |what: Picker, picked: &str| {
        // Agentflows write the name of a store behind its id.
        let id = picked.split(':').next().unwrap_or_default();
        counts(what) && !resources.has(what, id)
    };
    lost_picks(fields, &node.inputs, &is_lost)
}

/// A sentence for each pick that is lost, in these inputs and in the rows of their lists.
fn lost_picks(
    fields: &[Input],
    values: &Map<String, Value>,
    is_lost: &dyn Fn(Picker, &str) -> bool,
) -> Vec<String> {
    let mut issues = Vec::new();
    for input in fields {
        match (input.kind, values.get(input.name)) {
            (InputKind::Pick(what), Some(Value::String(picked))) if is_lost(what, picked) => {
                let name = picked.split_once(':').map(|(_, name)| format!(" ('{}')", name.escape_debug()));
                issues.push(format!(
                    "{}: what was chosen{} no longer exists; choose another one.",
                    input.label,
                    name.unwrap_or_default()
                ));
            }
            (InputKind::Rows(fields), Some(Value::Array(rows))) => {
                for (at, row) in rows.iter().enumerate() {
                    let lost = row.as_object().map(|row| lost_picks(fields, row, is_lost));
                    let told = |issue| format!("{}, row {}: {issue}", input.label, at + 1);
                    issues.extend(lost.unwrap_or_default().into_iter().map(told));
                }
            }
            _ => {}
        }
    }
    issues
}

/// What the operator would have to allow before a card can start its program.
pub(super) fn forbidden_program(node: &Node, resources: &dyn Resources) -> Option<String> {
    let line = action_lists::program_of(&node.name, &node.inputs)?;
    let why = line.find_in(resources.programs()).err()?.to_string();
    let (first, rest) = why.split_at_checked(1)?;
    Some(format!("{}{rest}", first.to_uppercase()))
}

/// A sentence for each variable that stands in the texts of a card and that nobody saved.
pub(super) fn missing_variables(node: &Node, resources: &dyn Resources) -> Vec<String> {
    let text = Value::Object(node.inputs.clone()).to_string();
    let names: BTreeSet<&str> = variable_names(&text).filter(|name| !name.is_empty()).collect();
    let lost = names.into_iter().filter(|name| !resources.has_variable(name));
    lost.map(|name| format!("There is no variable '{name}': make it, or leave it out.")).collect()
}
