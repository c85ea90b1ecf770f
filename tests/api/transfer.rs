//! Export and import (manual 5.11): what leaves, what comes in, and what never does.

use crate::etl;
use crate::harness::{self, Team};
use crate::support::canvases::{Drawing, scripted_flow, scripted_flow_with};
use crate::support::provider::Provider;
use crate::support::{Server, id};
use flowkeep::domain::ids::{FlowId, WorkspaceId};
use flowkeep::store::tables::FLOW_WORKSPACE;
use serde_json::{Value, json};

pub const KEY: &str = "sk-proj-Zx81kQp0aVb7Lm3Nc5Rt9Yw2Ue4Io6Ps8Df";

pub fn export(server: &Server, wanted: &Value) -> Value {
    server.owner("POST", "/export-import/export").json(wanted).send().is(200).json()
}

pub fn import(server: &Server, file: &Value, mode: &str, choices: &Value) -> Value {
    let mut body = file.clone();
    body["mode"] = mode.into();
    body["choices"] = choices.clone();
    server.owner("POST", "/export-import/import").json(&body).send().is(200).json()
}

pub fn actions(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().unwrap().iter().map(|item| item["action"].as_str().unwrap()).collect()
}

/// A flow with a model, its credential, and a key typed where it does not belong.
fn secretive(server: &Server) -> (String, String) {
    let body = json!({"name": "Main", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": KEY}});
    let credential = id(&server.post("/credentials", &body));
    let mut drawing = Drawing::default();
    let model = drawing.card("chatOpenAI", json!({"modelName": "gpt-4o-mini"}));
    drawing.credential(&model, &credential);
    let chain = drawing.card("conversationChain", json!({"systemMessagePrompt": format!("Use {KEY}.")}));
    let memory = drawing.card("bufferMemory", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&memory, &chain, "memory");
    let flow = server.flow_with(&drawing.text(), &json!({"name": "Secretive"}));
    (flow, credential)
}

/// One of each kind.
fn create_one_of_each(server: &Server) -> String {
    let fields =
        json!({"name": "Talker", "chatbotConfig": json!({"title": "Shop"}).to_string(), "isPublic": true});
    let flow = server.flow_with(&scripted_flow(), &fields);
    server
        .post("/tools", &json!({"name": "adder", "description": "adds", "func": format!("return '{KEY}';")}));
    server.post("/variables", &json!({"name": "city", "value": "a secret place", "type": "static"}));
    server.post("/document-store/store", &json!({"name": "Shelf"}));
    server.post("/marketplaces/custom", &json!({"name": "Start here", "chatflowId": flow}));
    flow
}

#[test]
fn servers_of_tools_go_along_without_what_is_secret_of_them() {
    let (from, to) = (Server::start(), Server::start());
    let address = format!("https://tools.example:8443/mcp/{KEY}?key={KEY}");
    let made = from.post(
        "/custom-mcp-servers",
        &json!({"name": "Weather", "serverUrl": address, "color": "#123456", "authType": "CUSTOM_HEADERS",
            "authConfig": {"headers": {"X-Key": KEY}}}),
    );
    let file = export(&from, &json!({"tool": true}));
    assert!(!file.to_string().contains(KEY), "{file}");
    assert_eq!(file["CustomMcpServer"][0]["name"], "Weather");
    let preview = import(&to, &file, "preview", &json!({}));
    assert_eq!(actions(&preview), ["create"], "{preview}");
    assert!(preview["items"][0]["notes"].to_string().contains("enter it under Tools"), "{preview}");
    let done = import(&to, &file, "import", &json!({}));
    assert_eq!(done["created"], 1, "{done}");
    let path = format!("/custom-mcp-servers/{}", id(&made));
    let there = to.read(&path);
    for field in ["id", "name", "serverUrl", "color", "authType", "authConfig"] {
        assert_eq!(there[field], made[field], "{field}");
    }
    assert_eq!(there["status"], "PENDING");
    assert_eq!(actions(&import(&to, &file, "import", &json!({}))), ["skip"], "once is enough");
    // An update leaves alone what the file does not tell.
    from.put(&path, &json!({"name": "Weather of today"}));
    let mut newer = export(&from, &json!({"tool": true}));
    newer["existing"] = "update".into();
    let updated = import(&from, &newer, "import", &json!({}));
    assert_eq!(actions(&updated), ["skip"], "{updated}");
    let mut older = file.clone();
    older["existing"] = "update".into();
    assert_eq!(actions(&import(&from, &older, "import", &json!({}))), ["update"]);
    assert_eq!(
        (&from.read(&path)["name"], &from.read(&path)["serverUrl"]),
        (&json!("Weather"), &made["serverUrl"])
    );
    let copied = import(&from, &file, "import", &json!({id(&made): "duplicate"}));
    assert_eq!(copied["created"], 1, "{copied}");
    let mut broken = file;
    broken["CustomMcpServer"][0]["serverUrl"] = "ftp://tools.example".into();
    let refused = import(&Server::start(), &broken, "import", &json!({}));
    assert!(refused["items"][0].to_string().contains("Invalid serverUrl"), "{refused}");
}

#[test]
fn what_is_exported_comes_in_elsewhere_under_its_ids() {
    let (from, to) = (Server::start(), Server::start());
    let flow = create_one_of_each(&from);
    let file = export(&from, &json!({}));
    let preview = import(&to, &file, "preview", &json!({}));
    assert_eq!(actions(&preview), ["create"; 5], "{preview}");
    assert_eq!(to.read("/chatflows"), json!([]), "a preview changes nothing");
    let answer = import(&to, &file, "import", &json!({}));
    assert_eq!((&answer["message"], &answer["created"]), (&json!("success"), &json!(5)), "{answer}");
    let there = to.read(&format!("/chatflows/{flow}"));
    let here = from.read(&format!("/chatflows/{flow}"));
    for field in ["name", "type", "chatbotConfig", "isPublic"] {
        assert_eq!(there[field], here[field], "{field}");
    }
    assert_eq!(to.ask(&flow, &json!({"question": "Hi"})).is(200).json()["text"], "You said: Hi");
    assert_eq!(to.read("/variables")[0]["value"], "");
    assert_eq!(to.read("/document-store/store")[0]["name"], "Shelf");
    assert_eq!(to.read("/marketplaces/custom")[0]["templateName"], "Start here");
    assert_eq!(to.read(&format!("/flow-versions/{flow}"))["versions"].as_array().unwrap().len(), 1);
    assert_eq!(export(&to, &json!({}))["ChatFlow"][0]["flowData"], file["ChatFlow"][0]["flowData"]);
}

#[test]
fn harnesses_and_pipelines_stand_among_the_chatflows_and_run_elsewhere() {
    let (from, to, provider) = (Server::start(), Server::start(), Provider::start());
    let talker = from.flow_with(&scripted_flow(), &json!({"name": "Talker"}));
    let desk = Team::of(&provider, &["law"]).flow(&from);
    let line = etl::pipeline(&from, &etl::into_file("rows.jsonl"));
    for wanted in [json!({}), json!({"chatflow": true})] {
        let file = export(&from, &wanted);
        let rows = file["ChatFlow"].as_array().unwrap().iter();
        let mut kinds: Vec<&str> = rows.map(|row| row["type"].as_str().unwrap()).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, ["CHATFLOW", "ETL", "HARNESS"], "{wanted}");
    }
    let answer = import(&to, &export(&from, &json!({})), "import", &json!({}));
    assert_eq!(actions(&answer), ["create"; 3], "{answer}");
    for (flow, kind) in [(&talker, "CHATFLOW"), (&desk, "HARNESS"), (&line, "ETL")] {
        assert_eq!(to.read(&format!("/chatflows/{flow}"))["type"], kind);
    }
    harness::script(&provider, &["law"], &[]);
    assert_eq!(harness::ask(&to, &desk).is(200).json()["text"], "Together: done.");
    let run = etl::start(&to, &line, &json!({}));
    assert_eq!(etl::end(&to, &line, &run)["state"], "FINISHED");
    assert_eq!(to.read(&format!("/etl/{line}/files"))[0]["name"], "rows.jsonl");
    let again = import(&to, &export(&from, &json!({})), "import", &json!({}));
    assert_eq!(actions(&again), ["skip"; 3], "{again}");
}

#[test]
fn no_secret_leaves() {
    let server = Server::start();
    secretive(&server);
    create_one_of_each(&server);
    let text = export(&server, &json!({})).to_string();
    assert!(!text.contains(KEY) && !text.contains("a secret place"), "{text}");
    assert!(text.contains("[secret hidden]"));
}

#[test]
fn a_credential_is_found_again_by_its_name() {
    let (from, to) = (Server::start(), Server::start());
    let (flow, credential) = secretive(&from);
    let file = export(&from, &json!({"chatflow": true}));
    assert_eq!(file["flowkeep"]["credentials"][&credential]["name"], "Main");
    let preview = import(&to, &file, "preview", &json!({}));
    assert!(preview["items"][0]["notes"][0].as_str().unwrap().contains("'Main' (openAIApi)"), "{preview}");
    let body = json!({"name": "Main", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k"}});
    let own = id(&to.post("/credentials", &body));
    let answer = import(&to, &file, "import", &json!({}));
    assert_eq!(answer["items"][0]["notes"], json!(["It uses your credential 'Main'."]), "{answer}");
    let canvas = to.read(&format!("/chatflows/{flow}"))["flowData"].as_str().unwrap().to_owned();
    assert!(canvas.contains(&own) && !canvas.contains(&credential));
}

#[test]
fn what_is_here_is_never_overwritten_silently() {
    let server = Server::start();
    let flow = server.flow_with(&scripted_flow(), &json!({"name": "Talker"}));
    let file = export(&server, &json!({}));
    let same = import(&server, &file, "import", &json!({}));
    assert_eq!(actions(&same), ["skip"], "{same}");
    server.put(&format!("/chatflows/{flow}"), &json!({"name": "Renamed"}));
    let preview = import(&server, &file, "preview", &json!({}));
    assert_eq!(preview["items"][0]["choices"], json!(["skip", "update", "duplicate"]));
    let again = import(&server, &file, "import", &json!({}));
    assert_eq!((actions(&again), &again["created"]), (vec!["skip"], &json!(0)), "{again}");
    assert_eq!(server.read("/chatflows").as_array().unwrap().len(), 1, "nothing is doubled");
    let copied = import(&server, &file, "import", &json!({ (flow.clone()): "duplicate" }));
    assert_eq!((actions(&copied), &copied["created"]), (vec!["duplicate"], &json!(1)));
    let copy = copied["items"][0]["newId"].as_str().unwrap();
    assert_eq!(server.read(&format!("/chatflows/{copy}"))["name"], "Talker");
    assert_eq!(server.read(&format!("/chatflows/{flow}"))["name"], "Renamed");
    import(&server, &file, "import", &json!({ (flow.clone()): "skip" }));
    assert_eq!(server.read(&format!("/chatflows/{flow}"))["name"], "Renamed");
    let updated = import(&server, &file, "import", &json!({ (flow.clone()): "update" }));
    assert_eq!((actions(&updated), &updated["updated"]), (vec!["update"], &json!(1)));
    assert_eq!(server.read(&format!("/chatflows/{flow}"))["name"], "Talker");
    let versions = server.read(&format!("/flow-versions/{flow}"));
    assert_eq!(versions["versions"].as_array().unwrap().len(), 3, "the save and the update are versions");
}

#[test]
fn an_update_in_draft_mode_goes_to_the_draft_and_keeps_what_no_file_holds() {
    let server = Server::start();
    let (flow, credential) = secretive(&server);
    let file = export(&server, &json!({}));
    let other = scripted_flow_with(json!({"fallback": "Other."}));
    server.put(&format!("/chatflows/{flow}"), &json!({ "flowData": other }));
    let settings = json!({"publishInstantly": false});
    server.owner("PUT", &format!("/flow-drafts/{flow}/settings")).json(&settings).send().is(200);
    let answer = import(&server, &file, "import", &json!({ (flow.clone()): "update" }));
    assert_eq!(actions(&answer), ["update"], "{answer}");
    let live = server.read(&format!("/chatflows/{flow}"))["flowData"].as_str().unwrap().to_owned();
    assert!(live.contains("Other."), "Live stays");
    let draft = server.read(&format!("/flow-drafts/{flow}"));
    let draft = draft["draft"]["flowData"].as_str().unwrap();
    assert!(draft.contains("gpt-4o-mini") && draft.contains(&credential), "{draft}");
}

#[test]
fn drafts_come_along() {
    let (from, to) = (Server::start(), Server::start());
    let flow = from.flow_with(&scripted_flow(), &json!({"name": "Talker"}));
    let settings = json!({"publishInstantly": false});
    from.owner("PUT", &format!("/flow-drafts/{flow}/settings")).json(&settings).send().is(200);
    let edited = json!({ "flowData": scripted_flow_with(json!({"fallback": "Edited."})) });
    from.owner("PUT", &format!("/flow-drafts/{flow}")).json(&edited).send().is(200);
    let file = export(&from, &json!({}));
    assert!(file["ChatFlow"][0]["draft"]["flowData"].as_str().unwrap().contains("Edited."));
    import(&to, &file, "import", &json!({}));
    let status = to.read(&format!("/flow-drafts/{flow}"));
    assert!(status["draft"]["flowData"].as_str().unwrap().contains("Edited."), "{status}");
    to.ask(&flow, &json!({"question": "Hi"})).is_error(404);
}

#[test]
fn an_id_of_another_workspace_becomes_a_new_one_everywhere() {
    let server = Server::start();
    let (taken, other) = (FlowId::random(), WorkspaceId::random());
    server.app.store.write(|tx| FLOW_WORKSPACE.put(tx, &taken, &other)).unwrap();
    let mut drawing = Drawing::default();
    drawing.card("ChatflowTool", json!({"selectedChatflow": taken.to_string()}));
    let file = json!({"ChatFlow": [
        {"id": taken, "name": "a", "type": "CHATFLOW", "flowData": scripted_flow()},
        {"id": FlowId::random(), "name": "b", "type": "CHATFLOW", "flowData": drawing.text(), "publishInstantly": true},
    ]});
    let answer = import(&server, &file, "import", &json!({}));
    let new = answer["items"][0]["newId"].as_str().unwrap();
    assert_ne!(new, taken.to_string());
    let caller = answer["items"][1]["id"].as_str().unwrap();
    let canvas = server.read(&format!("/chatflows/{caller}"))["flowData"].as_str().unwrap().to_owned();
    assert!(canvas.contains(new) && !canvas.contains(&taken.to_string()));
}

#[test]
fn a_bad_thing_takes_no_good_one_along() {
    let server = Server::start();
    let file = json!({
        "ChatFlow": [
            {"name": "bad canvas", "type": "CHATFLOW", "flowData": "{}"},
            {"name": "good", "type": "CHATFLOW", "flowData": scripted_flow()},
            {"name": "bad settings", "type": "CHATFLOW", "flowData": scripted_flow(), "chatbotConfig": "["},
            7,
        ],
        "Tool": [{"name": ""}],
        "ChatMessage": [{}],
    });
    let answer = import(&server, &file, "import", &json!({}));
    assert_eq!(actions(&answer), ["refused", "create", "refused", "refused", "refused", "skip"], "{answer}");
    assert_eq!((&answer["created"], &answer["refused"]), (&json!(1), &json!(4)));
    let names: Vec<Value> =
        server.read("/chatflows").as_array().unwrap().iter().map(|flow| flow["name"].clone()).collect();
    assert_eq!(names, ["good"]);
    server.owner("POST", "/export-import/import").json(&json!({"hello": 1})).send().is_error(400);
    server.owner("POST", "/export-import/import").json(&json!({"ChatFlow": 1})).send().is_error(400);
}

#[test]
fn a_canvas_and_a_single_flow_come_in_as_files() {
    let server = Server::start();
    let canvas: Value = serde_json::from_str(&scripted_flow()).unwrap();
    let answer = import(&server, &canvas, "import", &json!({}));
    assert_eq!((actions(&answer), &answer["items"][0]["name"]), (vec!["create"], &json!("Imported flow")));
    let other = scripted_flow_with(json!({"fallback": "One."}));
    let record = json!({"name": "One", "type": "CHATFLOW", "flowData": other});
    assert_eq!(actions(&import(&server, &record, "import", &json!({}))), ["create"]);
}

#[test]
fn each_kind_needs_its_permission() {
    let server = Server::start();
    create_one_of_each(&server);
    let file = export(&server, &json!({}));
    let key = |names: &[&str]| server.key(names)["apiKey"].as_str().unwrap().to_owned();
    let blind = key(&["chatflows:export", "tools:export"]);
    let unseen = server.call("POST", "/export-import/export").bearer(&blind);
    assert_eq!(
        unseen.clone().json(&json!({})).send().is(200).json()["ChatFlow"],
        json!([]),
        "it may not see them"
    );
    let refused = unseen.clone().json(&json!({"chatflow": true})).send();
    assert!(refused.is_error(403).contains("chatflows:view"));
    assert!(unseen.json(&json!({"tool": true})).send().is_error(403).contains("tools:view"));
    let narrow = key(&["chatflows:export", "chatflows:view", "agentflows:import"]);
    let call = |path: &str, body: &Value| server.call("POST", path).bearer(&narrow).json(body).send();
    let own = call("/export-import/export", &json!({})).is(200).json();
    assert_eq!((own["ChatFlow"].as_array().unwrap().len(), &own["Tool"]), (1, &json!([])));
    assert!(call("/export-import/export", &json!({"tool": true})).is_error(403).contains("tools:export"));
    let answer = call("/export-import/import", &file).is(200).json();
    assert_eq!(actions(&answer), ["refused"; 5], "{answer}");
    let maker = key(&["chatflows:import"]);
    let canvas = scripted_flow_with(json!({"fallback": "By key."}));
    let fresh = json!({"name": "By key", "type": "CHATFLOW", "flowData": canvas});
    let made = server.call("POST", "/export-import/import").bearer(&maker).json(&fresh).send().is(200).json();
    assert_eq!(actions(&made), ["create"], "{made}");
    let flow = server.read("/chatflows")[0]["id"].as_str().unwrap().to_owned();
    let over = json!({"ChatFlow": [{"id": flow, "name": "X", "type": "CHATFLOW", "flowData": scripted_flow()}], "choices": {(flow): "update"}});
    let refused =
        server.call("POST", "/export-import/import").bearer(&maker).json(&over).send().is(200).json();
    assert_eq!(actions(&refused), ["refused"], "to change a flow is another permission: {refused}");
}

#[test]
fn a_file_names_credentials_only_for_those_who_may_see_them() {
    let server = Server::start();
    let (_, credential) = secretive(&server);
    let named = |permissions: &[&str]| {
        let key = server.key(permissions)["apiKey"].as_str().unwrap().to_owned();
        let file = server.call("POST", "/export-import/export").bearer(&key).json(&json!({})).send();
        file.is(200).json()["flowkeep"]["credentials"].clone()
    };
    assert_eq!(named(&["chatflows:export", "chatflows:view"]), json!({}));
    let seen = named(&["chatflows:export", "chatflows:view", "credentials:view"]);
    assert_eq!(seen[&credential]["name"], "Main");
}

#[test]
fn conversations_are_exported_as_a_file() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    server.ask(&flow, &json!({"question": "One", "leadEmail": "a@b.c"})).is(200);
    server.post(&format!("/internal-prediction/{flow}"), &json!({"question": "Two"}));
    let call = |body: &Value| server.owner("POST", "/export-import/chatflow-messages").json(body).send();
    let answer = call(&json!({"chatflowId": flow, "chatType": ["EXTERNAL"]})).is(200);
    let named = format!("attachment; filename=\"{flow}-Message.json\"");
    assert_eq!(answer.header("content-disposition"), Some(named.as_str()));
    let told = answer.json();
    assert_eq!((told.as_array().unwrap().len(), &told[0]["email"]), (1, &json!("a@b.c")));
    assert_eq!(told[0]["messages"][1]["content"], "You said: One");
    assert_eq!(
        (&told[0]["messages"][0]["role"], &told[0]["messages"][1]["role"]),
        (&json!("user"), &json!("bot"))
    );
    assert_eq!(call(&json!({"chatflowId": flow})).json().as_array().unwrap().len(), 2);
    call(&json!({"chatflowId": flow, "startDate": "yesterday"})).is_error(400);
    call(&json!({"chatflowId": "x"})).is_error(404);
    let whole = export(&server, &json!({"chat_message": true, "chat_feedback": true}));
    assert_eq!((whole["ChatMessage"].as_array().unwrap().len(), &whole["ChatFlow"]), (4, &json!([])));
}

#[test]
fn a_draft_does_not_become_another_kind_through_a_file() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let settings = json!({"publishInstantly": false});
    server.owner("PUT", &format!("/flow-drafts/{flow}/settings")).json(&settings).send().is(200);
    let file = json!({"ChatFlow": [{"id": flow, "name": "X", "type": "AGENTFLOW", "flowData": scripted_flow_with(json!({"fallback": "B"}))}]});
    let answer = import(&server, &file, "import", &json!({ (flow.clone()): "update" }));
    assert_eq!(actions(&answer), ["refused"], "{answer}");
    assert_eq!(server.read(&format!("/flow-drafts/{flow}"))["draft"], Value::Null);
    assert_ne!(server.read(&format!("/chatflows/{flow}"))["name"], "X");
}
