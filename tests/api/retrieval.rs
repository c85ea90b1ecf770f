//! Flows that answer from documents of their own, found by what they mean (manual 10.4), with no provider.

use crate::support::Server;
use crate::support::canvases::Drawing;
use serde_json::{Value, json};

const SHIPPING: &str = "Parcels leave the house on Mondays and Thursdays.";
const OFFICE: &str = "The office is in Oslo, near the harbour.";

/// A flow that answers by quoting what the store finds; `output` is what the chain is given of it.
fn flow(texts: &[(&str, &str)], output: &str) -> Drawing {
    let mut drawing = Drawing::default();
    let store = drawing.card("memoryVectorStore", json!({"topK": "1"}));
    drawing.choose_output(&store, output);
    for (source, text) in texts {
        let metadata = json!({"source": source}).to_string();
        let loader = drawing.card("plainText", json!({"text": text, "metadata": metadata}));
        drawing.wire(&loader, &store, "document");
    }
    drawing.answer_with_chunks(&store, json!({}));
    drawing
}

fn sources(answer: &Value) -> Vec<&str> {
    let found = answer["sourceDocuments"].as_array().unwrap();
    found.iter().map(|document| document["metadata"]["source"].as_str().unwrap()).collect()
}

#[test]
fn a_flow_answers_from_its_documents_and_names_its_sources() {
    let server = Server::start();
    let texts = [("shipping.md", SHIPPING), ("office.md", OFFICE), ("empty.md", " ")];
    for output in ["retriever", "vectorStore"] {
        let flow = server.flow(&flow(&texts, output).text());
        let answer =
            server.ask(&flow, &json!({"question": "When do parcels leave the house?"})).is(200).json();
        assert!(answer["text"].as_str().unwrap().contains("Mondays and Thursdays"), "{answer}");
        assert_eq!(sources(&answer), ["shipping.md"], "{answer}");
        let answer = server.ask(&flow, &json!({"question": "Is the office near a harbour?"})).is(200).json();
        assert_eq!(sources(&answer), ["office.md"], "{answer}");
    }
}

#[test]
fn a_changed_flow_answers_from_its_new_documents() {
    let server = Server::start();
    let id = server.flow(&flow(&[("a", SHIPPING)], "retriever").text());
    let question = json!({"question": "When do parcels leave the house?"});
    assert!(server.ask(&id, &question).is(200).json()["text"].as_str().unwrap().contains("Mondays"));
    let changed = flow(&[("b", "Parcels leave the house on Fridays.")], "retriever").text();
    server.owner("PUT", &format!("/chatflows/{id}")).json(&json!({"flowData": changed})).send().is(200);
    let answer = server.ask(&id, &question).is(200).json();
    assert!(answer["text"].as_str().unwrap().contains("Fridays"), "{answer}");
    assert_eq!(sources(&answer), ["b"]);
}

#[test]
fn a_store_without_documents_finds_nothing() {
    let server = Server::start();
    let flow = server.flow(&flow(&[], "retriever").text());
    let answer = server.ask(&flow, &json!({"question": "When do parcels leave?"})).is(200).json();
    assert_eq!(answer.get("sourceDocuments"), None, "{answer}");
}

#[test]
fn a_store_without_embeddings_says_what_is_missing() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let store = drawing.card("memoryVectorStore", json!({}));
    let model = drawing.card("chatExtractive", json!({}));
    let chain = drawing.card("retrievalQAChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&store, &chain, "vectorStoreRetriever");
    let message = server.ask(&server.flow(&drawing.text()), &json!({"question": "Hi"})).is_error(500);
    assert!(message.contains("In-Memory Vector Store: Embeddings: connect a card here"), "{message}");
}
