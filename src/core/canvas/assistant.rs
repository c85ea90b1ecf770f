//! The assistant that a canvas was drawn from. The canvas alone is stored: what an assistant is, is read off it, so the two cannot
//! part, whichever version, import or promotion brought the canvas.

use crate::domain::workspace::assistant::{AssistantCard, AssistantDetails, AssistantMarks, AssistantStore};
use serde_json::{Map, Value};

/// Where the card that answers keeps what no card has a setting for, below its `data`.
pub const KEPT: &str = "assistant";
/// Where a document store keeps the name that its owner gave it, below its `data`.
pub const STORE_NAME: &str = "storeName";
/// Keys of what is kept at [`KEPT`].
pub const CREDENTIAL: &str = "credential";
pub const ICON: &str = "icon";
pub const OTHERS: &str = "others";

/// The cards that answer for an assistant, each with the input that holds the instructions.
pub(crate) const ENDINGS: [(&str, &str); 2] =
    [("toolAgent", "systemMessage"), ("conversationChain", "systemMessagePrompt")];

/// What a canvas, or the canvas of a version, says of its assistant.
#[must_use]
pub fn details(name: &str, nodes: &[Value]) -> AssistantDetails {
    let mut told = AssistantDetails { name: name.to_owned(), ..AssistantDetails::default() };
    let Some((ending, instruction)) = ending(nodes) else { return told };
    let inputs = &ending["data"]["inputs"];
    told.instruction = text(&inputs[instruction]);
    told.model = referenced(nodes, &inputs["model"]).map(card);
    let tools = inputs["tools"].as_array().map_or(&[][..], Vec::as_slice);
    for tool in tools.iter().filter_map(|tool| referenced(nodes, tool)) {
        match searched_store(nodes, tool) {
            Some(store) => told.stores.push(store),
            None => told.tools.push(card(tool)),
        }
    }
    told.others = kept(ending, OTHERS).and_then(Value::as_object).cloned().unwrap_or_default();
    told
}

/// What clients keep beside the details.
#[must_use]
pub fn marks(nodes: &[Value]) -> AssistantMarks {
    let kept = |name: &str| {
        let (ending, _) = ending(nodes)?;
        kept(ending, name)?.as_str().map(str::to_owned)
    };
    AssistantMarks { credential: kept(CREDENTIAL), icon: kept(ICON) }
}

fn kept<'a>(ending: &'a Value, name: &str) -> Option<&'a Value> {
    ending["data"].get(KEPT)?.get(name)
}

fn ending(nodes: &[Value]) -> Option<(&Value, &'static str)> {
    nodes.iter().find_map(|node| {
        let (_, instruction) = ENDINGS.iter().find(|(name, _)| node["data"]["name"] == *name)?;
        Some((node, *instruction))
    })
}

/// The node that an input refers to, as `{{<id>.data.instance}}`.
fn referenced<'a>(nodes: &'a [Value], input: &Value) -> Option<&'a Value> {
    let id = input.as_str()?.strip_prefix("{{")?.strip_suffix("}}")?.split('.').next()?;
    nodes.iter().find(|node| node["id"] == id)
}

fn searched_store(nodes: &[Value], tool: &Value) -> Option<AssistantStore> {
    let inputs = tool["data"].get("inputs").filter(|_| tool["data"]["name"] == "retrieverTool")?;
    let store = referenced(nodes, &inputs["retriever"])?;
    if store["data"]["name"] != "documentStoreVS" {
        return None;
    }
    let own_name = store["data"].get(STORE_NAME).unwrap_or(&inputs["name"]);
    Some(AssistantStore {
        id: text(&store["data"]["inputs"]["selectedStore"]),
        name: text(own_name),
        description: text(&inputs["description"]),
        returns_sources: inputs["returnSourceDocuments"] == true,
    })
}

/// A card with its settings. In a version its credential is noted beside the node, by name and type.
fn card(node: &Value) -> AssistantCard {
    let data = &node["data"];
    let chosen = data.get("credential").filter(|id| id.as_str().is_some_and(|id| !id.is_empty()));
    let noted = || node.get("credentials")?.as_object()?.values().next();
    AssistantCard {
        name: text(&data["name"]),
        inputs: data["inputs"].as_object().cloned().unwrap_or_else(Map::new),
        credential: chosen.or_else(noted).cloned().unwrap_or(Value::Null),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
