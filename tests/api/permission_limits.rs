//! Permissions to change, copy, export or run things let nobody read what they may not see.

use crate::access::{call_of, sample};
use crate::access_callers::role;
use crate::support::Server;
use crate::support::canvases::scripted_flow_with;
use flowkeep::domain::accounts::caller::permission_names;
use flowkeep::domain::ids::RoleId;
use flowkeep::http::routing::guard::RequiredAccess;
use flowkeep::http::routing::routes::service_routes;
use serde_json::json;

/// What the flows of the samples of the access grid hold.
pub const FLOW: &str = "canary of a flow";
/// What they call a credential.
pub const CREDENTIAL: &str = "canary of a credential";
/// What they say of a tool.
pub const TOOL: &str = "canary of a tool";

/// A canvas that is known when it shows.
pub fn marked_canvas() -> String {
    scripted_flow_with(json!({ "fallback": FLOW }))
}

/// A kind of things.
struct Thing {
    /// What lets people see one.
    seen_with: &'static [&'static str],
    /// What of a sample shows in an answer that holds one.
    canary: &'static str,
}

const FLOWS: Thing = Thing {
    seen_with: &[
        "chatflows:view",
        "chatflows:update",
        "chatflows:delete",
        "agentflows:view",
        "agentflows:update",
        "agentflows:delete",
        "assistants:view",
        "assistants:update",
        "assistants:delete",
    ],
    canary: FLOW,
};
const DOCUMENT_STORES: Thing =
    Thing { seen_with: &["documentStores:view", "documentStores:update"], canary: "Some text." };
const TOOLS: Thing = Thing { seen_with: &["tools:view", "tools:update"], canary: TOOL };
const CREDENTIALS: Thing =
    Thing { seen_with: &["credentials:view", "credentials:update"], canary: CREDENTIAL };

/// Who may do everything but see things.
pub fn blind_role(server: &Server) -> RoleId {
    let things = [FLOWS, DOCUMENT_STORES, TOOLS, CREDENTIALS];
    let unseen: Vec<&str> = things.iter().flat_map(|thing| thing.seen_with).copied().collect();
    all_but(server, &unseen)
}

fn all_but(server: &Server, without: &[&str]) -> RoleId {
    let names: Vec<String> = permission_names().filter(|name| !without.contains(&name.as_str())).collect();
    role(server, &names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Calls every route that some other permission opens, as who has all permissions but those to see things of this kind.
fn check_that_no_route_shows(thing: &Thing) {
    let server = Server::start();
    let blind = server.member(all_but(&server, thing.seen_with));
    for route in service_routes() {
        let RequiredAccess::AnyOf(permissions) = route.guard.access else { continue };
        for held in permissions.iter().filter(|name| !thing.seen_with.contains(name)) {
            let (path, body) = sample(&server, route, "CHATFLOW", held);
            // What a caller sent may come back to them.
            if body.as_ref().is_some_and(|body| body.to_string().contains(thing.canary)) {
                continue;
            }
            let answer = call_of(&server, route, &path, body.as_ref()).header("Cookie", &blind.cookie).send();
            let shown = answer.text().contains(thing.canary);
            assert!(!shown, "{} {} shows {:?}: {}", route.method, route.pattern, thing.canary, answer.text());
        }
    }
}

#[test]
fn no_route_shows_a_flow_to_who_may_not_see_it() {
    check_that_no_route_shows(&FLOWS);
}

#[test]
fn no_route_shows_a_document_store_to_who_may_not_see_it() {
    check_that_no_route_shows(&DOCUMENT_STORES);
}

#[test]
fn no_route_shows_a_tool_to_who_may_not_see_it() {
    check_that_no_route_shows(&TOOLS);
}

#[test]
fn no_route_shows_a_credential_to_who_may_not_see_it() {
    check_that_no_route_shows(&CREDENTIALS);
}
