//! Specialists that fail, are late or are stopped, and runs that fail with them (manual 22.3).

use super::{Team, ask, script, slowly, statuses};
use crate::support::Server;
use crate::support::provider::{Behaviour, Provider};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_secs(10);
/// How long a specialist may go on when its run is over.
const GONE_WITHIN: Duration = Duration::from_secs(2);

fn all(provider: &Provider, names: &[&str]) -> Team {
    Team::of(provider, names).with(json!({"harnessRouting": "all", "harnessSpecialistSeconds": 1}))
}

#[test]
fn one_that_fails_and_one_that_is_late_keep_no_other_from_reporting() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = all(&provider, &["broken", "late", "good"]).flow(&server);
    script(&provider, &[], &[("broken", Behaviour::status(400, "{}")), ("late", Behaviour::Hang)]);
    let began = Instant::now();
    let answer = ask(&server, &flow).is(200).json();
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    let expected = [("broken", "failed"), ("late", "timeout"), ("good", "completed")]
        .map(|(name, status)| (name.to_owned(), status.to_owned()));
    assert_eq!(statuses(&answer), expected);
    assert_eq!(answer["text"], "Together: done.");
    assert!(answer["timings"]["specialistsMs"].as_u64().unwrap() >= 1_000);
}

#[test]
fn when_all_fail_the_run_fails_as_the_first_of_the_team() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow =
        all(&provider, &["first", "second"]).with(json!({"harnessSpecialistSeconds": 60})).flow(&server);
    let (busy, broken) = (Behaviour::rate_limited(Some("70")), Behaviour::status(400, "{}"));
    script(&provider, &[], &[("first", busy.clone()), ("second", broken.clone())]);
    let answer = ask(&server, &flow);
    assert_eq!((answer.status, answer.header("retry-after")), (429, Some("70")), "{}", answer.text());
    script(&provider, &[], &[("first", broken), ("second", busy)]);
    assert_eq!(ask(&server, &flow).status, 500);
}

#[test]
fn a_route_that_fails_is_a_real_status_also_for_a_stream() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["a"]).flow(&server);
    provider.set_decision(|_| Behaviour::status(400, "{}"));
    for streaming in [false, true] {
        let body = json!({"question": "What now?", "streaming": streaming});
        let answer = server.ask(&flow, &body);
        assert_eq!(answer.status, 500, "{}", answer.text());
    }
}

#[test]
fn a_caller_that_leaves_ends_all_specialists() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["a", "b", "c"]).with(json!({"harnessRouting": "all"})).flow(&server);
    script(&provider, &[], &[("a", Behaviour::Hang), ("b", Behaviour::Hang), ("c", Behaviour::Hang)]);
    for streaming in [false, true] {
        let (served, gone) = (provider.served_count(), provider.disconnects());
        let body = json!({"question": "What now?", "streaming": streaming});
        let socket = server.call("POST", &format!("/prediction/{flow}")).json(&body).connect();
        assert!(provider.wait_until(SOON, |provider| provider.served_count() >= served + 3));
        drop(socket);
        assert!(
            provider.wait_until(GONE_WITHIN, |provider| provider.disconnects() >= gone + 3),
            "specialists go on"
        );
    }
}

#[test]
fn a_run_that_is_stopped_tells_who_was_still_at_work_and_hands_nothing_off() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = Team::of(&provider, &["quick", "slow"]).with(json!({"harnessRouting": "all"})).flow(&server);
    script(&provider, &[], &[("slow", slowly(&"word ".repeat(200), 50))]);
    let body = json!({"question": "What now?", "streaming": true});
    let mut stream = server.call("POST", &format!("/prediction/{flow}")).json(&body).open();
    stream.read_until("\"completed\"");
    let chat = stream.answer.header("x-service-chat-id").unwrap().to_owned();
    let cookie = stream.answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let abort = format!("/chatmessage/abort/{flow}/{chat}");
    server.call("PUT", &abort).header("Cookie", &cookie).send().is(200);
    let ended = stream.finish();
    let names = ended.event_names();
    assert!(!names.contains(&"harness.handoff".to_owned()), "{names:?}");
    assert_eq!(names[names.len() - 4..], ["harness.final", "metadata", "abort", "end"]);
    let expected = [("quick", "completed"), ("slow", "cancelled")]
        .map(|(name, status)| (name.to_owned(), status.to_owned()));
    assert_eq!(statuses(&ended.event("harness.final")), expected);
    let kept = server.messages(&flow);
    assert_eq!((&kept[1]["stopped"], &kept[1]["content"]), (&json!(true), &json!("")));
    assert_eq!(statuses(&kept[1]["team"]), expected);
}

#[test]
fn a_stream_in_which_all_fail_ends_with_the_error() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = all(&provider, &["only"]).flow(&server);
    script(&provider, &[], &[("only", Behaviour::status(400, "{}"))]);
    let answer = server.ask(&flow, &json!({"question": "What now?", "streaming": true})).is(200);
    let names = answer.event_names();
    assert_eq!(names, ["harness.route", "harness.specialist", "error", "end"]);
    let told = &answer.events()[2].1;
    assert_eq!((&told["status"], told["error"].is_string()), (&json!("failed"), true), "{told}");
    assert_eq!(answer.events()[0].1["assignments"][0]["task"], Value::from("What now?"));
}
