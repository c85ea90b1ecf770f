//! Reading a file: whatever it is, it becomes a list of things that may come in, each judged for itself.

use super::{GROUPS, Kind};
use crate::domain::error::{Error, Result};
use crate::domain::flow::FlowKind;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use uuid::Uuid;

/// Things in one file.
const ITEMS_MAX: usize = 5_000;
/// Characters of a name that an answer repeats.
const NAME_SHOWN_CHARS: usize = 120;

/// Settings of a flow that are objects, as JSON text in a file.
pub(super) const SETTINGS: &[&str] = &[
    "chatbotConfig",
    "apiConfig",
    "analytic",
    "speechToText",
    "textToSpeech",
    "followUpPrompts",
    "mcpServerConfig",
];

/// Lists that a file may hold and that do not come in, each with why.
pub(super) const LEFT_OUT: &[(&str, &str)] = &[
    ("ChatMessage", "Conversations stay where they were had: they prove nothing here."),
    ("ChatMessageFeedback", "Ratings stay with their conversations."),
    ("Execution", "Runs stay where they ran."),
    ("DocumentStoreFileChunk", "Passages are brought by loaders: run those of the store again."),
    ("AssistantCustom", "An assistant comes in with its flow."),
    ("AssistantOpenAI", "Assistants that a provider hosts are not run here."),
    ("AssistantAzure", "Assistants that a provider hosts are not run here."),
];

/// One thing of a file.
#[derive(Debug)]
pub(super) struct Item {
    pub kind: Kind,
    /// Its id in the file, when it has one.
    pub id: Option<Uuid>,
    /// As an answer shows it.
    pub name: String,
    pub fields: Map<String, Value>,
    /// Why it cannot come in at all.
    pub fault: Option<String>,
}

/// What a file holds.
#[derive(Debug)]
pub(super) struct Incoming {
    pub items: Vec<Item>,
    /// Lists that stay outside: name, how many, and why.
    pub left_out: Vec<(&'static str, usize, &'static str)>,
    /// Credentials by id, as the file names them.
    pub credentials: Map<String, Value>,
}

/// Reads a file: one of lists, a flow record, or a bare canvas.
pub(super) fn read(file: Map<String, Value>) -> Result<Incoming> {
    let mut file = wrapped(file)?;
    let mut items = Vec::new();
    for (group, kind) in GROUPS {
        match file.remove(group) {
            None | Some(Value::Null) => {}
            Some(Value::Array(list)) => items.extend(list.into_iter().map(|value| item(kind, value))),
            Some(_) => return Err(Error::Invalid(format!("'{group}' must be a list."))),
        }
    }
    if items.len() > ITEMS_MAX {
        return Err(Error::Invalid(format!("A file may hold {ITEMS_MAX} things: split it.")));
    }
    let mut seen = HashSet::new();
    for item in &mut items {
        if item.id.is_some_and(|id| !seen.insert(id)) {
            item.fault = Some("Its id is in the file twice.".to_owned());
        }
    }
    let count = |name: &str| file.get(name).and_then(Value::as_array).map_or(0, Vec::len);
    let left_out = LEFT_OUT.iter().map(|(name, why)| (*name, count(name), *why));
    let left_out: Vec<_> = left_out.filter(|(_, count, _)| *count > 0).collect();
    if items.is_empty() && left_out.is_empty() {
        return Err(Error::invalid(
            "There is nothing in this file to import. Send an export, a flow, or a canvas with 'nodes' and 'edges'.",
        ));
    }
    let ours = file.remove("flowkeep").and_then(|mut ours| ours.get_mut("credentials").map(Value::take));
    let credentials = match ours {
        Some(Value::Object(named)) => named,
        _ => Map::new(),
    };
    Ok(Incoming { items, left_out, credentials })
}

/// A canvas or a flow record as a file of one flow.
fn wrapped(mut file: Map<String, Value>) -> Result<Map<String, Value>> {
    let is_canvas = file.get("nodes").is_some_and(Value::is_array) && file.contains_key("edges");
    let one = if is_canvas {
        let name = file.remove("name").filter(Value::is_string).unwrap_or_else(|| "Imported flow".into());
        let canvas = Value::Object(file);
        json!({"name": name, "type": kind_of(&canvas), "flowData": canvas.to_string()})
    } else if file.contains_key("flowData") {
        Value::Object(file)
    } else {
        return Ok(file);
    };
    let kind = one["type"].as_str().and_then(FlowKind::parse).unwrap_or(FlowKind::Chatflow);
    Ok(Map::from_iter([(Kind::Flow(kind).group().to_owned(), json!([one]))]))
}

/// The kind of flow a bare canvas is, by its cards.
fn kind_of(canvas: &Value) -> FlowKind {
    let has = |category: &str| {
        let nodes = canvas["nodes"].as_array();
        nodes.is_some_and(|nodes| nodes.iter().any(|node| node["data"]["category"] == category))
    };
    if has("Agent Flows") {
        FlowKind::Agentflow
    } else if has("Multi Agents") || has("Sequential Agents") {
        FlowKind::Multiagent
    } else {
        FlowKind::Chatflow
    }
}

fn item(kind: Kind, value: Value) -> Item {
    let Value::Object(mut fields) = value else {
        let fault = Some("It is not an object.".to_owned());
        return Item { kind, id: None, name: String::new(), fields: Map::new(), fault };
    };
    let shown = |text: &str| text.chars().filter(|c| !c.is_control()).take(NAME_SHOWN_CHARS).collect();
    let name = fields.get("name").and_then(Value::as_str).map(shown).unwrap_or_default();
    let mut fault = None;
    let id = match fields.get("id").and_then(Value::as_str) {
        None => None,
        Some(text) => Uuid::try_parse(text).ok().filter(|_| text.len() == 36),
    };
    // Some exports hold the canvas itself where others hold its text.
    if let Some(canvas) = fields.get("flowData").filter(|canvas| canvas.is_object()) {
        let text = canvas.to_string();
        fields.insert("flowData".to_owned(), text.into());
    }
    let kind = match (kind, fields.get("type").and_then(Value::as_str)) {
        (Kind::Flow(_), Some(text)) => match FlowKind::parse(text) {
            Some(own) => Kind::Flow(own),
            None => {
                fault = Some("There is no such kind of flow.".to_owned());
                kind
            }
        },
        _ => kind,
    };
    if matches!(kind, Kind::Flow(_)) && !fields.get("flowData").is_some_and(Value::is_string) {
        fault = Some("It has no canvas.".to_owned());
    }
    Item { kind, id, name, fields, fault }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_value(value: Value) -> Result<Incoming> {
        read(value.as_object().unwrap().clone())
    }

    #[test]
    fn a_bare_canvas_is_a_flow_of_the_kind_of_its_cards() {
        let node = |category: &str| json!({"nodes": [{"data": {"category": category}}], "edges": []});
        for (category, kind) in [
            ("Chains", FlowKind::Chatflow),
            ("Agent Flows", FlowKind::Agentflow),
            ("Sequential Agents", FlowKind::Multiagent),
        ] {
            let incoming = read_value(node(category)).unwrap();
            assert_eq!(incoming.items[0].kind, Kind::Flow(kind));
            assert_eq!((incoming.items[0].name.as_str(), &incoming.items[0].fault), ("Imported flow", &None));
        }
    }

    #[test]
    fn bad_things_are_found_and_good_ones_stay() {
        let id = "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e";
        let incoming = read_value(json!({
            "ChatFlow": [3, {"name": "a", "flowData": {"nodes": [], "edges": []}}, {"name": "b"}, {"type": "X", "flowData": ""}],
            "Tool": [{"id": id, "name": "t"}, {"id": id, "name": "u"}],
            "ChatMessage": [{}, {}],
        }))
        .unwrap();
        let faults: Vec<bool> = incoming.items.iter().map(|item| item.fault.is_some()).collect();
        assert_eq!(faults, [true, false, true, true, false, true]);
        assert_eq!((incoming.left_out[0].0, incoming.left_out[0].1), ("ChatMessage", 2));
        assert!(read_value(json!({"ChatFlow": {}})).is_err());
        assert!(read_value(json!({"hello": 1})).is_err());
    }
}
