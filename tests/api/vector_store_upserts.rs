//! Vector stores that keep what is upserted: Faiss, with and without a record manager.

use crate::support::Server;
use crate::support::canvases::Drawing;
use flowkeep::store::queries::collections;
use serde_json::{Value, json};

const MONDAY: &str = "Parcels leave the house on Mondays.";
const FRIDAY: &str = "Parcels leave the house on Fridays.";
const OFFICE: &str = "The office is in Oslo, near the harbour.";

/// A flow over a store after an upsert. `records` are the inputs of its record manager.
struct UpsertFlow<'t> {
    texts: Vec<(&'t str, &'t str)>,
    records: Option<Value>,
    dimensions: &'t str,
    path: &'t str,
}

impl Default for UpsertFlow<'_> {
    fn default() -> Self {
        Self { texts: Vec::new(), records: None, dimensions: "384", path: "handbook" }
    }
}

impl UpsertFlow<'_> {
    fn canvas(&self) -> String {
        let mut drawing = Drawing::default();
        let store = drawing.card("faiss", json!({"basePath": self.path, "topK": "2"}));
        for (source, text) in &self.texts {
            let metadata = json!({"source": source}).to_string();
            let loader = drawing.card("plainText", json!({"text": text, "metadata": metadata}));
            drawing.wire(&loader, &store, "document");
        }
        if let Some(inputs) = &self.records {
            let records = drawing.card("SQLiteRecordManager", inputs.clone());
            drawing.wire(&records, &store, "recordManager");
        }
        drawing.answer_with_chunks(&store, json!({"dimensions": self.dimensions}));
        drawing.text()
    }

    fn save(&self, server: &Server, id: &str) {
        let body = json!({"flowData": self.canvas()});
        server.owner("PUT", &format!("/chatflows/{id}")).json(&body).send().is(200);
    }
}

fn with<'t>(texts: &[(&'t str, &'t str)]) -> UpsertFlow<'t> {
    UpsertFlow { texts: texts.to_vec(), ..UpsertFlow::default() }
}

fn fill(server: &Server, flow: &str) -> Value {
    server.owner("POST", &format!("/vector/upsert/{flow}")).json(&json!({})).send().is(200).json()
}

/// Added, deleted, updated, skipped, total.
fn counts(answer: &Value) -> [u64; 5] {
    ["numAdded", "numDeleted", "numUpdated", "numSkipped", "totalKeys"]
        .map(|name| answer[name].as_u64().unwrap())
}

fn search_results(server: &Server, flow: &str, question: &str) -> Vec<String> {
    let answer = server.ask(flow, &json!({"question": question})).is(200).json();
    let chunks = answer["sourceDocuments"].as_array().cloned().unwrap_or_default();
    chunks.iter().map(|chunk| chunk["pageContent"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_filled_store_answers_and_filling_it_again_takes_its_place() {
    let server = Server::start();
    let flow = server.flow(&with(&[("a", MONDAY), ("b", OFFICE)]).canvas());
    let message = server.ask(&flow, &json!({"question": "When?"})).is_error(500);
    assert!(message.contains("Faiss: nothing is stored under 'handbook' yet"), "{message}");
    assert_eq!(counts(&fill(&server, &flow)), [2, 0, 0, 0, 2]);
    assert_eq!(search_results(&server, &flow, "When do parcels leave the house?"), [MONDAY, OFFICE]);
    with(&[("a", FRIDAY)]).save(&server, &flow);
    assert_eq!(
        search_results(&server, &flow, "When do parcels leave the house?"),
        [MONDAY, OFFICE],
        "not yet filled"
    );
    assert_eq!(counts(&fill(&server, &flow)), [1, 0, 0, 0, 1]);
    assert_eq!(search_results(&server, &flow, "When do parcels leave the house?"), [FRIDAY]);
}

#[test]
fn a_question_does_not_build_what_only_fills() {
    let server = Server::start();
    let flow = server.flow(&with(&[("a", MONDAY)]).canvas());
    fill(&server, &flow);
    // A loader whose metadata cannot be read fails when it is built.
    let broken = with(&[("a", MONDAY)]).canvas().replace(r#"{\"source\":\"a\"}"#, "{");
    server.owner("PUT", &format!("/chatflows/{flow}")).json(&json!({"flowData": broken})).send().is(200);
    assert_eq!(search_results(&server, &flow, "When do parcels leave?"), [MONDAY]);
    let failed = server.owner("POST", &format!("/vector/upsert/{flow}")).json(&json!({})).send();
    assert!(failed.is_error(500).contains("Plain Text"));
    assert_eq!(
        search_results(&server, &flow, "When do parcels leave?"),
        [MONDAY],
        "a failed filling changes nothing"
    );
}

#[test]
fn flows_share_what_they_name_alike_and_nothing_else() {
    let server = Server::start();
    let first = server.flow(&with(&[("a", MONDAY)]).canvas());
    fill(&server, &first);
    let second = server.flow(&UpsertFlow::default().canvas());
    assert_eq!(search_results(&server, &second, "When do parcels leave?"), [MONDAY]);
    let other = server.flow(&UpsertFlow { path: "/etc/../handbook", ..UpsertFlow::default() }.canvas());
    server.ask(&other, &json!({"question": "When?"})).is_error(500);
    for path in ["", "/", "a\nb", &"x".repeat(201)] {
        let flow = server.flow(&UpsertFlow { path, ..UpsertFlow::default() }.canvas());
        let message = server.ask(&flow, &json!({"question": "When?"})).is_error(500);
        assert!(message.contains("Base Path"), "{path:?}: {message}");
    }
}

#[test]
fn a_store_filled_with_other_embeddings_says_so() {
    let server = Server::start();
    let flow = server.flow(&with(&[("a", MONDAY)]).canvas());
    fill(&server, &flow);
    let other = UpsertFlow { dimensions: "100", ..with(&[("a", MONDAY)]) };
    other.save(&server, &flow);
    let message = server.ask(&flow, &json!({"question": "When?"})).is_error(500);
    assert!(message.contains("filled with other embeddings"), "{message}");
    fill(&server, &flow);
    assert_eq!(search_results(&server, &flow, "When do parcels leave?"), [MONDAY]);
}

#[test]
fn with_records_only_what_changed_is_stored() {
    let server = Server::start();
    let records = |cleanup: &str| Some(json!({"cleanup": cleanup}));
    let flow = server
        .flow(&UpsertFlow { records: records("none"), ..with(&[("a", MONDAY), ("b", OFFICE)]) }.canvas());
    assert_eq!(counts(&fill(&server, &flow)), [2, 0, 0, 0, 2]);
    assert_eq!(counts(&fill(&server, &flow)), [0, 0, 0, 2, 2]);
    UpsertFlow { records: records("none"), ..with(&[("a", FRIDAY)]) }.save(&server, &flow);
    assert_eq!(counts(&fill(&server, &flow)), [1, 0, 0, 0, 3]);
    assert_eq!(search_results(&server, &flow, "When do parcels leave the house?").len(), 2, "nothing goes");
    UpsertFlow { records: records("incremental"), ..with(&[("a", FRIDAY)]) }.save(&server, &flow);
    assert_eq!(counts(&fill(&server, &flow)), [0, 1, 0, 1, 2]);
    assert_eq!(search_results(&server, &flow, "When do parcels leave the house?"), [FRIDAY, OFFICE]);
    UpsertFlow { records: records("full"), ..with(&[("a", FRIDAY)]) }.save(&server, &flow);
    assert_eq!(counts(&fill(&server, &flow)), [0, 1, 0, 1, 1]);
    assert_eq!(search_results(&server, &flow, "When do parcels leave the house?"), [FRIDAY]);
    UpsertFlow { records: records("full"), dimensions: "100", ..with(&[("a", FRIDAY)]) }.save(&server, &flow);
    assert_eq!(counts(&fill(&server, &flow)), [0, 0, 1, 0, 1], "other embeddings renew every vector");
    assert_eq!(search_results(&server, &flow, "When do parcels leave the house?"), [FRIDAY]);
}

#[test]
fn what_was_stored_without_records_goes_when_there_are_some() {
    let server = Server::start();
    let flow = server.flow(&with(&[("a", MONDAY), ("b", OFFICE)]).canvas());
    fill(&server, &flow);
    UpsertFlow { records: Some(json!({})), ..with(&[("b", OFFICE)]) }.save(&server, &flow);
    assert_eq!(counts(&fill(&server, &flow)), [1, 2, 0, 0, 1]);
    assert_eq!(search_results(&server, &flow, "When do parcels leave the house?"), [OFFICE]);
}

#[test]
fn what_is_recorded_but_was_lost_is_stored_again() {
    let server = Server::start();
    let flow = server.flow(&UpsertFlow { records: Some(json!({})), ..with(&[("a", MONDAY)]) }.canvas());
    fill(&server, &flow);
    // As after a crash between the two writes of a removal.
    let workspace = serde_json::from_value(server.read("/auth/me")["activeWorkspaceId"].clone()).unwrap();
    let id = flowkeep::domain::ids::CollectionId::from_name("faiss", "handbook");
    server.app.store.write(|tx| collections::remove(tx, &workspace, &id)).unwrap();
    assert_eq!(counts(&fill(&server, &flow)), [0, 0, 1, 0, 1]);
    assert_eq!(search_results(&server, &flow, "When do parcels leave?"), [MONDAY]);
}

#[test]
fn cleaning_up_by_source_needs_sources() {
    let server = Server::start();
    let records = Some(json!({"cleanup": "incremental", "sourceIdKey": "page"}));
    let flow = server.flow(&UpsertFlow { records, ..with(&[("a", MONDAY)]) }.canvas());
    let failed = server.owner("POST", &format!("/vector/upsert/{flow}")).json(&json!({})).send();
    let message = failed.is_error(500);
    assert!(message.contains("SQLite Record Manager") && message.contains("'page'"), "{message}");
}
