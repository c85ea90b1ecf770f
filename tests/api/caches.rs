//! The InMemory Cache card: a repeated request is answered without asking the provider again (manual 9.19).

use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::provider::{Behaviour, Provider, Reply};
use crate::support::{Answer, Server, id};
use serde_json::{Value, json};

/// An LLM Chain, which sends the question alone, in front of a model with the cache.
fn canvas(
    server: &Server,
    format: ProviderFormat,
    provider: &Provider,
    template: &str,
    inputs: Value,
) -> String {
    let mut drawing = Drawing::default();
    let model = format.model(&mut drawing, server, &provider.base_url(), inputs);
    let cache = drawing.card("inMemoryCache", json!({}));
    let prompt = drawing.card("promptTemplate", json!({"template": template}));
    let chain = drawing.card("llmChain", json!({}));
    drawing.wire(&cache, &model, "cache");
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    drawing.text()
}

/// The same, which answers the question as it stands.
pub fn cached(server: &Server, provider: &Provider) -> String {
    canvas(server, ProviderFormat::OpenAi, provider, "{question}", json!({}))
}

fn ask(server: &Server, flow: &str, question: &str, streaming: bool) -> Answer {
    server.ask(flow, &json!({"question": question, "streaming": streaming})).is(200)
}

fn text(server: &Server, flow: &str, question: &str) -> String {
    ask(server, flow, question, false).json()["text"].as_str().unwrap().to_owned()
}

#[test]
fn the_same_question_is_answered_without_the_provider() {
    for format in ProviderFormat::ALL {
        let (server, provider) = (Server::start(), Provider::start());
        let flow = server.flow(&canvas(&server, format, &provider, "{question}", json!({})));
        let first = text(&server, &flow, "What is tea?");
        assert_eq!(text(&server, &flow, "What is tea?"), first);
        assert_eq!(provider.served_count(), 1, "{format:?}");
        text(&server, &flow, "What is coffee?");
        assert_eq!(provider.served_count(), 2, "{format:?}");
    }
}

#[test]
fn a_kept_reply_streams_in_tokens() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&cached(&server, &provider));
    let first = text(&server, &flow, "Tell me of tea");
    let again = ask(&server, &flow, "Tell me of tea", true);
    assert_eq!((again.streamed_text(), provider.served_count()), (first, 1));
    assert!(again.events().iter().filter(|(name, _)| name == "token").count() > 1);
    assert_eq!(again.event_names(), ["start", "token", "metadata", "end"]);
}

#[test]
fn a_streamed_reply_answers_a_whole_question_later() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&cached(&server, &provider));
    let first = ask(&server, &flow, "Tell me of tea", true).streamed_text();
    assert_eq!((text(&server, &flow, "Tell me of tea"), provider.served_count()), (first, 1));
}

#[test]
fn a_kept_reply_uses_no_tokens_and_is_stored_as_an_answer_of_its_own() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&cached(&server, &provider));
    assert!(ask(&server, &flow, "Hi", false).json()["usageMetadata"].is_object());
    assert!(ask(&server, &flow, "Hi", false).json()["usageMetadata"].is_null());
    assert_eq!(server.messages(&flow).len(), 4);
}

#[test]
fn failures_are_not_kept() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&cached(&server, &provider));
    provider.push_behaviour(Behaviour::status(400, r#"{"error":{"message":"no"}}"#));
    server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert_eq!(text(&server, &flow, "Hi"), "You said: Hi");
    assert_eq!(provider.served_count(), 2);
}

#[test]
fn streams_that_broke_off_are_not_kept() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&cached(&server, &provider));
    provider.push_behaviour(Behaviour::Reply(Reply { cut_after: Some(1), ..Reply::text("half of it") }));
    assert!(ask(&server, &flow, "Hi", true).event_names().contains(&"error".to_owned()));
    assert_eq!(text(&server, &flow, "Hi"), "You said: Hi");
}

#[test]
fn calls_of_tools_are_kept_with_their_message() {
    let (server, provider) = (Server::start(), Provider::start());
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
    let cache = drawing.card("inMemoryCache", json!({}));
    let calculator = drawing.card("calculator", json!({}));
    let memory = drawing.card("bufferMemory", json!({}));
    let agent = drawing.card("toolAgent", json!({}));
    for (from, to, input) in [
        (&cache, &model, "cache"),
        (&model, &agent, "model"),
        (&calculator, &agent, "tools"),
        (&memory, &agent, "memory"),
    ] {
        drawing.wire(from, to, input);
    }
    let flow = server.flow(&drawing.text());
    provider.push_behaviour(Behaviour::call("calculator", json!({"input": "6*7"})));
    provider.push_behaviour(Behaviour::text("It is 42."));
    for _ in 0..2 {
        let answer = ask(&server, &flow, "Six times seven?", false).json();
        assert_eq!(
            (&answer["text"], &answer["usedTools"][0]["toolOutput"]),
            (&json!("It is 42."), &json!("42"))
        );
    }
    assert_eq!(provider.served_count(), 2, "both rounds of the second answer came from the cache");
}

#[test]
fn other_settings_are_another_reply() {
    let (server, provider) = (Server::start(), Provider::start());
    let heat = server.post("/variables", &json!({"name": "heat", "value": "0.1", "type": "static"}));
    let inputs = json!({"temperature": "{{$vars.heat}}"});
    let flow = server.flow(&canvas(&server, ProviderFormat::OpenAi, &provider, "{question}", inputs));
    text(&server, &flow, "Hi");
    server.put(&format!("/variables/{}", id(&heat)), &json!({"value": "0.2"}));
    text(&server, &flow, "Hi");
    assert_eq!(provider.served_count(), 2);
}

#[test]
fn a_changed_live_starts_with_an_empty_cache() {
    let (server, provider) = (Server::start(), Provider::start());
    let first = cached(&server, &provider);
    let flow = server.flow(&first);
    text(&server, &flow, "Hi");
    let second =
        canvas(&server, ProviderFormat::OpenAi, &provider, "{question}", json!({"temperature": "0.1"}));
    for live in [second, first] {
        server.put(&format!("/chatflows/{flow}"), &json!({"flowData": live, "publishInstantly": true}));
        text(&server, &flow, "Hi");
    }
    assert_eq!(provider.served_count(), 3);
}

#[test]
fn a_renamed_flow_keeps_its_cache() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&cached(&server, &provider));
    text(&server, &flow, "Hi");
    server.put(&format!("/chatflows/{flow}"), &json!({"name": "Another name"}));
    text(&server, &flow, "Hi");
    assert_eq!(provider.served_count(), 1);
}

#[test]
fn flows_do_not_share_replies() {
    let (server, provider) = (Server::start(), Provider::start());
    let canvas = cached(&server, &provider);
    for flow in [server.flow(&canvas), server.flow(&canvas)] {
        text(&server, &flow, "Hi");
    }
    assert_eq!(provider.served_count(), 2);
}

#[test]
fn a_deleted_flow_takes_its_replies_along() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&cached(&server, &provider));
    text(&server, &flow, "Hi");
    assert!(server.app.state.reply_cache.bytes() > 0);
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    assert_eq!(server.app.state.reply_cache.bytes(), 0);
}

#[test]
fn a_model_without_a_cache_is_asked_every_time() {
    let server = Server::start();
    let (provider, flow) = crate::support::canvases::with_provider(&server);
    for _ in 0..2 {
        text(&server, &flow, "Hi");
    }
    assert_eq!(provider.served_count(), 2);
}

#[test]
fn something_else_wired_as_a_cache_is_named() {
    let (server, provider) = (Server::start(), Provider::start());
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
    let memory = drawing.card("bufferMemory", json!({}));
    let chain = drawing.card("conversationChain", json!({}));
    drawing.wire(&memory, &model, "cache");
    drawing.wire(&model, &chain, "model");
    drawing.wire(&memory, &chain, "memory");
    let message = server.ask(&server.flow(&drawing.text()), &json!({"question": "Hi"})).is_error(500);
    assert!(message.contains("Cache") && message.contains("memory"), "{message}");
}

#[test]
fn replies_that_were_cut_short_or_say_nothing_are_not_kept() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&canvas(
        &server,
        ProviderFormat::OpenAi,
        &provider,
        "{question}",
        json!({"streaming": false}),
    ));
    let body = |text: &str, reason: &str| {
        let said = json!({"choices": [{"message": {"content": text}, "finish_reason": reason}]});
        Behaviour::status(200, &said.to_string())
    };
    for (said, reason) in [("Half an", "length"), ("Half an", "content_filter"), ("", "stop")] {
        provider.push_behaviour(body(said, reason));
        assert_eq!(text(&server, &flow, "Hi"), said, "{reason}");
    }
    provider.push_behaviour(body("", "length"));
    let error = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(error.contains("used up its Max Tokens"), "{error}");
    assert_eq!(text(&server, &flow, "Hi"), "You said: Hi");
    assert_eq!((text(&server, &flow, "Hi"), provider.served_count()), ("You said: Hi".to_owned(), 5));
}
