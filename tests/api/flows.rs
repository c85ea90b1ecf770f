//! Flow records (manual 5.1, 5.4): made, read, listed, changed, deleted.

use crate::support::canvases::{prompted_chain, scripted_flow, scripted_flow_with, with_provider};
use crate::support::{Server, golden, id};
use flowkeep::domain::flows::flow::{CanvasDigest, Flow};
use flowkeep::domain::ids::{FlowId, WorkspaceId};
use flowkeep::ops::accounts::owner;
use flowkeep::ops::flows::live::{self, ParsedCanvas};
use flowkeep::store::tables::FLOWS;
use serde_json::{Value, json};

const EMPTY: &str = r#"{"nodes":[],"edges":[]}"#;

pub fn make(server: &Server, fields: Value) -> Value {
    let mut body = json!({"name": "Flow", "type": "CHATFLOW", "publishInstantly": true});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    server.post("/chatflows", &body)
}

#[test]
fn a_record_has_every_field_of_the_reference() {
    let server = Server::start();
    let record = make(&server, json!({"deployed": false, "isPublic": false, "flowData": EMPTY}));
    golden::check("flow.json", &serde_json::to_string_pretty(&record).unwrap());
    assert_eq!(server.read(&format!("/chatflows/{}", id(&record))), record);
}

#[test]
fn every_setting_is_kept_as_it_was_sent() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    let sent = json!({
        "name": "All of it", "category": "a;b", "deployed": true, "isPublic": true, "apikeyid": key["id"],
        "chatbotConfig": "{\"title\":\"T\",\"futureKey\":{\"deep\":[1,2.50,null]}}",
        "apiConfig": "{\"rateLimit\":{\"status\":false},\"tomorrow\":1}",
        "analytic": "{\"langFuse\":{\"status\":true}}", "speechToText": "{\"none\":{\"status\":true}}",
        "textToSpeech": "{\"openai\":{\"status\":false}}", "followUpPrompts": "{\"status\":false}",
    });
    let record = make(&server, sent.clone());
    let read = server.read(&format!("/chatflows/{}", id(&record)));
    for (name, value) in sent.as_object().unwrap() {
        let parsed = |value: &Value| value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        match parsed(value) {
            Some(object) => assert_eq!(parsed(&read[name]).as_ref(), Some(&object), "{name}"),
            None => assert_eq!(&read[name], value, "{name}"),
        }
    }
}

#[test]
fn a_change_of_one_field_leaves_the_others() {
    let server = Server::start();
    let record =
        make(&server, json!({"flowData": scripted_flow(), "chatbotConfig": "{\"title\":\"T\",\"x\":1}"}));
    let path = format!("/chatflows/{}", id(&record));
    let changed = server.put(&path, &json!({"name": "Renamed", "unheardOf": true}));
    for (name, value) in record.as_object().unwrap() {
        match name.as_str() {
            "name" => assert_eq!(changed[name], "Renamed"),
            "updatedDate" => assert!(changed[name].as_str() > value.as_str()),
            _ => assert_eq!(&changed[name], value, "{name}"),
        }
    }
    assert_eq!(server.read(&path), changed);
}

#[test]
fn every_save_moves_the_date() {
    let server = Server::start();
    let record = make(&server, json!({}));
    let mut last = record["updatedDate"].as_str().unwrap().to_owned();
    for _ in 0..5 {
        let saved = server.put(&format!("/chatflows/{}", id(&record)), &json!({"name": "Flow"}));
        let date = saved["updatedDate"].as_str().unwrap().to_owned();
        assert!(date > last, "{date} {last}");
        last = date;
    }
}

#[test]
fn unknown_keys_of_settings_survive_a_round_trip() {
    let server = Server::start();
    let record = make(&server, json!({}));
    let path = format!("/chatflows/{}", id(&record));
    let config =
        json!({"zeta": 1, "alpha": {"a": [true, null, "x"]}, "allowedOrigins": [], "π": 2.5}).to_string();
    for name in ["chatbotConfig", "apiConfig"] {
        server.put(&path, &json!({ name: config }));
        assert_eq!(server.read(&path)[name], config, "key order included");
    }
}

#[test]
fn a_setting_is_cleared_by_null() {
    let server = Server::start();
    let record = make(&server, json!({"category": "a", "chatbotConfig": "{\"title\":\"T\"}"}));
    let path = format!("/chatflows/{}", id(&record));
    let cleared = server.put(&path, &json!({"category": null, "chatbotConfig": null}));
    assert_eq!((&cleared["category"], &cleared["chatbotConfig"]), (&Value::Null, &Value::Null));
}

#[test]
fn fields_of_the_server_cannot_be_set() {
    let server = Server::start();
    let foreign = "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e";
    let own = json!({
        "id": foreign, "workspaceId": foreign, "organizationId": foreign, "createdDate": "2001-01-01T00:00:00.000Z",
        "updatedDate": "2001-01-01T00:00:00.000Z", "webhookSecret": "mine", "webhookSecretConfigured": true,
    });
    let record = make(&server, own.clone());
    let changed = server.put(&format!("/chatflows/{}", id(&record)), &own);
    for record in [&record, &changed] {
        for (name, value) in own.as_object().unwrap() {
            assert_ne!(record.get(name), Some(value), "{name}");
        }
        assert_eq!(record["webhookSecret"], Value::Null);
    }
    assert_eq!(record["id"], changed["id"]);
}

#[test]
fn bad_fields_are_refused_by_name() {
    let server = Server::start();
    let path = format!("/chatflows/{}", id(&make(&server, json!({}))));
    for (fields, named) in [
        (json!({"type": "FLOW"}), "type"),
        (json!({"type": ""}), "type"),
        (json!({"name": ""}), "name"),
        (json!({"name": " "}), "name"),
        (json!({"name": "x".repeat(300)}), "name"),
        (json!({"name": 7}), "name"),
        (json!({"flowData": "{"}), "flowData"),
        (json!({"flowData": "[]"}), "flowData"),
        (json!({"flowData": "null"}), "flowData"),
        (json!({"flowData": ""}), "flowData"),
        (json!({"flowData": "{\"nodes\":[]}"}), "edges"),
        (json!({"flowData": "{\"nodes\":{},\"edges\":[]}"}), "nodes"),
        (json!({"flowData": "{\"nodes\":[],\"edges\":\"\"}"}), "edges"),
        (json!({"flowData": {"nodes": [], "edges": []}}), "flowData"),
        (json!({"flowData": "{\"nodes\":[{\"id\":\"a\"},{\"id\":\"a\"}],\"edges\":[]}"}), "flowData"),
        (json!({"apikeyid": "not-an-id"}), "apikeyid"),
        (json!({"apikeyid": "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e"}), "apikeyid"),
        (json!({"apikeyid": 7}), "apikeyid"),
        (json!({"chatbotConfig": "{"}), "chatbotConfig"),
        (json!({"chatbotConfig": "[]"}), "chatbotConfig"),
        (json!({"chatbotConfig": 7}), "chatbotConfig"),
        (json!({"apiConfig": "x"}), "apiConfig"),
        (json!({"isPublic": "true"}), "isPublic"),
        (json!({"deployed": 1}), "deployed"),
        (json!({"publishInstantly": "yes"}), "publishInstantly"),
        (json!({"category": []}), "category"),
    ] {
        let message = server.owner("PUT", &path).json(&fields).send().is_error(400);
        assert!(message.contains(named), "{fields}: {message}");
        let mut whole = json!({"name": "Flow", "type": "CHATFLOW"});
        whole.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        server.owner("POST", "/chatflows").json(&whole).send().is_error(400);
    }
    assert_eq!(server.read("/chatflows").as_array().unwrap().len(), 1);
}

#[test]
fn a_flow_needs_a_name_and_a_type() {
    let server = Server::start();
    for body in
        [json!({}), json!({"name": "Flow"}), json!({"type": "CHATFLOW"}), json!({"name": null, "type": null})]
    {
        server.owner("POST", "/chatflows").json(&body).send().is_error(400);
    }
}

#[test]
fn a_refused_change_changes_nothing() {
    let server = Server::start();
    let record = make(&server, json!({"flowData": scripted_flow()}));
    let path = format!("/chatflows/{}", id(&record));
    let half = json!({"name": "Renamed", "flowData": EMPTY, "apikeyid": "not-an-id"});
    server.owner("PUT", &path).json(&half).send().is_error(400);
    assert_eq!(server.read(&path), record);
}

#[test]
fn a_changed_canvas_answers_at_once() {
    let server = Server::start();
    let flow = server.flow(&prompted_chain("First: {question}", ""));
    let ask = || server.ask(&flow, &json!({"question": "Hi"})).is(200).json()["text"].clone();
    assert_eq!(ask(), "First: Hi");
    server.put(&format!("/chatflows/{flow}"), &json!({"flowData": prompted_chain("Second: {question}", "")}));
    assert_eq!(ask(), "Second: Hi");
}

#[test]
fn a_list_shows_the_newest_change_first() {
    let server = Server::start();
    let records: Vec<Value> =
        ["a", "b", "c"].iter().map(|name| make(&server, json!({ "name": name }))).collect();
    server.put(&format!("/chatflows/{}", id(&records[0])), &json!({"name": "a again"}));
    let listed = server.read("/chatflows");
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a again", "c", "b"]);
}

#[test]
fn a_list_carries_canvases_only_for_who_asks_for_them() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let record = server.read(&format!("/chatflows/{flow}"));
    let mut bare = record.clone();
    bare.as_object_mut().unwrap().remove("flowData");
    assert_eq!(server.read("/chatflows"), json!([bare]));
    assert_eq!(server.read("/chatflows?full=false"), json!([bare]));
    assert_eq!(server.read("/chatflows?page=1&limit=5"), json!({"data": [bare], "total": 1}));
    assert_eq!(server.read("/chatflows?full=true"), json!([record]));
    assert_eq!(server.read("/chatflows?full=true&page=1&limit=5"), json!({"data": [record], "total": 1}));
    server.owner("GET", "/chatflows?full=yes").send().is_error(400);
}

#[test]
fn a_list_can_be_cut_to_a_kind_and_a_page() {
    let server = Server::start();
    for (name, kind) in [("a", "CHATFLOW"), ("b", "AGENTFLOW"), ("c", "CHATFLOW"), ("d", "MULTIAGENT")] {
        make(&server, json!({"name": name, "type": kind}));
    }
    let names = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&server.read("/chatflows?type=CHATFLOW")), ["c", "a"]);
    assert_eq!(names(&server.read("/chatflows?type=")), ["d", "c", "b", "a"]);
    let page = server.read("/chatflows?page=2&limit=3");
    assert_eq!((names(&page["data"]), &page["total"]), (vec!["a".to_owned()], &json!(4)));
    assert_eq!(names(&server.read("/chatflows?page=9&limit=3")["data"]), Vec::<String>::new());
    assert_eq!(server.read("/chatflows?page=0&limit=0").as_array().unwrap().len(), 4);
    for bad in ["type=FLOW", "page=-1&limit=3", "page=x&limit=3", "page=1&limit=1.5"] {
        server.owner("GET", &format!("/chatflows?{bad}")).send().is_error(400);
    }
}

#[test]
fn a_deleted_flow_is_gone_with_its_messages() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let question = "a question nobody else asks";
    server.ask(&flow, &json!({ "question": question })).is(200);
    let answer = server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200).json();
    assert_eq!(answer, json!({"raw": [], "affected": 1}));
    for (method, path) in [
        ("GET", format!("/chatflows/{flow}")),
        ("DELETE", format!("/chatflows/{flow}")),
        ("GET", format!("/chatmessage/{flow}")),
        ("GET", format!("/public-chatbotConfig/{flow}")),
    ] {
        assert!(server.owner(method, &path).send().is_error(404).contains(&flow), "{method} {path}");
    }
    server.ask(&flow, &json!({"question": "Hi"})).is_error(404);
    assert_eq!(server.read("/chatflows"), json!([]));
}

/// Moves a copy of a flow into a workspace nobody here is in; its id.
pub fn foreign(server: &Server, flow: &str) -> String {
    let workspace =
        serde_json::from_value(server.read(&format!("/chatflows/{flow}"))["workspaceId"].clone()).unwrap();
    let known = FlowId::parse(flow).unwrap();
    let stored: Flow = server.app.store.read(|tx| FLOWS.get(tx, &workspace, &known)).unwrap().unwrap();
    let digest = CanvasDigest::compute(stored.kind, &scripted_flow());
    let id = FlowId::random();
    let other = crate::support::id(&server.post("/workspace", &json!({"name": id.to_string()})));
    let copy = Flow { id, workspace: WorkspaceId::parse(&other).unwrap(), digest, ..stored };
    let caller = owner::operator(&server.app).unwrap().unwrap();
    let canvas = ParsedCanvas::parse(scripted_flow()).unwrap();
    let origin = live::ChangeOrigin::Edit;
    let new = live::NewFlow { flow: copy, canvas: &canvas, draft: None, origin, guard: None };
    live::create(&server.app, &caller, new).unwrap().flow.id.to_string()
}

#[test]
fn a_flow_of_another_workspace_looks_like_an_unknown_one() {
    let server = Server::start();
    let foreign = foreign(&server, &server.flow(&scripted_flow()));
    let unknown = FlowId::random().to_string();
    for (method, path, body) in [
        ("GET", "/chatflows/ID", None),
        ("PUT", "/chatflows/ID", Some(json!({"name": "Mine now"}))),
        ("DELETE", "/chatflows/ID", None),
        ("GET", "/chatmessage/ID", None),
        ("DELETE", "/chatmessage/ID", None),
        ("GET", "/validation/ID", None),
        ("POST", "/validation/ID", Some(json!({"flowData": "{}"}))),
        ("POST", "/internal-prediction/ID", Some(json!({"question": "Hi"}))),
    ] {
        let ask = |id: &str| {
            let call = server.owner(method, &path.replace("ID", id));
            let answer = body.iter().fold(call, |call, body| call.json(body)).send();
            answer.is_error(404).replace(id, "ID")
        };
        assert_eq!(ask(&foreign), ask(&unknown), "{method} {path}");
    }
    assert_eq!(server.read("/chatflows").as_array().unwrap().len(), 1);
    // Asking names a flow and no workspace.
    server.ask(&foreign, &json!({"question": "Hi"})).is(200);
}

#[test]
fn permission_is_asked_for_the_flows_own_kind() {
    let server = Server::start();
    let chat = id(&make(&server, json!({})));
    let agent = id(&make(&server, json!({"type": "AGENTFLOW"})));
    let key = server.key(&["agentflows:view", "agentflows:update"])["apiKey"].as_str().unwrap().to_owned();
    let call = |method: &str, path: String| server.call(method, &path).bearer(&key);
    call("GET", format!("/chatflows/{agent}")).send().is(200);
    call("GET", format!("/chatflows/{chat}")).send().is_error(403);
    call("PUT", format!("/chatflows/{chat}")).json(&json!({"name": "x"})).send().is_error(403);
    // Nor can a flow be turned into a kind the caller may not change.
    call("PUT", format!("/chatflows/{agent}")).json(&json!({"type": "CHATFLOW"})).send().is_error(403);
    call("DELETE", format!("/chatflows/{agent}")).send().is_error(403);
    let listed = call("GET", "/chatflows".to_owned()).send().is(200).json();
    assert_eq!(listed.as_array().unwrap().len(), 1);
}

#[test]
fn a_canvas_of_another_kind_says_what_it_lacks() {
    let server = Server::start();
    let flow = id(&make(&server, json!({"type": "MULTIAGENT", "flowData": scripted_flow()})));
    assert!(server.ask(&flow, &json!({"question": "Hi"})).is_error(400).contains("Supervisor"));
}

#[test]
fn a_page_of_a_chat_learns_nothing_about_the_canvas() {
    let server = Server::start();
    let (_provider, flow) = with_provider(&server);
    let key = server.key(&["chatflows:view"]);
    let chat = json!({
        "title": "Shop", "welcomeMessage": "Hello", "starterPrompts": {"0": {"prompt": "Hi?"}},
        "allowedOrigins": ["https://shop.example"], "allowedOriginsError": "private text",
        "overrideConfig": {"vars": {"x": "private text"}}, "postProcessing": {"enabled": false, "customFunction": "private text"},
        "somethingElse": "private text",
    });
    let api = json!({"overrideConfig": {"status": true, "nodes": {"private text": []}}});
    let settings =
        json!({"apikeyid": key["id"], "chatbotConfig": chat.to_string(), "apiConfig": api.to_string()});
    server.put(&format!("/chatflows/{flow}"), &settings);
    let answer = server.call("GET", &format!("/public-chatbotConfig/{flow}")).send().is(200);
    let text = answer.text();
    for private in [
        "private text",
        "Be kind.",
        "127.0.0.1",
        "model-1",
        "shop.example",
        "chatOpenAI",
        "credential",
        "systemMessage",
    ] {
        assert!(!text.contains(private), "{private}: {text}");
    }
    assert!(!text.contains(&id(&key)), "{text}");
    golden::check("chat_page.json", &serde_json::to_string_pretty(&answer.json()).unwrap());
}

#[test]
fn the_token_of_the_mcp_endpoint_stays_when_it_is_not_sent() {
    let server = Server::start();
    let mcp = |fields: Value| json!({ "mcpServerConfig": fields.to_string() });
    let flow = server.flow_with(&scripted_flow(), &mcp(json!({"enabled": true, "token": "of-the-endpoint"})));
    let stored = || {
        let workspace =
            serde_json::from_value(server.read(&format!("/chatflows/{flow}"))["workspaceId"].clone());
        let found = server.app.store.read(|tx| {
            flowkeep::store::tables::FLOWS.get(tx, workspace.as_ref().unwrap(), &flow.parse().unwrap())
        });
        found.unwrap().unwrap().settings.mcp_server_config.raw().cloned().map(Value::from)
    };
    let save = |fields: Value| server.put(&format!("/chatflows/{flow}"), &fields);
    let shown = save(json!({"name": "Renamed"}))["mcpServerConfig"].as_str().unwrap().to_owned();
    assert!(!shown.contains("token"), "{shown}");
    let hidden = flowkeep::domain::workspace::credential::MASK;
    for sent in [json!({"enabled": false}), json!({"enabled": false, "token": hidden})] {
        assert!(!save(mcp(sent)).to_string().contains("of-the-endpoint"));
        assert_eq!(stored(), Some(json!({"enabled": false, "token": "of-the-endpoint"})));
    }
    save(json!({ "mcpServerConfig": shown }));
    assert_eq!(stored().unwrap()["token"], "of-the-endpoint");
    save(mcp(json!({"token": "another"})));
    assert_eq!(stored(), Some(json!({"token": "another"})));
    save(mcp(json!({"enabled": true, "token": null})));
    assert_eq!(stored(), Some(json!({"enabled": true, "token": null})));
    save(json!({"mcpServerConfig": null}));
    assert_eq!(stored(), None);
    save(mcp(json!({"token": hidden})));
    assert_eq!(stored(), Some(json!({})), "there is nothing to keep");
}

#[test]
fn settings_nested_too_deep_are_refused_and_the_flow_stays_readable() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let nested = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
    for field in
        ["chatbotConfig", "apiConfig", "analytic", "followUpPrompts", "speechToText", "mcpServerConfig"]
    {
        server.put(&format!("/chatflows/{flow}"), &json!({ field: nested(63) }));
        for levels in [64, 100, 120, 126] {
            let put = server.owner("PUT", &format!("/chatflows/{flow}"));
            put.json(&json!({ field: nested(levels) })).send().is_error(400);
        }
        let object: Value = serde_json::from_str(&nested(80)).unwrap();
        server
            .owner("PUT", &format!("/chatflows/{flow}"))
            .json(&json!({ field: object }))
            .send()
            .is_error(400);
    }
    server.read(&format!("/chatflows/{flow}"));
    server.read("/chatflows");
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
}

#[test]
fn passwords_in_cards_are_marks_for_who_may_not_change_the_flow() {
    let server = Server::start();
    let card = json!({"id": "a", "data": {
        "id": "a", "name": "someCard", "inputs": {"pin": "p-1234", "plain": "text"},
        "inputParams": [{"name": "pin", "type": "password"}, {"name": "plain", "type": "string"}],
    }});
    let canvas = json!({"nodes": [card], "edges": []}).to_string();
    let body = json!({"name": "F", "type": "CHATFLOW", "flowData": canvas});
    let flow = crate::support::id(&server.post("/chatflows", &body));
    server.post(&format!("/flow-drafts/{flow}/publish"), &json!({}));
    let key = |permissions: &[&str]| server.key(permissions)["apiKey"].as_str().unwrap().to_owned();
    let (viewer, editor) = (key(&["chatflows:view"]), key(&["chatflows:view", "chatflows:update"]));
    let get = |path: &str, key: &str| server.call("GET", path).bearer(key).send().is(200).json();
    let path = format!("/chatflows/{flow}");
    let sha =
        server.read(&format!("/flow-versions/{flow}"))["versions"][0]["sha"].as_str().unwrap().to_owned();
    for path in [path.clone(), "/chatflows?full=true".to_owned(), format!("/flow-versions/{flow}/{sha}")] {
        assert!(!get(&path, &viewer).to_string().contains("p-1234"), "{path}");
        assert!(get(&path, &editor).to_string().contains("p-1234"), "{path}");
    }
    // The record as it was shown, saved back.
    let shown = get(&path, &viewer)["flowData"].clone();
    let moved = shown.as_str().unwrap().replace("text", "other");
    let saved = server.call("PUT", &path).bearer(&editor).json(&json!({ "flowData": moved })).send();
    let saved = saved.is(200).json()["flowData"].as_str().unwrap().to_owned();
    assert!(saved.contains("p-1234") && saved.contains("other"), "{saved}");
    let draft = format!("/flow-drafts/{flow}");
    server.owner("PUT", &draft).json(&json!({"flowData": moved.replace("other", "third")})).send().is(200);
    assert!(get(&draft, &editor).to_string().contains("p-1234"));
    let unseen = get(&draft, &viewer).to_string();
    assert!(!unseen.contains("p-1234") && unseen.contains("third"), "{unseen}");
    let copy = server.post("/chatflows", &json!({"name": "G", "type": "CHATFLOW", "flowData": shown}));
    let copied = server.read(&format!("/flow-drafts/{}", crate::support::id(&copy))).to_string();
    assert!(!copied.contains("p-1234") && !copied.contains('\u{2022}'), "{copied}");
}

#[test]
fn a_save_that_says_which_flow_it_saw_overwrites_no_other() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let path = format!("/chatflows/{flow}");
    let seen = server.read(&path)["updatedDate"].as_str().unwrap().to_owned();
    let save = |name: &str, seen: &str| {
        server.owner("PUT", &path).header("if-match", seen).json(&json!({ "name": name })).send()
    };
    save("First", &format!("\"{seen}\"")).is(200);
    let refused = save("Second", &format!("\"{seen}\"")).is_error(409);
    assert!(refused.contains("changed elsewhere"), "{refused}");
    assert_eq!(server.read(&path)["name"], "First");
    for bad in [seen.as_str(), "\"\"", ""] {
        save("Third", bad).is_error(400);
    }
    save("Fourth", "*").is(200);
    assert_eq!(server.read(&path)["name"], "Fourth");
}

#[test]
fn a_publish_that_says_which_draft_it_saw_publishes_no_other() {
    let server = Server::start();
    let flow = server.flow_with(&scripted_flow(), &json!({"publishInstantly": false}));
    let path = format!("/flow-drafts/{flow}");
    let save = |answer: &str| {
        let canvas = scripted_flow_with(json!({ "fallback": answer }));
        server.put(&path, &json!({ "flowData": canvas }))["draft"]["updatedDate"].as_str().unwrap().to_owned()
    };
    let publish =
        |seen: &str| server.owner("POST", &format!("{path}/publish")).header("if-match", seen).send();
    let seen = save("first");
    let newer = save("second");
    let refused = publish(&format!("\"{seen}\"")).is_error(409);
    assert!(refused.contains("changed since you looked at it"), "{refused}");
    publish("\"none\"").is_error(409);
    publish(&seen).is_error(400);
    assert_eq!(server.read(&path)["draft"]["updatedDate"], json!(newer), "nothing was published");
    publish(&format!("\"{newer}\"")).is(200);
    assert_eq!(server.ask(&flow, &json!({"question": "Hi"})).is(200).json()["text"], "second");
}
