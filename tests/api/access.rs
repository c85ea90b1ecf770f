//! Who may call what: every route of the table times every kind of caller (manual 12.1), and nothing but
//! what the table says.

use super::access_samples::{self, embedded_store, stored_file_query, upsertable_canvas, upserted_flow};
use super::files::documents;
use super::people_samples;
use crate::access_callers::{
    ROUTES_OF_A_SERVER, RouteCalls, expired_session, holder, key, member, owner_session, routes_on_servers,
};
use crate::permission_limits::{self, CREDENTIAL, TOOL, marked_canvas};
use crate::support::canvases::scripted_flow_with;
use crate::support::form::Form;
use crate::support::server::{EMAIL, PASSWORD};
use crate::support::{Server, client::Call, golden, id};
use crate::workspace_isolation::{ID, with_unknown_ids};
use flowkeep::domain::accounts::caller::{key_permission_names, permission_names};
use flowkeep::domain::accounts::role::{ADMINISTRATOR, EDITOR, VIEWER};
use flowkeep::domain::ids::RoleId;
use flowkeep::http::routing::guard::RequiredAccess;
use flowkeep::http::routing::router::{Accepts, Route};
use flowkeep::http::routing::routes::service_routes;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A kind of flow, by the permission group that governs it.
const KINDS: [(&str, &str); 3] =
    [("chatflows", "CHATFLOW"), ("agentflows", "AGENTFLOW"), ("assistants", "ASSISTANT")];

/// A good request for a route: path and body. What it names is made anew, because some requests use it up.
/// `held` is a permission of the caller: nobody gives a key what they do not have.
#[allow(clippy::too_many_lines, reason = "a line or two for each route")]
pub fn sample(server: &Server, route: &Route, kind: &str, held: &str) -> (String, Option<Value>) {
    let flow = || server.flow_with(&marked_canvas(), &json!({ "type": kind }));
    let credential = json!({"name": CREDENTIAL, "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k-123456"}});
    let variable = || json!({"name": format!("v{}", unique()), "value": "x", "type": "static"});
    let key = json!({"keyName": "k", "permissions": [held]});
    let store = json!({"name": "s"});
    let tool = json!({"name": "t", "description": TOOL});
    let text = json!({"loader": {"name": "plainText", "config": {"text": "Some text."}}});
    let made = |path: &str, body: &Value| id(&server.post(path, body));
    let pattern = route.pattern.strip_prefix("/api/v1").unwrap_or(&route.pattern);
    if let Some((path, body)) = people_samples::sample(server, route.method.as_str(), pattern) {
        return (format!("/api/v1{path}"), body);
    }
    let (name, body) = match (route.method.as_str(), pattern) {
        ("POST", "/account/register") => {
            (None, Some(json!({"user": {"name": "Eve", "email": "eve@example.org", "credential": PASSWORD}})))
        }
        ("POST", "/auth/login") => (None, Some(json!({"email": EMAIL, "password": PASSWORD}))),
        ("POST", "/account/logout") => (None, None),
        ("GET", "/auth/me" | "/apikey" | "/credentials" | "/components-credentials" | "/variables") => {
            (None, None)
        }
        (
            "GET",
            "/chatflows"
            | "/nodes"
            | "/document-store/store"
            | "/ping"
            | "/version"
            | "/health"
            | "/ready"
            | "/openapi.json"
            | "/metrics",
        ) => (None, None),
        ("GET", "/auth/permissions/:type") => (Some("ROLE".to_owned()), None),
        ("GET", "/components-credentials/:name") => (Some("openAIApi".to_owned()), None),
        ("GET", "/nodes/:name") => (Some("chatOpenAI".to_owned()), None),
        ("GET", "/nodes/category/:name") => (Some("Memory".to_owned()), None),
        ("POST", "/node-load-method/:name") => {
            (Some("chatOpenAI".to_owned()), Some(json!({"loadMethod": "listModels"})))
        }
        ("POST", "/apikey") => (None, Some(key)),
        ("PUT", "/apikey/:id") => (Some(made("/apikey", &key)), Some(key)),
        ("DELETE", "/apikey/:id") => (Some(made("/apikey", &key)), None),
        ("POST", "/credentials") => (None, Some(credential)),
        ("PUT", "/credentials/:id") => (Some(made("/credentials", &credential)), Some(json!({"name": "d"}))),
        ("GET" | "DELETE", "/credentials/:id") => (Some(made("/credentials", &credential)), None),
        ("POST", "/variables") => (None, Some(variable())),
        ("PUT", "/variables/:id") => (Some(made("/variables", &variable())), Some(json!({"value": "y"}))),
        ("DELETE", "/variables/:id") => (Some(made("/variables", &variable())), None),
        ("GET", "/tools") => (None, None),
        ("POST", "/tools") => (None, Some(json!({"name": "t"}))),
        ("PUT", "/tools/:id") => (Some(made("/tools", &tool)), Some(json!({"name": "u"}))),
        ("GET" | "DELETE", "/tools/:id") => (Some(made("/tools", &tool)), None),
        ("POST", "/prediction/:id" | "/internal-prediction/:id") => {
            (Some(server.flow(&marked_canvas())), Some(json!({"question": "Hi"})))
        }
        ("POST", "/vector/upsert/:id" | "/vector/internal-upsert/:id") => {
            (Some(server.flow_with(&upsertable_canvas(), &json!({ "type": kind }))), Some(json!({})))
        }
        ("GET", "/upsert-history/:id") => (Some(flow()), None),
        ("PATCH", "/upsert-history") => (None, Some(json!({ "ids": [upserted_flow(server, kind)] }))),
        ("POST", "/attachments/:flow/:chat") => {
            (Some(server.flow_with(&marked_canvas(), &documents(""))), None)
        }
        ("POST", "/chatflows") => (None, Some(json!({"name": "f", "type": kind}))),
        ("PUT", "/chatflows/:id") => (Some(flow()), Some(json!({"category": "g"}))),
        ("POST", "/validation/:id") => (Some(flow()), Some(json!({"flowData": marked_canvas()}))),
        ("GET" | "DELETE", "/chatflows/:id" | "/chatmessage/:id")
        | (
            "GET",
            "/chatflows-streaming/:id"
            | "/chatflows-uploads/:id"
            | "/flow-config/:id"
            | "/public-chatbotConfig/:id"
            | "/refused-origins/:id"
            | "/validation/:id",
        ) => (Some(flow()), None),
        ("POST", "/document-store/store") => (None, Some(store)),
        ("GET" | "DELETE", "/document-store/store/:id") => {
            (Some(made("/document-store/store", &store)), None)
        }
        ("POST", "/document-store/upsert/:id") => (Some(made("/document-store/store", &store)), Some(text)),
        ("POST", "/document-store/vectorstore/save" | "/document-store/vectorstore/insert") => {
            let store = made("/document-store/store", &store);
            (None, Some(json!({"storeId": store, "embeddingName": "hashingEmbeddings"})))
        }
        ("POST", "/document-store/vectorstore/query") => {
            (None, Some(json!({"storeId": embedded_store(server), "query": "When?"})))
        }
        ("DELETE", "/document-store/vectorstore/:id") => (Some(embedded_store(server)), None),
        (method, path) if path.starts_with("/document-store/") => {
            return access_samples::sample_of_store(server, method, path, &route.pattern);
        }
        ("GET", "/get-upload-file") => (Some(stored_file_query(server)), None),
        (method, pattern) => access_samples::sample(server, method, pattern, kind, held)
            .unwrap_or_else(|| sample_of_version(server, method, pattern, kind)),
    };
    if route.params().next().is_none() {
        // What such a route needs beside its path is its query.
        return (format!("{}{}", route.pattern, name.unwrap_or_default()), body);
    }
    let segments = route.pattern.split('/').map(|part| match part {
        ":sha" => newest(server, name.as_deref().unwrap()),
        // Where a path names two things, the sample says both.
        ":listener" | ":check" | ":run" | ":file" => {
            name.as_deref().unwrap().split(' ').nth(1).unwrap().to_owned()
        }
        _ if part.starts_with(':') => name.as_deref().unwrap().split(' ').next().unwrap().to_owned(),
        _ => part.to_owned(),
    });
    (segments.collect::<Vec<_>>().join("/"), body)
}

/// As [`sample`], for routes of drafts and versions.
fn sample_of_version(
    server: &Server,
    method: &str,
    pattern: &str,
    kind: &str,
) -> (Option<String>, Option<Value>) {
    let flow = || server.flow_with(&marked_canvas(), &json!({ "type": kind }));
    match (method, pattern) {
        ("GET", "/flow-versions/status") => (None, None),
        (method, path) if crate::remote::is_of_copy(path) => (None, crate::remote::sample(method, path)),
        ("POST", "/flow-drafts/publish") => (None, Some(json!({ "ids": [with_draft(server, flow())] }))),
        ("PUT", "/flow-drafts/:id") => {
            (Some(with_draft(server, flow())), Some(json!({"flowData": marked_canvas()})))
        }
        ("PUT", "/flow-drafts/:id/settings") => (Some(flow()), Some(json!({"publishInstantly": false}))),
        ("POST", "/flow-drafts/:id/rollback") => {
            let flow = with_draft(server, flow());
            let sha = newest(server, &flow);
            (Some(flow), Some(json!({ "sha": sha })))
        }
        ("POST", "/flow-drafts/:id/check") => {
            (Some(crate::checks::flow_of_kind(server, kind)), Some(json!({"questions": ["Hi"]})))
        }
        ("GET" | "DELETE", "/flow-drafts/:id/check/:check") => {
            let flow = crate::checks::flow_of_kind(server, kind);
            let check = crate::checks::start(server, &flow, &json!({"questions": ["Hi"]}));
            crate::checks::end(server, &flow, &check);
            (Some(format!("{flow} {}", check["id"].as_str().unwrap())), None)
        }
        ("PUT", "/flow-drafts/:id/check/questions") => (Some(flow()), Some(json!([{"text": "Hi"}]))),
        ("GET" | "DELETE" | "POST", path) if path.starts_with("/flow-drafts/") => {
            (Some(with_draft(server, flow())), None)
        }
        ("GET", "/flow-versions/incoming") => (None, None),
        ("POST", "/flow-versions/incoming/:id/promote") => {
            let (flow, sha) = crate::promotion::offered(server);
            (Some(flow), Some(json!({ "sha": sha })))
        }
        ("GET" | "DELETE", "/flow-versions/incoming/:id/check/:check") => {
            let (flow, _) = crate::promotion::offered(server);
            let check = crate::promotion::checks::checked(server, &flow, &json!(["Hi"]));
            (Some(format!("{flow} {}", check["id"].as_str().unwrap())), None)
        }
        ("POST", "/flow-versions/incoming/:id/check") => {
            (Some(crate::promotion::offered(server).0), Some(json!({"questions": ["Hi"]})))
        }
        ("GET", path) if path.starts_with("/flow-versions/incoming/") => {
            (Some(crate::promotion::offered(server).0), None)
        }
        ("GET" | "POST", path) if path.starts_with("/flow-versions/") => (Some(flow()), None),
        (method, pattern) => panic!("{method} {pattern} has no line here: say what a good request is"),
    }
}

/// The flow with unpublished changes; kinds without drafts stay as they are.
fn with_draft(server: &Server, flow: String) -> String {
    let path = format!("/flow-drafts/{flow}");
    server.owner("PUT", &format!("{path}/settings")).json(&json!({"publishInstantly": false})).send();
    let other = scripted_flow_with(json!({"fallback": "Changed."}));
    server.owner("PUT", &path).json(&json!({ "flowData": other })).send();
    flow
}

/// The id of a flow's newest version.
fn newest(server: &Server, flow: &str) -> String {
    let versions = server.read(&format!("/flow-versions/{flow}"));
    versions["versions"][0]["sha"].as_str().unwrap().to_owned()
}

fn unique() -> usize {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A good request for a route, as nobody.
pub fn call(server: &Server, route: &Route, kind: &str) -> Call {
    let held = match route.guard.access {
        RequiredAccess::AnyOf(permissions) => permissions[0],
        _ => "chatflows:view",
    };
    call_holding(server, route, kind, held)
}

/// As [`call`], for a caller who holds this permission.
pub fn call_holding(server: &Server, route: &Route, kind: &str, held: &str) -> Call {
    let (path, body) = sample(server, route, kind, held);
    call_of(server, route, &path, body.as_ref())
}

/// The request of a [`sample`], as nobody.
pub fn call_of(server: &Server, route: &Route, path: &str, body: Option<&Value>) -> Call {
    let call = server.call_root(route.method.as_str(), path);
    if route.accepts == Accepts::Multipart {
        return call.form(&Form::default().file("a.txt", "text/plain", b"hello"));
    }
    body.into_iter().fold(call, Call::json)
}

/// A key that has nothing to do with the permissions of any route.
const UNRELATED: &[&str] = &["agentflows:domains"];

#[test]
fn the_grid_of_routes_and_callers_is_as_written_down() {
    let mut grid = format!(
        "{:<7}{:<54}{:>8}{:>9}{:>9}{:>10}{:>7}{:>12}{:>11}{:>11}{:>8} |{:>8}{:>8}{:>7} |{:>11}{:>9}\n",
        "",
        "",
        "nobody",
        "garbage",
        "expired",
        "wrong key",
        "owner",
        "other perm.",
        "own perm.",
        "all perm.",
        "unseen",
        "viewer",
        "editor",
        "admin",
        "elsewhere",
        "unknown"
    );
    for routes in service_routes().chunks(ROUTES_OF_A_SERVER) {
        grid += &rows(routes);
    }
    golden::check("access.txt", &grid);
}

/// A line for each of these routes, which are tried on a server of their own.
#[allow(clippy::too_many_lines, reason = "a line for each column")]
fn rows(routes: &[Route]) -> String {
    let mut server = Server::start();
    let expired = expired_session(&server);
    let me = server.read("/auth/me");
    let here = me["activeWorkspaceId"].as_str().unwrap().to_owned();
    let there = server.new_workspace("There");
    let (unrelated, permission_names) = (key(&server, UNRELATED), key_permission_names().collect::<Vec<_>>());
    let all = key(&server, &permission_names.iter().map(String::as_str).collect::<Vec<_>>());
    // Everything but what lets people see things: where this caller gets in, nothing that is stored shows.
    let blind = permission_limits::blind_role(&server);
    let garbage = format!("flowkeep_session={}", "g".repeat(43));
    let wrong = format!("fk_{}", "w".repeat(43));
    let mut rows = String::new();
    for route in routes {
        let calls = RouteCalls::new(&server, route);
        let status = |dress: &dyn Fn(Call) -> Call| calls.send(dress).status;
        let fresh = owner_session(&server, &me);
        let own = match route.guard.access {
            RequiredAccess::AnyOf(permissions) => {
                let (header, value) = holder(&server, route, permissions[0]);
                status(&|call| call.header(header, &value)).to_string()
            }
            _ => "-".to_owned(),
        };
        let member = |role: RoleId| {
            let person = server.member_of(&here, role);
            status(&|call| call.header("Cookie", &person.cookie))
        };
        // An administrator here names what is elsewhere, and what is nowhere.
        server.enter(&there);
        let foreign = call(&server, route, "CHATFLOW");
        server.enter(&here);
        let stranger = server.member_of(&here, ADMINISTRATOR);
        let [elsewhere, unknown] = if foreign.matches(&ID) {
            let nothing = foreign.clone().edit(with_unknown_ids);
            [foreign, nothing].map(|call| call.header("Cookie", &stranger.cookie).send().status.to_string())
        } else {
            ["-".to_owned(), "-".to_owned()]
        };
        let [viewer, editor, admin] = [VIEWER, EDITOR, ADMINISTRATOR].map(member);
        writeln!(
            rows,
            "{:<7}{:<54}{:>8}{:>9}{:>9}{:>10}{:>7}{:>12}{:>11}{:>11}{:>8} |{viewer:>8}{editor:>8}{admin:>7} |{elsewhere:>11}{unknown:>9}",
            route.method.as_str(),
            route.pattern,
            status(&|call| call),
            status(&|call| call.header("Cookie", &garbage)),
            status(&|call| call.header("Cookie", &expired)),
            status(&|call| call.bearer(&wrong)),
            status(&|call| call.header("Cookie", &fresh)),
            status(&|call| call.bearer(&unrelated)),
            own,
            status(&|call| call.bearer(&all)),
            member(blind),
        )
        .unwrap();
        // Some routes end sessions, and some slow down who asks too often.
        server.cookie = owner_session(&server, &me);
        server.app.clock.advance_seconds(60);
    }
    rows
}

#[test]
fn every_permission_of_a_route_opens_it() {
    for (server, route) in routes_on_servers() {
        let RequiredAccess::AnyOf(permissions) = route.guard.access else { continue };
        // Some a person alone can hold.
        for permission in
            permissions.iter().filter(|name| key_permission_names().any(|known| known == **name))
        {
            let resource = permission.split(':').next().unwrap();
            let kind =
                KINDS.iter().find(|(known, _)| *known == resource).map_or("CHATFLOW", |(_, kind)| *kind);
            // The test chat runs chatflows only: other kinds are let in and then cannot run.
            let runs = !route.pattern.contains("/internal-") || kind == "CHATFLOW";
            // Assistants are made by a route of their own.
            let runs = runs
                && !(kind == "ASSISTANT" && route.pattern == "/api/v1/chatflows" && route.method == "POST");
            // Only the workspace one acts in can be deleted, and that one is not empty here.
            let runs = runs && route.pattern != "/api/v1/workspace/:id";
            // Flows that start by a schedule are agentflows.
            let runs = runs && !(route.pattern.ends_with("/schedule/enabled") && kind == "CHATFLOW");
            // Renewing needs somebody who signed in at a provider.
            let runs = runs && route.pattern != "/api/v1/oauth2-credential/refresh/:id";
            // There is no server of tools that could list them.
            let runs = runs && route.pattern != "/api/v1/custom-mcp-servers/:id/authorize";
            // Following and sharing a run takes the permission to see its flow beside that for records.
            let runs = runs
                && route.pattern != "/api/v1/executions/:id/events"
                && !(route.pattern == "/api/v1/executions/:id" && route.method == "PUT");
            let holder = holder(&server, route, permission);
            let status =
                call_holding(&server, route, kind, permission).header(holder.0, &holder.1).send().status;
            if runs {
                assert!(
                    matches!(status, 200 | 201 | 202 | 204),
                    "{} {} with {permission}: {status}",
                    route.method,
                    route.pattern
                );
            }
        }
    }
}

#[test]
fn no_permission_beside_those_of_a_route_opens_it() {
    let names: Vec<String> = key_permission_names().collect();
    for (server, route) in routes_on_servers() {
        let RequiredAccess::AnyOf(permissions) = route.guard.access else { continue };
        let others: Vec<&str> =
            names.iter().map(String::as_str).filter(|name| !permissions.contains(name)).collect();
        let calls = RouteCalls::new(&server, route);
        calls.send(|call| call.bearer(&key(&server, &others))).is_error(403);
        let names: Vec<String> =
            permission_names().filter(|name| !permissions.contains(&name.as_str())).collect();
        let person = member(&server, &names.iter().map(String::as_str).collect::<Vec<_>>());
        calls.send(|call| call.header("Cookie", &person.cookie)).is_error(403);
    }
}

#[test]
fn only_the_written_routes_are_public() {
    let public: Vec<&str> = service_routes()
        .iter()
        .filter(|route| matches!(route.guard.access, RequiredAccess::Public | RequiredAccess::Ask))
        .map(|route| route.pattern.trim_start_matches("/api/v1"))
        .collect();
    let mut expected = [
        "/account/register",
        "/account/forgot-password",
        "/account/reset-password",
        "/account/verify",
        "/auth/login",
        "/auth/resolve",
        "/account/logout",
        "/prediction/:id",
        "/vector/upsert/:id",
        "/get-upload-file",
        "/chatmessage/abort/:flow/:chat",
        "/feedback",
        "/feedback/:id",
        "/feedback/:feedback",
        "/leads",
        "/chatflows/apikey/:apikey",
        "/verify/apikey/:apikey",
        "/public-chatflows/:id",
        "/public-executions/:id",
        "/node-icon/:name",
        "/components-credentials-icon/:name",
        "/settings",
        "/ip",
        "/attachments/:flow/:chat",
        "/chatflows-uploads/:id",
        "/chatflows-streaming/:id",
        "/public-chatbotConfig/:id",
        "/oauth2-credential/callback",
        // Once for each method.
        "/webhook/:id",
        "/webhook/:id",
        "/webhook/:id",
        "/webhook/:id",
        "/webhook/:id",
        "/ping",
        "/version",
        "/openapi.json",
        "/health",
        "/ready",
    ];
    let mut found = public.clone();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn refusals_of_the_grid_have_the_shape_of_the_specification() {
    let server = Server::start();
    let unrelated = key(&server, UNRELATED);
    for route in service_routes() {
        match route.guard.access {
            RequiredAccess::Public | RequiredAccess::Ask => {}
            // In the shape of its protocol.
            RequiredAccess::Key => drop(call(&server, route, "CHATFLOW").send().is(401)),
            RequiredAccess::SignedIn => drop(call(&server, route, "CHATFLOW").send().is_error(401)),
            RequiredAccess::Session | RequiredAccess::AnyOf(_) | RequiredAccess::Owner => {
                let calls = RouteCalls::new(&server, route);
                calls.send(|call| call).is_error(401);
                calls.send(|call| call.bearer(&unrelated)).is_error(403);
            }
        }
    }
}

#[test]
fn an_address_outside_the_table_does_not_exist() {
    let server = Server::start();
    for path in [
        "/nothing.js",
        "/api",
        "/api/v1",
        "/api/v1/",
        "/api/v1/nothing",
        "/api/v2/chatflows",
        "/API/v1/chatflows",
    ] {
        for method in ["GET", "POST", "PUT", "DELETE"] {
            server.call_root(method, path).send().is_error(404);
        }
    }
}
