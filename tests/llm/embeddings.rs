//! Vectors over real connections, against the stand-in provider.

use crate::outgoing;
use crate::provider::knowledge::vector;
use crate::provider::{Behaviour, Provider};
use flowkeep::base::cancel::{CancelReason, CancelToken};
use flowkeep::llm::embeddings::{
    Aim, AimField, BatchLimits, CohereEmbeddings, EmbeddingModel, FeatureExtraction, GoogleEmbeddings,
    OllamaEmbeddings, OpenAiEmbeddings, TaskType, embed,
};
use flowkeep::llm::{Endpoint, ModelError, ProviderKey};
use flowkeep::net::Outgoing;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// The formats against one provider.
fn models(provider: &Provider, outgoing: &Outgoing) -> Vec<(&'static str, Box<dyn EmbeddingModel>)> {
    let endpoint = |path: &str| {
        let base = format!("{}{path}", provider.base_url());
        Endpoint::new(outgoing.clone(), &base, Some(ProviderKey::new("sk-test-key")))
    };
    let model = || "stand-in".to_owned();
    let openai = OpenAiEmbeddings::new(endpoint("/v1"), "stand-in");
    let mut packed = OpenAiEmbeddings::new(endpoint("/v1"), "stand-in");
    packed.extra.insert("encoding_format".into(), "base64".into());
    let extraction =
        FeatureExtraction { endpoint: endpoint("/models/x/pipeline/feature-extraction"), model: model() };
    vec![
        ("openai", Box::new(openai)),
        ("packed", Box::new(packed)),
        (
            "ollama",
            Box::new(OllamaEmbeddings { endpoint: endpoint(""), model: model(), options: Map::new() }),
        ),
        ("cohere", Box::new(CohereEmbeddings { endpoint: endpoint(""), model: model(), input_type: None })),
        (
            "google",
            Box::new(GoogleEmbeddings { endpoint: endpoint(""), model: model(), task: TaskType::Retrieval }),
        ),
        ("extraction", Box::new(extraction)),
    ]
}

#[test]
fn every_format_makes_a_vector_of_each_text() {
    let (provider, outgoing, cancel) = (Provider::start(), outgoing(), CancelToken::new(None));
    let texts = ["grüße an alle 👋", "two\nlines", "three"];
    for (name, model) in models(&provider, &outgoing) {
        let done = embed(&*model, &texts, Aim::Documents, &cancel).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(done.vectors, texts.map(vector), "{name}");
        let reports = !["google", "extraction"].contains(&name);
        assert_eq!(done.usage.map(|usage| usage.input_tokens), reports.then_some(3), "{name}");
        let request = provider.last_request();
        let key = ["authorization", "x-goog-api-key"].iter().find_map(|name| request.header(name));
        assert!(key.is_some_and(|key| key.trim_start_matches("Bearer ") == "sk-test-key"), "{name}");
    }
    assert_eq!(provider.connections(), 1, "one connection serves all");
}

#[test]
fn a_question_is_told_from_chunks() {
    let (provider, outgoing, cancel) = (Provider::start(), outgoing(), CancelToken::new(None));
    let mut all = models(&provider, &outgoing);
    let base = format!("{}/v1", provider.base_url());
    let mut told = OpenAiEmbeddings::new(Endpoint::new(outgoing.clone(), &base, None), "stand-in");
    told.aim = Some(AimField { name: "input_type", query: "query", documents: "document" });
    all.push(("told", Box::new(told)));
    let mut sent = Vec::new();
    for (name, model) in &all {
        for aim in [Aim::Documents, Aim::Query] {
            embed(&**model, &["x"], aim, &cancel).unwrap();
            let body = provider.last_request().body;
            let told = [&body["input_type"], &body["requests"][0]["taskType"]];
            sent.push((*name, told.into_iter().find_map(Value::as_str).map(str::to_owned)));
        }
    }
    let expected = [
        ("cohere", "search_document"),
        ("cohere", "search_query"),
        ("google", "RETRIEVAL_DOCUMENT"),
        ("google", "RETRIEVAL_QUERY"),
        ("told", "document"),
        ("told", "query"),
    ];
    sent.retain(|(_, told)| told.is_some());
    assert_eq!(sent, expected.map(|(name, told)| (name, Some(told.to_owned()))));
}

#[test]
fn many_texts_are_sent_in_batches() {
    let (provider, outgoing, cancel) = (Provider::start(), outgoing(), CancelToken::new(None));
    let base = format!("{}/v1", provider.base_url());
    let mut model = OpenAiEmbeddings::new(Endpoint::new(outgoing.clone(), &base, None), "stand-in");
    model.batch = BatchLimits { texts: 2, bytes: 1000 };
    let texts = ["a", "b", "c", "d", "e"];
    assert_eq!(embed(&model, &texts, Aim::Documents, &cancel).unwrap().vectors, texts.map(vector));
    let sent: Vec<Value> =
        provider.requests().into_iter().map(|request| request.body["input"].clone()).collect();
    assert_eq!(sent, [json!(["a", "b"]), json!(["c", "d"]), json!(["e"])]);
}

#[test]
fn throttling_is_waited_out_and_refusals_are_told() {
    let (provider, outgoing, cancel) = (Provider::start(), outgoing(), CancelToken::new(None));
    for (name, model) in models(&provider, &outgoing) {
        provider.push_behaviour(Behaviour::rate_limited(Some("1")));
        assert!(embed(&*model, &["x"], Aim::Query, &cancel).is_ok(), "{name}");
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
        ] {
            provider.push_behaviour(behaviour);
            assert_eq!(embed(&*model, &["x"], Aim::Query, &cancel), Err(expected), "{name}");
        }
    }
}

#[test]
fn an_answer_that_is_wrong_is_refused() {
    let (provider, outgoing, cancel) = (Provider::start(), outgoing(), CancelToken::new(None));
    for (name, model) in models(&provider, &outgoing) {
        for body in
            ["{}", "[]", "7", "<html>", r#"{"data":[{"embedding":[1,null]}]}"#, r#"{"embeddings":[]}"#]
        {
            provider.push_behaviour(Behaviour::status(200, body));
            let failed = embed(&*model, &["x"], Aim::Query, &cancel);
            assert!(matches!(failed, Err(ModelError::Garbled(_))), "{name}: {body}: {failed:?}");
        }
    }
    let (_, model) = models(&provider, &outgoing).pop().unwrap();
    provider.push_behaviour(Behaviour::status(200, "[[[0.1, 0.2]]]"));
    let failed = embed(&*model, &["x"], Aim::Query, &cancel);
    assert!(matches!(&failed, Err(ModelError::Settings(why)) if why.contains("every word")), "{failed:?}");
}

#[test]
fn cancelling_reaches_the_provider_at_once() {
    let (provider, outgoing) = (Provider::start(), outgoing());
    for (name, model) in models(&provider, &outgoing) {
        provider.push_behaviour(Behaviour::Hang);
        let cancel = CancelToken::new(None);
        let other = cancel.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            other.cancel(CancelReason::CallerLeft);
        });
        let start = Instant::now();
        assert_eq!(embed(&*model, &["x"], Aim::Query, &cancel), Err(ModelError::Cancelled), "{name}");
        assert!(start.elapsed() < Duration::from_secs(2), "{name}");
    }
}
