//! What of its workspace a canvas uses: found by what its cards declare, whichever cards they are.

use super::placed::{PlacedCard, for_each_card};
use crate::canvas::Canvas;
use crate::canvas::template::variable_names;
use crate::cards::kit::{InputKind, Picker};
use serde_json::Value;
use std::collections::BTreeSet;

/// What a canvas uses of its workspace beside credentials.
#[derive(Debug, Default)]
pub(crate) struct CanvasUses {
    pub picks: Vec<PickUse>,
    pub variables: Vec<VariableUse>,
    pub codes: Vec<CodeUse>,
}

/// A record that an input picks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PickUse {
    /// Id of the node that holds it, as the canvas has it.
    pub node: String,
    pub input: &'static str,
    pub what: Picker,
    pub id: String,
}

/// A variable that stands in the texts of a card.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct VariableUse {
    /// Id of the node that holds it, as the canvas has it.
    pub node: String,
    pub name: String,
}

/// Code of a card.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CodeUse {
    /// Id of the node that holds it, as the canvas has it.
    pub node: String,
    /// What people call the card.
    pub label: String,
    pub input: &'static str,
    pub input_label: &'static str,
    /// Where it stands among the settings of the node.
    pub path: String,
    pub code: String,
}

impl CanvasUses {
    #[must_use]
    pub(crate) fn of(canvas: &Canvas) -> Self {
        let mut uses = Self::default();
        for_each_card(canvas, &mut |card| uses.add_settings(card));
        for node in canvas.nodes().iter().filter(|node| !node.is_note()) {
            let text = Value::Object(node.inputs.clone()).to_string();
            let names: BTreeSet<&str> = variable_names(&text).filter(|name| !name.is_empty()).collect();
            let used = |name: &str| VariableUse { node: node.id.clone(), name: name.to_owned() };
            uses.variables.extend(names.into_iter().map(used));
        }
        uses
    }

    fn add_settings(&mut self, card: &PlacedCard<'_>) {
        card.for_each_setting(&mut |setting| {
            let Some(text) = setting.value.as_str().filter(|text| !text.trim().is_empty()) else { return };
            let (node, input) = (card.id.to_owned(), setting.input.name);
            match setting.input.kind {
                // A harness is picked by its name, which is its own wherever it stands.
                InputKind::Pick(what @ Picker::Harness) => {
                    self.picks.push(PickUse { node, input, what, id: text.trim().to_owned() });
                }
                InputKind::Pick(
                    what @ (Picker::Tool
                    | Picker::ToolServer
                    | Picker::DocumentStore
                    | Picker::Flow
                    | Picker::Pipeline),
                ) => {
                    // Agentflows write the name of a store behind its id.
                    let id = text.split(':').next().unwrap_or_default().trim().to_owned();
                    self.picks.push(PickUse { node, input, what, id });
                }
                InputKind::Code => self.codes.push(CodeUse {
                    node,
                    label: card.node.label().to_owned(),
                    input,
                    input_label: setting.input.label,
                    path: setting.path,
                    code: text.to_owned(),
                }),
                _ => {}
            }
        });
    }
}
