//! Replies and vectors that are kept on a real Redis server (manual 9.19).

use super::{RedisFixture, begin, fresh, new_credential};
use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::provider::Provider;
use crate::support::{Server, id};
use flowkeep::redis::RedisReply;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::time::Duration;

/// An LLM Chain, which sends the question alone, in front of a model with the cache.
fn cached_canvas(house: &RedisFixture, server: &Server, fields: &Value, ttl: &str) -> String {
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, server, &house.talks.base_url(), json!({}));
    let cache = drawing.card("redisCache", json!({ "ttl": ttl }));
    drawing.credential(&cache, &new_credential(server, "redisCacheApi", fields));
    let prompt = drawing.card("promptTemplate", json!({"template": "{question}"}));
    let chain = drawing.card("llmChain", json!({}));
    drawing.wire(&cache, &model, "cache");
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    drawing.text()
}

#[test]
fn a_reply_that_is_kept_there_answers_every_server_until_its_time_is_over() {
    let Some(house) = RedisFixture::open() else { return };
    let question = fresh();
    let flow = house.server.flow(&cached_canvas(&house, &house.server, &house.credential(), "2500"));
    let ask = |server: &Server, flow: &str| begin(server, flow, &question)["text"].clone();
    assert_eq!((ask(&house.server, &flow), ask(&house.server, &flow)), (json!("Yes."), json!("Yes.")));
    assert_eq!(house.talks.served_count(), 1);
    let other = Server::start();
    let elsewhere = other.flow(&cached_canvas(&house, &other, &house.credential(), ""));
    assert_eq!((ask(&other, &elsewhere), house.talks.served_count()), (json!("Yes."), 1));
    std::thread::sleep(Duration::from_millis(2_600));
    assert_eq!((ask(&other, &elsewhere), house.talks.served_count()), (json!("Yes."), 2));
}

#[test]
fn without_the_cache_the_model_answers() {
    let Some(house) = RedisFixture::open() else { return };
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut wrong = house.credential();
    wrong["redisCachePwd"] = json!("not-the-password");
    for fields in [json!({ "redisCachePort": nobody }), wrong] {
        let before = house.talks.served_count();
        let flow = house.server.flow(&cached_canvas(&house, &house.server, &fields, ""));
        for _ in 0..2 {
            assert_eq!(begin(&house.server, &flow, "Hi")["text"], "Yes.");
        }
        assert_eq!(house.talks.served_count(), before + 2);
    }
}

#[test]
fn a_text_is_embedded_once_for_every_server_that_keeps_vectors_there() {
    let Some(house) = RedisFixture::open() else { return };
    let (provider, namespace) = (Provider::start(), fresh());
    let canvas = |server: &Server, ttl: &str| {
        let mut drawing = Drawing::default();
        let body = json!({"name": "k", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "sk-test-12345678"}});
        let inputs = json!({"basepath": format!("{}/v1", provider.base_url()), "modelName": "m"});
        let made = drawing.card("openAIEmbeddings", inputs);
        drawing.credential(&made, &id(&server.post("/credentials", &body)));
        let cache = drawing.card("redisEmbeddingsCache", json!({"namespace": namespace, "ttl": ttl}));
        drawing.credential(&cache, &new_credential(server, "redisCacheApi", &house.credential()));
        drawing.wire(&made, &cache, "embeddings");
        let store = drawing.card("memoryVectorStore", json!({"topK": "1"}));
        for text in ["Cats purr.", "Dogs bark."] {
            let loader = drawing.card("plainText", json!({ "text": text }));
            drawing.wire(&loader, &store, "document");
        }
        drawing.wire(&cache, &store, "embeddings");
        let model = drawing.card("chatExtractive", json!({}));
        let chain = drawing.card("retrievalQAChain", json!({"returnSourceDocuments": true}));
        drawing.wire(&model, &chain, "model");
        drawing.wire(&store, &chain, "vectorStoreRetriever");
        drawing.text()
    };
    let found = |server: &Server, ttl: &str| {
        let flow = server.flow(&canvas(server, ttl));
        begin(server, &flow, "Cats purr.")["sourceDocuments"][0]["pageContent"].clone()
    };
    assert_eq!(found(&house.server, "3600"), "Cats purr.");
    let served = provider.served_count();
    let RedisReply::List(keys) = house.run(&["KEYS", &format!("flowkeep:vector:{namespace}:*")]) else {
        panic!()
    };
    assert_eq!((keys.len(), served), (3, 2), "two chunks and a question");
    let RedisReply::Bytes(key) = &keys[0] else { panic!() };
    let RedisReply::Number(left) = house.run(&["PTTL", std::str::from_utf8(key).unwrap()]) else { panic!() };
    assert!((3_000_000..=3_600_000).contains(&left), "{left}");
    let other = Server::start();
    assert_eq!((found(&other, "60"), provider.served_count()), (json!("Cats purr."), served));
}
