//! Good requests for the routes of people, roles, workspaces and the audit list, for the access grid.

use crate::support::server::{EMAIL, PASSWORD};
use crate::support::{Server, id};
use flowkeep::domain::accounts::role::VIEWER;
use flowkeep::domain::ids::WorkspaceId;
use serde_json::{Value, json};
use uuid::Uuid;

/// A name nobody has.
fn unique_name() -> String {
    Uuid::new_v4().simple().to_string()
}

/// The path under `/api/v1` and the body of a good request; `None` for routes of others. The active workspace of the
/// owner is where things are made.
pub fn sample(server: &Server, method: &str, pattern: &str) -> Option<(String, Option<Value>)> {
    let active = || server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let member = || server.member(VIEWER).id;
    let place =
        |workspace: &str, user: &str| json!({"workspaceId": workspace, "userId": user, "roleId": VIEWER});
    let invitation =
        || json!({"user": {"email": format!("{}@example.org", unique_name())}, "roleId": VIEWER});
    let role = || server.role(&unique_name(), &["chatflows:view"]).to_string();
    let same = |body: Value| Some((pattern.to_owned(), Some(body)));
    let plain = |path: String| Some((path, None));
    match (method, pattern) {
        ("POST", "/auth/resolve" | "/audit/login-activity") => same(json!({})),
        ("POST", "/account/verify") => {
            let token = server.post("/account/invite", &invitation())["link"]["token"].clone();
            same(json!({"user": {"tempToken": token}}))
        }
        ("POST", "/account/forgot-password") => {
            same(json!({"user": {"email": format!("{}@example.org", unique_name())}}))
        }
        ("POST", "/account/reset-password") => {
            let link = server.post(&format!("/user/{}/reset-link", member()), &json!({}));
            same(json!({"user": {"tempToken": link["link"]["token"], "password": PASSWORD}}))
        }
        ("PUT", "/user") => same(json!({"name": "Ada"})),
        ("GET" | "DELETE", "/account/sessions")
        | (
            "GET",
            "/user" | "/account/invite" | "/organizationuser" | "/organization" | "/workspace" | "/role"
            | "/audit",
        ) => plain(pattern.to_owned()),
        ("DELETE", "/account/sessions/:id") => {
            let owner = server.read(&format!("/user?email={EMAIL}"));
            let workspace = WorkspaceId::parse(&active()).unwrap();
            let cookie = server.session_of(&id(&owner), workspace);
            let listed = server.call("GET", "/account/sessions").header("Cookie", &cookie).send().json();
            plain(format!("/account/sessions/{}", id(&listed[0])))
        }
        ("POST", "/account/invite") => {
            let mut body = invitation();
            body["workspaceId"] = active().into();
            same(body)
        }
        ("DELETE", "/account/invite/:id") => {
            plain(format!("/account/invite/{}", id(&server.post("/account/invite", &invitation()))))
        }
        ("PUT", "/organizationuser") => same(json!({"userId": member(), "status": "disabled"})),
        ("DELETE", "/organizationuser") => plain(format!("/organizationuser?userId={}", member())),
        ("POST", "/user/:id/reset-link") => plain(format!("/user/{}/reset-link", member())),
        ("GET" | "DELETE", "/user/:id/sessions") => plain(format!("/user/{}/sessions", member())),
        ("PUT", "/organization") => same(json!({"name": "Ours"})),
        ("POST", "/workspace") => same(json!({ "name": unique_name() })),
        ("PUT", "/workspace") => same(json!({"id": active(), "description": "Ours."})),
        ("DELETE", "/workspace/:id") => plain(format!("/workspace/{}", server.new_workspace(&unique_name()))),
        ("POST", "/workspace/switch") => {
            plain(format!("/workspace/switch?id={}", server.new_workspace(&unique_name())))
        }
        ("GET", "/workspaceuser") => plain(format!("/workspaceuser?workspaceId={}", active())),
        ("POST", "/workspaceuser") => {
            let elsewhere = server.member_of(&server.new_workspace(&unique_name()), VIEWER);
            same(place(&active(), &elsewhere.id))
        }
        ("PUT", "/workspaceuser") => same(place(&active(), &member())),
        ("DELETE", "/workspaceuser") => {
            plain(format!("/workspaceuser?workspaceId={}&userId={}", active(), member()))
        }
        ("POST", "/role") => same(json!({"name": unique_name(), "permissions": ["chatflows:view"]})),
        ("PUT", "/role") => same(json!({"id": role(), "description": "Ours."})),
        ("GET" | "DELETE", "/role/:id") => plain(format!("/role/{}", role())),
        ("PUT", "/role/:id") => Some((format!("/role/{}", role()), Some(json!({"description": "Ours."})))),
        _ => None,
    }
}
