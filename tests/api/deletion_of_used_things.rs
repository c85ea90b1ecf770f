//! Nobody deletes what flows use without knowing, and whoever does finds the gap among the problems of the flow.

use crate::agentflows::steps::{START, Steps};
use crate::support::canvases::{Drawing, prompted_chain, scripted_flow_with};
use crate::support::{Server, id};
use serde_json::{Value, json};

/// A thing, the flow that uses it, and what the flow's problems say when it is gone.
struct UsedThing {
    path: String,
    flow: String,
    gap: &'static str,
}

fn with_credential(server: &Server) -> UsedThing {
    let body =
        json!({"name": "Main", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k-123456"}});
    let credential = id(&server.post("/credentials", &body));
    let mut drawing = Drawing::default();
    let model = drawing.card("chatOpenAI", json!({"modelName": "gpt-4o-mini"}));
    drawing.credential(&model, &credential);
    let chain = drawing.card("conversationChain", json!({}));
    let memory = drawing.card("bufferMemory", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&memory, &chain, "memory");
    let flow = server.flow_with(&drawing.text(), &json!({"name": "Of a credential"}));
    UsedThing { path: format!("/credentials/{credential}"), flow, gap: "credential no longer exists" }
}

fn with_database(server: &Server) -> UsedThing {
    let fields = json!({"user": "ada", "password": "p", "host": "db.example", "database": "shop"});
    let body = json!({"name": "Ada's shop", "credentialName": "PostgresApi", "plainDataObj": fields});
    let credential = id(&server.post("/credentials", &body));
    let mut drawing = Drawing::default();
    let code = r#"return await $db.query("Ada's shop", "select 1")"#;
    drawing.card("customFunction", json!({ "javascriptFunction": code }));
    let flow = server.flow_with(&drawing.text(), &json!({"name": "Of a database"}));
    UsedThing { path: format!("/credentials/{credential}"), flow, gap: "" }
}

fn with_tool(server: &Server) -> UsedThing {
    let tool = id(&server.post("/tools", &json!({"name": "weather", "description": "The weather"})));
    let mut drawing = Drawing::default();
    drawing.card("customTool", json!({ "selectedTool": tool }));
    let flow = server.flow_with(&drawing.text(), &json!({"name": "Of a tool"}));
    UsedThing { path: format!("/tools/{tool}"), flow, gap: "no longer exists" }
}

fn with_tool_server(server: &Server) -> UsedThing {
    let body = json!({"name": "weather", "serverUrl": "https://tools.example/mcp"});
    let kept = id(&server.post("/custom-mcp-servers", &body));
    let mut drawing = Drawing::default();
    drawing.card("customMcpServerTool", json!({ "mcpServerId": kept, "mcpActions": "[]" }));
    let flow = server.flow_with(&drawing.text(), &json!({"name": "Of a server"}));
    UsedThing { path: format!("/custom-mcp-servers/{kept}"), flow, gap: "no longer exists" }
}

fn with_store(server: &Server) -> UsedThing {
    let store = id(&server.post("/document-store/store", &json!({"name": "Handbook"})));
    let mut drawing = Drawing::default();
    drawing.card("bm25Retriever", json!({ "documentStore": store }));
    let flow = server.flow_with(&drawing.text(), &json!({"name": "Of a store"}));
    UsedThing { path: format!("/document-store/store/{store}"), flow, gap: "no longer exists" }
}

fn with_store_in_a_row(server: &Server) -> UsedThing {
    let store = id(&server.post("/document-store/store", &json!({"name": "Atlas"})));
    let rows = json!([{ "documentStore": format!("{store}:Atlas") }]);
    let inputs = json!({"retrieverKnowledgeDocumentStores": rows, "retrieverQuery": "{{ question }}"});
    let steps =
        Steps::begin().card("retrieverAgentflow_0", "Look", inputs).edge(START, "retrieverAgentflow_0");
    let fields = json!({"name": "Of a row", "type": "AGENTFLOW"});
    let flow = server.flow_with(&steps.text(), &fields);
    UsedThing {
        path: format!("/document-store/store/{store}"),
        flow,
        gap: ", row 1: Document Store: what was chosen ('Atlas') no longer exists",
    }
}

fn with_variable(server: &Server) -> UsedThing {
    let made = server.post("/variables", &json!({"name": "city", "value": "Oslo", "type": "static"}));
    let canvas = prompted_chain("{question} from {city}", r#"{"city":"{{$vars.city}}"}"#);
    let flow = server.flow_with(&canvas, &json!({"name": "Of a variable"}));
    UsedThing { path: format!("/variables/{}", id(&made)), flow, gap: "no variable 'city'" }
}

fn with_key(server: &Server) -> UsedThing {
    let key = id(&server.key(&["chatflows:view"]));
    let fields = json!({"name": "Of a key", "apikeyid": key});
    let flow = server.flow_with(&scripted_flow_with(json!({})), &fields);
    UsedThing { path: format!("/apikey/{key}"), flow, gap: "was deleted" }
}

#[test]
fn what_flows_use_is_deleted_only_on_purpose_and_leaves_a_problem() {
    let server = Server::start();
    for make in [
        with_credential,
        with_tool,
        with_tool_server,
        with_store,
        with_store_in_a_row,
        with_variable,
        with_key,
    ] {
        let UsedThing { path, flow, gap } = make(&server);
        let problems = || server.read(&format!("/validation/{flow}")).to_string();
        let name = server.read(&format!("/chatflows/{flow}"))["name"].as_str().unwrap().to_owned();
        assert!(!problems().contains(gap), "{path}: {}", problems());
        let told = server.owner("DELETE", &path).send().is_error(409);
        assert!(told.contains(&format!("'{name}'")) && told.contains("force=true"), "{told}");
        server.owner("DELETE", &format!("{path}?force=maybe")).send().is_error(400);
        server.owner("DELETE", &format!("{path}?force=false")).send().is_error(409);
        server.owner("DELETE", &format!("{path}?force=true")).send().is(200);
        assert!(problems().contains(gap), "{path}: {}", problems());
    }
}

#[test]
fn a_database_that_code_names_is_deleted_only_on_purpose() {
    let server = Server::start();
    let UsedThing { path, .. } = with_database(&server);
    let told = server.owner("DELETE", &path).send().is_error(409);
    assert!(told.contains("'Of a database'"), "{told}");
    server.owner("DELETE", &format!("{path}?force=true")).send().is(200);
}

#[test]
fn publish_and_the_preview_of_an_import_name_what_a_flow_lost() {
    let server = Server::start();
    let all = json!({"chatflow": true, "tool": true, "variable": true, "document_store": true});
    for make in [with_tool, with_store, with_variable] {
        let UsedThing { path, flow, gap } = make(&server);
        let file = server.post("/export-import/export", &all);
        server.owner("DELETE", &format!("{path}?force=true")).send().is(200);
        let canvas = server.read(&format!("/chatflows/{flow}"))["flowData"].clone();
        server.put(&format!("/chatflows/{flow}"), &json!({"publishInstantly": false}));
        let draft = json!({ "flowData": format!("{} ", canvas.as_str().unwrap()) });
        server.put(&format!("/flow-drafts/{flow}"), &draft);
        let published = server.owner("POST", &format!("/flow-drafts/{flow}/publish")).send().is(200).json();
        assert!(published["problems"].to_string().contains(gap), "{path}: {published}");
        let preview = |file: &Value| {
            let mut body = file.clone();
            body["mode"] = json!("preview");
            body["existing"] = json!("duplicate");
            server.post("/export-import/import", &body)["items"].to_string()
        };
        let mut alone = file.clone();
        alone.as_object_mut().unwrap().retain(|kind, _| kind == "ChatFlow");
        assert!(preview(&alone).contains(gap), "{path}: {}", preview(&alone));
        assert!(!preview(&file).contains(gap), "what comes along is not lost: {}", preview(&file));
        server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    }
}

#[test]
fn a_draft_counts_and_what_nobody_uses_goes_at_once() {
    let server = Server::start();
    let UsedThing { path, flow, .. } = with_variable(&server);
    server.put(&format!("/chatflows/{flow}"), &json!({"publishInstantly": false}));
    let other = json!({"flowData": scripted_flow_with(json!({"fallback": "Nothing."}))});
    server.put(&format!("/chatflows/{flow}"), &other);
    let draft = json!({"flowData": prompted_chain("{x}", r#"{"x":"{{$vars.city}}"}"#)});
    server.put(&format!("/flow-drafts/{flow}"), &draft);
    server.owner("DELETE", &path).send().is_error(409);
    server.owner("DELETE", &format!("/flow-drafts/{flow}")).send().is(200);
    server.owner("DELETE", &path).send().is(200);
}

#[test]
fn flows_that_the_caller_may_not_see_are_counted_and_not_named() {
    let server = Server::start();
    let UsedThing { path, .. } = with_tool(&server);
    let key = server.key(&["tools:delete"])["apiKey"].as_str().unwrap().to_owned();
    let told = server.call("DELETE", &path).bearer(&key).send().is_error(409);
    assert!(told.contains("1 other flow") && !told.contains("Of a tool"), "{told}");
    server.call("DELETE", &format!("{path}?force=true")).bearer(&key).send().is(200);
}

#[test]
fn every_kind_of_thing_says_which_flows_use_it() {
    let server = Server::start();
    for (make, kind) in [
        (with_credential as fn(&Server) -> UsedThing, "credentials"),
        (with_database, "credentials"),
        (with_tool, "tools"),
        (with_tool_server, "toolServers"),
        (with_store, "documentStores"),
        (with_key, "apikeys"),
    ] {
        let UsedThing { path, flow, .. } = make(&server);
        let uses: Value = server.read(&format!("/used-by/{kind}"));
        let thing = path.rsplit('/').next().unwrap();
        assert_eq!(
            (&uses[thing]["count"], &uses[thing]["flows"][0]["id"]),
            (&json!(1), &json!(flow)),
            "{uses}"
        );
    }
}
