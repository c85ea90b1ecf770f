//! Assistants (manual 8.14): one record is a row and a flow, and every way in changes both.

use crate::access_callers::key;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Answer, Server, id};
use crate::transfer::{export, import};
use serde_json::{Value, json};

const SECRET: &str = "sk-proj-Zx81kQp0aVb7Lm3Nc5Rt9Yw2Ue4Io6Ps8Df";

/// The details of an assistant that says this whatever it is asked.
pub fn saying(name: &str, says: &str) -> Value {
    json!({"name": name, "chatModel": {"name": "chatScripted", "inputs": {"fallback": says}}})
}

pub fn body(details: &Value) -> Value {
    json!({"type": "CUSTOM", "credential": "0b8c2a4e-0a4b-4f55-9f6d-2b9a3d4c5e6f", "details": details.to_string()})
}

/// Makes an assistant; its id.
#[track_caller]
pub fn make(server: &Server, details: &Value) -> String {
    id(&server.post("/assistants", &body(details)))
}

fn change(server: &Server, assistant: &str, details: &Value) -> Answer {
    let body = json!({"details": details.to_string()});
    server.owner("PUT", &format!("/assistants/{assistant}")).json(&body).send()
}

fn details(row: &Value) -> Value {
    serde_json::from_str(row["details"].as_str().unwrap()).unwrap()
}

fn says(server: &Server, flow: &str) -> Value {
    server.ask(flow, &json!({"question": "Hi"})).is(200).json()["text"].clone()
}

fn kinds(server: &Server, flow: &str) -> Vec<String> {
    let versions = server.read(&format!("/flow-versions/{flow}"))["versions"].clone();
    versions.as_array().unwrap().iter().map(|version| version["kind"].as_str().unwrap().to_owned()).collect()
}

fn newest(server: &Server, flow: &str) -> String {
    server.read(&format!("/flow-versions/{flow}"))["versions"][0]["sha"].as_str().unwrap().to_owned()
}

/// A model before a stand-in provider, with a credential of its own.
fn model_of(server: &Server, provider: &Provider, name: &str) -> (Value, String) {
    let body = json!({"name": name, "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": SECRET}});
    let credential = id(&server.post("/credentials", &body));
    let inputs = json!({"modelName": "gpt-4o-mini", "basepath": provider.base_url(), "streaming": true});
    (json!({"name": "chatOpenAI", "inputs": inputs, "credential": credential}), credential)
}

#[test]
fn an_assistant_is_a_row_and_a_flow_that_answers_under_the_same_id() {
    let server = Server::start();
    let made = server.post("/assistants", &body(&saying("Desk", "Hello.")));
    let assistant = id(&made);
    assert_eq!(
        (&made["type"], &made["credential"]),
        (&json!("CUSTOM"), &json!("0b8c2a4e-0a4b-4f55-9f6d-2b9a3d4c5e6f"))
    );
    assert_eq!(server.read(&format!("/assistants/{assistant}")), made);
    assert_eq!(server.read("/assistants?type=CUSTOM"), json!([made]));
    assert_eq!(server.read("/assistants?type=OPENAI"), json!([]));
    let flow = server.read(&format!("/chatflows/{assistant}"));
    assert_eq!((&flow["type"], &flow["name"]), (&json!("ASSISTANT"), &json!("Desk")));
    assert_eq!(server.read(&format!("/validation/{assistant}")), json!([]));
    assert_eq!(says(&server, &assistant), "Hello.");
    let heard = server.ask(&assistant, &json!({"question": "Hi", "streaming": true})).is(200).text();
    assert!(heard.contains(r#""event":"token""#), "{heard}");
    assert_eq!(details(&made)["name"], "Desk");
    assert_eq!(details(&made)["chatModel"]["inputs"]["fallback"], "Hello.");
}

#[test]
fn a_change_of_the_row_is_live_at_once_and_a_version() {
    let server = Server::start();
    let assistant = make(&server, &saying("Desk", "one"));
    let changed = change(&server, &assistant, &saying("Office", "two")).is(200).json();
    assert_eq!(details(&changed)["name"], "Office");
    assert_eq!(server.read(&format!("/chatflows/{assistant}"))["name"], "Office");
    assert_eq!(says(&server, &assistant), "two");
    assert_eq!(kinds(&server, &assistant), ["save", "create"]);
    change(&server, &assistant, &saying("Office", "two")).is(200);
    assert_eq!(kinds(&server, &assistant), ["save", "create"], "nothing changed");
    let icon = json!({"iconSrc": "data:image/png;base64,AAAA"});
    let row = server.put(&format!("/assistants/{assistant}"), &icon);
    assert_eq!((&row["iconSrc"], &details(&row)["name"]), (&icon["iconSrc"], &json!("Office")));
    assert_eq!(row["credential"], "0b8c2a4e-0a4b-4f55-9f6d-2b9a3d4c5e6f", "what is left out stays");
    let row = change(&server, &assistant, &saying("Office", "three")).is(200).json();
    assert_eq!(row["iconSrc"], icon["iconSrc"]);
}

#[test]
fn an_assistant_searches_its_stores_and_calls_its_tools() {
    let server = Server::start();
    let provider = Provider::start();
    let store = id(&server.post("/document-store/store", &json!({"name": "Hand book"})));
    let text = json!({"loader": {"name": "plainText", "config": {"text": "Parcels leave on Mondays."}}});
    server.post(&format!("/document-store/upsert/{store}"), &text);
    let vectors = json!({"storeId": store, "embeddingName": "hashingEmbeddings"});
    server.owner("POST", "/document-store/vectorstore/insert").json(&vectors).send().is(200);
    let listed = server.read("/assistants/components/docstores");
    assert_eq!((&listed[0]["name"], &listed[0]["label"]), (&json!(store), &json!("Hand book")));
    let (model, _) = model_of(&server, &provider, "Main");
    let search = json!({"id": store, "name": "Hand book", "description": "What we know", "returnSourceDocuments": true});
    let made = json!({
        "name": "Desk", "instruction": "Be brief.", "chatModel": model, "documentStores": [search, search],
        "tools": [{"name": "calculator"}],
    });
    let assistant = make(&server, &made);
    provider.push_behaviour(Behaviour::call("Hand_book_2", json!({"input": "parcels"})));
    provider.push_behaviour(Behaviour::call("calculator", json!({"input": "6 * 7"})));
    provider.push_behaviour(Behaviour::text("On Mondays."));
    let answer = server.ask(&assistant, &json!({"question": "When?"})).is(200).json();
    assert_eq!(answer["text"], "On Mondays.");
    assert_eq!(answer["usedTools"][0]["tool"], "Hand_book_2");
    assert_eq!(answer["usedTools"][1]["toolOutput"], "42");
    assert!(answer["sourceDocuments"].to_string().contains("Parcels leave"), "{answer}");
    let sent = provider.last_request().body;
    assert!(sent["messages"][0]["content"].as_str().unwrap().starts_with("Be brief."), "{sent}");
    let names: Vec<&str> = sent["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Hand_book", "Hand_book_2", "calculator"]);
    let told = details(&server.read(&format!("/assistants/{assistant}")));
    assert_eq!(
        (&told["documentStores"][0], &told["tools"][0]["name"]),
        (&made["documentStores"][0], &json!("calculator"))
    );
}

#[test]
fn bad_details_are_refused_and_change_nothing() {
    let server = Server::start();
    let assistant = make(&server, &saying("Desk", "one"));
    for bad in [
        "",
        "[]",
        "{",
        "null",
        r#"{"name":""}"#,
        r#"{"name":"a","chatModel":{"name":"chatNope"}}"#,
        r#"{"name":"a","tools":[{"name":"retrieverTool"}]}"#,
    ] {
        let body = json!({"details": bad, "type": "CUSTOM"});
        server.owner("PUT", &format!("/assistants/{assistant}")).json(&body).send().is_error(400);
        server.owner("POST", "/assistants").json(&body).send().is_error(400);
    }
    server.owner("POST", "/assistants").json(&json!({"type": "CUSTOM"})).send().is_error(400);
    server.owner("POST", "/assistants").json(&json!({"type": "OTHER", "details": "{}"})).send().is_error(400);
    server
        .owner("PUT", &format!("/assistants/{assistant}"))
        .json(&json!({"type": "AZURE"}))
        .send()
        .is_error(400);
    server.owner("GET", "/assistants?type=OTHER").send().is_error(400);
    let long = json!({"name": "a".repeat(300)});
    change(&server, &assistant, &long).is_error(400);
    assert_eq!(says(&server, &assistant), "one");
    assert_eq!(server.read("/assistants").as_array().unwrap().len(), 1);
    let unchosen = make(&server, &json!({"name": "Begun"}));
    let answer = server.ask(&unchosen, &json!({"question": "Hi"}));
    let said = "This assistant has no model: choose a model in the assistant.";
    assert_eq!(answer.is_error(500), said);
    let found = server.read(&format!("/validation/{unchosen}"));
    assert!(found.to_string().contains(said) && !found.to_string().contains("needs a connection"), "{found}");
    let knowing = json!({"name": "Begun", "tools": [{"name": "calculator"}]});
    assert!(change(&server, &unchosen, &knowing).status < 300);
    assert_eq!(server.ask(&unchosen, &json!({"question": "Hi"})).is_error(500), said);
}

#[test]
fn a_flow_of_an_assistant_is_not_drawn_and_its_settings_are_its_own() {
    let server = Server::start();
    let assistant = make(&server, &saying("Desk", "one"));
    let path = format!("/chatflows/{assistant}");
    let other = crate::support::canvases::scripted_flow();
    for edit in [json!({"name": "Other"}), json!({"type": "CHATFLOW"}), json!({"flowData": other})] {
        let told = server.owner("PUT", &path).json(&edit).send().is_error(409);
        assert!(told.contains("edit the assistant"), "{told}");
    }
    server
        .owner("PUT", &format!("/flow-drafts/{assistant}"))
        .json(&json!({"flowData": other}))
        .send()
        .is_error(409);
    let before = server.read(&path);
    let same = json!({
        "name": before["name"], "type": before["type"], "flowData": before["flowData"],
        "chatbotConfig": json!({"title": "Shop"}).to_string(), "isPublic": true,
    });
    let after = server.put(&path, &same);
    assert_eq!((&after["flowData"], &after["isPublic"]), (&before["flowData"], &json!(true)));
    let drawn = json!({"name": "Drawn", "type": "ASSISTANT", "flowData": other});
    let told = server.owner("POST", "/chatflows").json(&drawn).send().is_error(400);
    assert!(told.contains("POST /assistants"), "{told}");
    let flow = server.flow(&other);
    server
        .owner("PUT", &format!("/chatflows/{flow}"))
        .json(&json!({"type": "ASSISTANT"}))
        .send()
        .is_error(400);
    server.owner("GET", &format!("/assistants/{flow}")).send().is_error(404);
}

#[test]
fn a_key_of_an_assistant_needs_the_permission_of_assistants() {
    let server = Server::start();
    let assistant = make(&server, &saying("Desk", "one"));
    let sha = newest(&server, &assistant);
    let flows = key(&server, &["chatflows:view", "chatflows:update", "chatflows:delete"]);
    let own = key(&server, &["assistants:view", "assistants:update"]);
    for path in [format!("/chatflows/{assistant}"), format!("/flow-versions/{assistant}/{sha}")] {
        assert_eq!(server.call("GET", &path).bearer(&flows).send().status, 403, "{path}");
        assert_eq!(server.call("GET", &path).bearer(&own).send().status, 200, "{path}");
    }
    let restore = format!("/flow-versions/{assistant}/{sha}/restore");
    assert_eq!(server.call("POST", &restore).bearer(&flows).send().status, 403);
    assert_eq!(server.call("POST", &restore).bearer(&own).send().status, 200);
    assert_eq!(server.call("DELETE", &format!("/chatflows/{assistant}")).bearer(&own).send().status, 403);
    let shown = server.call("GET", "/chatflows").bearer(&flows).send().is(200).json();
    assert_eq!(shown, json!([]));
}

#[test]
fn who_may_not_change_it_sees_no_typed_password_and_a_mark_sent_back_keeps_it() {
    let server = Server::start();
    let typed = json!({"name": "chatScripted", "inputs": {"fallback": "one"}});
    let tool = json!({"name": "requestsGet", "inputs": {"requestsGetHeaders": {"Authorization": "Bearer typed-in-here"}}});
    let made = json!({"name": "Desk", "chatModel": typed, "tools": [tool]});
    let assistant = make(&server, &made);
    let viewer = key(&server, &["assistants:view"]);
    let seen = server.call("GET", &format!("/assistants/{assistant}")).bearer(&viewer).send().is(200).json();
    let canvas = server.call("GET", &format!("/chatflows/{assistant}")).bearer(&viewer).send().is(200).json();
    let hidden = !canvas["flowData"].as_str().unwrap().contains("typed-in-here");
    assert_eq!(!seen["details"].as_str().unwrap().contains("typed-in-here"), hidden, "both hide the same");
    server.put(&format!("/assistants/{assistant}"), &json!({"details": seen["details"]}));
    let kept = server.read(&format!("/assistants/{assistant}"));
    assert!(kept["details"].as_str().unwrap().contains("typed-in-here"), "{kept}");
}

#[test]
fn versions_hold_the_assistant_without_secrets_and_bring_both_back() {
    let server = Server::start();
    let provider = Provider::start();
    let (model, credential) = model_of(&server, &provider, "Main");
    let made = json!({"name": "Desk", "instruction": "Be brief.", "chatModel": model, "tools": [{"name": "calculator"}]});
    let assistant = make(&server, &made);
    let first = newest(&server, &assistant);
    let folder = crate::promotion::repository(&server);
    let file = format!("main:flows/{}/{assistant}/assistant.json", &assistant[..2]);
    let text = crate::promotion::git(&folder, &["show", &file]);
    let held: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&held["name"], &held["tools"][0]["name"]), (&json!("Desk"), &json!("calculator")));
    assert_eq!(held["chatModel"]["credential"], json!({"name": "Main", "credentialName": "openAIApi"}));
    assert!(!text.contains(&credential), "{text}");
    let telling = make(&server, &json!({"name": "Telling", "instruction": format!("Use {SECRET}.")}));
    let file = format!("main:flows/{}/{telling}/assistant.json", &telling[..2]);
    let hidden = crate::promotion::git(&folder, &["show", &file]);
    assert!(hidden.contains("[secret hidden]") && !hidden.contains(SECRET), "{hidden}");
    change(&server, &assistant, &saying("Office", "two")).is(200);
    assert_eq!(says(&server, &assistant), "two");
    let answer =
        server.owner("POST", &format!("/flow-versions/{assistant}/{first}/restore")).send().is(200).json();
    assert_eq!(answer["restoredTo"], "live", "{answer}");
    let back = details(&server.read(&format!("/assistants/{assistant}")));
    assert_eq!((&back["name"], &back["chatModel"]["credential"]), (&json!("Desk"), &json!(credential)));
    provider.push_behaviour(Behaviour::text("Back."));
    assert_eq!(says(&server, &assistant), "Back.");
    change(&server, &assistant, &saying("Office", "three")).is(200);
    let rollback = json!({ "sha": first });
    server.owner("POST", &format!("/flow-drafts/{assistant}/rollback")).json(&rollback).send().is(200);
    assert_eq!(details(&server.read(&format!("/assistants/{assistant}")))["name"], "Desk");
    assert_eq!(kinds(&server, &assistant)[..3], ["rollback", "save", "restore"]);
}

#[test]
fn deleting_either_deletes_both() {
    let server = Server::start();
    for path in ["/assistants/:id?isDeleteBoth=true", "/chatflows/:id"] {
        let assistant = make(&server, &saying("Desk", "one"));
        let gone = server.owner("DELETE", &path.replace(":id", &assistant)).send().is(200).json();
        assert_eq!(gone, json!({"raw": [], "affected": 1}));
        server.owner("GET", &format!("/assistants/{assistant}")).send().is_error(404);
        server.owner("GET", &format!("/chatflows/{assistant}")).send().is_error(404);
        assert_eq!(server.read("/assistants"), json!([]));
    }
}

#[test]
fn an_assistant_leaves_and_comes_in_as_row_and_flow() {
    let (from, to) = (Server::start(), Server::start());
    let assistant = make(&from, &saying("Desk", "one"));
    let hosted = id(&from.post(
        "/assistants",
        &json!({"type": "OPENAI", "details": r#"{"name":"There"}"#, "credential": "c"}),
    ));
    let file = export(&from, &json!({}));
    assert_eq!(file["AssistantCustom"][0]["id"], json!(assistant));
    assert_eq!(details(&file["AssistantCustom"][0])["chatModel"]["inputs"]["fallback"], "one");
    assert_eq!(
        (&file["AssistantFlow"][0]["id"], &file["AssistantOpenAI"][0]["id"]),
        (&json!(assistant), &json!(hosted))
    );
    let answer = import(&to, &file, "import", &json!({}));
    assert_eq!((&answer["created"], &answer["refused"]), (&json!(2), &json!(0)), "{answer}");
    assert_eq!(says(&to, &assistant), "one");
    assert_eq!(to.read("/assistants?type=OPENAI")[0]["details"], r#"{"name":"There"}"#);
    assert_eq!(import(&to, &file, "import", &json!({}))["skipped"], 2, "once more changes nothing");
}

#[test]
fn a_row_of_a_file_is_what_its_flow_is_drawn_from() {
    let server = Server::start();
    let drawn = crate::support::canvases::scripted_flow();
    let ids = [
        "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e",
        "7a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e",
        "8a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e",
    ];
    let row = |id: &str, details: &Value| json!({"id": id, "type": "CUSTOM", "details": details.to_string()});
    let file = json!({
        "AssistantFlow": [
            {"id": ids[0], "name": "Old", "type": "ASSISTANT", "flowData": drawn},
            {"id": ids[1], "name": "Kept", "type": "ASSISTANT", "flowData": drawn},
        ],
        "AssistantCustom": [
            row(ids[0], &saying("New", "from the row")),
            row(ids[1], &json!({"name": "Kept", "chatModel": {"name": "chatOfAnother"}})),
            row(ids[2], &saying("Alone", "without a flow")),
            row("9a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e", &json!({"name": "Bad", "chatModel": {"name": "chatOfAnother"}})),
        ],
    });
    let answer = import(&server, &file, "import", &json!({}));
    assert_eq!((&answer["created"], &answer["refused"]), (&json!(3), &json!(1)), "{answer}");
    assert!(answer["items"][3]["reason"].as_str().unwrap().contains("chatOfAnother"), "{answer}");
    assert_eq!(
        (says(&server, ids[0]), says(&server, ids[2])),
        (json!("from the row"), json!("without a flow"))
    );
    assert_eq!(details(&server.read(&format!("/assistants/{}", ids[1])))["name"], "Kept");
}

#[test]
fn hosted_assistants_are_kept_and_never_called() {
    let server = Server::start();
    for kind in ["OPENAI", "AZURE"] {
        let body = json!({"type": kind, "details": r#"{"name":"There","model":"gpt-4o"}"#, "credential": "c", "iconSrc": "i"});
        let made = server.post("/assistants", &body);
        let path = format!("/assistants/{}", id(&made));
        assert_eq!((&made["type"], &made["details"]), (&json!(kind), &body["details"]));
        assert_eq!(server.read(&format!("/assistants?type={kind}")), json!([made]));
        let changed = server.put(&path, &json!({"details": r#"{"name":"Here"}"#}));
        assert_eq!((&changed["details"], &changed["iconSrc"]), (&json!(r#"{"name":"Here"}"#), &json!("i")));
        server.owner("PUT", &path).json(&json!({"details": "x"})).send().is_error(400);
        server.owner("DELETE", &path).send().is(200);
        server.owner("GET", &path).send().is_error(404);
        server.owner("DELETE", &path).send().is_error(404);
    }
    assert_eq!(server.read("/chatflows"), json!([]));
}

#[test]
fn a_card_of_a_hosted_assistant_says_what_to_use_instead() {
    let server = Server::start();
    let node = json!({"id": "openAIAssistant_0", "type": "customNode", "position": {"x": 0, "y": 0},
        "data": {"id": "openAIAssistant_0", "name": "openAIAssistant", "label": "OpenAI Assistant", "category": "Agents", "inputs": {"selectedAssistant": "a"}}});
    let flow = server.flow(&json!({"nodes": [node], "edges": []}).to_string());
    let told = server.read(&format!("/validation/{flow}")).to_string();
    assert!(told.contains("custom assistant"), "{told}");
    let fault = server.ask(&flow, &json!({"question": "Hi"})).is_error(400);
    assert!(fault.contains("custom assistant"), "{fault}");
}

#[test]
fn a_model_writes_instructions() {
    let server = Server::start();
    let provider = Provider::start();
    let (model, _) = model_of(&server, &provider, "Main");
    provider.push_behaviour(Behaviour::text(" You sort the mail. \n"));
    let ask = |task: &str, model: &Value| {
        let body = json!({"task": task, "selectedChatModel": model});
        server.owner("POST", "/assistants/generate/instruction").json(&body).send()
    };
    assert_eq!(ask("Sorts mail", &model).is(200).json(), json!({"content": "You sort the mail."}));
    let sent = provider.last_request().body["messages"].clone();
    assert_eq!(sent[1]["content"], "Sorts mail");
    ask(" ", &model).is_error(400);
    ask("Sorts mail", &json!({"name": "calculator"})).is_error(400);
    let models = server.read("/assistants/components/chatmodels").to_string();
    let tools = server.read("/assistants/components/tools").to_string();
    assert!(models.contains("chatOpenAI") && !models.contains("LlamaIndex"));
    assert!(tools.contains("calculator") && !tools.contains("\"retrieverTool\""));
}
