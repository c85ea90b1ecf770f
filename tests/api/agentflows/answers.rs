//! What callers read of a run: the answer, its tokens, and the events on the way.

use super::steps::{
    Steps, ask, endings, entries, equal, function, llm, output, record, reply, slow_llm, told,
};
use crate::answers::follow_ups;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Answer, Server};
use serde_json::{Value, json};

/// A question, a model, and a reply that says what the model said.
fn writer_and_reply() -> Steps {
    Steps::begin()
        .card("llmAgentflow_0", "Writer", llm("Dear {question}"))
        .card("directReplyAgentflow_0", "Reply", reply("<{{ llmAgentflow_0 }}>"))
        .chain(&["startAgentflow_0", "llmAgentflow_0", "directReplyAgentflow_0"])
}

/// Two models that are both the last of their branch; the first one takes longer.
fn two_ends() -> Steps {
    Steps::begin()
        .card("llmAgentflow_0", "Slow", slow_llm("one two three", 60))
        .card("llmAgentflow_1", "Fast", llm("four five"))
        .edge("startAgentflow_0", "llmAgentflow_0")
        .edge("startAgentflow_0", "llmAgentflow_1")
}

fn stream(server: &Server, flow: &str) -> Answer {
    let body = json!({"question": "Hi", "streaming": true});
    server.call("POST", &format!("/prediction/{flow}")).json(&body).send()
}

/// The events of a stream in a short form: steps by label and status, tokens in a row as one.
fn told_events(answer: &Answer) -> Vec<String> {
    let short = |(name, data): (String, Value)| match name.as_str() {
        "agentFlowEvent" => format!("flow {}", data.as_str().unwrap()),
        "nextAgentFlow" => {
            format!("{} {}", data["nodeLabel"].as_str().unwrap(), data["status"].as_str().unwrap())
        }
        "agentFlowExecutedData" => format!("{} entries", data.as_array().unwrap().len()),
        other => other.to_owned(),
    };
    let mut told: Vec<String> = answer.events().into_iter().map(short).collect();
    told.dedup();
    told
}

#[test]
fn a_stream_tells_a_long_record_less_often_and_in_the_end_all_of_it() {
    let server = Server::start();
    let id = |number: usize| {
        if number == 0 { "startAgentflow_0".to_owned() } else { format!("llmAgentflow_{number}") }
    };
    let says = llm(&"x".repeat(2_000));
    let model = |steps: Steps, number: usize| {
        steps
            .card(&id(number), "Model", super::steps::told(says.clone(), "Hi"))
            .edge(&id(number - 1), &id(number))
    };
    let answer = stream(&server, &(1..=150).fold(Steps::begin(), model).flow(&server));
    let told = told_events(&answer);
    let lists: Vec<&String> = told.iter().filter(|told| told.ends_with(" entries")).collect();
    assert!(lists.len() < 80, "{lists:?}");
    let place = |wanted: &str| told.iter().position(|told| told == wanted);
    assert!(place("151 entries") < place("flow FINISHED") && place("151 entries").is_some(), "{lists:?}");
}

#[test]
fn an_answer_tells_its_run_and_its_steps() {
    let server = Server::start();
    let answer = ask(&server, &writer_and_reply().flow(&server), "Ada");
    assert_eq!(answer["text"], "<Dear Ada>");
    assert_eq!(answer["question"], "Ada");
    assert_eq!(answer["sessionId"], answer["chatId"]);
    assert_eq!(endings(&answer), [("Start", "FINISHED"), ("Writer", "FINISHED"), ("Reply", "FINISHED")]);
    assert!(answer["executionId"].is_string() && answer["chatMessageId"].is_string(), "{answer}");
    for entry in entries(&answer) {
        let names: Vec<&String> = entry.as_object().unwrap().keys().collect();
        let mut sorted = names.clone();
        sorted.sort();
        assert_eq!(sorted, ["data", "nodeId", "nodeLabel", "previousNodeIds", "status"]);
        assert_eq!(entry["data"]["id"], entry["nodeId"]);
        for part in ["name", "input", "output", "state"] {
            assert!(entry["data"].get(part).is_some(), "{part} of {entry}");
        }
    }
    let before: Vec<&Value> = entries(&answer).iter().map(|entry| &entry["previousNodeIds"]).collect();
    assert_eq!(before, [&json!([]), &json!(["startAgentflow_0"]), &json!(["llmAgentflow_0"])]);
    assert_eq!(output(&answer, "Writer")["content"], "Dear Ada");
}

#[test]
fn an_answer_is_a_message_of_its_conversation() {
    let server = Server::start();
    let flow = writer_and_reply().flow(&server);
    let answer = ask(&server, &flow, "Ada");
    let texts: Vec<Value> = server.messages(&flow).iter().map(|message| message["content"].clone()).collect();
    assert_eq!(texts, ["Ada", "<Dear Ada>"]);
    assert_eq!(server.messages(&flow)[1]["id"], answer["chatMessageId"]);
}

#[test]
fn a_stream_tells_its_steps_in_order_and_has_no_start_event() {
    let server = Server::start();
    let flow = writer_and_reply().flow(&server);
    assert_eq!(
        told_events(&stream(&server, &flow)),
        [
            "flow INPROGRESS",
            "Start INPROGRESS",
            "Start FINISHED",
            "1 entries",
            "Writer INPROGRESS",
            "Writer FINISHED",
            "2 entries",
            "Reply INPROGRESS",
            "token",
            "Reply FINISHED",
            "3 entries",
            "flow FINISHED",
            "metadata",
            "end",
        ]
    );
}

#[test]
fn a_model_at_the_end_writes_piece_by_piece_and_tells_its_usage() {
    let server = Server::start();
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", llm("one two three"));
    let answer = stream(&server, &steps.edge("startAgentflow_0", "llmAgentflow_0").flow(&server));
    assert_eq!(
        told_events(&answer),
        [
            "flow INPROGRESS",
            "Start INPROGRESS",
            "Start FINISHED",
            "1 entries",
            "Writer INPROGRESS",
            "token",
            "calledTools",
            "usageMetadata",
            "Writer FINISHED",
            "2 entries",
            "flow FINISHED",
            "metadata",
            "end",
        ]
    );
    let tokens = answer.events().into_iter().filter(|(name, _)| name == "token").count();
    assert_eq!(tokens, 3);
    assert_eq!(answer.event("usageMetadata")["output_tokens"], 3);
}

#[test]
fn the_tokens_are_the_whole_answer() {
    let server = Server::start();
    for steps in [writer_and_reply(), two_ends()] {
        let flow = steps.flow(&server);
        let streamed = stream(&server, &flow).streamed_text();
        let kept = server.messages(&flow)[1]["content"].clone();
        assert_eq!(streamed, kept);
        assert_eq!(ask(&server, &flow, "Hi")["text"], kept);
    }
}

#[test]
fn the_texts_of_two_last_steps_are_joined_by_a_blank_line_in_the_order_of_the_record() {
    let server = Server::start();
    let answer = ask(&server, &two_ends().flow(&server), "Hi");
    assert_eq!(answer["text"], "one two three\n\nfour five");
}

#[test]
fn usage_is_told_for_each_last_model() {
    let server = Server::start();
    let answer = stream(&server, &two_ends().flow(&server));
    let usages: Vec<Value> = answer
        .events()
        .into_iter()
        .filter(|(name, _)| name == "usageMetadata")
        .map(|(_, data)| data)
        .collect();
    let written: Vec<&Value> = usages.iter().map(|usage| &usage["output_tokens"]).collect();
    assert_eq!(written, [&json!(3), &json!(2)]);
}

#[test]
fn where_no_last_step_has_a_text_the_newest_text_is_the_answer() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Writer", llm("Written."))
        .card("conditionAgentflow_0", "Check", equal("a", "b"))
        .chain(&["startAgentflow_0", "llmAgentflow_0", "conditionAgentflow_0"]);
    let answer = stream(&server, &steps.flow(&server));
    assert_eq!(answer.streamed_text(), "Written.");
    let told = told_events(&answer);
    assert_eq!(told[told.len() - 4..], ["token", "flow FINISHED", "metadata", "end"], "{told:?}");
}

#[test]
fn a_run_without_any_text_answers_a_space() {
    let server = Server::start();
    let steps = Steps::begin().card("conditionAgentflow_0", "Check", equal("a", "b"));
    let flow = steps.edge("startAgentflow_0", "conditionAgentflow_0").flow(&server);
    assert_eq!(ask(&server, &flow, "Hi")["text"], " ");
}

#[test]
fn a_last_step_that_cannot_write_piece_by_piece_sends_its_text_as_one_token() {
    let server = Server::start();
    let steps = Steps::begin().card("customFunctionAgentflow_0", "Code", function("return 'a b c';", &[]));
    let answer = stream(&server, &steps.edge("startAgentflow_0", "customFunctionAgentflow_0").flow(&server));
    let tokens = answer.events().into_iter().filter(|(name, _)| name == "token").count();
    assert_eq!((tokens, answer.streamed_text().as_str()), (1, "a b c"));
}

#[test]
fn the_record_of_a_run_tells_the_same_steps_as_its_answer() {
    let server = Server::start();
    let answer = ask(&server, &writer_and_reply().flow(&server), "Ada");
    let record = record(&server, &answer);
    assert_eq!(record["state"], "FINISHED");
    assert_eq!(endings(&record), endings(&answer));
    let names =
        |run: &Value| -> Vec<Value> { entries(run).iter().map(|entry| entry["data"].clone()).collect() };
    assert_eq!(names(&record), names(&answer));
}

#[test]
fn a_conversation_goes_on_where_a_model_has_memory() {
    let server = Server::start();
    let inputs = super::steps::with(llm("heard: {history}"), json!({"llmEnableMemory": true}));
    let steps =
        Steps::begin().card("llmAgentflow_0", "Writer", inputs).edge("startAgentflow_0", "llmAgentflow_0");
    let (talk, first) = super::steps::Talk::begin(&server, &steps, "First");
    assert_eq!(first["text"], "heard: ");
    assert_eq!(talk.ask("Second")["text"], "heard: Human: First\nAssistant: heard: ");
}

#[test]
fn a_later_model_without_memory_hears_only_what_its_card_says() {
    let server = Server::start();
    let steps = Steps::begin()
        .card("llmAgentflow_0", "First", llm("From the first."))
        .card("llmAgentflow_1", "Second", told(llm("[{history}] [{question}]"), "Only this."))
        .chain(&["startAgentflow_0", "llmAgentflow_0", "llmAgentflow_1"]);
    assert_eq!(super::steps::said(&server, &steps), "[] [Only this.]");
}

#[test]
fn code_behind_the_run_replaces_what_is_answered_streamed_and_stored() {
    let server = Server::start();
    let code = json!("return $flow.rawOutput.replace('secret', 'plain')").to_string();
    let config = json!({"postProcessing": {"enabled": true, "customFunction": code}});
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Writer", llm("secret {question}"))
        .edge("startAgentflow_0", "llmAgentflow_0");
    let flow = steps.flow_with(&server, json!({"chatbotConfig": config.to_string()}));
    let answer = ask(&server, &flow, "Hi");
    assert_eq!(
        (&answer["text"], &record(&server, &answer)["state"]),
        (&json!("plain Hi"), &json!("FINISHED"))
    );
    assert_eq!(stream(&server, &flow).streamed_text(), "plain Hi");
    let stored = server.messages(&flow);
    assert!(
        stored.iter().all(|message| !message["content"].as_str().unwrap().contains("secret")),
        "{stored:?}"
    );
}

#[test]
fn a_run_whose_code_behind_it_fails_has_no_answer_and_a_record_that_ended() {
    let server = Server::start();
    let code = json!("throw new Error('no')").to_string();
    let config = json!({"postProcessing": {"enabled": true, "customFunction": code}});
    let flow = writer_and_reply().flow_with(&server, json!({"chatbotConfig": config.to_string()}));
    let told = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(told.starts_with("Post-processing: "), "{told}");
    assert_eq!(server.messages(&flow), [] as [Value; 0]);
    assert_eq!(server.read("/executions?state=INPROGRESS")["total"], 0);
}

#[test]
fn an_answer_of_a_run_brings_follow_up_prompts() {
    let (server, provider) = (Server::start(), Provider::start());
    let settings = follow_ups(&server, &provider, json!({"prompt": "After: {history}"}));
    let flow = writer_and_reply().flow_with(&server, settings);
    provider.push_behaviour(Behaviour::text("[\"Why?\"]"));
    let answer = ask(&server, &flow, "Hi");
    assert_eq!((&answer["text"], &answer["followUpPrompts"]), (&json!("<Dear Hi>"), &json!("[\"Why?\"]")));
    assert!(provider.last_request().body.to_string().contains("After: <Dear Hi>"), "{answer}");
    provider.push_behaviour(Behaviour::text("[\"More?\"]"));
    assert!(stream(&server, &flow).text().contains(r#""followUpPrompts":"[\"More?\"]""#));
}
