//! Permissions to change, copy, export or run things let nobody read what they may not see.

use crate::access::{call_holding, sample};
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

/// Kinds of things: what lets people see one, and what of a sample shows in an answer that holds one.
const THINGS: &[(&[&str], &str)] = &[
    (
        &[
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
        FLOW,
    ),
    (&["documentStores:view", "documentStores:update"], "Some text."),
    (&["tools:view", "tools:update"], TOOL),
    (&["credentials:view", "credentials:update"], CREDENTIAL),
];

/// Who may do everything but see things.
pub fn blind_role(server: &Server) -> RoleId {
    let unseen: Vec<&str> = THINGS.iter().flat_map(|(seen_with, _)| seen_with.iter().copied()).collect();
    all_but(server, &unseen)
}

fn all_but(server: &Server, without: &[&str]) -> RoleId {
    let names: Vec<String> = permission_names().filter(|name| !without.contains(&name.as_str())).collect();
    role(server, &names.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn no_route_shows_a_thing_to_who_may_not_see_it() {
    let server = Server::start();
    for (seen_with, canary) in THINGS {
        let blind = server.member(all_but(&server, seen_with));
        for route in service_routes() {
            let RequiredAccess::AnyOf(permissions) = route.guard.access else { continue };
            for held in permissions.iter().filter(|name| !seen_with.contains(name)) {
                let (_, body) = sample(&server, route, "CHATFLOW", held);
                // What a caller sent may come back to them.
                if body.is_some_and(|body| body.to_string().contains(canary)) {
                    continue;
                }
                let answer =
                    call_holding(&server, route, "CHATFLOW", held).header("Cookie", &blind.cookie).send();
                let shown = answer.text().contains(canary);
                assert!(!shown, "{} {} shows {canary:?}: {}", route.method, route.pattern, answer.text());
            }
        }
    }
}
