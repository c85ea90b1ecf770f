//! Watching the runs that calls start.

use super::{echo, post, register};
use crate::support::Server;
use serde_json::json;

#[test]
fn who_watches_sees_what_happens_in_a_run() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let listener = register(&server, &flow);
    let path = format!("/webhook-listener/{flow}/stream/{listener}");
    let mut stream = server.owner("GET", &path).open();
    stream.read_until("listenerReady");
    let told = post(&server, &flow, json!({"name": "Ada"})).is(200).json();
    stream.read_until("executionEnd");
    let seen = stream.answer.text();
    for part in
        ["nextAgentFlow", "agentFlowExecutedData", "Hello Ada!", "metadata", told["chatId"].as_str().unwrap()]
    {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    assert!(seen.contains(&listener), "{seen}");
}

#[test]
fn who_watches_is_told_what_a_run_came_to_however_its_call_is_answered() {
    let server = Server::start();
    for mode in ["sync", "stream", "async"] {
        let flow = echo(json!({ "webhookResponseMode": mode })).flow(&server);
        let listener = register(&server, &flow);
        let mut stream = server.owner("GET", &format!("/webhook-listener/{flow}/stream/{listener}")).open();
        stream.read_until("listenerReady");
        post(&server, &flow, json!({"name": "Ada"}));
        stream.read_until("executionEnd");
        let seen = stream.answer.text();
        let told = |state: &str| seen.find(&format!("\"event\":\"agentFlowEvent\",\"data\":\"{state}\""));
        let (began, ended) = (told("INPROGRESS"), told("FINISHED"));
        assert!(began.is_some() && began < ended && ended < seen.find("executionEnd"), "{mode}: {seen}");
    }
}

#[test]
fn who_watches_one_flow_sees_nothing_of_another() {
    let server = Server::start();
    let (flow, other) = (echo(json!({})).flow(&server), echo(json!({})).flow(&server));
    let listener = register(&server, &flow);
    let mut stream = server.owner("GET", &format!("/webhook-listener/{flow}/stream/{listener}")).open();
    stream.read_until("listenerReady");
    post(&server, &other, json!({"name": "Zoe"})).is(200);
    post(&server, &flow, json!({"name": "Ada"})).is(200);
    stream.read_until("executionEnd");
    assert!(!stream.answer.text().contains("Zoe"));
}

#[test]
fn who_is_forgotten_reads_no_more() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let listener = register(&server, &flow);
    let path = format!("/webhook-listener/{flow}/listener/{listener}");
    assert_eq!(server.owner("DELETE", &path).send().is(200).json(), json!({"ok": true}));
    server.owner("GET", &format!("/webhook-listener/{flow}/stream/{listener}")).send().is_error(404);
}

#[test]
fn a_stream_ends_when_its_listener_is_forgotten() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let listener = register(&server, &flow);
    let mut stream = server.owner("GET", &format!("/webhook-listener/{flow}/stream/{listener}")).open();
    stream.read_until("listenerReady");
    server.owner("DELETE", &format!("/webhook-listener/{flow}/listener/{listener}")).send().is(200);
    let events = stream.finish().events();
    assert_eq!(events.last().unwrap().0, "end");
}

#[test]
fn as_many_watch_a_flow_as_may() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    for _ in 0..8 {
        register(&server, &flow);
    }
    server.owner("POST", &format!("/webhook-listener/{flow}/register")).send().is_error(409);
}

#[test]
fn who_may_not_see_a_flow_watches_none_of_its_runs() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let listener = register(&server, &flow);
    let (noted, read) =
        (format!("/webhook-listener/{flow}/register"), format!("/webhook-listener/{flow}/stream/{listener}"));
    for blind in [
        &["agentflows:create"][..],
        &["agentflows:update"],
        // Flows of another kind are no matter.
        &["agentflows:create", "chatflows:view"],
    ] {
        let key = server.key(blind)["apiKey"].as_str().unwrap().to_owned();
        server.call("POST", &noted).bearer(&key).send().is_error(403);
        server.call("GET", &read).bearer(&key).send().is_error(403);
    }
    let seeing = server.key(&["agentflows:create", "agentflows:view"])["apiKey"].as_str().unwrap().to_owned();
    server.call("POST", &noted).bearer(&seeing).send().is(200);
}
