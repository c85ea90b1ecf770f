//! The counts of the service (manual 13.9).

use crate::support::Server;
use crate::support::canvases::{scripted_flow, scripted_flow_with};
use crate::support::client::Call;
use flowkeep::http::connection::server::serve_metrics;
use serde_json::json;
use std::net::Ipv4Addr;

/// The value of a sample.
fn value(page: &str, sample: &str) -> Option<f64> {
    page.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' ')?.parse().ok())
}

#[test]
fn what_the_service_did_is_counted() {
    let server = Server::start();
    let page = || {
        let answer = server.call_root("GET", "/metrics").header("Cookie", &server.cookie).send().is(200);
        assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
        answer.text()
    };
    let flow = server.flow(&scripted_flow());
    server.ask(&flow, &json!({"question": "Hi"})).is(200);
    server.ask(&flow, &json!({"question": "Hi", "streaming": true})).is(200);
    let rules = json!([{"match": "", "fail": {"status": 429, "retryAfter": 7}}]).to_string();
    let busy = server.flow(&scripted_flow_with(json!({ "rules": rules })));
    server.ask(&busy, &json!({"question": "Hi"})).is_error(429);
    server.call("GET", "/nowhere/at/all").send().is(404);
    let page = page();
    for (sample, expected) in [
        ("flowkeep_predictions_total{source=\"external\",outcome=\"answered\"}", 2.0),
        ("flowkeep_predictions_total{source=\"external\",outcome=\"limited\"}", 1.0),
        ("flowkeep_model_errors_total{card=\"chatScripted\",kind=\"throttled\"}", 1.0),
        ("flowkeep_http_requests_total{method=\"POST\",route=\"/api/v1/chatflows\",status=\"200\"}", 2.0),
        ("flowkeep_http_requests_total{method=\"\",route=\"\",status=\"404\"}", 1.0),
        ("flowkeep_open_streams", 0.0),
        ("flowkeep_live_changes_total{kind=\"create\"}", 2.0),
        ("flowkeep_versions_total{outcome=\"recorded\"}", 2.0),
        ("flowkeep_versions_waiting", 0.0),
        ("chatflow_created{status=\"success\"}", 2.0),
    ] {
        assert_eq!(value(&page, sample), Some(expected), "{sample}\n{page}");
    }
    let tokens = value(&page, "flowkeep_model_tokens_total{card=\"chatScripted\",kind=\"completion\"}");
    assert!(tokens.is_some_and(|tokens| tokens > 0.0), "{page}");
    assert!(value(&page, "flowkeep_database_bytes").is_some_and(|bytes| bytes > 0.0), "{page}");
    assert!(!page.contains(&flow), "no label holds what callers sent");
}

#[test]
fn counts_are_closed_unless_the_operator_opens_them() {
    let server = Server::with(&[("SERVICE_METRICS", "off")]);
    server.call_root("GET", "/metrics").header("Cookie", &server.cookie).send().is_error(404);
    server.call_root("GET", "/metrics").send().is_error(404);
    let server = Server::start();
    server.call_root("GET", "/metrics").send().is_error(401);
    let key = |permission: &str| server.key(&[permission])["apiKey"].as_str().unwrap().to_owned();
    server.call_root("GET", "/metrics").bearer(&key("tools:view")).send().is_error(403);
    server.call_root("GET", "/metrics").bearer(&key("logs:view")).send().is(200);
}

#[test]
fn an_address_of_their_own_serves_counts_and_nothing_else() {
    let server = Server::start();
    server.call("GET", "/ping").send().is(200);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let address = listener.local_addr().unwrap();
    runtime.spawn(serve_metrics(server.app.clone(), listener, std::future::pending()));
    let page = Call::new(address, "GET", "/metrics").send().is(200).text();
    let pings = "flowkeep_http_requests_total{method=\"GET\",route=\"/api/v1/ping\",status=\"200\"}";
    assert_eq!(value(&page, pings), Some(1.0), "{page}");
    for path in ["/api/v1/ping", "/", "/widget.js", "/chat/x"] {
        Call::new(address, "GET", path).send().is_error(404);
    }
    Call::new(address, "POST", "/metrics").send().is_error(405);
    runtime.shutdown_background();
}
