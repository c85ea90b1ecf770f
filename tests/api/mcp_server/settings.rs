//! What opens a flow as a tool.

use super::{Tool, enable, fault};
use crate::access_callers;
use crate::support::Server;
use crate::support::canvases::scripted_flow;
use serde_json::json;

#[test]
fn a_flow_is_no_tool_until_its_owner_says_so_and_its_token_is_shown_once() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let path = format!("/mcp-server/{flow}");
    let none = json!({"enabled": false, "token": "", "description": "", "toolName": ""});
    assert_eq!(server.read(&path), none);
    let token = enable(&server, &flow, "orders");
    assert!(token.starts_with("fkm_") && token.len() == 47);
    let shown = server.read(&path);
    assert_eq!((&shown["enabled"], &shown["toolName"]), (&json!(true), &json!("orders")));
    assert_eq!(shown["token"], format!("fkm_••••{}", &token[43..]));
    assert!(server.files_with(&token).is_empty());
    server.owner("DELETE", &path).send().is(200);
    assert_eq!(server.read(&path), none);
    server.owner("DELETE", &path).send().is_error(404);
    server.owner("PUT", &path).json(&json!({"enabled": true})).send().is_error(404);
}

#[test]
fn a_switch_keeps_the_token_and_another_token_closes_the_one_of_before() {
    let tool = Tool::greeter();
    let path = format!("/mcp-server/{}", tool.flow);
    tool.server.put(&path, &json!({"enabled": false}));
    assert_eq!(fault(&tool.send("ping", &json!({})), 404).0, -32001);
    tool.server.put(&path, &json!({"enabled": true, "description": "Says hello."}));
    tool.send("ping", &json!({})).is(200);
    let fresh = tool.server.owner("POST", &format!("{path}/refresh")).send().is(200).json();
    assert_eq!(fault(&tool.send("ping", &json!({})), 401).0, -32001);
    let tool = Tool { token: fresh["token"].as_str().unwrap().to_owned(), ..tool };
    let listed = tool.send("tools/list", &json!({})).is(200).json();
    assert_eq!(listed["result"]["tools"][0]["description"], "Says hello.");
}

#[test]
fn names_are_those_of_tools_and_unique_in_the_workspace() {
    let server = Server::start();
    let [one, other] = [server.flow(&scripted_flow()), server.flow(&scripted_flow())];
    enable(&server, &one, "orders");
    let post = |flow: &str, name: &str, about: &str| {
        let body = json!({"toolName": name, "description": about});
        server.owner("POST", &format!("/mcp-server/{flow}")).json(&body).send()
    };
    assert!(post(&other, "orders", "x").is_error(409).contains("choose another"));
    for (name, about) in [("", "x"), ("a b", "x"), ("a", " "), (&*"x".repeat(65), "x")] {
        post(&other, name, about).is_error(400);
    }
    // A flow keeps its own name, and gives it back with itself.
    post(&one, "orders", "Again.").is(201);
    server.owner("DELETE", &format!("/chatflows/{one}")).send().is(200);
    post(&other, "orders", "x").is(201);
}

#[test]
fn whoever_may_configure_flows_of_the_kind_makes_tools_of_them() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let body = json!({"toolName": "orders", "description": "x"});
    let post = |permission: &str| {
        let key = access_callers::key(&server, &[permission]);
        server.call("POST", &format!("/mcp-server/{flow}")).bearer(&key).json(&body).send().status
    };
    assert_eq!(
        [post("chatflows:config"), post("chatflows:update"), post("agentflows:config")],
        [201, 201, 403]
    );
}
