//! Vector stores on other servers, before a stand-in that keeps what it is sent (manual 10.4).

pub(crate) mod conversations;
pub mod peculiarities;
pub mod stand_in;

use crate::embeddings::request_text;
use crate::remote_vector_stores::stand_in::DatabaseStandIn;
use crate::support::canvases::{Drawing, SECRET};
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use crate::support::{Server, golden, id};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;

const MONDAY: &str = "Parcels leave the house on Mondays.";
const FRIDAY: &str = "Parcels leave the house on Fridays.";
const OFFICE: &str = "The office is in Oslo, near the harbour.";
const QUESTION: &str = "When do parcels leave the house?";

const CARDS: [&str; 9] = [
    "qdrant",
    "chroma",
    "pinecone",
    "elasticsearch",
    "openSearch",
    "weaviate",
    "meilisearch",
    "milvus",
    "supabase",
];
/// Those that a record manager can be wired into.
const RECORDED: [&str; 6] = ["qdrant", "chroma", "pinecone", "elasticsearch", "weaviate", "supabase"];

/// A service with a database beside it.
struct Fixture {
    server: Server,
    provider: Provider,
    kept: Arc<DatabaseStandIn>,
    card: &'static str,
}

impl Fixture {
    fn open(card: &'static str) -> Self {
        let (provider, kept) = (Provider::start(), Arc::new(DatabaseStandIn::new(card)));
        kept.serve(&provider);
        Self { server: Server::start(), provider, kept, card }
    }

    /// The store's inputs, its credential and the name of its filter.
    fn settings(&self) -> (Value, &'static str, Value, &'static str) {
        let base = self.provider.base_url();
        match self.card {
            "qdrant" => (
                json!({"qdrantServerUrl": base, "qdrantCollection": "our books"}),
                "qdrantApi",
                json!({"qdrantApiKey": SECRET}),
                "qdrantFilter",
            ),
            "chroma" => (
                json!({"chromaURL": base, "collectionName": "books"}),
                "chromaApi",
                json!({"chromaApiKey": SECRET, "chromaTenant": "", "chromaDatabase": "ours"}),
                "chromaMetadataFilter",
            ),
            "elasticsearch" => (
                json!({"indexName": "books"}),
                "elasticsearchApi",
                json!({"endpoint": base, "apiKey": SECRET}),
                "",
            ),
            "openSearch" => (
                json!({"indexName": "books"}),
                "openSearchUrl",
                json!({"openSearchUrl": base.replace("://", &format!("://ada:{SECRET}@"))}),
                "",
            ),
            "weaviate" => (
                json!({"weaviateConnectionType": "local", "weaviateHost": base.replace("http://", ""),
                    "weaviateIndex": "books"}),
                "weaviateApi",
                json!({"weaviateApiKey": SECRET}),
                "weaviateFilter",
            ),
            "meilisearch" => (
                json!({"host": base, "indexUid": "books"}),
                "meilisearchApi",
                json!({"meilisearchSearchApiKey": SECRET, "meilisearchAdminApiKey": SECRET}),
                "searchFilter",
            ),
            "milvus" => (
                json!({"milvusServerUrl": base, "milvusCollection": "books"}),
                "milvusAuth",
                json!({"milvusUser": "root", "milvusPassword": SECRET}),
                "milvusFilter",
            ),
            "supabase" => (
                json!({"supabaseProjUrl": base, "tableName": "documents", "queryName": "match_documents"}),
                "supabaseApi",
                json!({"supabaseApiKey": SECRET}),
                "supabaseMetadataFilter",
            ),
            _ => (
                json!({"basepath": base, "pineconeIndex": "books", "pineconeNamespace": "ours"}),
                "pineconeApi",
                json!({"pineconeApiKey": SECRET}),
                "pineconeMetadataFilter",
            ),
        }
    }

    /// A filter by metadata as the card takes it.
    fn in_words(&self, wanted: &Value) -> String {
        let joined = |prefix: &str, is: &str, and: &str| {
            let all = wanted.as_object().unwrap().iter();
            all.map(|(key, value)| format!("{prefix}{key} {is} {value}")).collect::<Vec<_>>().join(and)
        };
        match self.card {
            "milvus" => joined("", "==", " and "),
            "meilisearch" => joined("metadata.", "=", " AND "),
            _ => wanted.to_string(),
        }
    }

    /// A flow that answers from these texts; `more` are further inputs of the store.
    fn canvas(&self, texts: &[(&str, &str)], records: bool, more: &Value) -> String {
        let mut drawing = Drawing::default();
        let (mut inputs, kind, fields, _) = self.settings();
        inputs[if self.card == "meilisearch" { "K" } else { "topK" }] = json!("2");
        inputs.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        let store = drawing.card(self.card, inputs);
        let body = json!({"name": "stand-in", "credentialName": kind, "plainDataObj": fields});
        drawing.credential(&store, &id(&self.server.post("/credentials", &body)));
        for (source, text) in texts {
            let metadata = json!({"source": source, "year": 2024, "loc": {"line": 1}});
            let loader = drawing.card("plainText", json!({"text": text, "metadata": metadata}));
            drawing.wire(&loader, &store, "document");
        }
        if records {
            let records = drawing.card("SQLiteRecordManager", json!({"cleanup": "incremental"}));
            drawing.wire(&records, &store, "recordManager");
        }
        drawing.answer_with_chunks(&store, json!({"dimensions": "16"}));
        drawing.text()
    }

    fn save(&self, flow: &str, canvas: &str) {
        self.server
            .owner("PUT", &format!("/chatflows/{flow}"))
            .json(&json!({ "flowData": canvas }))
            .send()
            .is(200);
    }

    fn fill(&self, flow: &str) -> Value {
        let call = self.server.owner("POST", &format!("/vector/upsert/{flow}"));
        call.json(&json!({})).send().is(200).json()
    }

    fn search_results(&self, flow: &str) -> Vec<Value> {
        let answer = self.server.ask(flow, &json!({ "question": QUESTION })).is(200).json();
        answer["sourceDocuments"].as_array().cloned().unwrap_or_default()
    }
}

/// A request with its vectors as their lengths.
fn without_vectors(request: &RecordedRequest) -> String {
    fn shorten(value: &Value) -> Value {
        match value {
            Value::Array(list) if list.len() == 16 && list.iter().all(Value::is_number) => {
                json!("16 numbers")
            }
            Value::Array(list) => list.iter().map(shorten).collect(),
            Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), shorten(value))).collect(),
            Value::String(text) => match text.split_once("vector: [") {
                Some((before, rest)) => {
                    json!(format!("{before}vector: 16 numbers{}", rest.split_once(']').unwrap().1))
                }
                None => value.clone(),
            },
            other => other.clone(),
        }
    }
    let lines = request.bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let lines: Option<Vec<Value>> = lines.map(|line| serde_json::from_slice(line).ok()).collect();
    let body = lines.filter(|lines| !lines.is_empty()).map_or_else(|| request.body.clone(), Value::Array);
    request_text(&RecordedRequest { body: shorten(&body), ..request.clone() })
}

#[test]
fn chunks_are_stored_and_found_again() {
    let mut sent = String::new();
    for card in CARDS {
        let house = Fixture::open(card);
        let flow = house.server.flow(&house.canvas(&[("a", MONDAY), ("b", OFFICE)], false, &json!({})));
        assert_eq!(house.fill(&flow)["numAdded"], 2, "{card}");
        let found = house.search_results(&flow);
        assert_eq!(found[0]["pageContent"], MONDAY, "{card}: {found:?}");
        let metadata = &found[0]["metadata"];
        assert_eq!((&metadata["source"], &metadata["year"]), (&json!("a"), &json!(2024)), "{card}");
        house.fill(&flow);
        assert_eq!(house.kept.len(), 2, "{card}: filling it again changes nothing");
        writeln!(sent, "== {card}").unwrap();
        house.provider.requests().iter().take(6).for_each(|request| sent.push_str(&without_vectors(request)));
    }
    golden::check("databases_sent.txt", &sent);
}

#[test]
fn a_record_manager_stores_and_removes_what_changed() {
    for card in RECORDED {
        let house = Fixture::open(card);
        let flow = house.server.flow(&house.canvas(&[("a", MONDAY), ("b", OFFICE)], true, &json!({})));
        assert_eq!(house.fill(&flow)["numAdded"], 2, "{card}");
        house.save(&flow, &house.canvas(&[("a", FRIDAY), ("b", OFFICE)], true, &json!({})));
        let filled = house.fill(&flow);
        let counts = ["numAdded", "numDeleted", "numSkipped"].map(|name| filled[name].as_u64().unwrap());
        assert_eq!((counts, house.kept.len()), ([1, 1, 1], 2), "{card}");
        assert_eq!(house.search_results(&flow)[0]["pageContent"], FRIDAY, "{card}");
    }
}

#[test]
fn the_owners_filter_and_that_of_a_search_must_both_hold() {
    for card in CARDS.into_iter().filter(|card| !["elasticsearch", "openSearch"].contains(card)) {
        let house = Fixture::open(card);
        let texts = [("a", MONDAY), ("b", FRIDAY), ("c", OFFICE)];
        let flow = house.server.flow(&house.canvas(&texts, false, &json!({})));
        house.fill(&flow);
        let (.., filter) = house.settings();
        for (wanted, expected) in [
            (json!({"source": "c"}), &["c"][..]),
            (json!({"source": "b", "year": 2024}), &["b"]),
            (json!({"source": "b", "year": 1}), &[]),
        ] {
            let more = json!({ filter: house.in_words(&wanted) });
            house.save(&flow, &house.canvas(&texts, false, &more));
            let found = house.search_results(&flow);
            let sources: Vec<&str> =
                found.iter().map(|found| found["metadata"]["source"].as_str().unwrap()).collect();
            assert_eq!(sources, expected, "{card} {wanted}");
        }
    }
}

#[test]
fn a_database_that_fails_is_named_and_its_key_is_not() {
    for card in CARDS {
        let house = Fixture::open(card);
        let flow = house.server.flow(&house.canvas(&[("a", MONDAY)], false, &json!({})));
        let label = flowkeep::cards::registry::find(card).unwrap().label;
        for (behaviour, says) in [
            (
                Behaviour::status(500, &format!(r#"{{"message":"key {SECRET} broke"}}"#)),
                "answered 500: key [secret hidden] broke",
            ),
            (Behaviour::status(403, "{}"), "refused the API key"),
            (Behaviour::status(200, "<html>"), "could not be read"),
        ] {
            house.provider.set_decision(move |_| behaviour.clone());
            let answer = house.server.ask(&flow, &json!({ "question": QUESTION }));
            let text = answer.text();
            assert!(text.contains(label) && text.contains(says) && !text.contains(SECRET), "{card}: {text}");
        }
    }
}

#[test]
fn chunks_go_in_batches_as_large_as_the_owner_says() {
    let house = Fixture::open("qdrant");
    let texts = [("a", MONDAY), ("b", FRIDAY), ("c", OFFICE)];
    let flow = house.server.flow(&house.canvas(&texts, false, &json!({"batchSize": "2"})));
    house.fill(&flow);
    let requests = house.provider.requests();
    let sent = requests.iter().filter_map(|request| request.body["points"].as_array());
    assert_eq!(sent.map(Vec::len).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn vectors_of_another_length_than_the_index_are_told_before_any_is_sent() {
    let house = Fixture::open("pinecone");
    let canvas = house
        .canvas(&[("a", MONDAY)], false, &json!({}))
        .replace(r#""dimensions":"16""#, r#""dimensions":"32""#);
    let flow = house.server.flow(&canvas);
    let answer = house.server.owner("POST", &format!("/vector/upsert/{flow}")).json(&json!({})).send();
    assert!(answer.text().contains("vectors of 16 numbers") && house.kept.len() == 0, "{}", answer.text());
}

#[test]
fn a_name_that_a_question_writes_leads_to_no_other_place() {
    let house = Fixture::open("qdrant");
    let canvas = house.canvas(&[("a", MONDAY)], false, &json!({"qdrantCollection": "{{question}}"}));
    let flow = house.server.flow(&canvas);
    for question in ["../../telemetry", "a/points/delete?x=", "b%2Fc"] {
        house.server.ask(&flow, &json!({ "question": question }));
        let path = house.provider.last_request().path;
        assert!(path.starts_with("/collections/") && path.matches('/').count() == 4, "{path}");
    }
    let text = house.server.ask(&flow, &json!({"question": ".."})).text();
    assert!(text.contains("Qdrant Collection Name: this must be a name"), "{text}");
}
