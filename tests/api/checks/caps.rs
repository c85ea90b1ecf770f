//! Caps of tokens and time, and how many checks run at once.

use super::{check, end, flow_of_provider, flow_saying, post, save_draft, setup, start, stop, wait};
use crate::support::Server;
use crate::support::canvases::scripted_flow_with;
use crate::support::provider::{Behaviour, Reply};
use serde_json::{Value, json};
use std::time::Duration;

/// An answer of this many tokens.
fn costing(tokens: u64) -> Behaviour {
    Behaviour::Reply(Reply { input_tokens: Some(tokens - 1), ..Reply::text("Yes.") })
}

/// A provider that never answers.
fn silent() -> impl Fn(&crate::support::provider::RecordedRequest) -> Behaviour + Send + Sync + 'static {
    |_| Behaviour::Hang
}

#[test]
fn a_cap_of_tokens_stops_after_the_run_in_progress() {
    let server = Server::with(&[("SERVICE_CHECK_MAX_TOKENS", "1000")]);
    let (provider, flow) = flow_of_provider(&server);
    provider.set_decision(|_| costing(500));
    let done = check(&server, &flow, &["one", "two"]);
    assert_eq!((&done["status"], &done["stopReason"]), (&json!("stopped"), &json!("tokens")));
    assert_eq!(
        (&done["completed"], &done["summary"]["liveTokens"], &done["limits"]["maxTokens"]),
        (&json!(1), &json!(500), &json!(1000))
    );
    assert_eq!(done["cases"][0]["draft"]["tokens"], 500);
    assert_eq!((&done["cases"][1]["live"], &done["cases"][1]["draft"]), (&Value::Null, &Value::Null));
    assert_eq!(check(&server, &flow, &["one"])["status"], "done", "all was answered when it was reached");
    provider.set_decision(|_| costing(499));
    assert_eq!(check(&server, &flow, &["one", "two"])["completed"], 2);
}

#[test]
fn a_caller_can_want_less_than_the_server_allows_and_not_more() {
    let server = Server::with(&[("SERVICE_CHECK_MAX_TOKENS", "2000"), ("SERVICE_CHECK_MAX_SECONDS", "20")]);
    let flow = flow_saying(&server, "a", "b");
    let limits = |body: Value| end(&server, &flow, &start(&server, &flow, &body))["limits"].clone();
    let less = limits(json!({"questions": ["a"], "maxTokens": 5, "maxSeconds": 3}));
    assert_eq!((&less["maxTokens"], &less["maxSeconds"]), (&json!(5), &json!(3)));
    let more = limits(json!({"questions": ["a"], "maxTokens": 5000, "maxSeconds": 3000, "control": true}));
    assert_eq!((&more["maxTokens"], &more["maxSeconds"]), (&json!(2000), &json!(20)));
}

#[test]
fn a_check_that_measures_noise_has_more_time_unless_the_operator_says_how_much() {
    let server = Server::start();
    let flow = flow_saying(&server, "a", "b");
    let begun = start(&server, &flow, &json!({"questions": ["a"], "control": true}));
    assert_eq!(begun["limits"]["maxSeconds"], 600);
    end(&server, &flow, &begun);
    assert_eq!(setup(&server, &flow)["limits"]["maxSeconds"], 180);
}

#[test]
fn a_cap_of_time_lets_the_run_in_progress_end() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow_with(json!({"fallback": "a", "delayMs": 1_200})));
    save_draft(&server, &flow, &scripted_flow_with(json!({"fallback": "b"})));
    let begun = start(&server, &flow, &json!({"questions": ["one", "two"], "maxSeconds": 1}));
    let done = end(&server, &flow, &begun);
    assert_eq!(
        (&done["status"], &done["stopReason"], &done["completed"]),
        (&json!("stopped"), &json!("time"), &json!(1))
    );
    assert_eq!(done["cases"][0]["live"]["text"], "a");
}

#[test]
fn one_check_of_a_flow_and_three_of_a_server_run_at_once() {
    let server = Server::start();
    let flows: Vec<_> = (0..4).map(|_| flow_of_provider(&server)).collect();
    flows.iter().for_each(|(provider, _)| provider.set_decision(silent()));
    let body = json!({"questions": ["one"]});
    let running: Vec<Value> = flows[..3].iter().map(|(_, flow)| start(&server, flow, &body)).collect();
    assert_eq!(
        post(&server, &flows[0].1, &body).is_error(409),
        "A check of this flow is running already. Wait for its end, or stop it."
    );
    let refused = post(&server, &flows[3].1, &body);
    assert_eq!(refused.header("retry-after"), Some("60"));
    assert_eq!(refused.is_error(429), "Too many checks are running on this server. Try again in a minute.");
    for ((_, flow), check) in flows.iter().zip(&running) {
        stop(&server, flow, check);
        end(&server, flow, check);
    }
    let begun = start(&server, &flows[3].1, &body);
    stop(&server, &flows[3].1, &begun);
    end(&server, &flows[3].1, &begun);
}

#[test]
fn twenty_clients_at_once_start_three_checks() {
    let server = Server::start();
    let flows: Vec<_> = (0..5).map(|_| flow_of_provider(&server)).collect();
    flows.iter().for_each(|(provider, _)| provider.set_decision(silent()));
    let body = json!({"questions": ["one"]});
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..20)
            .map(|number| {
                let (server, flow, body) = (&server, &flows[number % 5].1, &body);
                scope.spawn(move || post(server, flow, body).status)
            })
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 202).count(), 3, "{statuses:?}");
    assert!(statuses.iter().all(|status| matches!(status, 202 | 409 | 429)), "{statuses:?}");
    for (_, flow) in &flows {
        let check = setup(&server, flow)["check"].clone();
        if !check.is_null() {
            stop(&server, flow, &check);
            end(&server, flow, &check);
        }
    }
}

#[test]
fn a_provider_that_throttles_or_dies_is_an_error_of_that_answer() {
    let server = Server::start();
    let (provider, flow) = flow_of_provider(&server);
    provider.set_decision(|request| match request.body.to_string().contains("draft-model") {
        true => Behaviour::out_of_credit(),
        false => Behaviour::text("Fine."),
    });
    let case = check(&server, &flow, &["one"])["cases"][0].clone();
    assert_eq!((&case["live"]["text"], &case["draft"]["text"]), (&json!("Fine."), &Value::Null));
    assert!(case["draft"]["error"].as_str().is_some_and(|error| !error.is_empty()), "{case}");
    provider.set_decision(|request| match request.body.to_string().contains("draft-model") {
        true => Behaviour::rate_limited(Some("60")),
        false => Behaviour::text("Fine."),
    });
    let case = check(&server, &flow, &["one"])["cases"][0].clone();
    assert_eq!((&case["live"]["text"], &case["verdict"]), (&json!("Fine."), &json!("error")), "{case}");
    provider.set_decision(|_| Behaviour::Close);
    let done = check(&server, &flow, &["one"]);
    assert_eq!((&done["status"], &done["summary"]["errors"]), (&json!("done"), &json!(1)));
}

#[test]
fn answers_of_a_megabyte_are_kept_in_part() {
    let server = Server::start();
    let large = "word ".repeat(200_000);
    let (provider, flow) = flow_of_provider(&server);
    let reply = Reply { tokens: vec![large], ..Reply::text("") };
    provider.set_decision(move |_| Behaviour::Reply(reply.clone()));
    let questions: Vec<String> = (0..10).map(|number| number.to_string()).collect();
    let texts: Vec<&str> = questions.iter().map(String::as_str).collect();
    let body = json!({"questions": texts, "maxTokens": 2_000_000});
    let done = end(&server, &flow, &start(&server, &flow, &body));
    assert!(done.to_string().len() < 200_000, "{}", done.to_string().len());
    assert_eq!(done["cases"][0]["same"], true);
}

#[test]
fn a_stop_ends_the_run_that_is_under_way_and_a_second_one_changes_nothing() {
    let server = Server::start();
    let (provider, flow) = flow_of_provider(&server);
    provider.set_decision(silent());
    let begun = start(&server, &flow, &json!({"questions": ["one", "two"]}));
    assert!(provider.wait_until(Duration::from_secs(20), |provider| provider.served_count() >= 2));
    stop(&server, &flow, &begun);
    let stopped = end(&server, &flow, &begun);
    assert_eq!((&stopped["status"], &stopped["stopReason"]), (&json!("stopped"), &json!("stopped")));
    assert_eq!((&stopped["cases"][0]["live"], &stopped["cases"][0]["draft"]), (&Value::Null, &Value::Null));
    assert_eq!(stop(&server, &flow, &begun), stopped);
    assert!(provider.wait_until(Duration::from_secs(20), |provider| provider.open_connections() == 0));
    let done = wait(|| Some(check(&server, &flow_saying(&server, "a", "a"), &["one"])));
    assert_eq!(done["status"], "done");
}
