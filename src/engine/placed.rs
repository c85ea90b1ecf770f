//! The cards of a canvas with what they declare of their settings: those that stand on it, and those picked inside of others.

use crate::canvas::{Canvas, Node};
use crate::cards::kit::{Card, Input, InputKind};
use crate::cards::registry;
use serde_json::{Map, Value};

/// What the settings of a picked card stand under, behind the name of the input that picks it.
pub(super) const CONFIG: &str = "Config";

/// A card that this server knows, on a canvas or picked inside of another.
pub(crate) struct PlacedCard<'a> {
    /// The node that it stands on or in.
    pub id: &'a str,
    pub card: &'static Card,
    /// Its settings; those of a picked card as if it stood on the canvas.
    pub node: &'a Node,
    /// Where it is picked: names of inputs and numbers of rows; empty for a card that stands on the canvas.
    pub path: &'a str,
}

/// A setting of a card.
pub(crate) struct PlacedSetting<'a> {
    pub input: &'static Input,
    /// Where it stands among all settings of the node: names of inputs and numbers of rows.
    pub path: String,
    pub value: &'a Value,
}

/// Shows every card of a canvas that this server knows, each before those that are picked in it. Notes are no cards.
pub(crate) fn for_each_card(canvas: &Canvas, each: &mut dyn FnMut(&PlacedCard<'_>)) {
    for node in canvas.nodes().iter().filter(|node| !node.is_note()) {
        show_card(&node.id, node, "", each);
    }
}

fn show_card(id: &str, node: &Node, path: &str, each: &mut dyn FnMut(&PlacedCard<'_>)) {
    let Some(card) = registry::find(&node.name) else { return };
    each(&PlacedCard { id, card, node, path });
    walk(card.inputs, &node.inputs, path, &mut |input, path, value, beside| {
        if let (InputKind::CardPick(_), Some(name)) = (input.kind, value.as_str()) {
            let config = beside.get(&format!("{}{CONFIG}", input.name)).and_then(Value::as_object);
            show_card(id, &node.picked(name, config), &format!("{path}/"), each);
        }
    });
}

impl PlacedCard<'_> {
    /// Shows every setting of the card that was made, those in rows too.
    pub(crate) fn for_each_setting(&self, each: &mut dyn FnMut(PlacedSetting<'_>)) {
        walk(self.card.inputs, &self.node.inputs, self.path, &mut |input, path, value, _| {
            each(PlacedSetting { input, path: path.to_owned(), value });
        });
    }
}

/// What is told of a setting: its declaration, its place, its value, and what stands beside it.
type EachSetting<'e> = dyn FnMut(&'static Input, &str, &Value, &Map<String, Value>) + 'e;

fn walk(fields: &'static [Input], values: &Map<String, Value>, path: &str, each: &mut EachSetting<'_>) {
    for input in fields {
        let Some(value) = values.get(input.name) else { continue };
        // One name may stand for inputs of several kinds; what was saved tells which.
        let input = input.variant_for(value);
        let path = format!("{path}{}", input.name);
        match (input.kind, value) {
            (InputKind::Rows(fields), Value::Array(rows)) => {
                for (at, row) in rows.iter().enumerate() {
                    if let Some(row) = row.as_object() {
                        walk(fields, row, &format!("{path}/{at}/"), each);
                    }
                }
            }
            _ => each(input, &path, value, values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn picked_cards_and_rows_are_shown_with_their_places() {
        let node = json!({"id": "a_0", "data": {"id": "a_0", "name": "agentAgentflow", "label": "A", "inputs": {
            "agentModel": "chatOpenAI", "agentModelConfig": {"modelName": "m"},
            "agentTools": [{"agentSelectedTool": "customTool",
                "agentSelectedToolConfig": {"selectedTool": "7c9e6679-7425-40de-944b-e07fc1f90ae7"}}],
        }}});
        let canvas = Canvas::parse(&json!({"nodes": [node], "edges": []}).to_string()).unwrap();
        let mut shown = Vec::new();
        for_each_card(&canvas, &mut |card| {
            card.for_each_setting(&mut |setting| {
                shown.push((card.card.name, setting.path, setting.input.kind));
            });
        });
        let place_of = |card: &str, kind: &dyn Fn(InputKind) -> bool| {
            let found = shown.iter().find(|(name, _, of)| *name == card && kind(*of));
            found.map(|(_, path, _)| path.as_str())
        };
        assert_eq!(
            place_of("customTool", &|kind| matches!(kind, InputKind::Pick(_))),
            Some("agentTools/0/agentSelectedTool/selectedTool")
        );
        assert_eq!(
            place_of("chatOpenAI", &|kind| matches!(kind, InputKind::ModelName(_))),
            Some("agentModel/modelName")
        );
    }
}
