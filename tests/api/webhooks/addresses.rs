//! Private addresses that the operator named: only the owner's plain text leads there (manual 12.5 r3).

use super::{echo, outcome, post};
use crate::agentflows::steps::{START, Steps, ask};
use crate::support::Server;
use crate::support::provider::{Behaviour, Provider};
use serde_json::json;

const HTTP: &str = "httpAgentflow_0";

fn receiver() -> (Provider, String) {
    let provider = Provider::start();
    provider.set_decision(|_| Behaviour::status(200, "{}"));
    let host = provider.base_url().trim_start_matches("http://").to_owned();
    (provider, host)
}

fn calling(server: &Server, url: &str) -> String {
    Steps::begin().card(HTTP, "Look up", json!({"method": "GET", "url": url})).edge(START, HTTP).flow(server)
}

/// Saves a variable.
fn set(server: &Server, name: &str, value: &str) {
    server.post("/variables", &json!({"name": name, "value": value, "type": "static"}));
}

#[track_caller]
fn refused(server: &Server, flow: &str) {
    let told = server.ask(flow, &json!({"question": "Hi"})).is_error(500);
    assert!(told.contains("refused by policy"), "{told}");
}

#[test]
fn a_step_reaches_a_named_host_that_stands_in_the_card_as_plain_text() {
    let (receiver, host) = receiver();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    set(&server, "path", "cities");
    let flow = calling(&server, &format!("http://{host}/{{{{ $vars.path }}}}"));
    ask(&server, &flow, "Hi");
    assert_eq!(receiver.last_request().path, "/cities");
}

#[test]
fn a_reference_in_the_host_leads_to_no_named_host() {
    let (receiver, host) = receiver();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    set(&server, "host", &host);
    refused(&server, &calling(&server, "http://{{ $vars.host }}/x"));
    assert!(receiver.requests().is_empty());
}

#[test]
fn a_reference_in_the_port_leads_to_no_named_host() {
    let (receiver, host) = receiver();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    set(&server, "port", host.split(':').nth(1).unwrap());
    refused(&server, &calling(&server, "http://127.0.0.1:{{ $vars.port }}/x"));
    assert!(receiver.requests().is_empty());
}

#[test]
fn a_named_network_admits_no_step() {
    let (receiver, host) = receiver();
    let port = host.split(':').nth(1).unwrap();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &format!("127.0.0.0/8:{port}"))]);
    refused(&server, &calling(&server, &format!("http://{host}/x")));
    assert!(receiver.requests().is_empty());
}

#[test]
fn a_redirect_leads_to_no_named_host() {
    let ((first, one), (second, other)) = (receiver(), receiver());
    let location = format!("http://{other}/y");
    first.set_decision(move |_| Behaviour::Status {
        status: 302,
        body: String::new(),
        headers: vec![("location".to_owned(), location.clone())],
    });
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &format!("{one},{other}"))]);
    refused(&server, &calling(&server, &format!("http://{one}/x")));
    assert!(second.requests().is_empty());
}

#[test]
fn a_callback_reaches_no_host_that_a_reference_names() {
    let (receiver, host) = receiver();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    set(&server, "host", &host);
    let inputs = json!({"webhookResponseMode": "async", "callbackUrl": "http://{{ $vars.host }}/hook"});
    let flow = echo(inputs).flow(&server);
    post(&server, &flow, json!({"name": "Ada"})).is(202);
    let outcome = outcome(&server);
    assert_eq!((&outcome["delivered"], &outcome["tries"]), (&json!(false), &json!(1)));
    assert!(outcome["error"].as_str().unwrap().contains("refused by policy"), "{outcome}");
    assert!(receiver.requests().is_empty());
}

#[test]
fn a_callback_reaches_no_private_host_that_is_not_named() {
    let (receiver, host) = receiver();
    let server = Server::start();
    let inputs = json!({"webhookResponseMode": "async", "callbackUrl": format!("http://{host}/hook")});
    let flow = echo(inputs).flow(&server);
    post(&server, &flow, json!({"name": "Ada"})).is(202);
    assert_eq!(outcome(&server)["delivered"], false);
    assert!(receiver.requests().is_empty());
}
