//! The canvas of an assistant. Labels are fixed, because what a request may override is listed by them (manual 8.14 r3).

use crate::canvas::assistant::{CREDENTIAL, ICON, KEPT, OTHERS, STORE_NAME};
use crate::cards::kit::{Card, Category, WireType};
use crate::cards::{registry, unsupported};
use crate::domain::error::{Error, Result};
use crate::domain::ids::DocumentStoreId;
use crate::domain::workspace::assistant::{AssistantCard, AssistantDetails, AssistantMarks, AssistantStore};
use crate::domain::workspace::tool::model_name;
use crate::ops::service::demo::drawing::Drawing;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Labels of the cards that every assistant has.
const AGENT: &str = "Agent";
const MODEL: &str = "Model";
const MEMORY: &str = "Memory";

/// True for a card that an assistant can have for its model.
#[must_use]
pub(super) fn is_model(card: &Card) -> bool {
    card.category == Category::ChatModels && card.base_classes.contains(&WireType::ChatModel.class())
}

/// True for a card that an assistant can have for a tool: nothing needs to be wired into it.
#[must_use]
pub(super) fn is_tool(card: &Card) -> bool {
    let is_listed = matches!(card.category, Category::Tools | Category::McpTools);
    is_listed && !card.inputs.iter().any(|input| input.is_wire() && !input.optional)
}

/// Draws an assistant: a Tool Agent, or a Conversation Chain where there is nothing to call.
///
/// # Errors
/// 400 for a model, a tool or a store that cannot be one.
pub(crate) fn draw(details: &AssistantDetails, marks: &AssistantMarks) -> Result<String> {
    let mut drawing = Drawing::default();
    let has_tools = !(details.tools.is_empty() && details.stores.is_empty());
    let (ending, instruction) =
        if has_tools { ("toolAgent", "systemMessage") } else { ("conversationChain", "systemMessagePrompt") };
    let agent = drawing.add_card(ending, json!({ instruction: details.instruction }));
    drawing.set(&agent, "label", AGENT.into());
    if let Some(kept) = kept(details, marks) {
        drawing.set(&agent, KEPT, kept);
    }
    let memory = drawing.add_card("bufferMemory", json!({}));
    drawing.set(&memory, "label", MEMORY.into());
    drawing.connect(&memory, &agent, "memory");
    if let Some(model) = &details.model {
        let card = find(model, is_model, "chat model")?;
        let id = add(&mut drawing, card, model, MODEL);
        drawing.connect(&id, &agent, "model");
    }
    let mut taken: HashSet<String> = [AGENT, MODEL, MEMORY].map(str::to_owned).into();
    for store in &details.stores {
        let tool = add_store(&mut drawing, store, &mut taken)?;
        drawing.connect(&tool, &agent, "tools");
    }
    for tool in &details.tools {
        let card = find(tool, is_tool, "tool")?;
        let label = free_name(&mut taken, card.label);
        let id = add(&mut drawing, card, tool, &label);
        drawing.connect(&id, &agent, "tools");
    }
    Ok(drawing.into_text())
}

/// What clients keep of an assistant and no card has a setting for.
fn kept(details: &AssistantDetails, marks: &AssistantMarks) -> Option<Value> {
    let mut kept = Map::new();
    kept.extend(marks.credential.clone().map(|id| (CREDENTIAL.to_owned(), id.into())));
    kept.extend(marks.icon.clone().map(|icon| (ICON.to_owned(), icon.into())));
    if !details.others.is_empty() {
        kept.insert(OTHERS.to_owned(), details.others.clone().into());
    }
    (!kept.is_empty()).then_some(Value::Object(kept))
}

fn find(wanted: &AssistantCard, fits: fn(&Card) -> bool, what: &str) -> Result<&'static Card> {
    let name = &wanted.name;
    let found = registry::find(name).filter(|card| fits(card));
    found.ok_or_else(|| match unsupported::reason(name) {
        Some(why) => Error::Invalid(format!("Invalid details: {why}")),
        None => {
            let name: String = name.chars().take(80).collect();
            Error::Invalid(format!("Invalid details: this server has no {what} '{name}' for an assistant."))
        }
    })
}

fn add(drawing: &mut Drawing, card: &Card, chosen: &AssistantCard, label: &str) -> String {
    let id = drawing.add(card, Value::Object(chosen.inputs.clone()));
    drawing.set(&id, "label", label.into());
    if !chosen.credential.is_null() {
        drawing.set(&id, "credential", chosen.credential.clone());
    }
    id
}

/// A document store and the tool that searches it, which is called as the store is.
fn add_store(drawing: &mut Drawing, store: &AssistantStore, taken: &mut HashSet<String>) -> Result<String> {
    if DocumentStoreId::parse(&store.id).is_none() {
        return Err(Error::invalid(
            "Invalid details: 'id' in 'documentStores' must be the id of a document store.",
        ));
    }
    let name = free_name(taken, &model_name(&store.name));
    let vectors = drawing.add_card("documentStoreVS", json!({ "selectedStore": store.id }));
    drawing.set(&vectors, "label", format!("{name} (store)").into());
    drawing.set(&vectors, STORE_NAME, store.name.clone().into());
    let tool = drawing.add_card(
        "retrieverTool",
        json!({
            "name": name, "description": store.description, "returnSourceDocuments": store.returns_sources,
        }),
    );
    drawing.set(&tool, "label", name.into());
    drawing.connect(&vectors, &tool, "retriever");
    Ok(tool)
}

/// The name, with a number behind it where it is taken.
fn free_name(taken: &mut HashSet<String>, wanted: &str) -> String {
    let numbered = (2..).map(|number| format!("{wanted}_{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    let free = names.find(|name| !taken.contains(name)).expect("there are more names than tools");
    taken.insert(free.clone());
    free
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::{Canvas, assistant};
    use crate::domain::flows::flow::FlowKind;
    use crate::engine::resources::NoResources;
    use crate::engine::validate::validate;

    fn drawn(details: &Value) -> Value {
        let details = AssistantDetails::parse(&details.to_string()).unwrap();
        serde_json::from_str(&draw(&details, &AssistantMarks::default()).unwrap()).unwrap()
    }

    fn labels(canvas: &Value) -> Vec<&str> {
        canvas["nodes"].as_array().unwrap().iter().filter_map(|node| node["data"]["label"].as_str()).collect()
    }

    #[test]
    fn without_tools_it_is_a_conversation_and_with_them_an_agent() {
        let model = json!({"name": "chatScripted", "inputs": {"fallback": "Hi"}});
        let plain = drawn(&json!({"name": "a", "chatModel": model}));
        assert_eq!(labels(&plain), ["Agent", "Memory", "Model"]);
        assert_eq!(plain["nodes"][0]["data"]["name"], "conversationChain");
        let canvas = Canvas::parse(&plain.to_string()).unwrap();
        assert!(validate(FlowKind::Assistant, &canvas, &NoResources).is_empty());
        let tools = json!([{"name": "calculator"}, {"name": "calculator"}]);
        let store = |name: &str| json!({"id": "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e", "name": name, "description": "d"});
        let stores = json!([store("Hand book"), store("Hand book")]);
        let agent =
            drawn(&json!({"name": "a", "chatModel": model, "tools": tools, "documentStores": stores}));
        assert_eq!(
            labels(&agent),
            [
                "Agent",
                "Memory",
                "Model",
                "Hand_book (store)",
                "Hand_book",
                "Hand_book_2 (store)",
                "Hand_book_2",
                "Calculator",
                "Calculator_2"
            ]
        );
        assert_eq!(agent["nodes"][0]["data"]["name"], "toolAgent");
    }

    #[test]
    fn what_was_drawn_is_read_off_the_canvas_again() {
        let sent = json!({
            "name": "Desk", "chatModel": {"name": "chatOpenAI", "inputs": {"temperature": "0.2"}, "credential": "c"},
            "instruction": "Be brief.", "tools": [{"name": "calculator"}], "kept": {"a": 1},
            "documentStores": [{
                "id": "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e", "name": "Hand book", "description": "Rules",
                "returnSourceDocuments": true,
            }],
        });
        let details = AssistantDetails::parse(&sent.to_string()).unwrap();
        let marks = AssistantMarks { credential: Some("m".to_owned()), icon: Some("i".to_owned()) };
        let text = draw(&details, &marks).unwrap();
        let canvas: Value = serde_json::from_str(&text).unwrap();
        let nodes = canvas["nodes"].as_array().unwrap();
        let read = assistant::details("Desk", nodes);
        assert_eq!(assistant::marks(nodes), marks);
        assert_eq!(
            (&read.instruction, &read.stores, &read.others),
            (&details.instruction, &details.stores, &details.others)
        );
        let model = read.model.clone().unwrap();
        assert_eq!((model.credential, &model.inputs["temperature"]), ("c".into(), &json!("0.2")));
        assert_eq!(draw(&read, &marks).unwrap(), text, "drawn again it is the same");
    }

    #[test]
    fn a_card_that_cannot_be_one_is_refused_by_name() {
        for (details, told) in [
            (json!({"name": "a", "chatModel": {"name": "calculator"}}), "no chat model 'calculator'"),
            (json!({"name": "a", "chatModel": {"name": "chatNope"}}), "no chat model 'chatNope'"),
            (json!({"name": "a", "tools": [{"name": "retrieverTool"}]}), "no tool 'retrieverTool'"),
            (json!({"name": "a", "tools": [{"name": "writeFile"}]}), "Write File is refused here"),
            (json!({"name": "a", "documentStores": [{"id": "x"}]}), "the id of a document store"),
        ] {
            let parsed = AssistantDetails::parse(&details.to_string()).unwrap();
            let fault = draw(&parsed, &AssistantMarks::default()).unwrap_err();
            assert!(matches!(&fault, Error::Invalid(why) if why.contains(told)), "{fault}");
        }
    }
}
