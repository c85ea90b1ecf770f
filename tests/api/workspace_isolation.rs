//! Walls between workspaces: what is on the other side looks like what does not exist, to every route and to every card
//! of a canvas (manual 1.3 r2).

use crate::access::{call, call_holding};
use crate::access_callers::key;
use crate::support::canvases::{Drawing, SECRET};
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id};
use flowkeep::domain::accounts::caller::key_permission_names;
use flowkeep::domain::accounts::role::ADMINISTRATOR;
use flowkeep::http::routing::guard::RequiredAccess;
use flowkeep::http::routing::router::Route;
use flowkeep::http::routing::routes::service_routes;
use regex::Regex;
use serde_json::{Value, json};
use std::sync::LazyLock;
use uuid::Uuid;

/// The form of every id.
pub static ID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").unwrap());

/// The text with ids of nothing in the place of all ids.
pub fn with_unknown_ids(text: &str) -> String {
    ID.replace_all(text, |_: &regex::Captures<'_>| Uuid::new_v4().to_string()).into_owned()
}

/// What belongs to the organization and to no workspace, so that there is no other side.
fn is_organization_wide(route: &Route) -> bool {
    let pattern = route.pattern.trim_start_matches("/api/v1");
    ["/role", "/user", "/account/sessions", "/organization"].iter().any(|start| pattern.starts_with(start))
}

#[test]
fn every_route_answers_for_another_workspace_as_for_nothing() {
    let server = Server::start();
    let here = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let there = server.new_workspace("There");
    let member = server.member_of(&here, ADMINISTRATOR);
    let names: Vec<String> = key_permission_names().collect();
    let all = key(&server, &names.iter().map(String::as_str).collect::<Vec<_>>());
    let mut judged = 0;
    for route in service_routes() {
        let is_for_others = matches!(
            route.guard.access,
            RequiredAccess::Public | RequiredAccess::Ask | RequiredAccess::Key | RequiredAccess::Owner
        );
        // The id of a credential in an assistant is a mark of the editors that send it, and leads nowhere.
        let is_mark = (route.method.as_str(), route.pattern.as_str()) == ("POST", "/api/v1/assistants");
        if is_for_others || is_organization_wide(route) || is_mark {
            continue;
        }
        server.enter(&there);
        let foreign = call(&server, route, "CHATFLOW");
        server.enter(&here);
        let unknown = foreign.clone().edit(with_unknown_ids);
        if !foreign.matches(&ID) {
            continue;
        }
        judged += 1;
        let normal = |text: String| ID.replace_all(&text, "ID").into_owned();
        let name = format!("{} {}", route.method, route.pattern);
        let mut callers = vec![("Cookie", member.cookie.clone()), ("Cookie", server.cookie.clone())];
        let fits_a_key =
            |permissions: &[&str]| key_permission_names().any(|name| permissions.contains(&name.as_str()));
        if matches!(route.guard.access, RequiredAccess::AnyOf(permissions) if fits_a_key(permissions)) {
            callers.push(("Authorization", format!("Bearer {all}")));
        }
        // The owner may name every workspace where it is workspaces that are managed.
        let manages = route.pattern.contains("/workspace") || route.pattern.contains("/account/invite");
        for (header, value) in callers.iter().filter(|(_, value)| !manages || *value != server.cookie) {
            let (one, other) = (foreign.clone().header(header, value), unknown.clone().header(header, value));
            let (one, other) = (one.send(), other.send());
            // What deletes a list of records tells how many were there.
            let is_count =
                (route.method.as_str(), route.pattern.as_str()) == ("DELETE", "/api/v1/executions");
            assert_eq!(one.status, if is_count { 200 } else { 404 }, "{name} as {header}");
            assert_eq!(
                (one.status, normal(one.text())),
                (other.status, normal(other.text())),
                "{name} as {header}"
            );
        }
    }
    assert!(judged > 40, "only {judged} routes name something");
}

#[test]
fn a_member_sees_nothing_of_another_workspace_in_lists() {
    let server = Server::start();
    let here = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let there = server.new_workspace("There");
    let member = server.member_of(&here, ADMINISTRATOR);
    server.enter(&there);
    for route in
        service_routes().iter().filter(|route| route.method == "POST" && route.params().next().is_none())
    {
        if let RequiredAccess::AnyOf(permissions) = route.guard.access {
            let who = server.member_of(&there, ADMINISTRATOR);
            let made = call_holding(&server, route, "CHATFLOW", permissions[0]);
            made.header("Cookie", &who.cookie).send();
        }
    }
    server.enter(&here);
    for path in [
        "/chatflows",
        "/apikey",
        "/credentials",
        "/variables",
        "/tools",
        "/document-store/store",
        "/account/invite",
    ] {
        assert_eq!(
            member
                .read(&server, path)
                .as_array()
                .unwrap()
                .iter()
                .filter(|row| row["workspaceId"] == *there)
                .count(),
            0,
            "{path}"
        );
    }
    assert!(!member.read(&server, "/workspace").to_string().contains(&there));
}

#[test]
fn the_id_of_a_deleted_flow_stays_with_its_workspace() {
    let server = Server::start();
    let here = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let there = server.new_workspace("There");
    let flow = server.flow(&crate::support::canvases::scripted_flow());
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    let file = json!({"id": flow, "name": "Taken", "type": "CHATFLOW", "flowData": crate::support::canvases::scripted_flow()});
    let import = || server.post("/export-import/import", &file)["items"][0].clone();
    for path in [format!("/chatflows/{flow}"), format!("/flow-versions/{flow}")] {
        server.owner("GET", &path).send().is_error(404);
    }
    server.enter(&there);
    let made = import();
    assert_eq!(made["action"], "create", "{made}");
    assert_ne!(made["newId"], Value::Null, "{made}");
    assert!(!made["reason"].as_str().unwrap().contains("in use"), "{made}");
    server.owner("GET", &format!("/flow-versions/{flow}")).send().is_error(404);
    server.ask(&flow, &json!({"question": "Hi"})).is_error(404);
    server.enter(&here);
    let again = import();
    assert_eq!((&again["action"], again.get("newId")), (&json!("create"), None), "{again}");
    assert_eq!(server.read(&format!("/chatflows/{flow}"))["name"], "Taken");
}

#[test]
fn an_import_says_the_same_of_ids_of_other_workspaces_as_of_unknown_ones() {
    let server = Server::start();
    let flow = server.flow(&crate::support::canvases::scripted_flow());
    let store = id(&server.post("/document-store/store", &json!({"name": "Shelf"})));
    let there = server.new_workspace("There");
    server.enter(&there);
    let unknown = uuid::Uuid::new_v4().to_string();
    let canvas = crate::support::canvases::scripted_flow();
    let file = |group: &str, id: &str| match group {
        "ChatFlow" => json!({"ChatFlow": [{"id": id, "name": "F", "type": "CHATFLOW", "flowData": canvas}]}),
        _ => json!({"DocumentStore": [{"id": id, "name": "S"}]}),
    };
    for (group, taken) in [("ChatFlow", &flow), ("DocumentStore", &store)] {
        for mode in ["preview", "import"] {
            let told = |id: &str| {
                let mut body = file(group, id);
                body["mode"] = mode.into();
                let send = || server.owner("POST", "/export-import/import").json(&body).send().is(200);
                let (first, second) = (send(), send());
                assert_ne!(first.json()["items"][0]["newId"], *id);
                [first, second].map(|answer| ID.replace_all(&answer.text(), "ID").into_owned())
            };
            assert_eq!(told(taken), told(&unknown), "{mode}");
        }
        // What the file brought is found again under the id it came in under.
        let again = server.post("/export-import/import", &file(group, taken))["items"][0].clone();
        assert!(again["reason"].as_str().unwrap().contains("is here already"), "{again}");
    }
}

/// A canvas with one card that names `id`.
fn canvas_naming(server: &Server, provider: &Provider, card: &str, input: &str, id: &str) -> String {
    let mut drawing = Drawing::default();
    let base = format!("{}/v1", provider.base_url());
    let model = drawing.card("chatOpenAI", json!({"modelName": "m", "basepath": base}));
    let own = json!({"name": "c", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": SECRET}});
    let credential = if input == "credential" {
        id.to_owned()
    } else {
        crate::support::id(&server.post("/credentials", &own))
    };
    drawing.credential(&model, &credential);
    match card {
        "chatOpenAI" => {
            let chain = drawing.card("conversationChain", json!({}));
            let memory = drawing.card("bufferMemory", json!({}));
            drawing.wire(&model, &chain, "model");
            drawing.wire(&memory, &chain, "memory");
        }
        "documentStoreVS" | "bm25Retriever" => {
            let found = drawing.card(card, json!({ input: id }));
            let chain = drawing.card("retrievalQAChain", json!({}));
            drawing.wire(&model, &chain, "model");
            drawing.wire(&found, &chain, "vectorStoreRetriever");
        }
        tool => {
            let tool = drawing.card(tool, json!({ input: id, "name": "it", "description": "It." }));
            let agent = drawing.card("toolAgent", json!({}));
            drawing.wire(&model, &agent, "model");
            drawing.wire(&tool, &agent, "tools");
        }
    }
    drawing.text()
}

#[test]
fn a_canvas_that_names_what_is_elsewhere_behaves_as_if_it_were_nowhere() {
    let (server, provider) = (Server::start(), Provider::start());
    let here = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let there = server.new_workspace("There");
    server.enter(&there);
    let made = |path: &str, body: Value| id(&server.post(path, &body));
    let flow = server.flow(&crate::support::canvases::scripted_flow());
    let keys = json!({"openAIApiKey": "sk-of-the-others"});
    let credential =
        made("/credentials", json!({"name": "c", "credentialName": "openAIApi", "plainDataObj": keys}));
    let tool = made("/tools", json!({"name": "t", "func": "return 'of the others'"}));
    let store = made("/document-store/store", json!({"name": "s"}));
    server.enter(&here);
    for (card, input, id) in [
        ("chatOpenAI", "credential", &credential),
        ("ChatflowTool", "selectedChatflow", &flow),
        ("agentAsTool", "selectedAgentflow", &flow),
        ("customTool", "selectedTool", &tool),
        ("documentStoreVS", "selectedStore", &store),
        ("bm25Retriever", "documentStore", &store),
    ] {
        let told = |id: &str| {
            for _ in 0..2 {
                provider.push_behaviour(Behaviour::text("Done."));
            }
            let canvas = canvas_naming(&server, &provider, card, input, id);
            let body = json!({"name": "f", "type": "CHATFLOW", "flowData": canvas, "publishInstantly": true});
            let saved = server.owner("POST", "/chatflows").json(&body).send();
            let flow = saved.json()["id"].as_str().unwrap().to_owned();
            let issues = server.read(&format!("/validation/{flow}"));
            let run = server.ask(&flow, &json!({"question": "Hi"}));
            assert!(!run.text().contains("of the others") && !run.text().contains("of-the-others"), "{card}");
            let ids = |text: String| ID.replace_all(&text, "ID").into_owned();
            (saved.status, ids(issues.to_string()), run.status, ids(tokenless(&run.text())))
        };
        assert_eq!(told(id), told(&Uuid::new_v4().to_string()), "{card}");
    }
    let sent = provider.requests();
    assert!(sent.iter().all(|request| request.header("authorization") != Some("Bearer sk-of-the-others")));
}

/// An answer without what differs each time.
fn tokenless(text: &str) -> String {
    let Ok(mut body) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    if let Some(fields) = body.as_object_mut() {
        fields.remove("sessionToken");
    }
    body.to_string()
}
