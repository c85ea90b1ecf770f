//! What a call must look like, and what the run knows of it.

use super::{call, echo, post, saying, start};
use crate::agentflows::steps::{START, Steps, ask, llm, told};
use crate::support::Server;
use crate::support::client::Answer;
use serde_json::{Value, json};

#[track_caller]
fn text(answer: Answer) -> Value {
    answer.is(200).json()["text"].clone()
}

#[test]
fn a_call_starts_the_flow_with_its_body() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    assert_eq!(text(post(&server, &flow, json!({"name": "Ada"}))), "Hello Ada!");
}

#[test]
fn headers_and_query_are_values_of_the_run_too() {
    let server = Server::start();
    let flow = saying(json!({}), "{{ $webhook.headers.x-event }}|{{ $webhook.query.page }}").flow(&server);
    let sent = server.call("POST", &format!("/webhook/{flow}?page=2")).header("X-Event", "push");
    assert_eq!(text(sent.json(&json!({})).send()), "push|2");
}

#[test]
fn the_flow_sees_nothing_that_proves_the_caller() {
    let server = Server::start();
    let flow = saying(json!({}), "{{ $webhook.headers }}{{ $webhook.body }}").flow(&server);
    let sent = call(&server, &flow)
        .header("Authorization", "Bearer top-secret")
        .header("Cookie", "a=top-secret")
        .header("X-Webhook-Signature", "top-secret")
        .header("X-Service-Session-Token", "top-secret")
        .json(&json!({"sessionToken": "top-secret", "name": "Ada"}))
        .send()
        .is(200);
    assert!(!sent.text().contains("top-secret") && sent.text().contains("Ada"), "{sent:?}");
}

#[test]
fn messages_of_a_call_are_stored_as_those_of_a_webhook() {
    let server = Server::start();
    let flow = echo(json!({"webhookInputMode": "payload"})).flow(&server);
    post(&server, &flow, json!({"name": "Ada"})).is(200);
    let stored = server.messages(&flow);
    let shown: Vec<_> = stored.iter().map(|message| (&message["chatType"], &message["content"])).collect();
    let webhook = json!("WEBHOOK");
    assert_eq!(shown, [(&webhook, &json!(r#"{"name":"Ada"}"#)), (&webhook, &json!("Hello Ada!"))]);
    let listed = server.read(&format!("/chatmessage/{flow}?chatType=WEBHOOK"));
    assert_eq!(listed.as_array().unwrap().len(), 2);
}

#[test]
fn a_text_with_values_of_the_call_is_what_the_model_is_asked() {
    let server = Server::start();
    let inputs = start(json!({"webhookDefaultInput": "Who is {{ $webhook.body.name }}?"}));
    let flow = Steps::begin_with(inputs)
        .card("llmAgentflow_0", "Writer", llm("You said: {question}"))
        .edge(START, "llmAgentflow_0")
        .flow(&server);
    assert_eq!(text(post(&server, &flow, json!({"name": "Ada"}))), "You said: Who is Ada?");
}

#[test]
fn a_flow_that_is_asked_nothing_runs_on_what_its_steps_say() {
    let server = Server::start();
    let flow = Steps::begin_with(start(json!({"webhookInputMode": "none"})))
        .card("llmAgentflow_0", "Writer", told(llm("Seen: {question}"), "{{ $webhook.body.name }}"))
        .edge(START, "llmAgentflow_0")
        .flow(&server);
    assert_eq!(text(post(&server, &flow, json!({"name": "Ada"}))), "Seen: Ada");
}

#[test]
fn a_flow_that_starts_otherwise_has_no_webhook() {
    let server = Server::start();
    let chat = server.flow(&crate::permission_limits::marked_canvas());
    for flow in [chat, Steps::begin().flow(&server)] {
        let told = post(&server, &flow, json!({})).is_error(400);
        assert!(told.contains("it starts with a question"), "{told}");
    }
}

#[test]
fn a_flow_that_was_never_published_has_no_webhook() {
    let server = Server::start();
    let fields = json!({"name": "F", "type": "AGENTFLOW", "flowData": echo(json!({})).text()});
    let flow = crate::support::id(&server.post("/chatflows", &fields));
    let told = post(&server, &flow, json!({})).is_error(404);
    assert!(told.contains("not published"), "{told}");
}

#[test]
fn an_unknown_flow_has_no_webhook() {
    let server = Server::start();
    post(&server, "6df41e20-9371-4073-ba5f-b5408d14bbc6", json!({})).is_error(404);
}

#[test]
fn a_webhook_flow_refuses_questions_and_says_where_it_is_called() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let told = server.ask(&flow, &json!({"question": "Hi"})).is_error(400);
    assert!(told.contains("/api/v1/webhook/"), "{told}");
}

#[test]
fn another_method_than_that_of_the_card_is_refused_with_it() {
    let server = Server::start();
    let flow = echo(json!({"webhookMethod": "PUT"})).flow(&server);
    let refused = post(&server, &flow, json!({}));
    refused.is_error(405);
    assert_eq!(refused.header("allow"), Some("PUT"));
    server.call("PUT", &format!("/webhook/{flow}")).json(&json!({})).send().is(200);
}

#[test]
fn a_card_without_a_method_takes_each() {
    let server = Server::start();
    let flow = echo(json!({"webhookMethod": ""})).flow(&server);
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
        server.call(method, &format!("/webhook/{flow}")).send().is(200);
    }
}

#[test]
fn a_body_of_another_type_is_refused() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    for kind in ["application/x-www-form-urlencoded", "text/plain"] {
        call(&server, &flow).bytes(kind, "name=Ada").send().is_error(415);
    }
}

#[test]
fn the_fields_of_a_form_are_a_body() {
    let server = Server::start();
    let form = "application/x-www-form-urlencoded";
    let flow = echo(json!({"webhookContentType": form})).flow(&server);
    assert_eq!(text(call(&server, &flow).bytes(form, "name=Ada+B").send()), "Hello Ada B!");
}

#[test]
fn a_form_that_wraps_json_is_unwrapped() {
    let server = Server::start();
    let form = "application/x-www-form-urlencoded";
    let flow = echo(json!({"webhookContentType": form})).flow(&server);
    let body = "payload=%7B%22name%22%3A%22Ada%22%7D";
    assert_eq!(text(call(&server, &flow).bytes(form, body).send()), "Hello Ada!");
}

#[test]
fn a_body_that_is_no_json_is_refused() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    call(&server, &flow).bytes("application/json", "{name").send().is_error(400);
}

#[test]
fn everything_that_is_missing_or_wrong_is_named_at_once() {
    let server = Server::start();
    let flow = echo(json!({
        "webhookEnableValidation": true,
        "webhookHeaderParams": [{"name": "X-Event", "required": true}],
        "webhookBodyParams": [{"name": "id", "type": "number", "required": true}, {"name": "tags", "type": "array[string]"}],
        "webhookQueryParams": [{"name": "page", "required": true}],
    }))
    .flow(&server);
    let message = post(&server, &flow, json!({"id": "7", "tags": [1]})).is_error(400);
    for name in ["'X-Event'", "'id' must be a number", "'tags' must be a list of texts", "'page'"] {
        assert!(message.contains(name), "{message}");
    }
    let good = server.call("POST", &format!("/webhook/{flow}?page=1")).header("X-Event", "e");
    good.json(&json!({"id": 7, "tags": ["a"]})).send().is(200);
}

#[test]
fn a_bound_flow_wants_its_key() {
    let server = Server::start();
    let key = server.key(&["chatflows:view"]);
    let flow = echo(json!({})).flow_with(&server, json!({"apikeyid": key["id"]}));
    post(&server, &flow, json!({})).is_error(401);
    let value = key["apiKey"].as_str().unwrap();
    call(&server, &flow).bearer(value).json(&json!({"name": "Ada"})).send().is(200);
}

#[test]
fn a_page_that_the_flow_does_not_list_is_refused() {
    let server = Server::start();
    let config = json!({"allowedOrigins": ["https://a.example"]}).to_string();
    let flow = echo(json!({})).flow_with(&server, json!({"chatbotConfig": config}));
    call(&server, &flow).header("Origin", "https://b.example").json(&json!({})).send().is_error(403);
    call(&server, &flow).header("Origin", "https://a.example").json(&json!({})).send().is(200);
}

#[test]
fn calls_and_questions_share_the_rate_limit_of_the_flow() {
    let server = Server::start();
    let limit =
        json!({"rateLimit": {"status": true, "limitMax": 2, "limitDuration": 60, "limitMsg": "Slow down"}});
    let flow = echo(json!({})).flow_with(&server, json!({"apiConfig": limit.to_string()}));
    server.ask(&flow, &json!({"question": "Hi"})).is_error(400);
    let second = post(&server, &flow, json!({})).is(200);
    assert_eq!(second.header("x-ratelimit-remaining"), Some("0"));
    let third = post(&server, &flow, json!({})).is(429);
    assert_eq!(third.text(), "Slow down");
}

#[test]
fn a_body_of_more_than_10_mib_is_refused() {
    let server = Server::start();
    let flow = echo(json!({})).flow(&server);
    let body = format!("{{\"x\": \"{}\"}}", "x".repeat(10 * 1024 * 1024));
    call(&server, &flow).bytes("application/json", body).send().is_error(413);
}

#[test]
fn a_flow_that_streams_answers_as_a_streamed_question() {
    let server = Server::start();
    let flow = echo(json!({"webhookResponseMode": "stream"})).flow(&server);
    let answer = post(&server, &flow, json!({"name": "Ada"}));
    assert!(answer.header("x-service-session-token").is_some());
    let events = answer.events();
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"token") && names.ends_with(&["metadata", "end"]), "{names:?}");
    let said: String =
        events.iter().filter(|(name, _)| name == "token").map(|(_, text)| text.as_str().unwrap()).collect();
    assert_eq!(said, "Hello Ada!");
}

#[test]
fn a_streamed_call_is_told_that_its_run_ended_when_the_record_says_so() {
    let server = Server::start();
    let flow = echo(json!({"webhookResponseMode": "stream"})).flow(&server);
    let events = post(&server, &flow, json!({"name": "Ada"})).events();
    let states: Vec<&Value> =
        events.iter().filter(|(name, _)| name == "agentFlowEvent").map(|(_, state)| state).collect();
    assert_eq!(states, ["INPROGRESS", "FINISHED"]);
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.ends_with(&["agentFlowEvent", "metadata", "end"]), "{names:?}");
}

#[test]
fn a_run_that_fails_is_told_in_words() {
    let server = Server::start();
    let flow = Steps::begin_with(start(json!({})))
        .card("llmAgentflow_0", "Writer", crate::agentflows::steps::failing_llm(400))
        .edge(START, "llmAgentflow_0")
        .flow(&server);
    post(&server, &flow, json!({})).is_error(500);
}

#[test]
fn the_test_chat_of_a_chat_still_answers() {
    let server = Server::start();
    let flow = Steps::begin()
        .card("llmAgentflow_0", "Writer", llm("Hi"))
        .edge(START, "llmAgentflow_0")
        .flow(&server);
    assert_eq!(ask(&server, &flow, "Hello")["text"], "Hi");
}
