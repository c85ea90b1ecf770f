//! VectorStore To Document: what a vector store finds, as documents (manual 10.2).

use crate::support::Server;
use crate::support::canvases::Drawing;
use serde_json::{Value, json};

const MONDAY: &str = "Parcels leave the house on Mondays.";
const OFFICE: &str = "The office is in Oslo, near the harbour.";

/// A flow that answers with the chunks a vector store finds.
fn canvas(inputs: Value) -> String {
    let mut drawing = Drawing::default();
    let embeddings = drawing.card("hashingEmbeddings", json!({}));
    let store = drawing.card("memoryVectorStore", json!({"topK": "1"}));
    drawing.wire(&embeddings, &store, "embeddings");
    for text in [MONDAY, OFFICE] {
        let loader = drawing.card("plainText", json!({ "text": text }));
        drawing.wire(&loader, &store, "document");
    }
    let found = drawing.card("vectorStoreToDocument", inputs);
    drawing.wire(&store, &found, "vectorStore");
    drawing.choose_output(&found, "text");
    let model = drawing.card("chatScripted", json!({"fallback": "{question}"}));
    let values = json!({"text": format!("{{{{{found}.data.instance}}}}")}).to_string();
    let prompt = drawing.card("promptTemplate", json!({"template": "[{text}]", "promptValues": values}));
    let chain = drawing.card("llmChain", json!({}));
    drawing.connect(&found, &prompt);
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    drawing.text()
}

#[test]
fn what_a_vector_store_finds_is_handed_on_as_documents() {
    let server = Server::start();
    let says = |inputs: Value, question: &str| {
        let flow = server.flow(&canvas(inputs));
        server.ask(&flow, &json!({ "question": question })).is(200).json()["text"].clone()
    };
    assert_eq!(says(json!({}), "When do parcels leave the house?"), format!("[{MONDAY}]"));
    assert_eq!(says(json!({"query": "Where is the office?"}), "Parcels?"), format!("[{OFFICE}]"));
    assert_eq!(says(json!({"query": "{{question}}"}), "Where is the office?"), format!("[{OFFICE}]"));
    // Nothing is near enough: the value that its owner gave is empty, and the question does not take its place.
    let far = says(json!({"minScore": "99"}), "When do parcels leave the house?");
    assert_eq!(far, "[]");
    let loaders = server.read("/document-store/components/loaders");
    let names: Vec<&str> =
        loaders.as_array().unwrap().iter().map(|card| card["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"folderFiles") && !names.contains(&"vectorStoreToDocument"), "{names:?}");
}
