//! Upserts that take their time: what the store shows meanwhile, what a caller hears that asks for events, and what
//! becomes of the run when it leaves (manual 10.6).

use crate::support::canvases::Drawing;
use crate::support::client::Call;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Within which a run whose caller left has to end.
const GONE_WITHIN: Duration = Duration::from_secs(2);
const SOON: Duration = Duration::from_secs(10);
/// More than are embedded at once.
const LINES: usize = 100;

/// A hundred chunks.
fn text() -> String {
    (0..LINES)
        .map(|line| format!("Line {line} is about parcel number {line}."))
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn splitter() -> Value {
    json!({"name": "recursiveCharacterTextSplitter", "config": {"chunkSize": 40, "chunkOverlap": 0}})
}

/// Embeddings of the stand-in, as settings of a document store.
fn vectors(server: &Server, provider: &Provider, store: &str) -> Value {
    let body =
        json!({"name": "stand-in", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "sk-x"}});
    let credential = id(&server.post("/credentials", &body));
    let basepath = format!("{}/v1", provider.base_url());
    json!({"storeId": store, "embeddingName": "openAIEmbeddings",
        "embeddingConfig": {"basepath": basepath, "credential": credential}})
}

fn store(server: &Server) -> String {
    let store = id(&server.post("/document-store/store", &json!({"name": "Handbook"})));
    let body = json!({"loader": {"name": "plainText", "config": {"text": text()}}, "splitter": splitter()});
    let counts = server.post(&format!("/document-store/upsert/{store}"), &body);
    assert_eq!(counts["numAdded"], LINES);
    store
}

fn events(call: Call) -> Call {
    call.header("accept", "text/event-stream")
}

fn insert(server: &Server, body: &Value) -> Call {
    server.owner("POST", "/document-store/vectorstore/insert").json(body)
}

/// Holds the second request for embeddings until it is let go.
fn hold_after_first_batch(provider: &Provider) -> Arc<AtomicBool> {
    let (let_go, first) = (Arc::new(AtomicBool::new(false)), AtomicBool::new(true));
    let told = let_go.clone();
    provider.set_decision(move |_| {
        let end = Instant::now() + SOON;
        while !first.swap(false, Ordering::SeqCst) && !told.load(Ordering::SeqCst) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
        Behaviour::Echo
    });
    let_go
}

fn wait(server: &Server, store: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + SOON;
    loop {
        let found = server.read(&format!("/document-store/store/{store}"));
        if holds(&found) {
            return found;
        }
        assert!(Instant::now() < end, "{found}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_store_shows_how_far_its_filling_is() {
    let (server, provider) = (Server::start(), Provider::start());
    let store = store(&server);
    let idle = server.read(&format!("/document-store/store/{store}"));
    assert_eq!((&idle["status"], &idle["progress"]), (&json!("SYNC"), &Value::Null));
    let let_go = hold_after_first_batch(&provider);
    let body = vectors(&server, &provider, &store);
    let call = insert(&server, &body);
    let filling = std::thread::spawn(move || call.send());
    let half = wait(&server, &store, |store| store["progress"]["done"] == 64);
    assert_eq!(half["status"], "UPSERTING");
    assert_eq!(half["progress"], json!({"phase": "embedding", "done": 64, "total": LINES}));
    let listed = server.read("/document-store/store");
    assert_eq!(listed[0]["status"], "UPSERTING");
    let_go.store(true, Ordering::SeqCst);
    assert_eq!(filling.join().unwrap().is(200).json()["numAdded"], LINES);
    let done = server.read(&format!("/document-store/store/{store}"));
    assert_eq!((&done["status"], &done["progress"]), (&json!("UPSERTED"), &Value::Null));
}

#[test]
fn a_caller_that_asks_for_events_hears_how_far_it_is_and_then_the_result() {
    let (server, provider) = (Server::start(), Provider::start());
    let store = store(&server);
    let answer = events(insert(&server, &vectors(&server, &provider, &store))).send().is(200);
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    let heard = answer.events();
    let progress: Vec<&Value> =
        heard.iter().filter(|(name, _)| name == "progress").map(|(_, data)| data).collect();
    assert_eq!(progress[0], &json!({"phase": "loading", "done": 0, "total": null}));
    assert!(progress.contains(&&json!({"phase": "embedding", "done": LINES, "total": LINES})), "{heard:?}");
    assert_eq!(progress.last().unwrap()["phase"], "storing");
    let names = answer.event_names();
    assert_eq!(names[names.len() - 2..], ["result", "end"]);
    assert_eq!(answer.event("result")["numAdded"], LINES);
}

#[test]
fn flows_and_loaders_are_filled_with_events_too() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let loader = drawing.card("plainText", json!({"text": "Parcels leave on Mondays."}));
    let embeddings = drawing.card("hashingEmbeddings", json!({}));
    let vectors = drawing.card("memoryVectorStore", json!({}));
    drawing.wire(&loader, &vectors, "document");
    drawing.wire(&embeddings, &vectors, "embeddings");
    let flow = server.flow(&drawing.text());
    for path in ["upsert", "internal-upsert"] {
        let call = server.owner("POST", &format!("/vector/{path}/{flow}")).json(&json!({}));
        let answer = events(call).send().is(200);
        assert_eq!(answer.event("result")["numAdded"], 1);
        assert_eq!(answer.event_names().first().map(String::as_str), Some("progress"));
    }
    let store = store(&server);
    let body = json!({"loader": {"name": "plainText", "config": {"text": "One."}}});
    let call = server.owner("POST", &format!("/document-store/upsert/{store}")).json(&body);
    let added = events(call).send().is(200);
    assert_eq!(added.event("result")["numAdded"], 1);
    let loader = added.event("result")["docId"].as_str().unwrap().to_owned();
    let call = server.owner("POST", &format!("/document-store/loader/process/{loader}"));
    let again = events(call.json(&json!({"storeId": store}))).send().is(200);
    assert_eq!(again.event("result")["chunks"][0]["pageContent"], "One.");
}

#[test]
fn what_is_refused_before_it_runs_is_no_stream_and_what_fails_ends_one() {
    let (server, provider) = (Server::start(), Provider::start());
    let store = store(&server);
    let refused = events(insert(&server, &json!({"storeId": store}))).send();
    assert!(refused.is_error(400).contains("embeddings"), "{refused:?}");
    let nothing =
        json!({"storeId": "9b1c8a52-6f0e-4d7b-8a3c-2f1e5d4c3b2a", "embeddingName": "hashingEmbeddings"});
    events(insert(&server, &nothing)).send().is_error(404);
    provider.set_decision(|_| Behaviour::status(401, "{}"));
    let failed = events(insert(&server, &vectors(&server, &provider, &store))).send().is(200);
    let names = failed.event_names();
    assert_eq!(names[names.len() - 2..], ["error", "end"], "{failed:?}");
    assert!(failed.event("error").to_string().contains("OpenAI Embedding"), "{failed:?}");
    let shown = server.read(&format!("/document-store/store/{store}"));
    assert_eq!((&shown["status"], &shown["progress"]), (&json!("SYNC"), &Value::Null));
}

#[test]
fn a_caller_that_leaves_ends_the_filling() {
    for wants_events in [true, false] {
        let (server, provider) = (Server::start(), Provider::start());
        let store = store(&server);
        let body = vectors(&server, &provider, &store);
        provider.set_decision(|_| Behaviour::Hang);
        let call = insert(&server, &body);
        let socket = if wants_events { events(call) } else { call }.connect();
        assert!(provider.wait_until(SOON, |provider| provider.served_count() > 0));
        drop(socket);
        assert!(provider.wait_until(GONE_WITHIN, |provider| provider.disconnects() > 0), "still embedding");
        wait(&server, &store, |store| store["status"] == "SYNC");
    }
}
