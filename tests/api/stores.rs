//! Document stores (manual 10.9) and a flow that answers from one, with no provider at all.

use crate::support::canvases::Drawing;
use crate::support::{Server, golden, id};
use serde_json::{Value, json};

fn make(server: &Server) -> String {
    id(&server.post("/document-store/store", &json!({"name": "Handbook", "description": "What we know"})))
}

fn add(server: &Server, store: &str, source: &str, text: &str, fields: Value) -> Value {
    let mut body = json!({
        "loader": {"name": "plainText", "config": {"text": text}}, "metadata": {"source": source},
    });
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    server.post(&format!("/document-store/upsert/{store}"), &body)
}

/// A flow that answers by quoting the store.
fn flow(server: &Server, store: &str) -> String {
    let mut drawing = Drawing::default();
    let model = drawing.card("chatExtractive", json!({}));
    let retriever = drawing.card("bm25Retriever", json!({"documentStore": store, "topK": "2"}));
    let chain = drawing.card("retrievalQAChain", json!({"returnSourceDocuments": true}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&retriever, &chain, "vectorStoreRetriever");
    server.flow(&drawing.text())
}

#[test]
fn a_store_has_these_fields() {
    let server = Server::start();
    let store = make(&server);
    let read = server.read(&format!("/document-store/store/{store}"));
    golden::check("store.json", &serde_json::to_string_pretty(&read).unwrap());
    assert_eq!(server.read("/document-store/store"), json!([read]));
}

#[test]
fn added_texts_are_counted() {
    let server = Server::start();
    let store = make(&server);
    let counts = add(&server, &store, "a", "Parcels leave on Mondays.", json!({}));
    assert_eq!(counts["numAdded"], 1);
    let read = server.read(&format!("/document-store/store/{store}"));
    assert_eq!(
        (&read["totalChunks"], &read["totalChars"], &read["status"]),
        (&json!(1), &json!(25), &json!("SYNC"))
    );
}

#[test]
fn a_long_text_is_cut_into_chunks() {
    let server = Server::start();
    let store = make(&server);
    let text = "This is a sentence of the handbook. ".repeat(40);
    let counts = add(&server, &store, "a", &text, json!({"splitter": {"config": {"chunkSize": 200}}}));
    assert!(counts["numAdded"].as_u64().unwrap() >= 7, "{counts}");
}

#[test]
fn a_text_can_take_the_place_of_its_old_form() {
    let server = Server::start();
    let store = make(&server);
    add(&server, &store, "a", "Parcels leave on Mondays.", json!({}));
    add(&server, &store, "b", "The office is in Oslo.", json!({}));
    let counts = add(&server, &store, "a", "Parcels leave on Fridays.", json!({"replaceExisting": true}));
    assert_eq!(
        (&counts["numAdded"], &counts["numDeleted"], &counts["totalKeys"]),
        (&json!(1), &json!(1), &json!(2))
    );
    let answer =
        server.ask(&flow(&server, &store), &json!({"question": "When do parcels leave?"})).is(200).json();
    let text = answer["text"].as_str().unwrap();
    assert!(text.contains("Fridays") && !text.contains("Mondays"), "{text}");
}

#[test]
fn a_flow_answers_from_a_store_and_names_its_sources() {
    let server = Server::start();
    let store = make(&server);
    add(&server, &store, "shipping.md", "Parcels leave the house on Mondays and Thursdays.", json!({}));
    add(&server, &store, "office.md", "The office is in Oslo, near the harbour.", json!({}));
    let flow = flow(&server, &store);
    let question = json!({"question": "When do parcels leave the house?"});
    let answer = server.ask(&flow, &question).is(200).json();
    assert!(answer["text"].as_str().unwrap().contains("Mondays and Thursdays"), "{answer}");
    let first = &answer["sourceDocuments"][0];
    assert_eq!(first["metadata"]["source"], "shipping.md", "{answer}");
    assert_eq!(server.messages(&flow)[1]["sourceDocuments"], answer["sourceDocuments"]);
    let streamed = server.ask(&flow, &json!({"question": question["question"], "streaming": true}));
    assert_eq!(streamed.event_names(), ["start", "token", "sourceDocuments", "metadata", "end"]);
    assert_eq!(streamed.event("sourceDocuments"), answer["sourceDocuments"]);
    assert_eq!(streamed.streamed_text(), answer["text"].as_str().unwrap());
}

#[test]
fn a_flow_says_when_nothing_fits() {
    let server = Server::start();
    let store = make(&server);
    add(&server, &store, "a", "Parcels leave on Mondays.", json!({}));
    let answer = server.ask(&flow(&server, &store), &json!({"question": "xylophone quartz"})).is(200).json();
    assert!(!answer["text"].as_str().unwrap().contains("Mondays"), "{answer}");
    assert!(!answer["text"].as_str().unwrap().is_empty());
}

#[test]
fn a_flow_whose_store_is_gone_says_so() {
    let server = Server::start();
    let store = make(&server);
    let flow = flow(&server, &store);
    let deleted = server.owner("DELETE", &format!("/document-store/store/{store}?force=true")).send().is(200);
    assert_eq!(deleted.json()["affected"], 1);
    let message = server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
    assert!(message.contains("BM25 Retriever") && message.contains("document store"), "{message}");
}

#[test]
fn bad_texts_are_refused() {
    let server = Server::start();
    let path = format!("/document-store/upsert/{}", make(&server));
    for body in [
        json!({}),
        json!({"loader": {}}),
        json!({"loader": {"name": "pdfFile", "config": {"text": "x"}}}),
        json!({"loader": {"name": "plainText", "config": {}}}),
        json!({"loader": {"name": "plainText", "config": {"text": ""}}}),
        json!({"loader": {"name": "plainText", "config": {"text": "x"}}, "splitter": {"config": {"chunkSize": 0}}}),
        json!({"loader": {"name": "plainText", "config": {"text": "x"}}, "splitter": {"config": {"chunkSize": "x"}}}),
        json!({"loader": {"name": "plainText", "config": {"text": "x"}}, "metadata": []}),
    ] {
        server.owner("POST", &path).json(&body).send().is_error(400);
    }
}

#[test]
fn unknown_stores_are_not_found() {
    let server = Server::start();
    let text = json!({"loader": {"name": "plainText", "config": {"text": "x"}}});
    for odd in ["x", "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e"] {
        server.owner("GET", &format!("/document-store/store/{odd}")).send().is_error(404);
        server.owner("DELETE", &format!("/document-store/store/{odd}")).send().is_error(404);
        server.owner("POST", &format!("/document-store/upsert/{odd}")).json(&text).send().is_error(404);
    }
}
