//! Runs of members that somebody stops, or whose caller leaves (manual 2.9).

use super::stage::{Stage, end, llm, start};
use crate::support::provider::{Behaviour, Reply};
use serde_json::json;
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_secs(10);
/// How long a model may go on when its run is over.
const GONE_WITHIN: Duration = Duration::from_secs(2);

/// One member whose model speaks, or one that is never heard.
fn stage(behaviour: Behaviour) -> Stage {
    let stage = Stage::new(|drawing, model| {
        let begin = start(drawing, model);
        let first = llm(drawing, &begin, "First", json!({}));
        let last = llm(drawing, &first, "Last", json!({}));
        end(drawing, &last);
    });
    stage.script([Behaviour::text("I am done."), behaviour]);
    stage
}

#[test]
fn a_stop_ends_the_members_and_keeps_what_the_last_one_said() {
    let text = "one two three four five six seven eight nine ten ".repeat(4);
    let slow = Reply { token_delay: Duration::from_millis(100), ..Reply::text(&text) };
    let stage = stage(Behaviour::Reply(slow));
    let before = stage.provider.disconnects();
    let body = json!({"question": "Go", "streaming": true});
    let mut stream = stage.server.call("POST", &format!("/prediction/{}", stage.flow)).json(&body).open();
    stream.read_until("three");
    let chat = stream.answer.header("x-service-chat-id").unwrap().to_owned();
    let cookie = stream.answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let abort = format!("/chatmessage/abort/{}/{chat}", stage.flow);
    stage.server.call("PUT", &abort).header("Cookie", &cookie).send().is(200);
    let names = stream.finish().event_names();
    assert_eq!(names[names.len() - 3..], ["metadata", "abort", "end"], "{names:?}");
    assert!(stage.provider.wait_until(SOON, |provider| provider.disconnects() > before));
    let kept = stage.server.messages(&stage.flow);
    assert_eq!(kept[1]["stopped"], json!(true), "{}", kept[1]);
    assert!(kept[1]["content"].as_str().unwrap().starts_with("one two three"), "{}", kept[1]);
}

#[test]
fn a_caller_that_leaves_ends_the_model_of_a_member() {
    for streaming in [false, true] {
        let stage = stage(Behaviour::Hang);
        let body = json!({"question": "Go", "streaming": streaming});
        let socket = stage.server.call("POST", &format!("/prediction/{}", stage.flow)).json(&body).connect();
        assert!(stage.provider.wait_until(SOON, |provider| provider.served_count() >= 2));
        let gone = stage.provider.disconnects();
        drop(socket);
        assert!(
            stage.provider.wait_until(GONE_WITHIN, |provider| provider.disconnects() > gone),
            "a model goes on; streaming: {streaming}"
        );
    }
}

#[test]
fn a_service_that_stops_refuses_what_comes_for_members_and_lets_them_end() {
    let text = "one two three four five six seven eight nine ten ".repeat(4);
    let slow = Reply { token_delay: Duration::from_millis(100), ..Reply::text(&text) };
    let mut stage = stage(Behaviour::Reply(slow));
    let path = format!("/prediction/{}", stage.flow);
    let body = json!({"question": "Go", "streaming": true});
    let mut stream = stage.server.call("POST", &path).json(&body).open();
    stream.read_until("three");
    let chat = stream.answer.header("x-service-chat-id").unwrap().to_owned();
    stage.server.stop();
    let end = Instant::now() + SOON;
    // The word to stop travels; what comes before it is answered.
    while stage.server.call("GET", "/ping").send().status != 503 {
        assert!(Instant::now() < end, "the service does not stop");
    }
    for (method, path) in [
        ("POST", path),
        ("POST", format!("/attachments/{}/{chat}", stage.flow)),
        ("PUT", format!("/chatmessage/abort/{}/{chat}", stage.flow)),
    ] {
        let refused = stage.server.call(method, &path).json(&json!({"question": "Go"})).send();
        refused.is_error(503);
        assert_eq!(refused.json()["code"], "UNAVAILABLE", "{path}");
    }
    let answer = stream.finish();
    assert!(
        answer.text().contains("ten ") && answer.event_names().ends_with(&["end".to_owned()]),
        "{answer:?}"
    );
}
