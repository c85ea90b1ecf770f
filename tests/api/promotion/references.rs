//! What a version notes of the records that its flow uses.

use super::{Pair, git, newest, repository};
use crate::support::canvases::Drawing;
use crate::support::{Server, id};
use serde_json::{Value, json};

/// A tool that returns this.
pub fn tool(server: &Server, name: &str, code: &str) -> String {
    let body =
        json!({"name": name, "description": "Does it.", "color": "#fff", "schema": "[]", "func": code});
    id(&server.post("/tools", &body))
}

fn noted(server: &Server, flow: &str) -> Value {
    let file = format!("{}:flows/{}/{flow}/references.json", newest(server, flow), &flow[..2]);
    serde_json::from_str(&git(&repository(server), &["show", &file])).unwrap()
}

#[test]
fn records_are_noted_beside_the_canvas_and_no_secret_with_them() {
    let server = Server::start();
    let secret = "sk-proj-0123456789abcdefABCDEF0123456789abcdef";
    let body =
        json!({"name": "Key", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": secret}});
    let credential = id(&server.post("/credentials", &body));
    let tool = tool(&server, "Adder", &format!("const key = '{secret}'; return $vars.hidden"));
    let store = id(&server.post("/document-store/store", &json!({"name": "Papers"})));
    let other = server.flow(&crate::support::canvases::scripted_flow());
    let value = "do-not-note-this-value";
    server.post("/variables", &json!({"name": "region", "value": value, "type": "static"}));
    let mut drawing = Drawing::default();
    let model = drawing.card("chatOpenAI", json!({"modelName": "{{$vars.region}}"}));
    drawing.credential(&model, &credential);
    let agent = drawing.card("toolAgent", json!({}));
    drawing.wire(&model, &agent, "model");
    drawing.card("customTool", json!({ "selectedTool": tool }));
    drawing.card("documentStore", json!({ "selectedStore": store }));
    drawing.card("ChatflowTool", json!({ "selectedChatflow": other }));
    let flow = server.flow(&drawing.text());
    let noted = noted(&server, &flow);
    let rows = noted.as_array().unwrap();
    let row = |kind: &str| rows.iter().find(|row| row["kind"] == kind).unwrap_or_else(|| panic!("{noted}"));
    assert_eq!(*row("credential"), json!({"kind": "credential", "name": "Key", "type": "openAIApi"}));
    assert_eq!((&row("tool")["id"], &row("tool")["name"]), (&json!(tool), &json!("Adder")));
    assert_eq!(row("tool")["digest"].as_str().unwrap().len(), 64);
    assert_eq!((&row("store")["id"], &row("store")["name"]), (&json!(store), &json!("Papers")));
    assert_eq!((&row("flow")["id"], &row("flow")["type"]), (&json!(other), &json!("CHATFLOW")));
    assert_eq!((&row("variable")["name"], &row("variable")["type"]), (&json!("region"), &json!("static")));
    assert_eq!(rows.len(), 5, "{noted}");
    let whole = noted.to_string();
    assert!(!whole.contains(&credential) && !whole.contains(secret) && !whole.contains(value), "{whole}");
}

#[test]
fn a_flow_that_uses_nothing_notes_an_empty_list() {
    let server = Server::start();
    let flow = server.flow(&crate::support::canvases::scripted_flow());
    assert_eq!(noted(&server, &flow), json!([]));
}

#[test]
fn picks_of_steps_and_of_cards_inside_of_steps_are_noted() {
    let server = Server::start();
    let tool = tool(&server, "Adder", "return 1");
    let store = id(&server.post("/document-store/store", &json!({"name": "Papers"})));
    let mut steps: Value = serde_json::from_str(&crate::agentflows::steps::Steps::begin().text()).unwrap();
    steps["nodes"].as_array_mut().unwrap().push(json!({
        "id": "agentAgentflow_0", "type": "agentFlow", "position": {"x": 1, "y": 1},
        "data": {"id": "agentAgentflow_0", "name": "agentAgentflow", "label": "Agent", "inputs": {
            "agentModel": "chatOpenAI", "agentModelConfig": {"modelName": "m"},
            "agentTools": [{"agentSelectedTool": "customTool", "agentSelectedToolConfig": {"selectedTool": tool}}],
            "agentKnowledgeDocumentStores": [{"documentStore": format!("{store}:Papers"), "docStoreDescription": "x"}],
        }},
    }));
    let flow = server.flow_with(&steps.to_string(), &json!({"type": "AGENTFLOW"}));
    let noted = noted(&server, &flow);
    let ids: Vec<&Value> = noted.as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert!(ids.contains(&&json!(tool)) && ids.contains(&&json!(store)), "{noted}");
}

#[test]
fn a_tool_does_the_same_whatever_it_looks_like() {
    let server = Server::start();
    let tool = tool(&server, "Adder", "return 1");
    let mut drawing = Drawing::default();
    drawing.card("customTool", json!({ "selectedTool": tool }));
    let flow = server.flow(&drawing.text());
    let digest = |change: Value| {
        server.put(&format!("/tools/{tool}"), &change);
        let moved = json!({"name": format!("Flow {change}")});
        server.put(&format!("/chatflows/{flow}"), &moved);
        noted(&server, &flow)[0]["digest"].clone()
    };
    let first = digest(json!({"color": "#000"}));
    assert_eq!(digest(json!({"color": "#111", "iconSrc": "x"})), first);
    assert_ne!(digest(json!({"func": "return 2"})), first);
    assert_eq!(digest(json!({"func": "return 1"})), first);
    assert_ne!(digest(json!({"description": "Does something else."})), first);
}

#[test]
fn versions_without_notes_are_promoted_all_the_same() {
    let pair = Pair::start();
    let tool = tool(&pair.dev, "Adder", "return 1");
    let mut drawing = Drawing::default();
    let model = drawing.card("chatScripted", json!({}));
    let agent = drawing.card("toolAgent", json!({}));
    let custom = drawing.card("customTool", json!({ "selectedTool": tool }));
    drawing.wire(&model, &agent, "model");
    drawing.wire(&custom, &agent, "tools");
    let flow = pair.dev.flow(&drawing.text());
    // As an earlier build left it.
    let work = tempfile::tempdir().unwrap();
    git(work.path(), &["clone", "-q", repository(&pair.dev).to_str().unwrap(), "copy"]);
    let copy = work.path().join("copy");
    git(&copy, &["rm", "-q", &format!("flows/{}/{flow}/references.json", &flow[..2])]);
    git(&copy, &["commit", "-q", "-m", "Without notes"]);
    git(&copy, &["push", "-q", "origin", "HEAD:main"]);
    pair.read_dev();
    let shown = pair.shown(&flow);
    let missing = &shown["warnings"][0];
    assert_eq!((&missing["code"], &missing["blocking"]), (&json!("tool-missing"), &json!(true)));
    assert!(missing["message"].as_str().unwrap().contains("does not say its name"), "{missing}");
    pair.promote(&flow).is(200);
}
