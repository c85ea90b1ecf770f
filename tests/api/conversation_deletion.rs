//! Conversations of all flows that are counted and deleted by what is asked of them (manual 3.6).

use crate::access_callers::member;
use crate::support::Server;
use crate::support::canvases::scripted_flow_with;
use serde_json::{Value, json};

/// A flow that answers, and fails where it is asked to.
fn moody(server: &Server, name: &str) -> String {
    let rules = json!([{"match": "fail", "fail": {"status": 429, "retryAfter": 7}}]).to_string();
    server.flow_with(&scripted_flow_with(json!({ "rules": rules })), &json!({ "name": name }))
}

/// The conversation in which it was answered, with its proof.
fn ask(server: &Server, flow: &str, question: &str) -> Value {
    server.ask(flow, &json!({ "question": question })).is(200).json()
}

fn go_on(server: &Server, flow: &str, begun: &Value, question: &str) -> u16 {
    let body = json!({
        "question": question, "chatId": begun["chatId"], "sessionToken": begun["sessionToken"],
    });
    server.ask(flow, &body).status
}

/// Conversations and messages that fit.
fn count(server: &Server, query: &str) -> (u64, u64) {
    let count = server.read(&format!("/conversations/count{query}"));
    (count["conversations"].as_u64().unwrap(), count["messages"].as_u64().unwrap())
}

fn delete(server: &Server, query: &str) -> u64 {
    let answer = server.owner("DELETE", &format!("/conversations{query}")).send().is(200).json();
    answer["affected"].as_u64().unwrap()
}

#[test]
fn whole_conversations_that_fit_go_from_all_flows() {
    let server = Server::start();
    let flows = [moody(&server, "One"), moody(&server, "Other")];
    for flow in &flows {
        let begun = ask(&server, flow, "Where is my parcel?");
        assert_eq!(go_on(&server, flow, &begun, "And when does it come?"), 200);
        ask(&server, flow, "Something else");
    }
    assert_eq!(count(&server, "?text=parcel"), (2, 8), "with the messages that have no such word");
    assert_eq!(delete(&server, "?text=parcel"), 2);
    assert_eq!(count(&server, "?text=parcel"), (0, 0));
    assert_eq!(count(&server, ""), (2, 4), "the others stay");
    assert_eq!(delete(&server, &format!("?flowId={}", flows[0])), 1);
    assert_eq!(server.messages(&flows[1]).len(), 2);
}

#[test]
fn conversations_go_by_the_version_that_answered() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow_with(json!({"fallback": "one"})));
    ask(&server, &flow, "before");
    let first = server.read(&format!("/flow-versions/{flow}"))["versions"][0]["sha"].clone();
    let changed =
        json!({"flowData": scripted_flow_with(json!({"fallback": "two"})), "publishInstantly": true});
    server.put(&format!("/chatflows/{flow}"), &changed);
    ask(&server, &flow, "after");
    assert_eq!(delete(&server, &format!("?versionId={}", first.as_str().unwrap())), 1);
    assert_eq!(server.messages(&flow)[0]["content"], "after");
}

#[test]
fn conversations_go_in_which_nothing_but_failures_happened() {
    let server = Server::start();
    let flow = moody(&server, "One");
    let begun = ask(&server, &flow, "well");
    assert_eq!(go_on(&server, &flow, &begun, "fail now"), 429);
    server.ask(&flow, &json!({"question": "fail at once"})).is_error(429);
    assert_eq!(count(&server, "?failed=true"), (2, 2));
    assert_eq!(delete(&server, "?failed=true"), 2);
    assert_eq!(server.read("/conversations?failed=true")["data"], json!([]));
    assert!(server.messages(&flow).is_empty());
}

#[test]
fn more_messages_than_one_step_removes_go_all() {
    let server = Server::start();
    let flow = moody(&server, "One");
    let begun = ask(&server, &flow, "0");
    for number in 1..260 {
        assert_eq!(go_on(&server, &flow, &begun, &number.to_string()), 200);
    }
    let other = ask(&server, &flow, "other");
    assert_eq!(delete(&server, ""), 2);
    assert!(server.messages(&flow).is_empty());
    // Who asks on in a conversation that is gone begins a new one.
    assert_eq!(go_on(&server, &flow, &other, "again"), 200);
}

#[test]
fn nothing_goes_while_one_of_them_may_not_be_changed() {
    let server = Server::start();
    let chatflow = moody(&server, "Chat");
    ask(&server, &chatflow, "one");
    let person = member(&server, &["chatflows:view", "agentflows:view", "agentflows:update"]);
    assert_eq!(person.read(&server, "/conversations/count")["conversations"], 1);
    person.call(&server, "DELETE", "/conversations").send().is_error(403);
    person.call(&server, "DELETE", &format!("/conversations?flowId={chatflow}")).send().is_error(403);
    assert_eq!(server.messages(&chatflow).len(), 2);
}

#[test]
fn what_bounds_a_page_bounds_no_deletion() {
    let server = Server::start();
    let flow = moody(&server, "One");
    ask(&server, &flow, "one");
    for query in ["?limit=1", "?cursor=5", "?failed=perhaps", "?flowId=none", "?startDate=soon"] {
        server.owner("DELETE", &format!("/conversations{query}")).send().is_error(400);
        server.owner("GET", &format!("/conversations/count{query}")).send().is_error(400);
    }
    assert_eq!(server.messages(&flow).len(), 2);
}

#[test]
fn another_workspace_keeps_its_conversations() {
    let server = Server::start();
    let here = server.read("/auth/me")["activeWorkspaceId"].as_str().unwrap().to_owned();
    let flow = moody(&server, "Here");
    ask(&server, &flow, "here");
    server.enter(&server.new_workspace("There"));
    assert_eq!(delete(&server, ""), 0);
    server.owner("DELETE", &format!("/conversations?flowId={flow}")).send().is_error(404);
    server.enter(&here);
    assert_eq!(server.messages(&flow).len(), 2);
}
