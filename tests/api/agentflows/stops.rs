//! Runs that somebody stops, and runs whose caller leaves.

use super::steps::{START, Steps, endings, entry, newest_record, provided_llm, slow_llm};
use crate::support::client::Stream;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Answer, Server};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// For everything that only has to happen at some time.
const SOON: Duration = Duration::from_secs(10);

/// A model that takes its time, and one behind it.
fn slow() -> Steps {
    let text = "one two three four five six seven eight nine ten ".repeat(6);
    Steps::begin().card("llmAgentflow_0", "Slow", slow_llm(text.trim(), 100)).edge(START, "llmAgentflow_0")
}

/// A stream in the middle of its answer, and its conversation.
fn begin(server: &Server, flow: &str) -> (Stream, String) {
    let body = json!({"question": "Tell me all", "streaming": true});
    let mut stream = server.call("POST", &format!("/prediction/{flow}")).json(&body).open();
    stream.read_until("three");
    let chat = stream.answer.header("x-service-chat-id").unwrap().to_owned();
    (stream, chat)
}

fn abort(server: &Server, flow: &str, chat: &str) -> Answer {
    server.owner("PUT", &format!("/chatmessage/abort/{flow}/{chat}")).send().is(200)
}

/// Waits until the newest record is of this state.
#[track_caller]
fn record_becomes(server: &Server, state: &str) -> Value {
    let end = Instant::now() + SOON;
    loop {
        let record = newest_record(server);
        if record["state"] == state {
            return record;
        }
        assert!(Instant::now() < end, "{record}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_run_that_is_stopped_is_terminated_in_its_record() {
    let server = Server::start();
    let flow = slow().flow(&server);
    let (stream, chat) = begin(&server, &flow);
    abort(&server, &flow, &chat);
    stream.finish();
    let record = record_becomes(&server, "TERMINATED");
    assert_eq!(endings(&record), [("Start", "FINISHED"), ("Slow", "TERMINATED")]);
    let said = entry(&record, "Slow")["data"]["output"]["content"].as_str().unwrap();
    assert!(said.starts_with("one two three"), "{said}");
}

#[test]
fn a_stream_that_is_stopped_says_so() {
    let server = Server::start();
    let flow = slow().flow(&server);
    let (stream, chat) = begin(&server, &flow);
    abort(&server, &flow, &chat);
    let answer = stream.finish();
    let names = answer.event_names();
    assert_eq!(names[names.len() - 3..], ["metadata", "abort", "end"], "{names:?}");
    let events = answer.events();
    assert!(events.contains(&("agentFlowEvent".to_owned(), json!("TERMINATED"))), "{events:?}");
}

#[test]
fn what_was_said_before_the_stop_is_a_stopped_message() {
    let server = Server::start();
    let flow = slow().flow(&server);
    let (stream, chat) = begin(&server, &flow);
    abort(&server, &flow, &chat);
    stream.finish();
    let kept = server.messages(&flow);
    assert_eq!(kept[1]["stopped"], true);
    assert!(kept[1]["content"].as_str().unwrap().starts_with("one two three"), "{kept:?}");
}

#[test]
fn a_caller_that_leaves_ends_the_run() {
    let server = Server::start();
    let flow = slow().flow(&server);
    let (stream, _) = begin(&server, &flow);
    drop(stream);
    record_becomes(&server, "TERMINATED");
}

#[test]
fn a_stop_ends_every_branch_that_is_under_way() {
    let (server, provider) = (Server::start(), Provider::start());
    provider.set_decision(|_| Behaviour::Hang);
    let steps = Steps::begin()
        .card("llmAgentflow_0", "A", provided_llm(&provider))
        .card("llmAgentflow_1", "B", provided_llm(&provider))
        .edge(START, "llmAgentflow_0")
        .edge(START, "llmAgentflow_1");
    let flow = steps.flow(&server);
    let body = json!({"question": "Hi", "streaming": true});
    let stream = server.call("POST", &format!("/prediction/{flow}")).json(&body).open();
    assert!(provider.wait_until(SOON, |provider| provider.served_count() == 2), "both are asked");
    let chat = stream.answer.header("x-service-chat-id").unwrap().to_owned();
    abort(&server, &flow, &chat);
    assert!(provider.wait_until(SOON, |provider| provider.disconnects() == 2), "both calls end");
    stream.finish();
    let record = record_becomes(&server, "TERMINATED");
    assert_eq!(endings(&record), [("Start", "FINISHED"), ("A", "TERMINATED"), ("B", "TERMINATED")]);
}

#[test]
fn a_caller_that_leaves_ends_every_branch_within_two_seconds() {
    for streaming in [true, false] {
        let (server, provider) = (Server::start(), Provider::start());
        provider.set_decision(|_| Behaviour::Hang);
        let branch = |steps: Steps, number: usize| {
            let id = format!("llmAgentflow_{number}");
            steps.card(&id, &id, provided_llm(&provider)).edge(START, &id)
        };
        let flow = (0..4).fold(Steps::begin(), branch).flow(&server);
        let body = json!({"question": "Hi", "streaming": streaming});
        let socket = server.call("POST", &format!("/prediction/{flow}")).json(&body).connect();
        assert!(provider.wait_until(SOON, |provider| provider.served_count() == 4), "all are asked");
        let left = Instant::now();
        drop(socket);
        assert!(provider.wait_until(SOON, |provider| provider.disconnects() == 4), "all calls end");
        let record = record_becomes(&server, "TERMINATED");
        assert!(left.elapsed() < Duration::from_secs(2), "it took {:?}", left.elapsed());
        assert!(endings(&record)[1..].iter().all(|(_, became)| *became == "TERMINATED"), "{record}");
    }
}

#[test]
fn a_caller_of_a_whole_answer_that_leaves_ends_the_run() {
    let (server, provider) = (Server::start(), Provider::start());
    provider.set_decision(|_| Behaviour::Hang);
    let steps =
        Steps::begin().card("llmAgentflow_0", "A", provided_llm(&provider)).edge(START, "llmAgentflow_0");
    let flow = steps.flow(&server);
    let socket =
        server.call("POST", &format!("/prediction/{flow}")).json(&json!({"question": "Hi"})).connect();
    assert!(provider.wait_until(SOON, |provider| provider.served_count() == 1));
    drop(socket);
    assert!(provider.wait_until(SOON, |provider| provider.disconnects() == 1));
    record_becomes(&server, "TERMINATED");
}

#[test]
fn a_step_behind_the_one_that_was_stopped_never_begins() {
    let (server, provider) = (Server::start(), Provider::start());
    provider.set_decision(|_| Behaviour::Hang);
    let steps = Steps::begin()
        .card("llmAgentflow_0", "A", provided_llm(&provider))
        .card("llmAgentflow_1", "Behind", slow_llm("x", 1))
        .chain(&[START, "llmAgentflow_0", "llmAgentflow_1"]);
    let flow = steps.flow(&server);
    let stream = server
        .call("POST", &format!("/prediction/{flow}"))
        .json(&json!({"question": "Hi", "streaming": true}))
        .open();
    assert!(provider.wait_until(SOON, |provider| provider.served_count() == 1));
    let chat = stream.answer.header("x-service-chat-id").unwrap().to_owned();
    abort(&server, &flow, &chat);
    assert!(!stream.finish().text().contains("Behind"));
    assert_eq!(endings(&record_becomes(&server, "TERMINATED")), [("Start", "FINISHED"), ("A", "TERMINATED")]);
}

#[test]
fn a_stop_ends_the_run_it_names_and_no_other_of_the_conversation() {
    let server = Server::start();
    let flow = slow().flow(&server);
    let newest = || newest_record(&server)["id"].as_str().unwrap().to_owned();
    let (first, chat) = begin(&server, &flow);
    let (stopped, token) = (newest(), first.answer.header("x-service-session-token").unwrap().to_owned());
    let body = json!({"question": "And?", "streaming": true, "chatId": chat, "sessionToken": token});
    let mut second = server.call("POST", &format!("/prediction/{flow}")).json(&body).open();
    second.read_until("three");
    let other = newest();
    assert_ne!(stopped, other);
    let stop = server.owner("POST", &format!("/executions/{stopped}/stop")).send();
    assert_eq!(stop.is(200).json()["state"], "TERMINATED");
    first.finish();
    assert_eq!(server.read(&format!("/executions/{other}"))["state"], "INPROGRESS");
    abort(&server, &flow, &chat);
    second.finish();
}

#[test]
fn a_run_that_can_finish_does_while_the_service_stops() {
    let mut server = Server::start();
    let flow = slow().flow(&server);
    let (stream, _) = begin(&server, &flow);
    server.stop();
    stream.finish();
    let server = server.restart();
    let record = newest_record(&server);
    assert_eq!(record["state"], "FINISHED");
    assert_eq!(endings(&record), [("Start", "FINISHED"), ("Slow", "FINISHED")]);
}

#[test]
fn a_record_that_is_stopped_stops_no_other_run_of_its_conversation() {
    let server = Server::start();
    let flow = slow().flow(&server);
    let (first, chat) = begin(&server, &flow);
    let token = first.answer.header("x-service-session-token").unwrap().to_owned();
    let body = json!({"question": "And?", "streaming": true, "chatId": chat, "sessionToken": token});
    let mut second = server.call("POST", &format!("/prediction/{flow}")).json(&body).open();
    second.read_until("three");
    let rows = server.read("/executions");
    let ids: Vec<&str> =
        rows["data"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    let stopped = server.owner("POST", &format!("/executions/{}/stop", ids[0])).send().is(200).json();
    assert_eq!(stopped["state"], "TERMINATED");
    assert_eq!(server.read(&format!("/executions/{}", ids[1]))["state"], "INPROGRESS");
    drop((first, second));
}
