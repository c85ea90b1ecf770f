//! Running again from a step of an earlier run (manual 15.4).

use super::super::human_input::asking;
use super::super::steps::{
    START, Steps, Talk, ask, endings, entry, failing_llm, function, labels, llm, newest_record, output,
    provided_llm, record, reply, slow_llm, story, told, with,
};
use super::{again, draft, try_again};
use crate::support::Server;
use crate::support::provider::Provider;
use serde_json::{Value, json};

const ONE: &str = "llmAgentflow_0";
const TWO: &str = "llmAgentflow_1";
const REPLY: &str = "directReplyAgentflow_0";

/// A model in front of a provider, another one, and a reply.
fn letters(provider: &Provider, second: &str) -> Steps {
    Steps::begin()
        .card(ONE, "One", provided_llm(provider))
        .card(TWO, "Two", llm(second))
        .card(REPLY, "Reply", reply(&format!("{{{{ {ONE} }}}} {{{{ {TWO} }}}}")))
        .chain(&[START, ONE, TWO, REPLY])
}

#[test]
fn the_step_and_what_follows_it_run_in_the_draft_and_the_rest_stays() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = letters(&provider, "old").flow(&server);
    let first = ask(&server, &flow, "Hi");
    assert_eq!(first["text"], "You said: Hi old");
    draft(&server, &flow, &letters(&provider, "new"));
    let second = again(&server, &flow, &first, TWO);
    assert_eq!((&second["text"], &second["question"]), (&json!("You said: Hi new"), &json!("Hi")));
    assert_eq!(provider.requests().len(), 1, "what stays is not run");
    assert_eq!(labels(&second), ["Start", "One", "Two", "Reply"]);
    assert_eq!(entry(&second, "One"), entry(&first, "One"), "to the millisecond");
    let record = record(&server, &second);
    assert_eq!((&record["fromExecution"], &record["isTest"]), (&first["executionId"], &json!(true)));
    assert_eq!(record["state"], "FINISHED");
}

#[test]
fn what_is_written_goes_to_a_new_conversation_of_the_test_chat() {
    let server = Server::start();
    let steps = Steps::begin().card(ONE, "One", llm("one")).edge(START, ONE);
    let flow = steps.flow(&server);
    let first = ask(&server, &flow, "Hi");
    let second = again(&server, &flow, &first, ONE);
    assert_ne!(second["chatId"], first["chatId"]);
    let of = |chat: &Value| {
        let all = server.messages(&flow);
        all.into_iter().filter(|message| message["chatId"] == *chat).collect::<Vec<Value>>()
    };
    assert_eq!((of(&first["chatId"]).len(), of(&second["chatId"]).len()), (2, 2));
    assert_eq!(of(&second["chatId"])[0]["content"], "Hi");
    assert_eq!(of(&second["chatId"])[0]["chatType"], "INTERNAL");
    assert_eq!(record(&server, &first).get("fromExecution"), None);
}

#[test]
fn with_the_same_outputs_the_record_is_the_same_from_every_step() {
    let server = Server::start();
    let steps = Steps::begin_with_state(&json!({"n": "0"}))
        .card(
            ONE,
            "One",
            with(llm("one"), json!({"llmUpdateState": [{"key": "n", "value": "{{ output }}1"}]})),
        )
        .card(TWO, "Two", with(llm("two"), json!({"llmUpdateState": [{"key": "n", "value": "2"}]})))
        .card("llmAgentflow_2", "Merge", told(llm("{question}"), "{{ $flow.state.n }}"))
        .card("loopAgentflow_0", "Again", json!({"loopBackToNode": format!("{TWO}-Two"), "maxLoopCount": 3}))
        .card(REPLY, "Reply", reply("{{ llmAgentflow_2 }}"))
        .chain(&[START, ONE, "llmAgentflow_2", REPLY])
        .chain(&[START, TWO, "llmAgentflow_2", "loopAgentflow_0"]);
    let flow = steps.flow(&server);
    let first = ask(&server, &flow, "Hi");
    for node in [START, ONE, TWO, "llmAgentflow_2", "loopAgentflow_0", REPLY] {
        let second = again(&server, &flow, &first, node);
        assert_eq!(story(&second), story(&first), "{node}");
        assert_eq!(second["text"], first["text"], "{node}");
        let third = again(&server, &flow, &second, node);
        assert_eq!(story(&third), story(&first), "a run that ran again runs again: {node}");
    }
}

#[test]
fn a_branch_beside_the_step_is_not_run() {
    let (server, provider) = (Server::start(), Provider::start());
    let steps = Steps::begin()
        .card(ONE, "One", provided_llm(&provider))
        .card(TWO, "Two", llm("two"))
        .card(REPLY, "Reply", reply(&format!("{{{{ {ONE} }}}} {{{{ {TWO} }}}}")))
        .chain(&[START, ONE, REPLY])
        .chain(&[START, TWO, REPLY]);
    let flow = steps.flow(&server);
    let first = ask(&server, &flow, "Hi");
    assert_eq!(story(&again(&server, &flow, &first, TWO)), story(&first));
    assert_eq!(provider.requests().len(), 1);
    assert_eq!(story(&again(&server, &flow, &first, ONE)), story(&first));
    assert_eq!(provider.requests().len(), 2);
}

#[test]
fn a_step_that_failed_the_run_can_be_mended() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = letters(&provider, "").flow_with(&server, json!({"name": "Letters"}));
    let broken = Steps::begin()
        .card(ONE, "One", provided_llm(&provider))
        .card(TWO, "Two", failing_llm(400))
        .chain(&[START, ONE, TWO]);
    server.put(&format!("/chatflows/{flow}"), &json!({ "flowData": broken.text() }));
    server.ask(&flow, &json!({"question": "Hi"}));
    let failed = newest_record(&server);
    assert_eq!(endings(&failed).last(), Some(&("Two", "ERROR")));
    draft(&server, &flow, &letters(&provider, "mended"));
    let answer = again(&server, &flow, &json!({"executionId": failed["id"]}), TWO);
    assert_eq!(answer["text"], "You said: Hi mended");
    assert_eq!(provider.requests().len(), 1);
}

#[test]
fn an_answer_that_was_given_stays_and_one_that_was_not_is_asked_again() {
    let server = Server::start();
    let (talk, first) = Talk::begin(&server, &asking(), "Hi");
    let waits = again(&server, talk.flow(), &first, ONE);
    assert!(waits["action"].is_object(), "{waits}");
    assert_ne!(waits["action"]["id"], first["action"]["id"]);
    assert_eq!(record(&server, &first)["state"], "STOPPED", "the first run waits on");
    let done = talk.answer(&json!({"type": "reject", "feedback": "Shorter"}));
    let second = again(&server, talk.flow(), &done, "directReplyAgentflow_1");
    assert_eq!((&second["text"], &second["action"]), (&json!("Not sent (Shorter)"), &Value::Null));
    assert_eq!(labels(&second), ["Start", "Writer", "Ask", "No"]);
}

#[test]
fn memory_is_what_it_was_before_the_run() {
    let (server, provider) = (Server::start(), Provider::start());
    let steps = Steps::begin()
        .card(ONE, "One", with(provided_llm(&provider), json!({"llmEnableMemory": true})))
        .edge(START, ONE);
    let (talk, _) = Talk::begin(&server, &steps, "first");
    let second = talk.ask("second");
    let heard = provider.last_request().body["messages"].clone();
    talk.ask("third");
    let answer = again(&server, talk.flow(), &second, ONE);
    assert_eq!(provider.last_request().body["messages"], heard);
    again(&server, talk.flow(), &answer, ONE);
    assert_eq!(provider.last_request().body["messages"], heard, "as the first of them remembered");
}

#[test]
fn state_that_lasts_is_what_it_was_before_the_run_and_is_left_to_the_new_conversation() {
    let server = Server::start();
    let start = json!({"startState": [{"key": "n", "value": "0"}], "startPersistState": true});
    let count = with(
        function("return $n + 1;", &[("n", "{{ $flow.state.n }}")]),
        json!({"customFunctionUpdateState": [{"key": "n", "value": "{{ output.content }}"}]}),
    );
    let steps = Steps::begin_with(start)
        .card("customFunctionAgentflow_0", "Count", count)
        .card(REPLY, "Reply", reply("{{ $flow.state.n }}"))
        .chain(&[START, "customFunctionAgentflow_0", REPLY]);
    let (talk, _) = Talk::begin(&server, &steps, "Hi");
    let second = talk.ask("Hi");
    let third = talk.ask("Hi");
    assert_eq!((&second["text"], &third["text"]), (&json!("011"), &json!("0111")));
    for node in [START, "customFunctionAgentflow_0", REPLY] {
        assert_eq!(again(&server, talk.flow(), &second, node)["text"], "011", "{node}");
    }
    assert_eq!(talk.ask("Hi")["text"], "01111", "the old conversation goes on as it was");
}

#[test]
fn a_form_and_files_are_those_of_the_first_run() {
    let server = Server::start();
    let settings = json!({"chatbotConfig": json!({"fullFileUpload": {"status": true}}).to_string()});
    let steps =
        Steps::begin().card(REPLY, "Reply", reply("{{ file_attachment }}|{{ question }}")).edge(START, REPLY);
    let flow = steps.flow_with(&server, settings);
    let upload =
        json!({"type": "file:full", "name": "a.txt", "mime": "text/plain", "data": "Grey cats purr."});
    let first = server.ask(&flow, &json!({"question": "Hi", "uploads": [upload]})).is(200).json();
    assert!(first["text"].as_str().unwrap().contains("Grey cats purr."), "{first}");
    let second = again(&server, &flow, &first, REPLY);
    assert_eq!(second["text"], first["text"]);
    let asked =
        server.messages(&flow).into_iter().find(|message| message["chatId"] == second["chatId"]).unwrap();
    assert_eq!(asked["fileUploads"][0]["name"], "a.txt");
    let name = asked["fileUploads"][0]["fileName"].as_str().unwrap();
    let chat = second["chatId"].as_str().unwrap();
    let path = format!("/get-upload-file?chatflowId={flow}&chatId={chat}&fileName={name}");
    assert_eq!(server.owner("GET", &path).send().is(200).text(), "Grey cats purr.");
}

#[test]
fn a_run_again_streams_like_any_other() {
    let server = Server::start();
    let steps = Steps::begin()
        .card(ONE, "One", llm("one"))
        .card(REPLY, "Reply", reply("Said {{ llmAgentflow_0 }}"))
        .chain(&[START, ONE, REPLY]);
    let flow = steps.flow(&server);
    let first = ask(&server, &flow, "Hi");
    let streamed = try_again(&server, &flow, &first, REPLY, json!({"streaming": true}));
    assert_eq!(streamed.streamed_text(), "Said one");
    assert_eq!(streamed.event_names().last().map(String::as_str), Some("end"));
}

#[test]
fn what_cannot_be_run_again_is_refused_before_anything_runs() {
    let server = Server::start();
    let steps = |extra: &str| {
        Steps::begin()
            .card(ONE, "One", llm("one"))
            .card(TWO, "Two", llm("two"))
            .card(extra, "Extra", reply("x"))
            .chain(&[START, ONE, TWO, extra])
    };
    let flow = steps(REPLY).flow(&server);
    let other = steps(REPLY).flow(&server);
    let first = ask(&server, &flow, "Hi");
    let refused = |flow: &str, execution: &Value, node: &str, more: Value, status: u16| {
        try_again(&server, flow, &json!({ "executionId": execution }), node, more).is_error(status)
    };
    let run = &first["executionId"];
    refused(&flow, &json!("7bd3a5ac-4f3f-4bb5-8a42-53cf41fbb4f1"), ONE, json!({}), 404);
    refused(&flow, &json!("x"), ONE, json!({}), 404);
    refused(&other, run, ONE, json!({}), 404);
    let told = refused(&flow, run, "llmAgentflow_9", json!({}), 400);
    assert!(told.contains("llmAgentflow_9"), "{told}");
    refused(&flow, run, ONE, json!({"iterationIndex": 0}), 400);
    refused(&flow, run, ONE, json!({"question": "Hi"}), 400);
    refused(&flow, run, ONE, json!({"humanInput": {"type": "proceed"}}), 400);
    refused(&flow, &Value::Null, ONE, json!({}), 400);
    draft(&server, &flow, &steps("directReplyAgentflow_5"));
    refused(&flow, run, "directReplyAgentflow_5", json!({}), 400);
    assert_eq!(again(&server, &flow, &first, TWO)["text"], "x", "what followed the step may be another");
    let without = Steps::begin().card(TWO, "Two", llm("two")).edge(START, TWO);
    draft(&server, &flow, &without);
    let told = refused(&flow, run, TWO, json!({}), 409);
    assert!(told.contains("One (llmAgentflow_0)"), "{told}");
    assert_eq!(server.read("/executions")["total"], 2);
}

#[test]
fn a_run_under_way_is_not_run_again() {
    let server = Server::start();
    let steps =
        Steps::begin().card(ONE, "One", slow_llm("one two three four five six", 200)).edge(START, ONE);
    let flow = steps.flow(&server);
    let body = json!({"question": "Hi", "streaming": true});
    let mut asked = server.call("POST", &format!("/prediction/{flow}")).json(&body).open();
    asked.read_until("one");
    let page = server.read("/executions");
    let run = json!({"executionId": page["data"][0]["id"]});
    try_again(&server, &flow, &run, ONE, json!({})).is_error(409);
    asked.finish();
    again(&server, &flow, &run, ONE);
}

#[test]
fn who_may_not_see_records_runs_nothing_again() {
    let server = Server::start();
    let flow = Steps::begin().card(ONE, "One", llm("one")).edge(START, ONE).flow(&server);
    let body = json!({"executionId": ask(&server, &flow, "Hi")["executionId"], "fromNode": ONE});
    let asked = |permissions: &[&str]| {
        let key = server.key(permissions)["apiKey"].as_str().unwrap().to_owned();
        let path = format!("/internal-prediction/{flow}");
        server.call("POST", &path).bearer(&key).json(&body).send().status
    };
    assert_eq!(asked(&["agentflows:view"]), 403);
    assert_eq!(asked(&["executions:view", "chatflows:view"]), 403);
    assert_eq!(asked(&["executions:view", "agentflows:view"]), 200);
}

#[test]
fn the_output_of_a_step_that_stays_is_what_it_was() {
    let server = Server::start();
    let code = function("return Math.random();", &[]);
    let steps = Steps::begin()
        .card("customFunctionAgentflow_0", "Chance", code)
        .card(REPLY, "Reply", reply("{{ customFunctionAgentflow_0 }}"))
        .chain(&[START, "customFunctionAgentflow_0", REPLY]);
    let flow = steps.flow(&server);
    let first = ask(&server, &flow, "Hi");
    let second = again(&server, &flow, &first, REPLY);
    assert_eq!((&second["text"], output(&second, "Chance")), (&first["text"], output(&first, "Chance")));
}
