//! What happens to a flow while it is checked.

use super::{end, flow_of_provider, read, save_draft, setup, start, stop, wait};
use crate::support::Server;
use crate::support::canvases::scripted_flow_with;
use crate::support::provider::{Behaviour, Provider};
use serde_json::{Value, json};
use std::time::Duration;

/// A check whose runs wait for a provider that says nothing.
fn waiting(server: &Server) -> (Provider, String, Value) {
    let (provider, flow) = flow_of_provider(server);
    provider.set_decision(|_| Behaviour::Hang);
    let begun = start(server, &flow, &json!({"questions": ["one"]}));
    assert!(provider.wait_until(Duration::from_secs(20), |provider| provider.served_count() >= 2));
    (provider, flow, begun)
}

#[test]
fn a_draft_that_is_saved_published_or_discarded_meanwhile_has_changed() {
    let server = Server::start();
    type Change = fn(&Server, &str);
    let changes: [Change; 3] = [
        |server, flow| save_draft(server, flow, &scripted_flow_with(json!({"fallback": "other"}))),
        |server, flow| {
            server.owner("POST", &format!("/flow-drafts/{flow}/publish")).send().is(200);
        },
        |server, flow| {
            server.owner("DELETE", &format!("/flow-drafts/{flow}")).send().is(200);
        },
    ];
    for change in changes {
        let (_provider, flow, begun) = waiting(&server);
        assert_eq!(read(&server, &flow, &begun)["draftChanged"], false);
        change(&server, &flow);
        assert_eq!(read(&server, &flow, &begun)["draftChanged"], true);
        assert_eq!(setup(&server, &flow)["check"]["draftChanged"], true);
        stop(&server, &flow, &begun);
        assert_eq!(end(&server, &flow, &begun)["draftChanged"], true);
    }
}

#[test]
fn a_deleted_flow_ends_its_check() {
    let server = Server::start();
    let (provider, flow, begun) = waiting(&server);
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    assert!(provider.wait_until(Duration::from_secs(20), |provider| provider.open_connections() == 0));
    let path = format!("/flow-drafts/{flow}/check/{}", begun["id"].as_str().unwrap());
    assert!(server.owner("GET", &path).send().is_error(404).contains(&flow));
}

#[test]
fn a_service_that_stops_ends_its_checks_and_knows_none_after_it() {
    let server = Server::start();
    let (provider, flow, _) = waiting(&server);
    // What runs beside the requests of a service ends them when it stops.
    let (_stop, stopping) = tokio::sync::watch::channel(true);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(flowkeep::tasks::checks::run(server.app.clone(), stopping));
    let server = server.restart();
    assert!(provider.wait_until(Duration::from_secs(20), |provider| provider.open_connections() == 0));
    assert_eq!(setup(&server, &flow)["check"], Value::Null);
}

#[test]
fn people_are_answered_while_checks_run() {
    let server = Server::start();
    let (_provider, flow, begun) = waiting(&server);
    let other = server.flow(&scripted_flow_with(json!({"fallback": "At once."})));
    for _ in 0..20 {
        assert_eq!(server.ask(&other, &json!({"question": "Hi"})).is(200).json()["text"], "At once.");
    }
    stop(&server, &flow, &begun);
    wait(|| Some(()).filter(|()| read(&server, &flow, &begun)["status"] == "stopped"));
}

/// A flow that takes its time, and a check of two questions that goes on.
fn slow(server: &Server) -> (String, Value) {
    let says = |text: &str| scripted_flow_with(json!({"fallback": text, "delayMs": 400}));
    let flow = server.flow(&says("Before it"));
    server.put(&format!("/chatflows/{flow}"), &json!({"flowData": says("Live is")}));
    save_draft(server, &flow, &says("Draft is"));
    let begun = start(server, &flow, &json!({"questions": ["one", "two"]}));
    (flow, begun)
}

fn texts(check: &Value) -> [&str; 2] {
    ["live", "draft"].map(|side| check["cases"][1][side]["text"].as_str().unwrap_or_default())
}

#[test]
fn a_roll_back_meanwhile_changes_no_side_of_the_check() {
    let server = Server::start();
    let (flow, begun) = slow(&server);
    let versions = server.read(&format!("/flow-versions/{flow}"));
    let oldest = versions["versions"].as_array().unwrap().last().unwrap()["sha"].clone();
    server
        .owner("POST", &format!("/flow-drafts/{flow}/rollback"))
        .json(&json!({ "sha": oldest }))
        .send()
        .is(200);
    assert_eq!(server.ask(&flow, &json!({"question": "Hi"})).is(200).json()["text"], "Before it");
    let done = end(&server, &flow, &begun);
    assert_eq!((&done["status"], texts(&done)), (&json!("done"), ["Live is", "Draft is"]));
    assert_eq!(done["draftChanged"], false, "the draft is as it was: {done}");
}

#[test]
fn another_type_meanwhile_changes_no_side_and_leaves_nothing_to_check() {
    let server = Server::start();
    let (flow, begun) = slow(&server);
    let agent = super::flow_of_kind(&server, "AGENTFLOW");
    let canvas = server.read(&format!("/chatflows/{agent}"))["flowData"].clone();
    server.owner("DELETE", &format!("/flow-drafts/{flow}")).send().is(200);
    server.put(&format!("/chatflows/{flow}"), &json!({"type": "AGENTFLOW", "flowData": canvas}));
    let done = end(&server, &flow, &begun);
    assert_eq!((&done["status"], texts(&done)), (&json!("done"), ["Live is", "Draft is"]));
    assert_eq!(done["draftChanged"], true);
    assert_eq!(setup(&server, &flow)["unavailable"]["code"], "no-draft");
}
