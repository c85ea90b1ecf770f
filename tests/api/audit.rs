//! The list of sign-ins and of what people changed (manual 8.11).

use crate::support::canvases::{scripted_flow, scripted_flow_with};
use crate::support::server::{EMAIL, PASSWORD};
use crate::support::{Server, id};
use flowkeep::domain::accounts::role::{EDITOR, VIEWER};
use serde_json::{Value, json};
use std::fmt::Write as _;

fn actions(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|row| row["action"].as_str().unwrap()).collect()
}

#[test]
fn sign_ins_are_listed_with_who_from_where_and_why_not() {
    let server = Server::start();
    let login = |email: &str, password: &str| {
        server.call("POST", "/auth/login").json(&json!({"email": email, "password": password})).send()
    };
    login(EMAIL, "wrong").is_error(401);
    login("my secret password", "x").is_error(401);
    server.owner("POST", "/account/logout").send().is(200);
    let cookie = server.sign_in();
    let read = |path: &str| server.call("GET", path).header("Cookie", &cookie).send().is(200).json();
    let page = read("/audit");
    assert_eq!(
        actions(&page),
        ["sign-in", "sign-out", "sign-in-refused", "sign-in-refused", "sign-in", "owner-registered"]
    );
    let rows = page["data"].as_array().unwrap();
    assert_eq!(rows[2]["reason"], "there is no such account");
    assert_eq!(
        (&rows[3]["reason"], &rows[3]["target"]["name"]),
        (&json!("the password is wrong"), &json!("Ada"))
    );
    assert_eq!((&rows[0]["outcome"], &rows[0]["address"]), (&json!("ok"), &json!("127.0.0.1")));
    assert!(!page.to_string().contains("my secret password") && !page.to_string().contains(PASSWORD));
    let refused = read("/audit?action=sign-in-refused&limit=1");
    assert_eq!((&refused["total"], actions(&refused).len()), (&json!(2), 1));
    let me = read("/user");
    assert_eq!(read(&format!("/audit?userId={}", id(&me)))["total"], 5);
    let since = rows[1]["date"].as_str().unwrap();
    assert_eq!(read(&format!("/audit?since={since}&until={since}&action=sign-out"))["total"], 1);
    for bad in ["action=dance", "userId=x", "since=yesterday", "page=-1", "workspaceId=x"] {
        server.call("GET", &format!("/audit?{bad}")).header("Cookie", &cookie).send().is_error(400);
    }
}

#[test]
fn what_people_change_is_written_down() {
    let server = Server::start();
    let bob = server.member(EDITOR);
    let key = server.key(&["chatflows:create", "chatflows:delete"]);
    let by_key = |method: &str, path: &str| server.call(method, path).bearer(key["apiKey"].as_str().unwrap());
    let flow =
        id(&by_key("POST", "/chatflows").json(&json!({"name": "Gone", "type": "CHATFLOW"})).send().json());
    by_key("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    server.owner("DELETE", &format!("/apikey/{}", id(&key))).send().is(200);
    let secret =
        json!({"name": "c", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k-123456"}});
    let credential = id(&bob.call(&server, "POST", "/credentials").json(&secret).send().json());
    bob.call(&server, "PUT", &format!("/credentials/{credential}"))
        .json(&json!({"name": "d"}))
        .send()
        .is(200);
    bob.call(&server, "DELETE", &format!("/credentials/{credential}")).send().is(200);
    let flow = server.flow(&scripted_flow());
    let path = format!("/flow-drafts/{flow}");
    server.put(&format!("{path}/settings"), &json!({"publishInstantly": false}));
    server.put(&path, &json!({ "flowData": scripted_flow_with(json!({"fallback": "Changed."})) }));
    server.owner("POST", &format!("{path}/publish")).json(&json!({})).send().is(200);
    let versions = server.read(&format!("/flow-versions/{flow}"));
    let oldest = versions["versions"].as_array().unwrap().last().unwrap()["sha"].clone();
    server.owner("POST", &format!("{path}/rollback")).json(&json!({ "sha": oldest })).send().is(200);
    let role = server.role("R", &["tools:view"]);
    server.put(&format!("/role/{role}"), &json!({"name": "S"}));
    server.owner("DELETE", &format!("/role/{role}")).send().is(200);
    let team = server.new_workspace("Team");
    let place = json!({"workspaceId": team, "userId": bob.id, "roleId": VIEWER});
    server.post("/workspaceuser", &place);
    server.put("/workspaceuser", &place);
    server.owner("DELETE", &format!("/workspaceuser?workspaceId={team}&userId={}", bob.id)).send().is(200);
    server.owner("DELETE", &format!("/workspace/{team}")).send().is(200);
    server.owner("DELETE", &format!("/organizationuser?userId={}", bob.id)).send().is(200);

    let mut told = String::new();
    let page = server.read("/audit?limit=200");
    for row in page["data"].as_array().unwrap().iter().rev() {
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let (who, target) = (&row["actor"], &row["target"]);
        writeln!(
            told,
            "{:<20} {:<5} {:<5} {} {}",
            text(&row["action"]),
            text(&who["kind"]),
            text(&who["name"]),
            text(&target["kind"]),
            text(&target["name"])
        )
        .unwrap();
    }
    crate::support::golden::check("audit.txt", &told);
    assert!(!page.to_string().contains("k-123456"));
}

#[test]
fn who_may_see_sign_ins_sees_those_of_their_workspace() {
    let server = Server::start();
    let team = server.new_workspace("Team");
    let watcher = server.member(server.role("Watcher", &["loginActivity:view"]));
    let stranger = server.member_of(&team, VIEWER);
    for who in [&watcher, &stranger] {
        let body = json!({"email": who.email, "password": PASSWORD});
        server.call("POST", "/auth/login").json(&body).send().is(200);
    }
    let see = |body: Value| watcher.call(&server, "POST", "/audit/login-activity").json(&body).send();
    let seen = see(json!({"page": 1, "limit": "10"})).is(200).json();
    assert_eq!((actions(&seen), &seen["data"][0]["actor"]["id"]), (vec!["sign-in"], &json!(watcher.id)));
    assert_eq!(see(json!({"actions": ["sign-out"]})).is(200).json()["total"], 0);
    see(json!({"page": []})).is_error(400);
    let all = server.post("/audit/login-activity", &json!({}));
    assert_eq!(all["total"], 3);
    watcher.call(&server, "GET", "/audit").send().is_error(403);
    stranger.call(&server, "POST", "/audit/login-activity").send().is_error(403);
}
