//! What a provider says beside an answer: that a question is not allowed, and which pages an answer leans on.

use crate::embeddings::request_text;
use crate::support::canvases::{Drawing, SECRET};
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, golden, id};
use serde_json::{Value, json};

fn credential(server: &Server, kind: &str, field: &str) -> String {
    let body = json!({"name": "stand-in", "credentialName": kind, "plainDataObj": {field: SECRET}});
    id(&server.post("/credentials", &body))
}

/// A chain that answers by itself, behind OpenAI's moderation as the stand-in plays it.
fn moderated_canvas(server: &Server, provider: &Provider) -> String {
    let mut drawing = Drawing::default();
    let inputs =
        json!({"basepath": format!("{}/v1", provider.base_url()), "moderationErrorMessage": "Not here."});
    let moderation = drawing.card("inputModerationOpenAI", inputs);
    drawing.credential(&moderation, &credential(server, "openAIApi", "openAIApiKey"));
    let model = drawing.card("chatScripted", json!({"fallback": "Fine."}));
    let prompt = drawing.card("promptTemplate", json!({"template": "{question}"}));
    let chain = drawing.card("llmChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    drawing.wire(&moderation, &chain, "inputModeration");
    server.flow(&drawing.text())
}

#[test]
fn a_question_that_is_not_allowed_is_answered_with_the_owners_text() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = moderated_canvas(&server, &provider);
    for (flagged, expected) in [(true, "Not here."), (false, "Fine.")] {
        let verdict = json!({"id": "m1", "results": [{"flagged": flagged, "categories": {}}]});
        provider.push_behaviour(Behaviour::status(200, &verdict.to_string()));
        let answer = server.ask(&flow, &json!({"question": "May I?"})).is(200).json();
        assert_eq!(answer["text"], expected);
    }
    golden::check("moderation_sent.txt", &request_text(&provider.last_request()));
}

#[test]
fn a_question_that_could_not_be_judged_is_not_answered() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = moderated_canvas(&server, &provider);
    for (behaviour, says) in [
        (
            Behaviour::status(500, &format!(r#"{{"error":{{"message":"{SECRET}"}}}}"#)),
            "OpenAI Moderation: the provider answered 500",
        ),
        (Behaviour::status(200, r#"{"results":[]}"#), "it holds no verdict"),
        (Behaviour::status(200, "{}"), "it is no verdict"),
    ] {
        provider.push_behaviour(behaviour);
        let answer = server.ask(&flow, &json!({"question": "May I?"}));
        let text = answer.text();
        assert!(text.contains(says) && !text.contains("Fine.") && !text.contains(SECRET), "{text}");
    }
}

#[test]
fn pages_that_an_answer_leans_on_go_out_as_its_sources() {
    let (server, provider) = (Server::start(), Provider::start());
    let mut drawing = Drawing::default();
    let model = drawing.card("chatPerplexity", json!({"proxyUrl": provider.base_url()}));
    drawing.credential(&model, &credential(&server, "perplexityApi", "perplexityApiKey"));
    let cache = drawing.card("inMemoryCache", json!({}));
    drawing.wire(&cache, &model, "cache");
    let prompt = drawing.card("promptTemplate", json!({"template": "{question}"}));
    let chain = drawing.card("llmChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    let flow = server.flow(&drawing.text());
    let said = json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": "Seven [1]."}, "finish_reason": "stop"}],
    "citations": ["https://a.example/x", "https://b.example/y"],
    "search_results": [
        {"title": "A", "url": "https://a.example/x", "date": null, "snippet": "It is seven."},
        {"title": "", "url": "https://b.example/y"},
    ]});
    provider.push_behaviour(Behaviour::status(200, &said.to_string()));
    let expected: Value = json!([
        {"pageContent": "It is seven.", "metadata": {"source": "https://a.example/x", "title": "A"}},
        {"pageContent": "https://b.example/y", "metadata": {"source": "https://b.example/y"}},
    ]);
    let answer = server.ask(&flow, &json!({"question": "How many?"})).is(200).json();
    assert_eq!((&answer["text"], &answer["sourceDocuments"]), (&json!("Seven [1]."), &expected));
    // From the cache, and as a stream.
    let answer = server.ask(&flow, &json!({"question": "How many?", "streaming": true}));
    assert_eq!(answer.event("sourceDocuments"), expected);
    assert_eq!(provider.served_count(), 1);
    let stored = server.messages(&flow);
    assert!(stored[1]["sourceDocuments"].to_string().contains("It is seven."), "{}", stored[1]);
}
