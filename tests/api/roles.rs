//! Roles: who makes, gives and changes them, and when a change counts (manual 8.6).

use crate::support::{Answer, Person, Server, golden, id};
use flowkeep::domain::accounts::role::{ADMINISTRATOR, EDITOR, OWNER, VIEWER};
use flowkeep::domain::ids::RoleId;
use serde_json::{Value, json};

fn manager(server: &Server, permissions: &[&str]) -> Person {
    let held = [&["roles:manage", "workspace:add-user", "workspace:unlink-user"], permissions].concat();
    server.member(server.role(&format!("Manager of {permissions:?}"), &held))
}

fn put(server: &Server, who: &Person, role: &RoleId, body: &Value) -> Answer {
    who.call(server, "PUT", &format!("/role/{role}")).json(body).send()
}

#[test]
fn roles_are_made_changed_and_deleted() {
    let server = Server::start();
    let made = server.post("/role", &json!({"name": " Reader ", "permissions": ["chatflows:view"]}));
    golden::check("role.json", &serde_json::to_string_pretty(&made).unwrap());
    let path = format!("/role/{}", id(&made));
    let changed = server.put(&path, &json!({"description": "Reads.", "permissions": "[\"tools:view\"]"}));
    assert_eq!((&changed["name"], &changed["permissions"]), (&json!("Reader"), &json!(["tools:view"])));
    assert_eq!(server.put("/role", &json!({"id": made["id"], "name": "Readers"}))["name"], "Readers");
    let listed = server.read("/role");
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|role| role["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Owner", "Administrator", "Editor", "Viewer", "Readers"]);
    assert_eq!(server.owner("DELETE", &path).send().is(200).json()["affected"], 1);
    for method in ["GET", "DELETE"] {
        server.owner(method, &path).send().is_error(404);
    }
    for bad in [
        json!({}),
        json!({"name": "x"}),
        json!({"name": "x", "permissions": []}),
        json!({"name": "x", "permissions": ["chatflows:fly"]}),
        json!({"name": "x", "permissions": "chatflows:view"}),
        json!({"name": "", "permissions": ["tools:view"]}),
        json!({"name": "x", "permissions": ["tools:view"], "description": "x".repeat(501)}),
    ] {
        server.owner("POST", "/role").json(&bad).send().is_error(400);
    }
    let taken = json!({"name": "viewer", "permissions": ["tools:view"]});
    server.owner("POST", "/role").json(&taken).send().is_error(409);
}

#[test]
fn a_changed_role_counts_from_the_next_request() {
    let server = Server::start();
    let role = server.role("Reader", &["chatflows:view"]);
    let bob = server.member(role);
    let status = |path: &str| bob.call(&server, "GET", path).send().status;
    assert_eq!((status("/chatflows"), status("/tools")), (200, 403));
    server.put(&format!("/role/{role}"), &json!({"permissions": ["tools:view"]}));
    assert_eq!((status("/chatflows"), status("/tools")), (403, 200));
    assert_eq!(bob.read(&server, "/auth/me")["permissions"], json!(["tools:view"]));
}

#[test]
fn a_role_in_use_stays_and_says_by_how_many() {
    let server = Server::start();
    let role = server.role("Reader", &["chatflows:view"]);
    let bob = server.member(role);
    let _eve = server.member(role);
    let delete = || server.owner("DELETE", &format!("/role/{role}")).send();
    assert!(delete().is_error(409).contains("2 people have it"));
    server.post("/account/invite", &json!({"user": {"email": "x@example.org"}, "roleId": role}));
    assert!(delete().is_error(409).contains("1 open invitation promises it"));
    assert_eq!(server.read(&format!("/role/{role}"))["userCount"], 2);
    let workspace = server.read("/auth/me")["activeWorkspaceId"].clone();
    let change = json!({"workspaceId": workspace, "userId": bob.id, "roleId": VIEWER});
    server.put("/workspaceuser", &change);
    assert!(delete().is_error(409).contains("1 person has it"));
}

#[test]
fn roles_of_the_service_stay_as_they_are() {
    let server = Server::start();
    for role in [OWNER, ADMINISTRATOR, EDITOR, VIEWER] {
        let body = json!({"permissions": ["chatflows:view"]});
        server.owner("PUT", &format!("/role/{role}")).json(&body).send().is_error(403);
        server.owner("DELETE", &format!("/role/{role}")).send().is_error(403);
    }
}

#[test]
fn nobody_gives_more_than_they_hold() {
    let server = Server::start();
    let (bob, eve) = (manager(&server, &["chatflows:view"]), server.member(EDITOR));
    let post = |path: &str, body: Value| bob.call(&server, "POST", path).json(&body).send();
    post("/role", json!({"name": "a", "permissions": ["chatflows:update"]})).is_error(403);
    post("/role", json!({"name": "a", "permissions": ["roles:manage"]})).is_error(403);
    let own = post("/role", json!({"name": "a", "permissions": ["chatflows:view"]})).is(201).json();
    let own: RoleId = serde_json::from_value(own["id"].clone()).unwrap();
    put(&server, &bob, &own, &json!({"permissions": ["chatflows:update"]})).is_error(403);
    let greater = server.role("Greater", &["chatflows:update"]);
    put(&server, &bob, &greater, &json!({"permissions": ["chatflows:view"]})).is_error(403);
    bob.call(&server, "DELETE", &format!("/role/{greater}")).send().is_error(403);

    let max = server.member(own);
    for role in [OWNER, ADMINISTRATOR, EDITOR, VIEWER, greater] {
        let place = json!({"userId": max.id, "roleId": role});
        bob.call(&server, "PUT", "/workspaceuser").json(&place).send().is_error(403);
        let mail = json!({"user": {"email": "x@example.org"}, "roleId": role});
        post("/account/invite", mail).is_error(403);
    }
    // What others hold beyond them is not theirs to take either.
    let place = json!({"userId": eve.id, "roleId": own});
    bob.call(&server, "PUT", "/workspaceuser").json(&place).send().is_error(403);
    let path = format!("/workspaceuser?userId={}", eve.id);
    bob.call(&server, "DELETE", &path).send().is_error(403);
    post("/account/invite", json!({"user": {"email": "x@example.org"}, "roleId": own})).is(201);
}

#[test]
fn only_the_owner_gives_and_takes_what_manages_people() {
    let server = Server::start();
    let (admin, other, bob) =
        (server.member(ADMINISTRATOR), server.member(ADMINISTRATOR), server.member(VIEWER));
    let change = |user: &str, role: RoleId| {
        admin.call(&server, "PUT", "/workspaceuser").json(&json!({"userId": user, "roleId": role})).send()
    };
    change(&bob.id, ADMINISTRATOR).is_error(403);
    change(&other.id, VIEWER).is_error(403);
    admin.call(&server, "DELETE", &format!("/workspaceuser?userId={}", other.id)).send().is_error(403);
    let powerful = json!({"name": "P", "permissions": ["users:manage"]});
    admin.call(&server, "POST", "/role").json(&powerful).send().is_error(403);
    change(&bob.id, EDITOR).is(200);
    server.put("/workspaceuser", &json!({"userId": bob.id, "roleId": ADMINISTRATOR}));
    assert_eq!(bob.read(&server, "/auth/me")["roleId"], json!(ADMINISTRATOR));
    server
        .owner("PUT", "/workspaceuser")
        .json(&json!({"userId": bob.id, "roleId": OWNER}))
        .send()
        .is_error(403);
}

#[test]
fn a_role_that_is_held_elsewhere_is_changed_by_the_owner_alone() {
    let server = Server::start();
    let bob = manager(&server, &["chatflows:view", "chatflows:update"]);
    let shared = server.role("Shared", &["chatflows:view"]);
    let more = json!({"permissions": ["chatflows:view", "chatflows:update"]});
    put(&server, &bob, &shared, &json!({"description": "Ours."})).is(200);
    // Bob holds it in another workspace: changing it here would give him there what he only has here.
    let elsewhere = server.new_workspace("Elsewhere");
    server.post("/workspaceuser", &json!({"workspaceId": elsewhere, "userId": bob.id, "roleId": shared}));
    put(&server, &bob, &shared, &more).is_error(403);
    bob.call(&server, "DELETE", &format!("/role/{shared}")).send().is_error(403);
    server.put(&format!("/role/{shared}"), &more);
}
