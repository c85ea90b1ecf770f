//! Model calls over real connections, against the stand-in provider.

#[path = "../support/provider/mod.rs"]
mod provider;

mod embeddings;

use flowkeep::base::cancel::{CancelReason, CancelToken};
use flowkeep::domain::predictions::prediction::Usage;
use flowkeep::llm::{
    Anthropic, ChatMessage, ChatModel, ChatRequest, Cohere, Completion, Delta, Endpoint, Google, ModelError,
    Ollama, OpenAi, ProviderKey, StreamClosed, ToolCall, ToolSpec,
};
use flowkeep::net::Outgoing;
use provider::{Behaviour, Provider, Reply};
use serde_json::json;
use std::time::{Duration, Instant};

/// The formats against one provider. Each call makes the models anew, as each run does.
fn models(
    provider: &Provider,
    outgoing: &Outgoing,
    streaming: bool,
) -> Vec<(&'static str, Box<dyn ChatModel>)> {
    let endpoint = |path: &str| {
        let base = format!("{}{path}", provider.base_url());
        Endpoint::new(outgoing.clone(), &base, Some(ProviderKey::new("sk-test-key")))
    };
    let mut openai = OpenAi::new(endpoint("/v1"), "stand-in");
    openai.streaming = streaming;
    let mut anthropic = Anthropic::new(endpoint(""), "stand-in");
    anthropic.streaming = streaming;
    let mut google = Google::new(endpoint(""), "stand-in");
    google.streaming = streaming;
    let ollama = Ollama { streaming, ..Ollama::new(endpoint(""), "stand-in") };
    let cohere = Cohere { endpoint: endpoint(""), model: "stand-in".into(), temperature: None, streaming };
    vec![
        ("openai", Box::new(openai)),
        ("anthropic", Box::new(anthropic)),
        ("google", Box::new(google)),
        ("ollama", Box::new(ollama)),
        ("cohere", Box::new(cohere)),
    ]
}

fn outgoing() -> Outgoing {
    Outgoing::new(Vec::new(), true)
}

fn question(text: &str) -> ChatRequest {
    ChatRequest {
        messages: vec![ChatMessage::System("be kind".into()), ChatMessage::user(text)],
        ..ChatRequest::default()
    }
}

fn ask(
    model: &dyn ChatModel,
    text: &str,
    cancel: &CancelToken,
) -> (Vec<String>, Result<Completion, ModelError>) {
    let mut seen = Vec::new();
    let result = model.chat(&question(text), cancel, &mut |delta: Delta<'_>| {
        if let Delta::Text(text) = delta {
            seen.push(text.to_owned());
        }
        Ok(())
    });
    (seen, result)
}

#[test]
fn every_format_answers_streamed_and_whole() {
    let (provider, outgoing, cancel) = (Provider::start(), outgoing(), CancelToken::new(None));
    for streaming in [true, false] {
        for (name, model) in models(&provider, &outgoing, streaming) {
            let (seen, result) = ask(&*model, "grüße an alle 👋", &cancel);
            let completion = result.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(completion.text, "You said: grüße an alle 👋", "{name}");
            assert_eq!(seen.concat(), completion.text, "{name}");
            assert_eq!(seen.len(), if streaming { 6 } else { 1 }, "{name}");
            let usage = Usage { input_tokens: 4, output_tokens: 6, ..Usage::default() };
            assert_eq!(completion.usage, Some(usage), "{name}");
            assert_eq!(model.streams(), streaming);
        }
    }
    assert_eq!(provider.connections(), 1, "one connection serves all");
    for request in provider.requests() {
        let key =
            ["authorization", "x-api-key", "x-goog-api-key"].iter().find_map(|name| request.header(name));
        assert!(
            key.is_some_and(|key| key.trim_start_matches("Bearer ") == "sk-test-key"),
            "{}",
            request.path
        );
        assert!(!request.path.contains("sk-test-key"));
    }
}

#[test]
fn tools_are_called_and_their_results_sent_back() {
    let (provider, outgoing, cancel) = (Provider::start(), outgoing(), CancelToken::new(None));
    for streaming in [true, false] {
        for (name, model) in models(&provider, &outgoing, streaming) {
            provider.push_behaviour(Behaviour::Reply(Reply {
                thinking: vec!["h".into(), "m".into()],
                calls: vec![("add".into(), json!({"a":"ü\"1"})), ("now".into(), json!({}))],
                ..Reply::text("")
            }));
            let schema = json!({"type":"object","properties":{"a":{"type":"string"}}});
            let tools = vec![ToolSpec { name: "add".into(), description: "adds".into(), schema }];
            let mut request = ChatRequest { tools, ..question("add") };
            let completion = model.chat(&request, &cancel, &mut |_: Delta<'_>| Ok(())).unwrap();
            assert_eq!(
                (completion.calls.len(), completion.thinking.as_str()),
                (2, "hm"),
                "{name} {streaming}"
            );
            assert_eq!(completion.calls[0].arguments, json!({"a":"ü\"1"}), "{name}");
            assert_eq!(completion.calls[1].name, "now", "{name}");
            assert_ne!(completion.calls[0].id, completion.calls[1].id);
            let calls = completion.calls.clone();
            request.messages.push(completion.into_message());
            let result = |call: ToolCall| ChatMessage::result(call.id, call.name, "42");
            request.messages.extend(calls.into_iter().map(result));
            provider.push_behaviour(Behaviour::text("It is 42."));
            assert_eq!(
                model.chat(&request, &cancel, &mut |_: Delta<'_>| Ok(())).unwrap().text,
                "It is 42.",
                "{name}"
            );
            let sent = provider.last_request().body.to_string();
            assert!(sent.contains("42"), "{name}");
            assert_eq!(sent.contains("c2lnbmVk"), name == "google", "{name}: signed calls go back");
        }
    }
}

#[test]
fn a_reply_written_byte_by_byte_is_read() {
    let (provider, outgoing, cancel) = (Provider::start(), outgoing(), CancelToken::new(None));
    for (name, model) in models(&provider, &outgoing, true) {
        provider
            .push_behaviour(Behaviour::Reply(Reply { bytewise: true, ..Reply::text("grüße 👋 Ende") }));
        assert_eq!(ask(&*model, "x", &cancel).1.unwrap().text, "grüße 👋 Ende", "{name}");
    }
    assert_eq!(provider.connections(), 1);
}

#[test]
fn cancelling_reaches_the_provider_at_once() {
    let (provider, outgoing) = (Provider::start(), outgoing());
    let endless = Reply { token_delay: Duration::from_millis(20), ..Reply::text(&"word ".repeat(10_000)) };
    let slow = Reply { first_byte: Duration::from_secs(60), ..Reply::text("late") };
    for streaming in [true, false] {
        for (name, model) in models(&provider, &outgoing, streaming) {
            for behaviour in
                [Behaviour::Reply(endless.clone()), Behaviour::Reply(slow.clone()), Behaviour::Hang]
            {
                if !streaming && matches!(&behaviour, Behaviour::Reply(reply) if reply.first_byte.is_zero()) {
                    continue;
                }
                provider.push_behaviour(behaviour);
                let (cancel, left) = (CancelToken::new(None), provider.disconnects());
                let asked = provider.served_count();
                let (result, late) = std::thread::scope(|threads| {
                    let setter = threads.spawn(|| {
                        // Not before the provider was asked: on a busy machine that takes a while.
                        provider
                            .wait_until(Duration::from_secs(10), |provider| provider.served_count() > asked);
                        std::thread::sleep(Duration::from_millis(100));
                        cancel.cancel(CancelReason::CallerLeft);
                        Instant::now()
                    });
                    let (_, result) = ask(&*model, "x", &cancel);
                    (result, Instant::now() - setter.join().unwrap())
                });
                assert_eq!(result, Err(ModelError::Cancelled), "{name}");
                assert!(late < Duration::from_millis(500), "{name}: {late:?}");
                let noticed =
                    provider.wait_until(Duration::from_secs(2), |provider| provider.disconnects() > left);
                assert!(noticed, "{name}: the provider still writes");
            }
        }
    }
}

#[test]
fn a_receiver_that_wants_no_more_ends_the_call() {
    let (provider, outgoing, cancel) = (Provider::start(), outgoing(), CancelToken::new(None));
    for (name, model) in models(&provider, &outgoing, true) {
        let left = provider.disconnects();
        let reply = Reply { token_delay: Duration::from_millis(5), ..Reply::text(&"word ".repeat(1000)) };
        provider.push_behaviour(Behaviour::Reply(reply));
        let result = model.chat(&question("x"), &cancel, &mut |_: Delta<'_>| Err(StreamClosed));
        assert_eq!(result, Err(ModelError::Cancelled), "{name}");
        assert!(
            provider.wait_until(Duration::from_secs(2), |provider| provider.disconnects() > left),
            "{name}"
        );
    }
}

#[test]
fn the_runs_limit_ends_a_silent_provider() {
    let (provider, outgoing) = (Provider::start(), outgoing());
    for (name, model) in models(&provider, &outgoing, true) {
        provider.push_behaviour(Behaviour::Hang);
        let start = Instant::now();
        let (_, result) = ask(&*model, "x", &CancelToken::new(Some(Duration::from_millis(200))));
        assert_eq!(result, Err(ModelError::TimedOut), "{name}");
        assert!(start.elapsed() < Duration::from_secs(2), "{name}");
    }
}

#[test]
fn a_stream_that_is_cut_is_an_error_and_keeps_what_was_said() {
    let (provider, outgoing, cancel) = (Provider::start(), outgoing(), CancelToken::new(None));
    for (name, model) in models(&provider, &outgoing, true) {
        for cut in [0, 1, 2, 3] {
            provider.push_behaviour(Behaviour::Reply(Reply {
                cut_after: Some(cut),
                ..Reply::text("one two three")
            }));
            let (seen, result) = ask(&*model, "x", &cancel);
            assert!(matches!(result, Err(ModelError::Garbled(_))), "{name}: {result:?}");
            assert_eq!(seen.len(), cut, "{name}");
        }
    }
}

#[test]
fn throttling_is_waited_out_and_then_told() {
    let (provider, outgoing, cancel) = (Provider::start(), outgoing(), CancelToken::new(None));
    let (_, model) = models(&provider, &outgoing, true).remove(0);
    provider.push_behaviour(Behaviour::rate_limited(Some("1")));
    let start = Instant::now();
    assert!(ask(&*model, "x", &cancel).1.is_ok());
    assert!(start.elapsed() >= Duration::from_secs(1));
    for _ in 0..3 {
        provider.push_behaviour(Behaviour::rate_limited(Some("1")));
    }
    assert_eq!(ask(&*model, "x", &cancel).1, Err(ModelError::Throttled { retry_after_seconds: 1 }));
    assert_eq!(provider.served_count(), 5);
}

#[test]
fn refusals_are_told_apart() {
    let (provider, outgoing, cancel) = (Provider::start(), outgoing(), CancelToken::new(None));
    for (name, model) in models(&provider, &outgoing, true) {
        for (behaviour, expected) in [
            (Behaviour::out_of_credit(), ModelError::OutOfCredit),
            (
                Behaviour::status(401, r#"{"error":{"message":"bad key sk-test-key"}}"#),
                ModelError::KeyRefused,
            ),
            (
                Behaviour::status(404, r#"{"error":{"message":"no such model"}}"#),
                ModelError::UnknownModel("stand-in".into()),
            ),
            (
                Behaviour::status(500, r#"{"error":{"message":"key sk-test-key\nbroke"}}"#),
                ModelError::Provider { status: 500, message: "key [secret hidden] broke".into() },
            ),
            (
                Behaviour::status(502, "<html>"),
                ModelError::Provider { status: 502, message: "it gave no reason".into() },
            ),
        ] {
            provider.push_behaviour(behaviour);
            assert_eq!(ask(&*model, "x", &cancel).1, Err(expected), "{name}");
        }
    }
    let hidden = Outgoing::new(Vec::new(), false);
    let (_, model) = models(&provider, &hidden, true).remove(0);
    assert_eq!(ask(&*model, "x", &cancel).1, Err(ModelError::RefusedByPolicy));
}

#[test]
fn many_streams_run_side_by_side() {
    let (provider, outgoing) = (Provider::start(), outgoing());
    let reply = Reply { token_delay: Duration::from_millis(1), ..Reply::text(&"word ".repeat(50)) };
    provider.set_decision(move |_| Behaviour::Reply(reply.clone()));
    std::thread::scope(|scope| {
        for _ in 0..100 {
            scope.spawn(|| {
                let (_, model) = models(&provider, &outgoing, true).remove(0);
                for _ in 0..2 {
                    let (seen, result) = ask(&*model, "x", &CancelToken::new(Some(Duration::from_secs(30))));
                    assert_eq!((seen.len(), result.is_ok()), (50, true));
                }
            });
        }
    });
    assert_eq!((provider.served_count(), provider.disconnects()), (200, 0));
}
