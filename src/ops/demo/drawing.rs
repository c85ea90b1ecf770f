//! Draws a canvas from cards, in the form an editor would have saved it (reference canvas 1).

use crate::cards::kit::Card;
use crate::cards::{palette, registry};
use serde_json::{Map, Value, json};

/// A canvas in the making.
#[derive(Default)]
pub(in crate::ops) struct Drawing {
    nodes: Vec<Value>,
    edges: Vec<Value>,
}

/// Distance between two cards, in the editor's units.
const COLUMN: usize = 360;
const ROW: usize = 460;

impl Drawing {
    /// Puts a card on the canvas, with `inputs` over its defaults; returns the node's id.
    pub(in crate::ops) fn card(&mut self, name: &str, inputs: Value) -> String {
        let card = registry::find(name).expect("the demo draws cards of the registry");
        let taken = self.nodes.iter().filter(|node| node["data"]["name"] == name).count();
        let id = format!("{name}_{taken}");
        let node = node(card, &id, self.nodes.len(), inputs);
        self.nodes.push(node);
        id
    }

    /// A note beside the cards.
    pub(in crate::ops) fn note(&mut self, text: &str) {
        let id = self.card("stickyNote", json!({"note": text}));
        if let Some(node) = self.nodes.iter_mut().find(|node| node["id"] == id.as_str()) {
            node["type"] = "stickyNote".into();
        }
    }

    /// Connects `from` to the input `input` of `to`.
    pub(in crate::ops) fn wire(&mut self, from: &str, to: &str, input: &str) {
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

    /// The canvas text.
    pub(in crate::ops) fn text(self) -> String {
        json!({"nodes": self.nodes, "edges": self.edges, "viewport": {"x": 0, "y": 0, "zoom": 1}}).to_string()
    }
}

fn node(card: &Card, id: &str, place: usize, inputs: Value) -> Value {
    let definition = palette::definition(card);
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
        "position": {"x": (place % 3) * COLUMN, "y": (place / 3) * ROW},
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
