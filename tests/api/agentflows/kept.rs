//! What lasts from one run to the next, and what ends by itself.

use super::starts::{form, send};
use super::steps::{START, Steps, Talk, question, record, reply, slow_llm, with};
use super::values::writing;
use crate::support::Server;
use flowkeep::base::cancel::CancelToken;
use flowkeep::domain::ids::{ChatId, FlowId};
use serde_json::{Value, json};
use std::thread::JoinHandle;
use std::time::Duration;

const FIRST: &str = "humanInputAgentflow_0";

#[test]
fn an_earlier_form_of_a_proven_conversation_is_used_again() {
    let server = Server::start();
    let flow = form().flow(&server);
    let first = send(&server, &flow, json!({"name": "Ada", "age": 36})).is(200).json();
    let body = json!({"question": "And?", "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
    assert_eq!(server.ask(&flow, &body).is(200).json()["text"], first["text"]);
}

#[test]
fn state_that_is_kept_goes_on_in_the_next_run_of_the_conversation() {
    let server = Server::start();
    let (id, inputs) = writing("llmAgentflow_0", json!([{"key": "n", "value": "{{ $flow.state.n }}+"}]));
    let start = json!({"startState": [{"key": "n", "value": "0"}], "startPersistState": true});
    let steps = Steps::begin_with(start)
        .card(&id, "Count", inputs)
        .card("directReplyAgentflow_0", "Reply", reply("{{ $flow.state.n }}"))
        .chain(&[START, &id, "directReplyAgentflow_0"]);
    let (talk, first) = Talk::begin(&server, &steps, "Hi");
    assert_eq!((&first["text"], &talk.ask("Hi")["text"]), (&json!("0+"), &json!("0++")));
}

#[test]
fn a_person_who_does_not_answer_in_time_counts_as_one_who_rejects() {
    let server = Server::start();
    let steps = Steps::begin()
        .card(FIRST, "Ask", with(question("Well?"), json!({"humanInputTimeout": 1})))
        .card("directReplyAgentflow_0", "Yes", reply("yes"))
        .card("directReplyAgentflow_1", "No", reply("too late"))
        .edge(START, FIRST)
        .choice(FIRST, 0, "directReplyAgentflow_0")
        .choice(FIRST, 1, "directReplyAgentflow_1");
    let (talk, first) = Talk::begin(&server, &steps, "Hi");
    for due in server.app.state.pause_timers.take_due(jiff::Timestamp::MAX) {
        flowkeep::ops::predictions::end_pause(&server.app, &due, &CancelToken::new(None));
    }
    assert_eq!(record(&server, &first)["state"], "FINISHED");
    assert_eq!(server.messages(talk.flow()).last().unwrap()["content"], "too late");
    assert_eq!(talk.try_answer(&json!({"type": "proceed"})).status, 409);
}

#[test]
fn a_run_that_is_stopped_after_its_pause_ended_stops_no_other() {
    let server = Server::start();
    let steps = Steps::begin()
        .card(FIRST, "Ask", with(question("Well?"), json!({"humanInputTimeout": 1})))
        .card("llmAgentflow_0", "Think", slow_llm("too late", 1_000))
        .edge(START, FIRST)
        .choice(FIRST, 1, "llmAgentflow_0");
    let flow = steps.flow(&server);
    let begin = || server.post(&format!("/internal-prediction/{flow}"), &json!({"question": "Hi"}));
    let (stopped, other) = (begin(), begin());
    let all = CancelToken::new(None);
    let going_on: Vec<_> = server
        .app
        .state
        .pause_timers
        .take_due(jiff::Timestamp::MAX)
        .into_iter()
        .map(|due| {
            let (app, all) = (server.app.clone(), all.clone());
            std::thread::spawn(move || flowkeep::ops::predictions::end_pause(&app, &due, &all))
        })
        .collect();
    assert_eq!(going_on.len(), 2);
    let (id, chat) =
        (FlowId::parse(&flow).unwrap(), ChatId::parse(stopped["chatId"].as_str().unwrap()).unwrap());
    while server.app.state.active_runs.abort(id, chat) == 0 {
        assert!(!going_on.iter().any(JoinHandle::is_finished), "{}", record(&server, &stopped));
        std::thread::sleep(Duration::from_millis(10));
    }
    going_on.into_iter().for_each(|run| run.join().unwrap());
    assert_eq!(all.reason(), None);
    let state = |answer: &Value| record(&server, answer)["state"].clone();
    assert_eq!((state(&stopped), state(&other)), (json!("TERMINATED"), json!("FINISHED")));
}

#[test]
fn a_run_that_waits_can_be_stopped_and_then_takes_no_answer() {
    let server = Server::start();
    let steps = Steps::begin()
        .card(FIRST, "Ask", question("Well?"))
        .card("directReplyAgentflow_0", "Yes", reply("yes"))
        .edge(START, FIRST)
        .choice(FIRST, 0, "directReplyAgentflow_0");
    let (talk, first) = Talk::begin(&server, &steps, "Hi");
    let stop = format!("/executions/{}/stop", first["executionId"].as_str().unwrap());
    assert_eq!(server.owner("POST", &stop).send().is(200).json()["state"], "TERMINATED");
    server.owner("POST", &stop).send().is_error(409);
    assert_eq!(talk.try_answer(&json!({"type": "proceed"})).status, 409);
}
