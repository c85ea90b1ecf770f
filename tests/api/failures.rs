//! What callers are told when a model provider fails (manual 1.4, 2.8, 2.10), whole and streamed.

use crate::support::Server;
use crate::support::canvases::{Drawing, ProviderFormat, SECRET, scripted_flow_with};
use crate::support::provider::{Behaviour, Provider, Reply};
use serde_json::{Value, json};
use std::net::TcpListener;

fn conversation(format: ProviderFormat) -> (Server, Provider, String) {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&format.conversation(&server, &provider.base_url(), json!({})));
    (server, provider, flow)
}

fn question(streaming: bool) -> Value {
    json!({"question": "How are you?", "streaming": streaming})
}

/// The error that ends a stream: start, whatever was said, error, end.
#[track_caller]
fn streamed_error(server: &Server, flow: &str) -> Value {
    let answer = server.ask(flow, &question(true));
    let names = answer.event_names();
    assert_eq!(
        (names.first().unwrap().as_str(), names.last().unwrap().as_str()),
        ("start", "end"),
        "{names:?}"
    );
    assert_eq!(names[names.len() - 2], "error", "{names:?}");
    assert!(!names.contains(&"metadata".to_owned()), "{names:?}");
    answer.event("error")
}

#[test]
fn one_429_is_waited_for() {
    for format in ProviderFormat::ALL {
        let (server, provider, flow) = conversation(format);
        provider.push_behaviour(Behaviour::rate_limited(Some("1")));
        provider.push_behaviour(Behaviour::text("Fine."));
        assert_eq!(server.ask(&flow, &question(false)).is(200).json()["text"], "Fine.", "{format:?}");
        assert_eq!(provider.served_count(), 2);
    }
}

#[test]
fn a_provider_that_keeps_answering_429_is_tried_three_times() {
    let (server, provider, flow) = conversation(ProviderFormat::OpenAi);
    provider.set_decision(|_| Behaviour::rate_limited(None));
    let answer = server.ask(&flow, &question(false));
    answer.is_error(429);
    assert_eq!(answer.header("retry-after"), Some("30"));
    assert_eq!(provider.served_count(), 3);
}

/// Longer than half of what is waited for in all, so that a second wait is not begun.
const LONG_WAIT: &str = "11";

#[test]
fn the_wait_a_provider_asks_for_is_passed_on() {
    // At once, because each waits.
    std::thread::scope(|scope| {
        for format in ProviderFormat::ALL {
            scope.spawn(move || {
                let (server, provider, flow) = conversation(format);
                provider.set_decision(|_| Behaviour::rate_limited(Some(LONG_WAIT)));
                let answer = server.ask(&flow, &question(false));
                let message = answer.is_error(429);
                assert_eq!(answer.header("retry-after"), Some(LONG_WAIT), "{format:?}: {message}");
                assert_eq!(provider.served_count(), 2);
            });
        }
    });
}

#[test]
fn a_throttled_stream_ends_with_the_error_object() {
    let (server, provider, flow) = conversation(ProviderFormat::OpenAi);
    provider.set_decision(|_| Behaviour::rate_limited(None));
    let error = streamed_error(&server, &flow);
    assert_eq!(
        (&error["status"], &error["code"], &error["retryAfter"]),
        (&json!(429), &json!("RATE_LIMITED"), &json!(30))
    );
    assert!(error["message"].is_string());
}

#[test]
fn an_account_out_of_credit_is_a_failure_of_the_flow() {
    for format in ProviderFormat::ALL {
        let (server, provider, flow) = conversation(format);
        provider.set_decision(|_| Behaviour::out_of_credit());
        let message = server.ask(&flow, &question(false)).is_error(500);
        assert!(message.contains("credit"), "{message}");
        assert_eq!(provider.served_count(), 1, "no waiting helps");
    }
}

#[test]
fn a_wrong_key_is_named_without_being_told() {
    for format in ProviderFormat::ALL {
        let (server, provider, flow) = conversation(format);
        provider.set_decision(|_| {
            Behaviour::status(
                401,
                &json!({"error": {"message": format!("Incorrect API key provided: {SECRET}")}}).to_string(),
            )
        });
        let message = server.ask(&flow, &question(false)).is_error(500);
        assert!(message.contains("refused the API key") && !message.contains(SECRET), "{message}");
        let error = streamed_error(&server, &flow);
        assert!(error.as_str().unwrap().contains("refused the API key"), "{error}");
        assert!(!error.to_string().contains(SECRET));
    }
}

#[test]
fn a_key_that_a_provider_repeats_is_hidden() {
    let (server, provider, flow) = conversation(ProviderFormat::OpenAi);
    let body = json!({"error": {"message": format!("The tenant of {SECRET} may not do this")}});
    provider.set_decision(move |_| Behaviour::status(418, &body.to_string()));
    let message = server.ask(&flow, &question(false)).is_error(500);
    assert!(message.contains("418") && !message.contains(SECRET), "{message}");
}

#[test]
fn an_unknown_model_is_named() {
    let (server, provider, flow) = conversation(ProviderFormat::OpenAi);
    let body = r#"{"error":{"message":"The model `model-1` does not exist","code":"model_not_found"}}"#;
    provider.set_decision(move |_| Behaviour::status(404, body));
    let message = server.ask(&flow, &question(false)).is_error(500);
    assert!(message.contains("model-1"), "{message}");
}

/// An address at which nobody listens.
fn dead_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[test]
fn a_refused_connection_is_told_with_what_to_check() {
    for format in ProviderFormat::ALL {
        let server = Server::start();
        let flow = server.flow(&format.conversation(&server, &dead_address(), json!({})));
        let message = server.ask(&flow, &question(false)).is_error(500);
        assert!(message.contains("no connection"), "{message}");
        let error = streamed_error(&server, &flow);
        assert!(error.as_str().unwrap().contains("no connection"), "{error}");
    }
}

#[test]
fn a_private_address_is_refused_when_others_can_reach_the_service() {
    let provider = Provider::start();
    let server = Server::with(&[("SERVICE_HOST", "0.0.0.0")]);
    let flow = server.flow(&ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({})));
    let message = server.ask(&flow, &question(false)).is_error(500);
    assert!(message.contains("refused by policy"), "{message}");
    assert_eq!(provider.served_count(), 0);
}

#[test]
fn a_connection_that_closes_without_a_word_is_a_failure() {
    for format in ProviderFormat::ALL {
        let (server, provider, flow) = conversation(format);
        provider.set_decision(|_| Behaviour::Close);
        server.ask(&flow, &question(false)).is_error(500);
        assert!(streamed_error(&server, &flow).is_string());
    }
}

#[test]
fn a_stream_that_is_cut_ends_with_an_error() {
    for format in ProviderFormat::ALL {
        let (server, provider, flow) = conversation(format);
        provider.push_behaviour(Behaviour::Reply(Reply {
            cut_after: Some(2),
            ..Reply::text("one two three four")
        }));
        let answer = server.ask(&flow, &question(true));
        assert_eq!(answer.event_names(), ["start", "token", "error", "end"], "{format:?}: {answer:?}");
        assert_eq!(answer.streamed_text(), "one two ");
        assert!(answer.event("error").is_string());
    }
}

#[test]
fn a_whole_answer_whose_provider_is_cut_is_a_failure() {
    for format in ProviderFormat::ALL {
        let (server, provider, flow) = conversation(format);
        provider.push_behaviour(Behaviour::Reply(Reply {
            cut_after: Some(2),
            ..Reply::text("one two three four")
        }));
        server.ask(&flow, &question(false)).is_error(500);
    }
}

#[test]
fn a_provider_that_fails_inside_says_so() {
    let (server, provider, flow) = conversation(ProviderFormat::OpenAi);
    provider.set_decision(|_| Behaviour::status(500, "<html>Internal Server Error</html>"));
    let message = server.ask(&flow, &question(false)).is_error(500);
    assert!(message.contains("OpenAI") && message.contains("500"), "{message}");
}

#[test]
fn a_failure_names_its_card_by_the_owners_label() {
    let (server, provider) = (Server::start(), Provider::start());
    let canvas = ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({}));
    let flow = server.flow(&canvas.replacen("\"label\":\"OpenAI\"", "\"label\":\"Our brain\"", 1));
    provider.set_decision(|_| Behaviour::status(401, "{}"));
    let message = server.ask(&flow, &question(false)).is_error(500);
    assert!(message.contains("Our brain"), "{message}");
}

#[test]
fn a_missing_credential_is_named_with_its_card() {
    let (server, provider, flow) = conversation(ProviderFormat::OpenAi);
    let credential = server.read("/credentials")[0]["id"].as_str().unwrap().to_owned();
    server.owner("DELETE", &format!("/credentials/{credential}?force=true")).send().is(200);
    let message = server.ask(&flow, &question(false)).is_error(500);
    assert!(message.contains("OpenAI") && message.contains("credential"), "{message}");
    assert_eq!(provider.served_count(), 0);
}

#[test]
fn a_failed_question_leaves_the_service_answering() {
    let (server, provider, flow) = conversation(ProviderFormat::OpenAi);
    provider.push_behaviour(Behaviour::Close);
    server.ask(&flow, &question(false)).is_error(500);
    server.ask(&flow, &question(false)).is(200);
}

#[test]
fn the_scripted_model_fails_as_a_provider_would() {
    let server = Server::start();
    let rules = json!([
        {"match": "busy", "fail": {"status": 429, "retryAfter": 47}},
        {"match": "poor", "fail": {"status": 402}},
        {"match": "broken", "fail": {"status": 503, "message": "on fire"}},
    ]);
    let flow = server.flow(&scripted_flow_with(json!({"rules": rules.to_string()})));
    let ask = |text: &str| server.ask(&flow, &json!({ "question": text }));
    let throttled = ask("busy");
    throttled.is_error(429);
    assert_eq!(throttled.header("retry-after"), Some("47"));
    assert!(ask("poor").is_error(500).contains("credit"));
    assert!(ask("broken").is_error(500).contains("on fire"));
    ask("fine").is(200);
}

#[test]
fn what_a_provider_echoes_of_the_owners_headers_and_address_is_hidden() {
    let (server, provider) = (Server::start(), Provider::start());
    let mut drawing = Drawing::default();
    let base = format!("{}/v1/pathsecret99", provider.base_url());
    let headers = json!({"Authorization": "Bearer mysecretvalue123"}).to_string();
    let inputs = json!({"modelName": "m-1", "basepath": base, "baseOptions": headers});
    let model = drawing.card("chatOpenAICustom", inputs);
    let memory = drawing.card("bufferMemory", json!({}));
    let chain = drawing.card("conversationChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&memory, &chain, "memory");
    let flow = server.flow(&drawing.text());
    let said =
        json!({"error": {"message": "no token mysecretvalue123 at /v1/pathsecret99/chat/completions"}});
    for status in [400, 403, 422] {
        provider.push_behaviour(Behaviour::status(status, &said.to_string()));
        let error = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
        assert!(!error.contains("mysecretvalue123") && !error.contains("pathsecret99"), "{error}");
        assert!(error.contains(&format!("answered {status}")) && error.contains("completions"), "{error}");
    }
}

#[test]
fn a_stranger_reads_of_no_server_and_who_draws_the_flow_does() {
    let server = Server::start();
    let gone = {
        let provider = Provider::start();
        provider.base_url()
    };
    let host = gone.trim_start_matches("http://").to_owned();
    let flow = server.flow(&ProviderFormat::OpenAi.conversation(&server, &gone, json!({})));
    let body = json!({"question": "Hi"});
    let told = server.ask(&flow, &body).is_error(500);
    assert!(!told.contains(&host) && !told.contains("127.0.0.1"), "{told}");
    let streamed = server.ask(&flow, &json!({"question": "Hi", "streaming": true})).text();
    assert!(streamed.contains("error") && !streamed.contains(&host), "{streamed}");
    let own = server.owner("POST", &format!("/internal-prediction/{flow}")).json(&body).send().is_error(500);
    assert!(own.contains(&host), "{own}");
}
