//! What a model of a flow is told: its card's messages, the conversation, and what the steps before it said.

use super::steps::{START, Steps, Talk, ask, llm, provided_llm, question, told, with};
use crate::support::Server;
use crate::support::provider::{Provider, RecordedRequest};
use serde_json::{Value, json};

/// The messages of a request in a short form.
fn heard(request: &RecordedRequest) -> Vec<String> {
    let messages = request.body["messages"].as_array().unwrap();
    let short = |message: &Value| {
        format!("{}: {}", message["role"].as_str().unwrap(), message["content"].as_str().unwrap())
    };
    messages.iter().map(short).collect()
}

/// A model with memory in front of a provider.
fn remembering(provider: &Provider, more: Value) -> Value {
    with(with(provided_llm(provider), json!({"llmEnableMemory": true})), more)
}

#[test]
fn instructions_come_first_and_the_question_last() {
    let (server, provider) = (Server::start(), Provider::start());
    let rows = json!([
        {"role": "user", "content": "An example."},
        {"role": "system", "content": "One."},
        {"role": "assistant", "content": "Its answer."},
        {"role": "system", "content": "Two."},
    ]);
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Writer", remembering(&provider, json!({ "llmMessages": rows })))
        .edge(START, "llmAgentflow_0");
    ask(&server, &steps.flow(&server), "Hi");
    let heard = heard(&provider.last_request());
    assert_eq!(
        heard[heard.len() - 3..],
        ["user: An example.", "assistant: Its answer.", "user: Hi"],
        "{heard:?}"
    );
    let front = heard[..heard.len() - 3].join("\n");
    assert!(front.find("One.").unwrap() < front.find("Two.").unwrap(), "in their order: {heard:?}");
}

#[test]
fn a_later_model_with_memory_hears_the_question_once_and_the_reply_before_it() {
    let (server, provider) = (Server::start(), Provider::start());
    let as_assistant = with(llm("From the first."), json!({"llmReturnResponseAs": "assistantMessage"}));
    let steps = Steps::begin()
        .card("llmAgentflow_0", "First", as_assistant)
        .card("llmAgentflow_1", "Second", remembering(&provider, json!({"llmUserMessage": "Go on."})))
        .chain(&[START, "llmAgentflow_0", "llmAgentflow_1"]);
    ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(heard(&provider.last_request()), ["user: Hi", "assistant: From the first.", "user: Go on."]);
}

#[test]
fn a_model_of_a_branch_hears_nothing_of_the_branch_beside_it() {
    let (server, provider) = (Server::start(), Provider::start());
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Beside", llm("beside"))
        .card("llmAgentflow_1", "Writer", remembering(&provider, json!({})))
        .edge(START, "llmAgentflow_0")
        .edge(START, "llmAgentflow_1");
    ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(heard(&provider.last_request()), ["user: Hi"]);
}

#[test]
fn a_model_where_branches_meet_hears_both_in_the_order_of_the_record() {
    let (server, provider) = (Server::start(), Provider::start());
    let slow = with(super::steps::slow_llm("slow", 60), json!({"llmReturnResponseAs": "assistantMessage"}));
    let fast = with(llm("fast"), json!({"llmReturnResponseAs": "assistantMessage"}));
    let steps = Steps::begin()
        .card("llmAgentflow_0", "A", slow)
        .card("llmAgentflow_1", "B", fast)
        .card("llmAgentflow_2", "Meet", remembering(&provider, json!({"llmUserMessage": "Sum up."})))
        .chain(&[START, "llmAgentflow_0", "llmAgentflow_2"])
        .chain(&[START, "llmAgentflow_1", "llmAgentflow_2"]);
    ask(&server, &steps.flow(&server), "Hi");
    let heard = heard(&provider.last_request());
    assert_eq!(
        (heard.first().unwrap().as_str(), heard.last().unwrap().as_str()),
        ("user: Hi", "user: Sum up.")
    );
    let all = heard.join("|");
    assert!(all.find("slow").unwrap() < all.find("fast").unwrap(), "{heard:?}");
}

#[test]
fn the_history_of_a_request_is_for_the_first_model_alone() {
    let (server, provider) = (Server::start(), Provider::start());
    let steps = Steps::begin()
        .card("llmAgentflow_0", "First", remembering(&provider, json!({})))
        .card("llmAgentflow_1", "Second", told(provided_llm(&provider), "Only this."))
        .chain(&[START, "llmAgentflow_0", "llmAgentflow_1"]);
    let flow = steps.flow(&server);
    let history = json!([
        {"role": "userMessage", "content": "Earlier?"}, {"role": "apiMessage", "content": "Indeed."},
    ]);
    server.ask(&flow, &json!({"question": "Hi", "history": history})).is(200);
    let requests = provider.requests();
    assert_eq!(heard(&requests[0]), ["user: Earlier?", "assistant: Indeed.", "user: Hi"]);
    assert_eq!(heard(&requests[1]), ["user: Only this."]);
}

#[test]
fn a_window_keeps_the_newest_turns() {
    let (server, provider) = (Server::start(), Provider::start());
    let window = json!({"llmMemoryType": "windowSize", "llmMemoryWindowSize": 1});
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Writer", remembering(&provider, window))
        .edge(START, "llmAgentflow_0");
    let (talk, _) = Talk::begin(&server, &steps, "One");
    talk.ask("Two");
    talk.ask("Three");
    let heard = heard(&provider.last_request());
    assert!(!heard.iter().any(|line| line.contains("One")), "{heard:?}");
    assert_eq!(heard.last().unwrap(), "user: Three");
}

#[test]
fn a_model_without_memory_is_still_told_the_question_where_its_card_says_nothing() {
    let (server, provider) = (Server::start(), Provider::start());
    let inputs = with(provided_llm(&provider), json!({"llmEnableMemory": false}));
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", inputs).edge(START, "llmAgentflow_0");
    let (talk, _) = Talk::begin(&server, &steps, "One");
    talk.ask("Two");
    assert_eq!(heard(&provider.last_request()), ["user: Two"]);
}

#[test]
fn what_a_failed_run_said_is_not_remembered() {
    let (server, provider) = (Server::start(), Provider::start());
    let breaks = super::steps::function(
        "if ($question === 'break') throw new Error('x'); return 'y';",
        &[("question", "{{ question }}")],
    );
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Writer", remembering(&provider, json!({})))
        .card("customFunctionAgentflow_0", "Code", breaks)
        .chain(&[START, "llmAgentflow_0", "customFunctionAgentflow_0"]);
    let (talk, _) = Talk::begin(&server, &steps, "One");
    talk.send(json!({"question": "break"}).as_object().unwrap()).is_error(500);
    talk.ask("Three");
    let heard = heard(&provider.last_request());
    assert!(!heard.iter().any(|line| line.contains("break")), "{heard:?}");
    assert!(heard[0].contains("One"), "{heard:?}");
}

#[test]
fn a_model_after_a_pause_hears_what_its_run_said_once() {
    let (server, provider) = (Server::start(), Provider::start());
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Writer", llm("A draft."))
        .card("humanInputAgentflow_0", "Ask", question("Shall I send it?"))
        .card("llmAgentflow_1", "Second", remembering(&provider, json!({})))
        .chain(&[START, "llmAgentflow_0", "humanInputAgentflow_0"])
        .choice("humanInputAgentflow_0", 1, "llmAgentflow_1");
    let (talk, _) = Talk::begin(&server, &steps, "One");
    let refusal = json!({"type": "reject", "feedback": "Shorter."});
    talk.answer(&refusal);
    assert_eq!(heard(&provider.last_request()), ["user: One", "user: A draft.", "user: Shorter."]);
    talk.ask("Two");
    talk.answer(&refusal);
    let heard = heard(&provider.last_request());
    assert_eq!((heard[0].as_str(), heard.len()), ("user: One", 7), "{heard:?}");
    assert_eq!(heard[4..], ["user: Two", "user: A draft.", "user: Shorter."]);
}
