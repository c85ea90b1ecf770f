//! What questions and models use, by flow, key, model and day, and the budgets that bind it (manual 5.15, 5.16).

mod budgets;
mod counts;

use crate::support::Server;
use crate::support::canvases::scripted_flow_with;
use crate::support::client::Answer;
use serde_json::{Value, json};

const DAY: i64 = 86_400;

fn question() -> Value {
    json!({"question": "Hi"})
}

fn flow_with(server: &Server, fields: &Value) -> String {
    server.flow_with(&scripted_flow_with(json!({"fallback": "Hello there"})), fields)
}

/// A flow whose budget this is.
fn bounded_flow(server: &Server, budget: &Value) -> String {
    flow_with(server, &json!({"apiConfig": json!({ "budget": budget }).to_string()}))
}

fn usage(server: &Server, query: &str) -> Value {
    server.read(&format!("/usage{query}"))
}

/// Questions and failures of today.
fn today(server: &Server, query: &str) -> (u64, u64) {
    let told = usage(server, query);
    let day = told["days"].as_array().unwrap().last().unwrap().clone();
    (day["questions"].as_u64().unwrap(), day["failed"].as_u64().unwrap())
}

fn test_chat(server: &Server, flow: &str) -> Answer {
    server.owner("POST", &format!("/internal-prediction/{flow}")).json(&question()).send()
}

/// Lets days pass. Nobody stays signed in for so long.
fn pass_days(server: &mut Server, days: i64) {
    server.app.clock.advance_seconds(days * DAY);
    server.cookie = server.sign_in();
}
