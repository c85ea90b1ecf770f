//! Workspaces, who is in them, and moving between them (manual 8.5).

use crate::support::canvases::scripted_flow;
use crate::support::{Person, Server, golden, id};
use flowkeep::domain::accounts::role::{ADMINISTRATOR, EDITOR, VIEWER};
use serde_json::{Value, json};

fn enter(server: &Server, who: &Person, workspace: &str) -> crate::support::Answer {
    who.call(server, "POST", &format!("/workspace/switch?id={workspace}")).send()
}

fn active(server: &Server, who: &Person) -> String {
    who.read(server, "/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[test]
fn workspaces_are_made_renamed_and_deleted() {
    let server = Server::start();
    let made = server.post("/workspace", &json!({"name": " Team ", "description": "Ours."}));
    golden::check("workspace.json", &serde_json::to_string_pretty(&made).unwrap());
    let id = id(&made);
    assert_eq!(server.put("/workspace", &json!({"id": id, "name": "Crew"}))["name"], "Crew");
    assert_eq!(names(&server.read("/workspace")), ["Crew", "Default Workspace"]);
    let taken = json!({"name": "crew"});
    server.owner("POST", "/workspace").json(&taken).send().is_error(409);
    for bad in [json!({}), json!({"name": " "}), json!({"name": "x".repeat(121)})] {
        server.owner("POST", "/workspace").json(&bad).send().is_error(400);
    }
    server.owner("DELETE", &format!("/workspace/{id}")).send().is(200);
    server.owner("DELETE", &format!("/workspace/{id}")).send().is_error(404);
    server.owner("POST", &format!("/workspace/switch?id={id}")).send().is_error(404);
    assert_eq!(names(&server.read("/workspace")), ["Default Workspace"]);
}

#[test]
fn a_workspace_counts_the_members_it_lists() {
    let server = Server::start();
    let team = server.new_workspace("Team");
    let count = || {
        let all = server.read("/workspace");
        let found = all.as_array().unwrap().iter().find(|row| row["id"] == *team).unwrap().clone();
        found["memberCount"].as_u64().unwrap()
    };
    assert_eq!(count(), 0, "the owner, who made it, needs no membership");
    server.member_of(&team, EDITOR);
    server.member_of(&team, VIEWER);
    let listed = server.read(&format!("/workspaceuser?workspaceId={team}"));
    assert_eq!((count(), listed.as_array().unwrap().len()), (2, 2));
}

#[test]
fn a_workspace_with_work_in_it_stays() {
    let server = Server::start();
    let default = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    server.owner("DELETE", &format!("/workspace/{default}")).send().is_error(409);
    let team = server.new_workspace("Team");
    server.enter(&team);
    let flow = server.flow(&scripted_flow());
    server.flow(&scripted_flow());
    server.post("/tools", &json!({"name": "t"}));
    let refused = server.owner("DELETE", &format!("/workspace/{team}")).send().is_error(409);
    assert!(refused.contains("2 flows, 1 tool."), "{refused}");
    server.call("POST", &format!("/prediction/{flow}")).json(&json!({"question": "Hi"})).send().is(200);
}

#[test]
fn what_belongs_to_a_deleted_workspace_opens_nothing() {
    let server = Server::start();
    let team = server.new_workspace("Team");
    server.enter(&team);
    let key = server.key(&["chatflows:view"])["apiKey"].as_str().unwrap().to_owned();
    let bob = server.member_of(&team, EDITOR);
    let body = json!({"user": {"email": "x@example.org"}, "roleId": VIEWER});
    let link = server.post("/account/invite", &body)["link"]["token"].clone();
    server.call("GET", "/chatflows").bearer(&key).send().is(200);
    server.owner("DELETE", &format!("/workspace/{team}")).send().is(200);
    server.call("GET", "/chatflows").bearer(&key).send().is_error(401);
    let user = json!({"name": "X", "credential": "a long password", "tempToken": link});
    server.call("POST", "/account/register").json(&json!({ "user": user })).send().is_error(400);
    // The owner's session goes on in the default workspace, the member's nowhere.
    assert_eq!(server.read("/auth/me")["activeWorkspace"], "Default Workspace");
    let told = bob.call(&server, "GET", "/auth/me").send().is_error(403);
    assert!(told.starts_with("You are in no workspace."));
    server.call("POST", "/account/logout").header("Cookie", &bob.cookie).send().is(200);
}

#[test]
fn a_person_acts_in_one_workspace_at_a_time() {
    let server = Server::start();
    let (team, other) = (server.new_workspace("Team"), server.new_workspace("Other"));
    let bob = server.member(EDITOR);
    let here = active(&server, &bob);
    enter(&server, &bob, &team).is_error(404);
    server.post("/workspaceuser", &json!({"workspaceId": team, "userId": bob.id, "roleId": VIEWER}));
    bob.call(&server, "POST", "/chatflows").json(&json!({"name": "f", "type": "CHATFLOW"})).send().is(200);
    let user = enter(&server, &bob, &team).is(200).json();
    assert_eq!((&user["activeWorkspaceId"], &user["roleId"]), (&json!(team), &json!(VIEWER)));
    assert_eq!(user, bob.read(&server, "/auth/me"));
    assert_eq!(user["assignedWorkspaces"].as_array().unwrap().len(), 2);
    assert_eq!(bob.read(&server, "/chatflows"), json!([]));
    bob.call(&server, "POST", "/chatflows").json(&json!({"name": "f"})).send().is_error(403);
    assert_eq!(names(&bob.read(&server, "/workspace")), ["Default Workspace", "Team"]);
    for unknown in [other.as_str(), "nothing", ""] {
        enter(&server, &bob, unknown).is_error(404);
    }
    // Whoever leaves a workspace goes on in another one of theirs.
    server.owner("DELETE", &format!("/workspaceuser?workspaceId={team}&userId={}", bob.id)).send().is(200);
    assert_eq!(active(&server, &bob), here);
    server.owner("DELETE", &format!("/workspaceuser?userId={}", bob.id)).send().is(200);
    bob.call(&server, "GET", "/chatflows").send().is_error(403);
    server.post("/workspaceuser", &json!({"email": bob.email, "roleId": VIEWER}));
    bob.call(&server, "GET", "/chatflows").send().is(200);
}

#[test]
fn members_are_added_changed_and_removed() {
    let server = Server::start();
    let team = server.new_workspace("Team");
    let bob = server.member(VIEWER);
    let body = json!({"workspaceId": team, "email": bob.email.to_uppercase(), "roleId": EDITOR});
    let row = server.post("/workspaceuser", &body);
    golden::check("member.json", &serde_json::to_string_pretty(&row).unwrap());
    server.owner("POST", "/workspaceuser").json(&body).send().is_error(409);
    assert_eq!(server.read(&format!("/workspaceuser?workspaceId={team}")), json!([row]));
    let owner = server.read("/user")["id"].clone();
    for (body, status) in [
        (json!({"workspaceId": team, "userId": owner, "roleId": VIEWER}), 409),
        (json!({"workspaceId": team, "userId": team, "roleId": VIEWER}), 404),
        (json!({"workspaceId": team, "email": "nobody@example.org", "roleId": VIEWER}), 404),
        (json!({"workspaceId": bob.id, "userId": bob.id, "roleId": VIEWER}), 404),
        (json!({"workspaceId": team, "userId": bob.id, "roleId": team}), 404),
    ] {
        server.owner("POST", "/workspaceuser").json(&body).send().is_error(status);
    }
    let demoted = json!({"workspaceId": team, "userId": bob.id, "roleId": VIEWER});
    assert_eq!(server.put("/workspaceuser", &demoted)["role"]["name"], "Viewer");
    let path = format!("/workspaceuser?workspaceId={team}&userId={}", bob.id);
    server.owner("DELETE", &path).send().is(200);
    server.owner("DELETE", &path).send().is_error(404);
    server.owner("PUT", "/workspaceuser").json(&demoted).send().is_error(404);
    assert_eq!(server.read("/workspace")[1]["memberCount"], 0);
}

#[test]
fn who_makes_a_workspace_is_in_it_with_the_role_they_have() {
    let server = Server::start();
    let admin = server.member(ADMINISTRATOR);
    let made = admin.call(&server, "POST", "/workspace").json(&json!({"name": "Mine"})).send().is(201).json();
    assert_eq!((&made["role"], &made["memberCount"]), (&json!("Administrator"), &json!(1)));
    // Elsewhere they have a say when they are there, and not before.
    let rename = json!({"id": made["id"], "name": "Still mine"});
    admin.call(&server, "PUT", "/workspace").json(&rename).send().is_error(404);
    enter(&server, &admin, &id(&made)).is(200);
    admin.call(&server, "PUT", "/workspace").json(&rename).send().is(200);
    admin.call(&server, "DELETE", &format!("/workspace/{}", id(&made))).send().is(200);
    assert_ne!(active(&server, &admin), id(&made));
}

#[test]
fn people_see_people_of_their_workspace() {
    let server = Server::start();
    let team = server.new_workspace("Team");
    let (admin, bob) = (server.member(ADMINISTRATOR), server.member_of(&team, VIEWER));
    let all = server.read("/organizationuser");
    assert_eq!(all.as_array().unwrap().len(), 3);
    let seen = admin.read(&server, "/organizationuser");
    assert_eq!(seen.as_array().unwrap().len(), 1);
    assert_eq!((&seen[0]["userId"], &seen[0]["sessions"]), (&json!(admin.id), &json!(null)));
    bob.call(&server, "GET", "/organizationuser").send().is_error(403);
    let page = server.read("/organizationuser?page=2&limit=2");
    assert_eq!((&page["total"], page["data"].as_array().unwrap().len()), (&json!(3), 1));
}
