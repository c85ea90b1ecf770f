//! What a file changes of things that are here (manual 5.11): what it never holds stays as it is.

use crate::support::canvases::{Drawing, scripted_flow, scripted_flow_with};
use crate::support::{Server, id};
use crate::transfer::{KEY, actions, export, import};
use serde_json::{Value, json};

/// A canvas of a model into whose headers a key was typed.
fn canvas_with_typed_key(key: &str, prompt: &str) -> String {
    let mut drawing = Drawing::default();
    let headers = json!({ "X-Api-Key": key }).to_string();
    let model = drawing.card("chatOpenAI", json!({"modelName": "gpt-4o-mini", "baseOptions": headers}));
    let chain = drawing.card("conversationChain", json!({"systemMessagePrompt": prompt}));
    let memory = drawing.card("bufferMemory", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&memory, &chain, "memory");
    drawing.text()
}

fn draft_of(server: &Server, flow: &str) -> String {
    let status = server.read(&format!("/flow-drafts/{flow}"));
    status["draft"]["flowData"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn an_update_keeps_the_secrets_that_were_typed_into_a_draft() {
    let server = Server::start();
    let flow =
        server.flow_with(&canvas_with_typed_key("in-live", "One."), &json!({"publishInstantly": false}));
    let save = |canvas: String| {
        server
            .owner("PUT", &format!("/flow-drafts/{flow}"))
            .json(&json!({ "flowData": canvas }))
            .send()
            .is(200)
    };
    save(canvas_with_typed_key("in-draft", &format!("Use {KEY}.")));
    let file = export(&server, &json!({}));
    assert!(!file.to_string().contains("in-draft") && !file.to_string().contains(KEY));
    save(canvas_with_typed_key("in-draft-now", &format!("Use {KEY} now.")));
    let preview = import(&server, &file, "preview", &json!({ (flow.clone()): "update" }));
    let notes = preview["items"][0]["notes"].to_string();
    assert!(notes.contains("your unpublished changes are replaced"), "{preview}");
    let answer = import(&server, &file, "import", &json!({ (flow.clone()): "update" }));
    assert_eq!(actions(&answer), ["update"], "{answer}");
    let draft = draft_of(&server, &flow);
    assert!(draft.contains("in-draft-now") && draft.contains(KEY), "{draft}");
    assert!(!draft.contains("[secret hidden]"), "{draft}");
}

#[test]
fn an_update_keeps_what_no_file_holds_of_settings_and_tools() {
    let server = Server::start();
    let credential = "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e";
    let speech = |language: &str| {
        json!({"openAIWhisper": {"status": true, "credentialId": credential, "language": language}})
            .to_string()
    };
    let fields = json!({
        "speechToText": speech("en"),
        "chatbotConfig": json!({"title": "Shop", "welcomeMessage": format!("Use {KEY}.")}).to_string(),
        "mcpServerConfig": json!({"enabled": true, "token": "of-the-endpoint", "description": "a"}).to_string(),
    });
    let flow = server.flow_with(&scripted_flow(), &fields);
    let tool = json!({"name": "adder", "description": "adds", "func": format!("return '{KEY}';")});
    let tool = id(&server.post("/tools", &tool));
    let mut file = export(&server, &json!({}));
    assert!(!file.to_string().contains(KEY) && !file.to_string().contains(credential));
    assert_eq!(
        actions(&import(&server, &file, "import", &json!({}))),
        ["skip", "skip"],
        "both are as they were"
    );
    file["ChatFlow"][0]["speechToText"] =
        speech("de").replace(&format!("\"credentialId\":\"{credential}\","), "").into();
    file["Tool"][0]["description"] = "adds well".into();
    let answer =
        import(&server, &file, "import", &json!({ (flow.clone()): "update", (tool.clone()): "update" }));
    assert_eq!(actions(&answer), ["update", "update"], "{answer}");
    let now = server.read(&format!("/chatflows/{flow}"));
    let setting = |name: &str| now[name].as_str().unwrap().to_owned();
    assert!(
        setting("speechToText").contains(credential) && setting("speechToText").contains("\"de\""),
        "{now}"
    );
    assert!(setting("chatbotConfig").contains(KEY), "{now}");
    let stored = server.app.store.read(|tx| {
        let workspace = serde_json::from_value(now["workspaceId"].clone()).unwrap();
        let flow = serde_json::from_value(now["id"].clone()).unwrap();
        flowkeep::store::tables::FLOWS.get(tx, &workspace, &flow)
    });
    let mcp = stored.unwrap().unwrap().settings.mcp_server_config;
    let mcp = mcp.raw().unwrap();
    assert_eq!(mcp["token"], "of-the-endpoint");
    let tool = server.read(&format!("/tools/{tool}"));
    assert_eq!(tool["description"], "adds well");
    assert!(tool["func"].as_str().unwrap().contains(KEY), "{tool}");
}

#[test]
fn a_refused_update_leaves_draft_and_settings_alone() {
    let server = Server::start();
    let flow = server.flow_with(&scripted_flow(), &json!({"publishInstantly": false}));
    let before = draft_of(&server, &flow);
    let file = |more: Value| {
        let mut flow = json!({"id": flow, "name": "X", "type": "CHATFLOW", "flowData": scripted_flow_with(json!({"fallback": "B"}))});
        flow.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "ChatFlow": [flow] })
    };
    for bad in [json!({"chatbotConfig": "["}), json!({"flowData": "{}"})] {
        let answer = import(&server, &file(bad), "import", &json!({ (flow.clone()): "update" }));
        assert_eq!(actions(&answer), ["refused"], "{answer}");
        assert_eq!(draft_of(&server, &flow), before);
        assert_ne!(server.read(&format!("/chatflows/{flow}"))["name"], "X");
    }
}

#[test]
fn a_variable_under_another_name_is_renamed_and_keeps_its_value() {
    let server = Server::start();
    let body = json!({"name": "city", "value": "Rome", "type": "static"});
    let variable = id(&server.post("/variables", &body));
    let file = json!({"Variable": [{"id": variable, "name": "town", "value": "Oslo", "type": "static"}]});
    let answer = import(&server, &file, "import", &json!({ (variable.clone()): "update" }));
    assert_eq!(actions(&answer), ["update"], "{answer}");
    let now = server.read("/variables");
    assert_eq!((now.as_array().unwrap().len(), &now[0]["id"]), (1, &json!(variable)));
    assert_eq!((&now[0]["name"], &now[0]["value"]), (&json!("town"), &json!("Rome")));
}

#[test]
fn names_open_no_credentials_for_callers_who_may_not_see_them() {
    let server = Server::start();
    let body = json!({"name": "Main", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k"}});
    let own = id(&server.post("/credentials", &body));
    let named = "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e";
    let mut drawing = Drawing::default();
    let model = drawing.card("chatOpenAI", json!({"modelName": "m"}));
    drawing.credential(&model, named);
    let file = |name: &str| {
        json!({
            "ChatFlow": [{"name": "f", "type": "CHATFLOW", "flowData": drawing.text(), "publishInstantly": true}],
            // The same canvas comes in several times.
            "existing": "duplicate",
            "flowkeep": {"credentials": {(named): {"name": name, "credentialName": "openAIApi"}}},
        })
    };
    let told = |key: &str, name: &str| {
        let call = server.call("POST", "/export-import/import").bearer(key).json(&file(name));
        let answer = call.send().is(200).json();
        let made = answer["items"][0]["newId"].as_str().unwrap().to_owned();
        let canvas = server.read(&format!("/chatflows/{made}"))["flowData"].as_str().unwrap().to_owned();
        (answer["items"][0]["notes"].to_string(), canvas)
    };
    let key = |names: &[&str]| server.key(names)["apiKey"].as_str().unwrap().to_owned();
    let (narrow, wide) = (key(&["chatflows:import"]), key(&["chatflows:import", "credentials:view"]));
    let (notes, canvas) = told(&narrow, "Main");
    assert!(!canvas.contains(&own), "{canvas}");
    assert_eq!(notes, told(&narrow, "Other").0.replace("Other", "Main"), "it is not said which there are");
    let (notes, canvas) = told(&wide, "Main");
    assert!(canvas.contains(&own) && notes.contains("your credential 'Main'"), "{notes}");
}

#[test]
fn templates_come_in_without_secrets() {
    let server = Server::start();
    let tool = json!({"name": "t", "func": format!("return '{KEY}';")}).to_string();
    let file = json!({"CustomTemplate": [
        {"id": "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e", "name": "a", "templateName": "a", "description": "", "badge": "", "usecases": [], "type": "Chatflow", "flowData": canvas_with_typed_key("typed-in", &format!("Use {KEY}."))},
        {"name": "b", "type": "Tool", "flowData": tool},
        {"name": "c", "type": "Tool", "flowData": "["},
    ]});
    let answer = import(&server, &file, "import", &json!({}));
    assert_eq!(actions(&answer), ["create", "create", "refused"], "{answer}");
    let kept = server.read("/marketplaces/custom").to_string();
    assert!(kept.contains("[secret hidden]"), "{kept}");
    assert!(!kept.contains(KEY) && !kept.contains("typed-in"), "{kept}");
    assert_eq!(
        actions(&import(&server, &file, "preview", &json!({})))[0],
        "skip",
        "it is the same as in the file"
    );
}

#[test]
fn what_does_not_fit_into_one_file_is_said_and_the_newest_stay() {
    let server = Server::start();
    let (loud, quiet) = (server.flow(&scripted_flow()), server.flow(&scripted_flow()));
    let long = "long ".repeat(800_000);
    for number in 0..9 {
        server.ask(&loud, &json!({"question": format!("{number} {long}")})).is(200);
    }
    server.ask(&quiet, &json!({"question": "Hi"})).is(200);
    let file = export(&server, &json!({"chat_message": true}));
    assert_eq!(file["flowkeep"]["truncated"], true);
    let told = file["ChatMessage"].as_array().unwrap();
    let of = |flow: &str| -> Vec<&Value> { told.iter().filter(|one| one["chatflowid"] == *flow).collect() };
    assert_eq!(of(&quiet).len(), 2, "a flow with little comes whole");
    let starts = |one: &Value, with: &str| one["content"].as_str().unwrap().starts_with(with);
    assert!(starts(of(&loud).last().unwrap(), "You said: 8"));
    assert!(of(&loud).len() < 18 && !of(&loud).iter().any(|one| starts(one, "0 ")));
    let transcripts = |flow: &str| {
        server.owner("POST", "/export-import/chatflow-messages").json(&json!({ "chatflowId": flow })).send()
    };
    assert!(transcripts(&loud).is_error(400).contains("startDate"));
    assert_eq!(transcripts(&quiet).is(200).json().as_array().unwrap().len(), 1);
    let whole = export(&server, &json!({"chat_feedback": true}));
    assert_eq!(whole["flowkeep"].get("truncated"), None);
}
