//! Watching a run of somebody else while it goes (manual 15.2).

use super::super::human_input::asking;
use super::super::steps::{
    START, Steps, Talk, ask, entries, labels, llm, newest_record, record, reply, slow_llm,
};
use crate::support::client::Stream;
use crate::support::{Answer, Server};
use serde_json::{Value, json};
use std::time::Duration;

/// A step that is quick, one that takes its time, and a reply.
fn slow() -> Steps {
    let text = "one two three four five six seven eight nine ten ".repeat(2);
    Steps::begin()
        .card("llmAgentflow_0", "Quick", llm("Quickly"))
        .card("llmAgentflow_1", "Slow", slow_llm(text.trim(), 100))
        .card("directReplyAgentflow_0", "Reply", reply("Done: {{ llmAgentflow_0 }}"))
        .chain(&[START, "llmAgentflow_0", "llmAgentflow_1", "directReplyAgentflow_0"])
}

/// The stream of a question whose slow step is under way, and the id of its record.
fn begin(server: &Server, steps: &Steps) -> (Stream, String) {
    let flow = steps.flow(server);
    let body = json!({"question": "Hi", "streaming": true});
    let mut asked = server.call("POST", &format!("/prediction/{flow}")).json(&body).open();
    asked.read_until("\"Slow\"");
    // Records are written beside the runs.
    let id = (0..500).find_map(|_| {
        std::thread::sleep(Duration::from_millis(10));
        let page = server.read("/executions?state=INPROGRESS");
        page["data"][0]["id"].as_str().map(str::to_owned)
    });
    (asked, id.unwrap())
}

fn watch(server: &Server, run: &str, since: usize) -> Stream {
    server.owner("GET", &format!("/executions/{run}/events?since={since}")).open()
}

/// The labels of the newest entries that a stream told of.
fn told(answer: &Answer) -> Vec<String> {
    let events = answer.events();
    let newest = events.iter().rev().find(|(name, _)| name == "agentFlowExecutedData");
    let steps = newest.unwrap().1.as_array().unwrap().clone();
    steps.iter().map(|step| step["nodeLabel"].as_str().unwrap().to_owned()).collect()
}

/// The names and data of the last events.
fn ending(answer: &Answer) -> Vec<(String, Value)> {
    let events = answer.events();
    events[events.len() - 2..].to_vec()
}

fn ended(state: &str) -> Vec<(String, Value)> {
    vec![("agentFlowEvent".to_owned(), json!(state)), ("end".to_owned(), json!("[DONE]"))]
}

#[test]
fn a_run_under_way_is_followed_to_its_end() {
    let server = Server::start();
    let (asked, run) = begin(&server, &slow());
    let watched = watch(&server, &run, 0).finish();
    assert_eq!(watched.header("content-type"), Some("text/event-stream"));
    let events = watched.events();
    assert_eq!(events[0].0, "agentFlowExecutedData");
    assert_eq!(events[0].1[1]["nodeLabel"], "Quick", "what is there comes first");
    let begins = json!({"nodeId": "directReplyAgentflow_0", "nodeLabel": "Reply", "status": "INPROGRESS"});
    assert!(events.contains(&("nextAgentFlow".to_owned(), begins)), "{events:?}");
    assert_eq!(watched.streamed_text(), "Done: Quickly");
    assert_eq!(told(&watched), ["Start", "Quick", "Slow", "Reply"]);
    assert_eq!(ending(&watched), ended("FINISHED"));
    assert_eq!(asked.finish().streamed_text(), "Done: Quickly", "who asked is not disturbed");
}

#[test]
fn several_watch_and_one_that_leaves_disturbs_nobody() {
    let server = Server::start();
    let (asked, run) = begin(&server, &slow());
    let mut leaves = watch(&server, &run, 0);
    leaves.read_until("agentFlowExecutedData");
    let (first, second) = (watch(&server, &run, 0), watch(&server, &run, 2));
    drop(leaves);
    let (first, second) = (first.finish(), second.finish());
    assert_eq!(told(&first), ["Start", "Quick", "Slow", "Reply"]);
    assert_eq!(told(&second), ["Slow", "Reply"], "what was seen is left out");
    assert_eq!(ending(&second), ended("FINISHED"));
    assert_eq!(asked.finish().status, 200);
}

#[test]
fn who_does_not_read_holds_nobody_up() {
    let server = Server::start();
    let text = "word ".repeat(200_000);
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Slow", slow_llm("one two three four five six", 100))
        .card("directReplyAgentflow_0", "Reply", reply(&text))
        .chain(&[START, "llmAgentflow_0", "directReplyAgentflow_0"]);
    let (asked, run) = begin(&server, &steps);
    let mut slow = watch(&server, &run, 0);
    slow.read_until("agentFlowExecutedData");
    asked.finish();
    assert_eq!(newest_record(&server)["state"], "FINISHED");
    let slow = slow.finish();
    assert_eq!(
        (told(&slow), ending(&slow)),
        (vec!["Start".into(), "Slow".into(), "Reply".into()], ended("FINISHED"))
    );
}

#[test]
fn a_run_that_ended_answers_at_once() {
    let server = Server::start();
    let steps =
        Steps::begin().card("llmAgentflow_0", "Writer", llm("Dear {question}")).edge(START, "llmAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "Ada");
    let run = answer["executionId"].as_str().unwrap();
    let watched = watch(&server, run, 1).finish();
    assert_eq!(watched.event_names(), ["agentFlowExecutedData", "agentFlowEvent", "end"]);
    assert_eq!((told(&watched), ending(&watched)), (vec!["Writer".to_owned()], ended("FINISHED")));
    let all = watch(&server, run, 0).finish().event("agentFlowExecutedData");
    assert_eq!(all, *record(&server, &answer).get("executionData").unwrap());
    assert_eq!(watch(&server, run, 99).finish().event("agentFlowExecutedData"), json!([]));
}

#[test]
fn a_run_that_waits_says_for_what_and_is_followed_again_when_it_goes_on() {
    let server = Server::start();
    let (talk, first) = Talk::begin(&server, &asking(), "Hi");
    let run = first["executionId"].as_str().unwrap();
    let watched = watch(&server, run, 0).finish();
    assert_eq!(watched.event("action"), first["action"]);
    assert_eq!(ending(&watched), ended("STOPPED"));
    talk.proceed();
    let watched = watch(&server, run, 3).finish();
    assert_eq!((told(&watched), ending(&watched)), (vec!["Ask".into(), "Yes".into()], ended("FINISHED")));
}

#[test]
fn a_run_that_is_stopped_ends_for_those_who_watch() {
    let server = Server::start();
    let (asked, run) = begin(&server, &slow());
    let mut watched = watch(&server, &run, 0);
    watched.read_until("agentFlowExecutedData");
    server.post(&format!("/executions/{run}/stop"), &json!({}));
    let watched = watched.finish();
    assert_eq!((told(&watched).len(), ending(&watched)), (3, ended("TERMINATED")));
    asked.finish();
    let record = server.read(&format!("/executions/{run}"));
    assert_eq!((labels(&record).len(), entries(&record).len()), (3, 3));
}

#[test]
fn only_who_may_see_the_record_and_the_flow_watches() {
    let server = Server::start();
    let answer = ask(&server, &asking().flow(&server), "Hi");
    let path = format!("/executions/{}/events", answer["executionId"].as_str().unwrap());
    let asked = |permissions: &[&str]| {
        let key = server.key(permissions)["apiKey"].as_str().unwrap().to_owned();
        server.call("GET", &path).bearer(&key).send().status
    };
    assert_eq!(asked(&["executions:view", "agentflows:view"]), 200);
    assert_eq!(asked(&["executions:view", "chatflows:view"]), 403);
    assert_eq!(asked(&["agentflows:view"]), 403);
    server.owner("GET", "/executions/x/events").send().is_error(404);
    server.owner("GET", &format!("{path}?since=x")).send().is_error(400);
}
