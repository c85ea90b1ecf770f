//! Steps that fail: what becomes of the run, as the card says.

use super::steps::{
    START, Steps, ask, endings, entry, failing_llm, function, llm, newest_record, output, provided_llm,
    record, reply, said, slow_llm, with,
};
use crate::support::Server;
use crate::support::provider::{Behaviour, Provider, Reply};
use serde_json::{Value, json};

const CODE: &str = "customFunctionAgentflow_0";

fn failing_code(more: Value) -> Value {
    with(function("throw new Error('spoiled');", &[]), more)
}

/// A step that fails as its card says, and a reply behind it.
fn failing(more: Value, text: &str) -> Steps {
    Steps::begin()
        .card(CODE, "Breaks", failing_code(more))
        .card("directReplyAgentflow_0", "Reply", reply(text))
        .chain(&[START, CODE, "directReplyAgentflow_0"])
}

#[test]
fn a_step_that_fails_ends_the_run_and_is_named() {
    let server = Server::start();
    let flow = failing(json!({}), "never").flow(&server);
    let told = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(told.contains("Breaks") && told.contains("spoiled"), "{told}");
}

#[test]
fn the_record_of_a_failed_run_says_which_step_failed_and_why() {
    let server = Server::start();
    let flow = failing(json!({"onError": "stop"}), "never").flow(&server);
    let told = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    let record = newest_record(&server);
    assert_eq!((&record["state"], &record["error"]), (&json!("ERROR"), &json!(told)));
    assert_eq!(endings(&record), [("Start", "FINISHED"), ("Breaks", "ERROR")]);
    assert!(entry(&record, "Breaks")["data"]["error"].as_str().unwrap().contains("spoiled"), "{record}");
}

#[test]
fn a_failed_run_leaves_no_messages() {
    let server = Server::start();
    let flow = failing(json!({}), "never").flow(&server);
    server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert_eq!(server.messages(&flow), [] as [Value; 0]);
}

#[test]
fn a_stream_of_a_failed_run_tells_the_step_the_flow_and_the_error() {
    let server = Server::start();
    let flow = failing(json!({}), "never").flow(&server);
    let body = json!({"question": "Hi", "streaming": true});
    let events = server.call("POST", &format!("/prediction/{flow}")).json(&body).send().events();
    let failed = events.iter().find(|(name, data)| name == "nextAgentFlow" && data["status"] == "ERROR");
    let (_, step) = failed.unwrap_or_else(|| panic!("{events:?}"));
    assert_eq!(step["nodeLabel"], "Breaks");
    assert!(step["error"].as_str().unwrap().contains("spoiled"), "{step}");
    assert!(events.contains(&("agentFlowEvent".to_owned(), json!("ERROR"))), "{events:?}");
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"error") && !names.contains(&"metadata"), "{names:?}");
}

#[test]
fn a_card_may_have_the_run_go_on_without_its_result() {
    let server = Server::start();
    let steps = failing(
        json!({"onError": "continue"}),
        "[{{ customFunctionAgentflow_0 }}] {{ customFunctionAgentflow_0.output.error.message }}",
    );
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(endings(&answer), [("Start", "FINISHED"), ("Breaks", "ERROR"), ("Reply", "FINISHED")]);
    assert_eq!(output(&answer, "Breaks")["content"], "");
    let text = answer["text"].as_str().unwrap();
    assert!(text.starts_with("[] ") && text.contains("spoiled"), "{text}");
    assert_eq!(record(&server, &answer)["state"], "FINISHED");
}

#[test]
fn a_card_may_lead_to_its_error_output_and_nowhere_else() {
    let server = Server::start();
    let steps = failing(json!({"onError": "branch"}), "never")
        .card(
            "directReplyAgentflow_1",
            "Sorry",
            reply("sorry: {{ customFunctionAgentflow_0.output.error.message }}"),
        )
        .error_edge(CODE, "directReplyAgentflow_1");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(endings(&answer), [("Start", "FINISHED"), ("Breaks", "ERROR"), ("Sorry", "FINISHED")]);
    let text = answer["text"].as_str().unwrap();
    assert!(text.starts_with("sorry: ") && text.contains("spoiled"), "{text}");
}

#[test]
fn a_step_that_succeeds_does_not_lead_to_its_error_output() {
    let server = Server::start();
    let steps = Steps::begin()
        .card(CODE, "Works", with(function("return 'fine';", &[]), json!({"onError": "branch"})))
        .card("directReplyAgentflow_0", "Reply", reply("fine"))
        .card("directReplyAgentflow_1", "Sorry", reply("sorry"))
        .chain(&[START, CODE, "directReplyAgentflow_0"])
        .error_edge(CODE, "directReplyAgentflow_1");
    assert_eq!(said(&server, &steps), "fine");
}

#[test]
fn an_error_output_without_a_card_ends_its_branch_alone() {
    let server = Server::start();
    let steps = failing(json!({"onError": "branch"}), "never")
        .card("directReplyAgentflow_1", "Beside", reply("beside"))
        .edge(START, "directReplyAgentflow_1");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(endings(&answer), [("Start", "FINISHED"), ("Breaks", "ERROR"), ("Beside", "FINISHED")]);
    assert_eq!(answer["text"], "beside");
}

#[test]
fn a_provider_that_fails_once_is_asked_again_where_the_card_says_so() {
    let (server, provider) = (Server::start(), Provider::start());
    provider.push_behaviour(Behaviour::status(500, "{\"error\":{\"message\":\"oops\"}}"));
    let inputs = with(provided_llm(&provider), json!({"retries": 2, "retryWaitSeconds": 0}));
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", inputs).edge(START, "llmAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(answer["text"], "You said: Hi");
    assert_eq!(entry(&answer, "Writer")["data"]["attempts"], 2);
    assert_eq!(provider.served_count(), 2);
}

#[test]
fn a_step_that_was_tried_once_tells_no_number() {
    let server = Server::start();
    let inputs = with(llm("x"), json!({"retries": 2}));
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", inputs).edge(START, "llmAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(entry(&answer, "Writer")["data"].get("attempts"), None);
}

#[test]
fn retries_end_and_then_the_card_decides() {
    let server = Server::start();
    let inputs = with(failing_llm(503), json!({"retries": 2, "retryWaitSeconds": 0, "onError": "continue"}));
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", inputs).edge(START, "llmAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    let writer = entry(&answer, "Writer");
    assert_eq!((&writer["status"], &writer["data"]["attempts"]), (&json!("ERROR"), &json!(3)));
}

#[test]
fn what_cannot_pass_is_not_tried_again() {
    let server = Server::start();
    let retries = json!({"retries": 3, "retryWaitSeconds": 0, "onError": "continue"});
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Refused", with(failing_llm(400), retries.clone()))
        .card(CODE, "Code", failing_code(retries))
        .chain(&[START, "llmAgentflow_0", CODE]);
    let answer = ask(&server, &steps.flow(&server), "Hi");
    for label in ["Refused", "Code"] {
        let failed = entry(&answer, label);
        assert_eq!((&failed["status"], failed["data"].get("attempts")), (&json!("ERROR"), None), "{label}");
    }
}

#[test]
fn a_condition_agent_that_fails_and_continues_takes_its_last_output() {
    let server = Server::start();
    let model = failing_llm(400);
    let inputs = json!({
        "conditionAgentModel": model["llmModel"], "conditionAgentModelConfig": model["llmModelConfig"],
        "conditionAgentInstructions": "Sort it.", "conditionAgentInput": "{{ question }}",
        "conditionAgentScenarios": [{"scenario": "A"}, {"scenario": "B"}], "onError": "continue",
    });
    let steps = Steps::begin()
        .card("conditionAgentAgentflow_0", "Sort", inputs)
        .card("directReplyAgentflow_0", "First", reply("first"))
        .card("directReplyAgentflow_1", "Last", reply("last"))
        .edge(START, "conditionAgentAgentflow_0")
        .choice("conditionAgentAgentflow_0", 0, "directReplyAgentflow_0")
        .choice("conditionAgentAgentflow_0", 1, "directReplyAgentflow_1");
    assert_eq!(said(&server, &steps), "last");
}

#[test]
fn steps_before_the_one_that_failed_run_to_their_end() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Slow", slow_llm("one two three four", 80))
        .card(CODE, "Breaks", failing_code(json!({})))
        .card("llmAgentflow_1", "Behind", llm("x"))
        .chain(&[START, "llmAgentflow_0", "llmAgentflow_1"])
        .edge(START, CODE);
    let flow = steps.flow(&server);
    server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert_eq!(
        endings(&newest_record(&server)),
        [("Start", "FINISHED"), ("Slow", "FINISHED"), ("Breaks", "ERROR")]
    );
}

#[test]
fn of_two_steps_that_fail_the_first_in_the_record_is_told() {
    let server = Server::start();
    let slow = json!({"llmModel": "chatScripted", "llmModelConfig": {"fallback": "a b c", "delayMs": 60}});
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Slow", slow)
        .card("customFunctionAgentflow_1", "Late", failing_code(json!({})))
        .card(CODE, "Early", failing_code(json!({})))
        .card("llmAgentflow_1", "Long", slow_llm("a b c d e f", 60))
        .card("customFunctionAgentflow_2", "Behind", function("return 1;", &[]))
        .edge(START, "llmAgentflow_0")
        .chain(&["llmAgentflow_0", "customFunctionAgentflow_1"])
        .edge(START, "llmAgentflow_1")
        .chain(&["llmAgentflow_1", "customFunctionAgentflow_2"])
        .edge(START, CODE);
    let told = server.ask(&steps.flow(&server), &json!({"question": "Hi"})).is_error(500);
    assert!(told.contains("Early"), "{told}");
}

#[test]
fn what_a_step_sent_before_it_failed_stays_its_text_and_ends_its_tries() {
    let (server, provider) = (Server::start(), Provider::start());
    provider.push_behaviour(Behaviour::Reply(Reply { cut_after: Some(2), ..Reply::text("one two three") }));
    let inputs =
        with(provided_llm(&provider), json!({"retries": 3, "retryWaitSeconds": 0, "onError": "continue"}));
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", inputs).edge(START, "llmAgentflow_0");
    let flow = steps.flow(&server);
    let body = json!({"question": "Hi", "streaming": true});
    let answer = server.call("POST", &format!("/prediction/{flow}")).json(&body).send();
    assert_eq!(answer.streamed_text(), "one two ");
    let record = newest_record(&server);
    assert_eq!(output(&record, "Writer")["content"], "one two ");
    assert_eq!(provider.served_count(), 1);
    assert_eq!(server.messages(&flow)[1]["content"], "one two ");
}

#[test]
fn a_failing_branch_ends_those_after_it_in_the_record() {
    let (server, provider) = (Server::start(), Provider::start());
    provider.set_decision(|_| Behaviour::Hang);
    let steps = Steps::begin()
        .card("llmAgentflow_1", "Breaks", super::steps::ruled_llm(&json!([{"fail": {"status": 400}}])))
        .card("llmAgentflow_0", "Long", provided_llm(&provider))
        .edge(START, "llmAgentflow_1")
        .edge(START, "llmAgentflow_0");
    server.ask(&steps.flow(&server), &json!({"question": "Hi"})).is_error(500);
    let record = newest_record(&server);
    assert_eq!((&record["state"], endings(&record)[1]), (&json!("ERROR"), ("Breaks", "ERROR")));
}
