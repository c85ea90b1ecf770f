//! What a team shows while it works (manual 22.5).

use super::{EVENTS, Team, script, slowly};
use crate::support::canvases::Drawing;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Options, Server};
use serde_json::{Value, json};
use std::time::Duration;

/// Names of events, repeated ones once.
fn order(names: &[String]) -> Vec<&str> {
    let mut once: Vec<&str> = Vec::new();
    for name in names {
        let name = if name == "harness.partial" { "harness.specialist" } else { name };
        if once.last() != Some(&name) {
            once.push(name);
        }
    }
    once
}

#[test]
fn a_stream_tells_of_the_team_before_its_answer_and_of_all_behind_it() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["law", "tax"]).flow(&server);
    script(&provider, &["tax", "law"], &[]);
    let streamed = server.ask(&flow, &json!({"question": "What now?", "streaming": true})).is(200);
    assert_eq!(order(&streamed.event_names()), EVENTS);
    let route = streamed.event("harness.route");
    assert_eq!(route["harness"], "desk");
    assert_eq!(route["assignments"][0], json!({"specialist": "tax", "task": "Do tax"}));
    assert_eq!(streamed.event("harness.handoff"), json!({"from": ["law", "tax"]}));
    assert_eq!(streamed.streamed_text(), "Together: done.");
    let told = streamed.event("harness.final");
    for name in ["harness", "agents", "sources", "artifacts", "timings", "usage", "report"] {
        assert!(told.get(name).is_some(), "{name}: {told}");
    }
    let partials: String = streamed
        .events()
        .iter()
        .filter(|(name, data)| name == "harness.partial" && data["name"] == "law")
        .map(|(_, data)| data["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(partials, "law says so.");
    let of_tax: Vec<Value> = streamed
        .events()
        .into_iter()
        .filter(|(name, data)| name == "harness.specialist" && data["name"] == "tax")
        .map(|(_, data)| data)
        .collect();
    assert_eq!(of_tax[0], json!({"name": "tax", "status": "started", "task": "Do tax"}));
    assert_eq!((&of_tax[1]["status"], of_tax[1]["ms"].is_u64()), (&json!("completed"), true));
    assert_eq!(of_tax.len(), 2);
}

#[test]
fn what_specialists_write_is_told_no_more_than_twenty_times_a_second() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["law"]).flow(&server);
    script(&provider, &["law"], &[("law", slowly(&"word ".repeat(100), 10))]);
    let streamed = server.ask(&flow, &json!({"question": "What now?", "streaming": true})).is(200);
    let count = streamed.events().iter().filter(|(name, _)| name == "harness.partial").count();
    let ms = streamed.event("harness.final")["agents"][0]["ms"].as_u64().unwrap();
    assert!(count as u64 <= ms / 50 + 2, "{count} in {ms} ms");
    assert!(count > 3, "{count}");
}

#[test]
fn a_stream_shows_that_it_lives_while_specialists_are_silent() {
    let heartbeat = Some(Duration::from_millis(100));
    let (server, provider) =
        (Server::with_options(Options { heartbeat, ..Options::default() }), Provider::start());
    let flow = Team::of(&provider, &["law"]).with(json!({"harnessSpecialistSeconds": 1})).flow(&server);
    let late =
        Team::of(&provider, &["law", "tax"]).called("late").with(json!({"harnessSpecialistSeconds": 1}));
    let late = late.flow(&server);
    // A chatflow that ends in the team waits for it in the same way.
    let mut drawing = Drawing::default();
    drawing.card("harness", json!({"harnessName": "late"}));
    script(&provider, &["law", "tax"], &[("law", Behaviour::Hang)]);
    for flow in [late, server.flow(&drawing.text())] {
        let streamed = server.ask(&flow, &json!({"question": "What now?", "streaming": true})).is(200);
        let text = streamed.text();
        let (before, _) = text.split_once("harness.handoff").unwrap();
        let count = before.matches(":heartbeat\n").count();
        assert!((5..=10).contains(&count), "{count}: {text}");
        assert_eq!(order(&streamed.event_names()), EVENTS);
    }
    // What fails before anything was shown has a status of its own all the same.
    provider.set_decision(|_| Behaviour::status(400, "{\"error\": {\"message\": \"no\"}}"));
    server.ask(&flow, &json!({"question": "What now?", "streaming": true})).is_error(500);
}

#[test]
fn a_whole_answer_and_a_stream_tell_the_same() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["law", "tax"]).flow(&server);
    script(&provider, &["tax", "law"], &[]);
    let whole = super::ask(&server, &flow).is(200).json();
    let streamed = server.ask(&flow, &json!({"question": "What now?", "streaming": true})).is(200);
    let told = streamed.event("harness.final");
    for name in ["harness", "sources", "artifacts", "usage", "report"] {
        assert_eq!(whole[name], told[name], "{name}");
    }
}
