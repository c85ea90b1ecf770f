//! What a run begins with: a question, a form, or something that no question can stand for.

use super::steps::{START, Steps, Talk, ask, llm, reply};
use crate::support::Server;
use serde_json::{Value, json};

/// A form with a field of each kind, and a reply that shows them.
pub(super) fn form() -> Steps {
    let fields = json!([
        {"type": "string", "label": "Name", "name": "name"},
        {"type": "number", "label": "Age", "name": "age"},
        {"type": "boolean", "label": "Member", "name": "member"},
        {"type": "options", "label": "Color", "name": "color", "addOptions": [{"option": "red"}, {"option": "blue"}]},
    ]);
    let start = json!({
        "startInputType": "formInput", "formTitle": "Join", "formDescription": "Tell us", "formInputTypes": fields,
    });
    Steps::begin_with(start)
        .card(
            "directReplyAgentflow_0",
            "Reply",
            reply("{{ $form.name }}|{{ $form.age }}|{{ $form.member }}|{{ $form.color }}"),
        )
        .edge(START, "directReplyAgentflow_0")
}

pub(super) fn send(server: &Server, flow: &str, form: Value) -> crate::support::Answer {
    server.ask(flow, &json!({ "form": form }))
}

#[track_caller]
fn text(answer: crate::support::Answer) -> Value {
    answer.is(200).json()["text"].clone()
}

#[test]
fn the_fields_of_a_form_are_values_of_the_run() {
    let server = Server::start();
    let flow = form().flow(&server);
    let sent = json!({"name": "Ada", "age": 36, "member": true, "color": "blue"});
    assert_eq!(text(send(&server, &flow, sent)), "Ada|36|true|blue");
}

#[test]
fn an_answer_has_the_form_that_its_run_began_with() {
    let server = Server::start();
    let flow = form().flow(&server);
    let answer = send(&server, &flow, json!({"name": "Ada", "age": "36"})).is(200).json();
    assert_eq!(answer["form"], json!({"name": "Ada", "age": 36, "member": "", "color": ""}));
    let asked = Steps::begin().card("llmAgentflow_0", "Writer", llm("Hi")).edge(START, "llmAgentflow_0");
    assert_eq!(ask(&server, &asked.flow(&server), "Hi").get("form"), None);
}

#[test]
fn a_field_that_is_missing_reads_as_empty() {
    let server = Server::start();
    let flow = form().flow(&server);
    assert_eq!(text(send(&server, &flow, json!({"name": "Ada"}))), "Ada|||");
}

#[test]
fn numbers_and_switches_may_be_sent_as_text() {
    let server = Server::start();
    let flow = form().flow(&server);
    let sent = json!({"name": "Ada", "age": "36.5", "member": "false", "color": "red"});
    assert_eq!(text(send(&server, &flow, sent)), "Ada|36.5|false|red");
}

#[test]
fn a_field_that_the_form_does_not_have_is_refused_by_name() {
    let server = Server::start();
    let flow = form().flow(&server);
    let told = send(&server, &flow, json!({"nickname": "A"})).is_error(400);
    assert!(told.contains("nickname"), "{told}");
}

#[test]
fn a_value_of_another_type_is_refused_by_the_name_of_its_field() {
    let server = Server::start();
    let flow = form().flow(&server);
    for (field, wrong) in [
        ("name", json!(["Ada"])),
        ("age", json!("old")),
        ("age", json!(true)),
        ("member", json!("maybe")),
        ("member", json!(1)),
        ("color", json!("green")),
        ("color", json!(1)),
    ] {
        let told = send(&server, &flow, json!({ (field): wrong })).is_error(400);
        assert!(told.contains(field), "{field}: {told}");
    }
}

#[test]
fn a_question_without_the_form_is_refused() {
    let server = Server::start();
    let flow = form().flow(&server);
    let told = server.ask(&flow, &json!({"question": "Hi"})).is_error(400);
    assert!(told.contains("form"), "{told}");
}

#[test]
fn a_question_and_a_form_together_are_refused() {
    let server = Server::start();
    let flow = form().flow(&server);
    server.ask(&flow, &json!({"question": "Hi", "form": {"name": "Ada"}})).is_error(400);
}

#[test]
fn a_form_is_stored_as_the_question_line_by_line() {
    let server = Server::start();
    let flow = form().flow(&server);
    send(&server, &flow, json!({"name": "Ada", "age": 36})).is(200);
    let stored = server.messages(&flow)[0]["content"].as_str().unwrap().to_owned();
    let lines: Vec<&str> = stored.lines().collect();
    assert_eq!(lines[..2], ["name: Ada", "age: 36"]);
}

#[test]
fn a_value_of_a_form_is_text_and_no_reference() {
    let server = Server::start();
    let flow = form().flow(&server);
    assert_eq!(text(send(&server, &flow, json!({"name": "{{ question }}"}))), "{{ question }}|||");
}

#[test]
fn a_flow_that_begins_with_a_question_refuses_a_form() {
    let server = Server::start();
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", llm("x")).edge(START, "llmAgentflow_0");
    let told = send(&server, &steps.flow(&server), json!({"name": "Ada"})).is_error(400);
    assert!(told.contains("question"), "{told}");
}

#[test]
fn a_flow_that_a_webhook_starts_refuses_questions_and_names_the_right_way() {
    let server = Server::start();
    let start = json!({"startInputType": "webhookTrigger", "webhookMethod": "POST"});
    let steps =
        Steps::begin_with(start).card("llmAgentflow_0", "Writer", llm("x")).edge(START, "llmAgentflow_0");
    let told = server.ask(&steps.flow(&server), &json!({"question": "Hi"})).is_error(400);
    assert!(told.contains("webhook"), "{told}");
}

#[test]
fn a_flow_that_a_schedule_starts_refuses_questions_and_says_so() {
    let server = Server::start();
    let start = json!({
        "startInputType": "scheduleInput", "scheduleType": "cronExpression", "scheduleCronExpression": "0 3 * * *",
        "scheduleInputMode": "text", "scheduleDefaultInput": "Go",
    });
    let steps =
        Steps::begin_with(start).card("llmAgentflow_0", "Writer", llm("x")).edge(START, "llmAgentflow_0");
    let told = server.ask(&steps.flow(&server), &json!({"question": "Hi"})).is_error(400);
    assert!(told.contains("schedule"), "{told}");
}

#[test]
fn a_refused_start_leaves_no_record_and_no_message() {
    let server = Server::start();
    let flow = form().flow(&server);
    send(&server, &flow, json!({"nickname": "A"})).is_error(400);
    assert_eq!(server.read("/executions")["total"], 0);
    assert_eq!(server.messages(&flow), [] as [Value; 0]);
}

#[test]
fn a_start_that_forgets_knows_nothing_of_what_was_said_before() {
    let server = Server::start();
    let memory = super::steps::with(llm("[{history}]"), json!({"llmEnableMemory": true}));
    for (forgets, second) in [(false, "[Human: One\nAssistant: []]"), (true, "[]")] {
        let steps = Steps::begin_with(json!({ "startEphemeralMemory": forgets }))
            .card("llmAgentflow_0", "Writer", memory.clone())
            .edge(START, "llmAgentflow_0");
        let (talk, first) = Talk::begin(&server, &steps, "One");
        assert_eq!((&first["text"], &talk.ask("Two")["text"]), (&json!("[]"), &json!(second)));
    }
}

#[test]
fn an_empty_question_is_refused() {
    let server = Server::start();
    let steps = Steps::begin().card("llmAgentflow_0", "Writer", llm("x")).edge(START, "llmAgentflow_0");
    let flow = steps.flow(&server);
    server.ask(&flow, &json!({"question": " "})).is_error(400);
    ask(&server, &flow, "Hi");
}
