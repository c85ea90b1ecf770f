//! Draws a canvas from cards, in the form an editor would have saved it (manual 9.1).

use crate::cards::kit::Card;
use crate::cards::{palette, registry};
use crate::wire::service::cards::CardView;
use serde_json::{Map, Value, json};

/// A canvas in the making.
#[derive(Default)]
pub(in crate::ops) struct Drawing {
    nodes: Vec<Value>,
    edges: Vec<Value>,
}

/// Distance between two cards, in the editor's units.
const COLUMN: i64 = 380;
const ROW: i64 = 460;
/// How far above the cards a note lies.
const NOTE_ROW: i64 = 240;

impl Drawing {
    /// Puts a card on the canvas, with `inputs` over its defaults; returns the node's id.
    pub(in crate::ops) fn add_card(&mut self, name: &str, inputs: Value) -> String {
        let card = registry::find(name).expect("the demo draws cards of the registry");
        self.add(card, inputs)
    }

    /// As [`Self::add_card`], of a card that was found already.
    pub(in crate::ops) fn add(&mut self, card: &Card, inputs: Value) -> String {
        let taken = self.nodes.iter().filter(|node| node["data"]["name"] == card.name).count();
        let id = format!("{}_{taken}", card.name);
        self.nodes.push(node(card, &id, inputs));
        id
    }

    /// Writes a field of a node's data, such as its label.
    pub(in crate::ops) fn set(&mut self, id: &str, field: &str, value: Value) {
        if let Some(node) = self.nodes.iter_mut().find(|node| node["id"] == id) {
            node["data"][field] = value;
        }
    }

    /// Sets an input of a card that stands already.
    pub(in crate::ops) fn set_input(&mut self, id: &str, input: &str, value: Value) {
        if let Some(node) = self.nodes.iter_mut().find(|node| node["id"] == id) {
            node["data"]["inputs"][input] = value;
        }
    }

    /// A note beside the cards.
    pub(in crate::ops) fn add_note(&mut self, text: &str) {
        let id = self.add_card("stickyNote", json!({"note": text}));
        self.set_kind(&id, "stickyNote");
    }

    /// A note beside the steps of an agentflow.
    pub(in crate::ops) fn add_step_note(&mut self, text: &str) {
        let id = self.add_card("stickyNoteAgentflow", json!({"note": text}));
        self.set_kind(&id, "stickyNote");
    }

    /// Puts a step on the canvas, with `inputs` over its defaults; returns the node's id.
    pub(in crate::ops) fn add_step(&mut self, name: &str, label: &str, inputs: Value) -> String {
        let id = self.add_card(name, inputs);
        self.set_kind(&id, "agentFlow");
        self.set(&id, "label", label.into());
        id
    }

    /// Lets one step come after another.
    pub(in crate::ops) fn follow(&mut self, from: &str, to: &str) {
        let name = from.rsplit_once('_').map_or(from, |(name, _)| name);
        let handle = format!("{from}-output-{name}");
        self.edges.push(json!({
            "id": format!("{handle}-{to}"), "type": "agentFlow", "source": from, "sourceHandle": handle, "target": to,
            "targetHandle": to,
        }));
    }

    /// How an editor shows a node.
    fn set_kind(&mut self, id: &str, kind: &str) {
        if let Some(node) = self.nodes.iter_mut().find(|node| node["id"] == id) {
            node["type"] = kind.into();
        }
    }

    pub(in crate::ops) fn connect(&mut self, from: &str, to: &str, input: &str) {
        let source_handle = self.handle(from, "outputAnchors", None);
        let target_handle = self.handle(to, "inputAnchors", Some(input));
        let reference = Value::from(format!("{{{{{from}.data.instance}}}}"));
        let target =
            self.nodes.iter_mut().find(|node| node["id"] == to).expect("wires lead to cards that were drawn");
        let slot = &mut target["data"]["inputs"][input];
        match slot {
            Value::Array(list) => list.push(reference),
            slot => *slot = reference,
        }
        self.edges.push(json!({
            "source": from, "sourceHandle": source_handle, "target": to, "targetHandle": target_handle,
            "type": "buttonedge", "id": format!("{from}-{source_handle}-{to}-{target_handle}"),
        }));
    }

    fn handle(&self, id: &str, anchors: &str, name: Option<&str>) -> String {
        let node = self
            .nodes
            .iter()
            .find(|node| node["id"] == id)
            .expect("wires lead between cards that were drawn");
        let anchors = node["data"][anchors].as_array().into_iter().flatten();
        let mut fitting = anchors.filter(|anchor| name.is_none_or(|name| anchor["name"] == name));
        let anchor = fitting.next().expect("wires lead to inputs the card has");
        let id = anchor["options"][0]["id"].as_str().or_else(|| anchor["id"].as_str());
        id.unwrap_or_default().to_owned()
    }

    /// Lays the cards out from left to right, each before what it is wired into, and the notes above them.
    fn lay_out(&mut self) {
        let columns = self.columns();
        let last = columns.iter().flatten().copied().max().unwrap_or(0);
        let height = |column: i64| columns.iter().filter(|of| **of == Some(column)).count() as i64;
        let tallest = (0..=last).map(height).max().unwrap_or(0);
        let (mut rows, mut notes) = (vec![0; usize::try_from(last).unwrap_or(0) + 1], 0);
        for (node, column) in self.nodes.iter_mut().zip(&columns) {
            let Some(column) = *column else {
                node["position"] = json!({"x": notes * COLUMN, "y": -NOTE_ROW});
                notes += 1;
                continue;
            };
            let row = &mut rows[usize::try_from(column).unwrap_or(0)];
            // Short columns stand in the middle of the tall ones.
            let y = *row * ROW + (tallest - height(column)) * ROW / 2;
            node["position"] = json!({"x": column * COLUMN, "y": y});
            *row += 1;
        }
    }

    /// The column of each node: as many steps from the right as its longest way to the last card; none for a note.
    fn columns(&self) -> Vec<Option<i64>> {
        let place = |id: &Value| self.nodes.iter().position(|node| node["id"] == *id);
        let edges: Vec<(usize, usize)> = self
            .edges
            .iter()
            .filter_map(|edge| Some((place(&edge["source"])?, place(&edge["target"])?)))
            .collect();
        let mut behind = vec![0_i64; self.nodes.len()];
        // No way is longer than there are cards; what is drawn here has no circles.
        for _ in 0..self.nodes.len() {
            for (from, to) in &edges {
                behind[*from] = behind[*from].max(behind[*to] + 1);
            }
        }
        let longest = behind.iter().copied().max().unwrap_or(0);
        let is_note = |node: &Value| node["type"] == "stickyNote";
        self.nodes
            .iter()
            .zip(behind)
            .map(|(node, behind)| (!is_note(node)).then_some(longest - behind))
            .collect()
    }

    pub(in crate::ops) fn into_text(mut self) -> String {
        self.lay_out();
        json!({"nodes": self.nodes, "edges": self.edges, "viewport": {"x": 0, "y": 0, "zoom": 1}}).to_string()
    }
}

fn node(card: &Card, id: &str, inputs: Value) -> Value {
    // An editor puts what the API says of a card into the node.
    let definition = serde_json::to_value(CardView::from(palette::definition(card))).expect("a card is JSON");
    let params: Vec<Value> = definition["inputs"].as_array().cloned().unwrap_or_default();
    let is_wire = |param: &Value| {
        card.input(param["name"].as_str().unwrap_or_default()).is_some_and(|input| input.is_wire())
    };
    let with_id = |mut param: Value| {
        param["id"] = format!("{id}-input-{}-{}", text(&param["name"]), text(&param["type"])).into();
        param
    };
    let (anchors, settings): (Vec<Value>, Vec<Value>) = params.into_iter().map(with_id).partition(is_wire);
    let mut values = Map::new();
    for param in settings.iter().chain(&anchors) {
        let empty = if param["list"] == true { json!([]) } else { json!("") };
        values.insert(text(&param["name"]).to_owned(), param.get("default").cloned().unwrap_or(empty));
    }
    values.extend(inputs.as_object().cloned().unwrap_or_default());
    let (outputs, output_anchors) = outputs(card, id, &definition);
    json!({
        "id": id, "type": "customNode", "width": 300, "height": 400,
        "position": {"x": 0, "y": 0},
        "data": {
            "id": id, "name": card.name, "label": card.label, "version": card.version, "type": definition["type"],
            "category": definition["category"], "description": card.description, "baseClasses": card.base_classes,
            "inputParams": settings, "inputAnchors": anchors, "inputs": values,
            "outputAnchors": output_anchors, "outputs": outputs,
        },
    })
}

fn outputs(card: &Card, id: &str, definition: &Value) -> (Value, Value) {
    let anchor = |name: &str, label: &str, classes: &[&str]| {
        json!({
            "id": format!("{id}-output-{name}-{}", classes.join("|")), "name": name, "label": label,
            "type": classes.join(" | "),
        })
    };
    match card.outputs.first() {
        None => (json!({}), json!([anchor(card.name, text(&definition["type"]), card.base_classes)])),
        Some(first) => {
            let options: Vec<Value> = card
                .outputs
                .iter()
                .map(|output| anchor(output.name, output.label, output.base_classes))
                .collect();
            let anchors = json!([{"name": "output", "label": "Output", "type": "options", "options": options, "default": first.name}]);
            (json!({"output": first.name}), anchors)
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_card_stands_before_what_it_is_wired_into_and_none_upon_another() {
        let mut drawing = Drawing::default();
        let agent = drawing.add_card("toolAgent", json!({}));
        let model = drawing.add_card("chatScripted", json!({}));
        drawing.add_note("Look.");
        let tools: Vec<String> = (0..3).map(|_| drawing.add_card("calculator", json!({}))).collect();
        drawing.connect(&model, &agent, "model");
        tools.iter().for_each(|tool| drawing.connect(tool, &agent, "tools"));
        let canvas: Value = serde_json::from_str(&drawing.into_text()).unwrap();
        let nodes = canvas["nodes"].as_array().unwrap();
        let at = |id: &Value| {
            let node = nodes.iter().find(|node| node["id"] == *id).unwrap();
            ["x", "y"].map(|side| node["position"][side].as_i64().unwrap())
        };
        for edge in canvas["edges"].as_array().unwrap() {
            assert!(at(&edge["source"])[0] < at(&edge["target"])[0], "{edge}");
        }
        for (number, node) in nodes.iter().enumerate() {
            for other in &nodes[number + 1..] {
                let ([x, y], [other_x, other_y]) = (at(&node["id"]), at(&other["id"]));
                assert!(
                    (x - other_x).abs() >= 300 || (y - other_y).abs() >= 200,
                    "{} {}",
                    node["id"],
                    other["id"]
                );
            }
        }
    }
}
