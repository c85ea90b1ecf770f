//! As `wiring`: variables, tools, document stores, flows, harnesses and uploaded files.

use super::references::tool;
use super::wiring::{goes_live, made};
use super::{Pair, input, saying};
use crate::harness::Team;
use crate::loaders::inline;
use crate::support::canvases::Drawing;
use crate::support::provider::Provider;
use crate::support::{Server, id};
use serde_json::{Value, json};

/// A chain that answers, beside a card with an input that picks something.
fn picking(card: &str, name: &str, picked: &str) -> String {
    let mut drawing = Drawing::default();
    let model = drawing.card("chatScripted", json!({}));
    let chain = drawing.card("conversationChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.card(card, json!({ name: picked }));
    drawing.text()
}

/// The canvas of a harness, whose provider is gone.
fn saying_team() -> String {
    Team::of(&Provider::start(), &["one"]).text()
}

fn with_tool(tool: &str) -> String {
    picking("customTool", "selectedTool", tool)
}

fn picked_tool(live: &Value) -> &Value {
    input(live, "customTool_0", "selectedTool")
}

fn store(server: &Server, name: &str) -> String {
    id(&server.post("/document-store/store", &json!({ "name": name })))
}

fn in_another_workspace(server: &Server, make: impl Fn()) {
    let here = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    server.enter(&server.new_workspace("Elsewhere"));
    make();
    server.enter(&here);
}

#[test]
fn variables_are_found_by_name() {
    let pair = Pair::start();
    let variable = |server: &Server, name: &str, kind: &str| {
        server.post("/variables", &json!({"name": name, "value": "x", "type": kind}));
    };
    let using = |name: &str| {
        variable(&pair.dev, name, "static");
        made(&pair, &saying(&format!("{{{{$vars.{name}}}}}")), &json!({}))
    };
    goes_live(&pair, "missing", &using("gone"), &["variable-missing"]);
    variable(&pair.prod, "known", "static");
    goes_live(&pair, "there", &using("known"), &[]);
    variable(&pair.prod, "other", "runtime");
    goes_live(&pair, "of another type", &using("other"), &["variable-type"]);
    in_another_workspace(&pair.prod, || variable(&pair.prod, "elsewhere", "static"));
    goes_live(&pair, "in another workspace", &using("elsewhere"), &["variable-missing"]);
}

#[test]
fn tools_are_found_by_id_or_by_a_name_that_one_has() {
    let pair = Pair::start();
    let new = |name: &str| {
        let there = tool(&pair.dev, name, "return 1");
        (made(&pair, &with_tool(&there), &json!({})), there)
    };

    let (flow, there) = new("missing");
    let live = goes_live(&pair, "missing", &flow, &["tool-missing"]);
    assert_eq!(*picked_tool(&live), there, "what is not found stays as it was");

    let here = tool(&pair.prod, "same", "return 1");
    let live = goes_live(&pair, "same name", &new("same").0, &[]);
    assert_eq!(*picked_tool(&live), here);

    let here = tool(&pair.prod, "different", "return 2");
    let live = goes_live(&pair, "same name, other code", &new("different").0, &["tool-different"]);
    assert_eq!(*picked_tool(&live), here);

    tool(&pair.prod, "two", "return 1");
    tool(&pair.prod, "two", "return 1");
    let (flow, there) = new("two");
    let live = goes_live(&pair, "two of one name", &flow, &["tool-missing"]);
    assert_eq!(*picked_tool(&live), there, "none of them is guessed");

    in_another_workspace(&pair.prod, || drop(tool(&pair.prod, "elsewhere", "return 1")));
    goes_live(&pair, "in another workspace", &new("elsewhere").0, &["tool-missing"]);

    let renamed = tool(&pair.prod, "renamed", "return 1");
    pair.prod.put(&format!("/tools/{renamed}"), &json!({"name": "otherwise"}));
    goes_live(&pair, "renamed here", &new("renamed").0, &["tool-missing"]);
}

#[test]
fn a_tool_that_came_with_its_id_is_that_tool_whatever_it_is_called() {
    let pair = Pair::start();
    let there = tool(&pair.dev, "carried", "return 1");
    let file = pair.dev.post("/export-import/export", &json!({"tool": true}));
    pair.prod.post("/export-import/import", &file);
    pair.prod.put(&format!("/tools/{there}"), &json!({"name": "otherwise"}));
    let decoy = tool(&pair.prod, "carried", "return 1");
    let flow = made(&pair, &with_tool(&there), &json!({}));
    let live = goes_live(&pair, "renamed here, and another has its name", &flow, &["tool-different"]);
    assert!(*picked_tool(&live) == there && there != decoy);
    pair.prod.put(&format!("/tools/{there}"), &json!({"name": "carried", "func": "return 3"}));
    pair.dev.put(&format!("/chatflows/{flow}"), &json!({"name": "Renamed"}));
    pair.read_dev();
    goes_live(&pair, "its code was changed here", &flow, &["tool-different"]);
}

#[test]
fn document_stores_are_found_by_name() {
    let pair = Pair::start();
    let new = |name: &str| {
        let there = store(&pair.dev, name);
        made(&pair, &picking("documentStore", "selectedStore", &there), &json!({}))
    };
    goes_live(&pair, "missing", &new("gone"), &["store-missing"]);
    let here = store(&pair.prod, "papers");
    let live = goes_live(&pair, "there", &new("papers"), &[]);
    assert_eq!(*input(&live, "documentStore_0", "selectedStore"), here);
    store(&pair.prod, "two");
    store(&pair.prod, "two");
    goes_live(&pair, "two of one name", &new("two"), &["store-missing"]);
}

#[test]
fn flows_that_are_asked_are_found_by_id_or_by_name_and_type() {
    let pair = Pair::start();
    let asking = |flow: &str| picking("ChatflowTool", "selectedChatflow", flow);
    let asked = |name: &str| pair.dev.flow_with(&saying("asked"), &json!({ "name": name }));
    let chosen = |live: &Value| input(live, "ChatflowTool_0", "selectedChatflow").clone();

    let there = asked("gone");
    goes_live(&pair, "missing", &made(&pair, &asking(&there), &json!({})), &["flow-missing"]);

    let there = asked("promoted before");
    let flow = made(&pair, &asking(&there), &json!({}));
    goes_live(&pair, "the asked one first", &there, &[]);
    pair.prod.put(&format!("/chatflows/{there}"), &json!({"name": "called otherwise here"}));
    let live = goes_live(&pair, "promoted before, and renamed here", &flow, &[]);
    assert_eq!(chosen(&live), there);

    let here = pair.prod.flow_with(&saying("asked"), &json!({"name": "by name"}));
    let flow = made(&pair, &asking(&asked("by name")), &json!({}));
    let live = goes_live(&pair, "of the same name", &flow, &[]);
    assert_eq!(chosen(&live), here);

    pair.prod.flow_with(&saying("asked"), &json!({"name": "typed", "type": "ASSISTANT"}));
    let flow = made(&pair, &asking(&asked("typed")), &json!({}));
    goes_live(&pair, "of the same name and another type", &flow, &["flow-missing"]);

    let harness = pair.dev.flow_with(&saying_team(), &json!({"name": "team", "type": "HARNESS"}));
    pair.prod.flow_with(&saying("asked"), &json!({"name": "team"}));
    let flow = made(&pair, &asking(&harness), &json!({}));
    goes_live(&pair, "a harness", &flow, &["harness-missing"]);

    let flow = made(&pair, &picking("harnessTool", "harnessName", "desk"), &json!({}));
    goes_live(&pair, "a harness by its name", &flow, &["harness-missing"]);
    pair.prod.flow_with(&saying_team(), &json!({"name": "another name", "type": "HARNESS"}));
    let flow = made(&pair, &picking("harnessTool", "harnessName", "desk"), &json!({}));
    goes_live(&pair, "a harness by its name, which is here", &flow, &[]);

    let there = asked("in another workspace");
    let flow = made(&pair, &asking(&there), &json!({}));
    in_another_workspace(&pair.prod, || {
        goes_live(&pair, "the asked one, in another workspace", &there, &[]);
    });
    goes_live(&pair, "in another workspace", &flow, &["flow-missing"]);
}

#[test]
fn a_record_that_was_found_stays_found_when_the_flow_is_promoted_again() {
    let pair = Pair::start();
    let there = tool(&pair.dev, "adder", "return 1");
    let here = tool(&pair.prod, "adder", "return 1");
    let flow = made(&pair, &with_tool(&there), &json!({}));
    goes_live(&pair, "first", &flow, &[]);
    assert_eq!(pair.offers(), Vec::<Value>::new(), "Live is the same but for the id of the tool");
    pair.dev.put(&format!("/chatflows/{flow}"), &json!({"category": "tagged"}));
    pair.read_dev();
    let live = goes_live(&pair, "again", &flow, &[]);
    assert_eq!(*picked_tool(&live), here);
}

/// A chain that answers with what a loader reads of its files.
fn reading(files: &str, name: &str) -> String {
    let mut drawing = Drawing::default();
    let loader = drawing.card("textFile", json!({ "txtFile": files }));
    drawing.choose_output(&loader, "text");
    drawing.answer_with_document(&loader);
    drawing.set("llmChain_0", "chainName", json!(name));
    drawing.text()
}

/// Prod's flow gets what Dev's flow has of uploaded files.
fn carry_files(pair: &Pair, flow: &str) {
    let folder = |server: &Server| {
        let workspace = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
        server.folder.path().join("data").join("files").join(workspace).join(flow)
    };
    let there = folder(&pair.prod);
    std::fs::create_dir_all(&there).unwrap();
    for file in std::fs::read_dir(folder(&pair.dev)).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), there.join(file.file_name())).unwrap();
    }
}

#[test]
fn uploaded_files_do_not_come_with_a_version() {
    let pair = Pair::start();
    let one = inline("a.txt", "text/plain", b"Of a.");
    let flow = made(&pair, &reading(&one, ""), &json!({}));
    let warning = &pair.shown(&flow)["warnings"][0];
    assert_eq!((&warning["node"], &warning["input"]), (&json!("textFile_0"), &json!("txtFile")));
    assert!(warning["message"].as_str().unwrap().contains("'a.txt'"), "{warning}");
    let live = goes_live(&pair, "an uploaded file", &flow, &["file-missing"]);
    pair.prod.ask(&flow, &json!({"question": "Hi"})).is_error(500);

    let named = input(&live, "textFile_0", "txtFile").as_str().unwrap();
    pair.change_on_dev(&flow, &reading(named, "Second"));
    goes_live(&pair, "the same in the next version", &flow, &["file-missing"]);

    carry_files(&pair, &flow);
    pair.change_on_dev(&flow, &reading(named, "Third"));
    goes_live(&pair, "one that Live here has", &flow, &[]);
    assert_eq!(pair.prod.ask(&flow, &json!({"question": "Hi"})).json()["text"], "[Of a.]");

    let second = made(&pair, &reading(named, "Third"), &json!({}));
    goes_live(&pair, "one that only another flow here has", &second, &["file-missing"]);

    let other = inline("b.txt", "text/plain", b"Of b.");
    let both = made(&pair, &reading(&json!([one, other]).to_string(), ""), &json!({}));
    assert_eq!(pair.shown(&both)["warnings"].as_array().unwrap().len(), 1, "one for each input");
    goes_live(&pair, "two files", &both, &["file-missing"]);
}
