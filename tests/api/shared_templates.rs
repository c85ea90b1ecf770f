//! Templates that every workspace may use, and changes of them (manual 5.12).

use crate::access_callers::member;
use crate::support::canvases::scripted_flow;
use crate::support::{Server, id};
use serde_json::{Value, json};

fn templates(server: &Server) -> Vec<Value> {
    server.read("/marketplaces/custom").as_array().unwrap().clone()
}

fn names(server: &Server) -> Vec<String> {
    templates(server).iter().map(|row| row["templateName"].as_str().unwrap().to_owned()).collect()
}

/// A template of a flow; its id.
fn template(server: &Server, name: &str, shared: bool) -> String {
    let flow = server.flow(&scripted_flow());
    let body = json!({"name": name, "description": "d", "chatflowId": flow, "shared": shared});
    let made = server.post("/marketplaces/custom", &body);
    assert_eq!(made["shared"], shared);
    id(&made)
}

#[test]
fn every_workspace_lists_what_is_shared_and_its_own_alone() {
    let server = Server::start();
    let shared = template(&server, "for all", true);
    template(&server, "for us", false);
    let here = templates(&server)[0]["workspaceId"].clone();
    server.enter(&server.new_workspace("There"));
    let rows = templates(&server);
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!((&rows[0]["id"], &rows[0]["workspaceId"]), (&json!(shared), &here));
    assert!(rows[0]["flowData"].as_str().unwrap().contains("nodes"), "a flow can be made of it");
    template(&server, "of there", false);
    assert_eq!(names(&server), ["of there", "for all"], "the newest first");
}

#[test]
fn only_its_own_workspace_changes_a_template() {
    let server = Server::start();
    let here = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let shared = template(&server, "for all", true);
    server.enter(&server.new_workspace("There"));
    let path = format!("/marketplaces/custom/{shared}");
    server.owner("PUT", &path).json(&json!({"name": "mine"})).send().is_error(404);
    server.owner("DELETE", &path).send().is_error(404);
    assert_eq!(names(&server), ["for all"]);
    server.enter(&here);
    server.owner("DELETE", &path).send().is(200);
    assert!(names(&server).is_empty());
}

#[test]
fn a_change_leaves_what_it_does_not_name() {
    let server = Server::start();
    let kept = template(&server, "first", true);
    let before = templates(&server)[0].clone();
    let path = format!("/marketplaces/custom/{kept}");
    let changed = server.put(&path, &json!({"name": " second ", "usecases": ["Support"]}));
    assert_eq!(changed["flowData"], Value::Null, "what it makes is seen by those alone who may list it");
    let listed = templates(&server)[0].clone();
    for (field, is) in
        [("name", json!("second")), ("description", json!("d")), ("usecases", json!(["Support"]))]
    {
        assert_eq!((&changed[field], &listed[field]), (&is, &is), "{field}");
    }
    assert_eq!((&changed["shared"], &listed["shared"]), (&json!(true), &json!(true)));
    assert_eq!(listed["templateName"], "second");
    for field in ["flowData", "createdDate", "type", "workspaceId"] {
        assert_eq!(listed[field], before[field], "{field}");
    }
    server.put(&path, &json!({"shared": false}));
    server.enter(&server.new_workspace("There"));
    assert!(names(&server).is_empty(), "it is not shared any more");
}

#[test]
fn a_change_that_is_none_is_refused_and_nothing_changes() {
    let server = Server::start();
    let path = format!("/marketplaces/custom/{}", template(&server, "first", false));
    let before = templates(&server);
    for body in [json!({"name": " "}), json!({"shared": "yes"}), json!({"badge": "b".repeat(65)}), json!([])]
    {
        server.owner("PUT", &path).json(&body).send().is_error(400);
    }
    assert_eq!(templates(&server), before);
    let unknown = "/marketplaces/custom/7bd3a5ac-4f3f-4bb5-8a42-53cf41fbb4f1";
    server.owner("PUT", unknown).json(&json!({"name": "x"})).send().is_error(404);
}

#[test]
fn sharing_takes_a_permission_of_its_own() {
    let server = Server::start();
    let path = format!("/marketplaces/custom/{}", template(&server, "first", false));
    let flow = server.flow(&scripted_flow());
    let maker = member(&server, &["templates:custom", "templates:flowexport", "chatflows:view"]);
    let sharer = member(&server, &["templates:custom", "templates:custom-share"]);
    let body = json!({"name": "x", "chatflowId": flow, "shared": true});
    let told = maker.call(&server, "POST", "/marketplaces/custom").json(&body).send().is_error(403);
    assert!(told.contains("templates:custom-share"), "{told}");
    maker.call(&server, "PUT", &path).json(&json!({"shared": true})).send().is_error(403);
    maker.call(&server, "PUT", &path).json(&json!({"name": "y", "shared": false})).send().is(200);
    sharer.call(&server, "PUT", &path).json(&json!({"name": "z"})).send().is_error(403);
    sharer.call(&server, "PUT", &path).json(&json!({"shared": true})).send().is(200);
    assert_eq!(templates(&server)[0]["shared"], true);
}

#[test]
fn a_file_shares_nothing_and_takes_no_share_away() {
    let server = Server::start();
    template(&server, "for all", true);
    let file = server.post("/export-import/export", &json!({"custom_template": true}));
    assert_eq!(file["CustomTemplate"][0]["shared"], true, "{file}");
    let mut again = file.clone();
    again["CustomTemplate"][0]["description"] = "changed".into();
    again["existing"] = "update".into();
    server.post("/export-import/import", &again);
    let rows = templates(&server);
    assert_eq!(
        (rows.len(), &rows[0]["description"], &rows[0]["shared"]),
        (1, &json!("changed"), &json!(true))
    );
    server.enter(&server.new_workspace("There"));
    let mut foreign = file;
    foreign["CustomTemplate"][0]["id"] = "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e".into();
    server.post("/export-import/import", &foreign);
    let rows = templates(&server);
    let taken = rows.iter().find(|row| row["id"] == "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e").unwrap();
    assert_eq!(taken["shared"], false, "who takes in a file has not been asked");
}
