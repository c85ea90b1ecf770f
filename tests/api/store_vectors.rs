//! The vectors of document stores (manual 10.10): chosen, upserted, searched, and asked by flows.

use crate::support::canvases::{Drawing, scripted_flow};
use crate::support::{Server, id};
use serde_json::{Value, json};

const MONDAY: &str = "Parcels leave the house on Mondays.";
const FRIDAY: &str = "Parcels leave the house on Fridays.";
const OFFICE: &str = "The office is in Oslo, near the harbour.";

fn make(server: &Server) -> String {
    id(&server.post("/document-store/store", &json!({"name": "Handbook"})))
}

fn add(server: &Server, store: &str, source: &str, text: &str) {
    let body = json!({
        "loader": {"name": "plainText", "config": {"text": text}}, "metadata": {"source": source},
        "replaceExisting": true,
    });
    server.post(&format!("/document-store/upsert/{store}"), &body);
}

fn insert(server: &Server, body: &Value) -> Value {
    server.owner("POST", "/document-store/vectorstore/insert").json(body).send().is(200).json()
}

fn hashing(store: &str) -> Value {
    json!({"storeId": store, "embeddingName": "hashingEmbeddings", "embeddingConfig": {"dimensions": "256"}})
}

fn query(server: &Server, store: &str, text: &str) -> Vec<String> {
    let body = json!({"storeId": store, "query": text});
    let answer = server.owner("POST", "/document-store/vectorstore/query").json(&body).send().is(200).json();
    assert!(answer["timeTaken"].is_u64());
    let found = answer["docs"].as_array().unwrap();
    found.iter().map(|document| document["pageContent"].as_str().unwrap().to_owned()).collect()
}

fn flow(server: &Server, store: &str) -> String {
    server.flow(&canvas_with(store))
}

/// A canvas that answers from a store.
fn canvas_with(store: &str) -> String {
    let mut drawing = Drawing::default();
    let vectors = drawing.card("documentStoreVS", json!({"selectedStore": store}));
    let model = drawing.card("chatExtractive", json!({}));
    let chain = drawing.card("retrievalQAChain", json!({"returnSourceDocuments": true}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&vectors, &chain, "vectorStoreRetriever");
    drawing.text()
}

fn counts(answer: &Value) -> [u64; 5] {
    ["numAdded", "numDeleted", "numUpdated", "numSkipped", "totalKeys"]
        .map(|name| answer[name].as_u64().unwrap())
}

#[test]
fn a_flow_answers_from_the_vectors_of_a_store() {
    let server = Server::start();
    let store = make(&server);
    add(&server, &store, "shipping.md", MONDAY);
    add(&server, &store, "office.md", OFFICE);
    assert_eq!(counts(&insert(&server, &hashing(&store))), [2, 0, 0, 0, 2]);
    assert_eq!(query(&server, &store, "When do parcels leave the house?"), [MONDAY, OFFICE]);
    let answer =
        server.ask(&flow(&server, &store), &json!({"question": "When do parcels leave?"})).is(200).json();
    assert!(answer["text"].as_str().unwrap().contains("Mondays"), "{answer}");
    assert_eq!(answer["sourceDocuments"][0]["metadata"]["source"], "shipping.md");
}

#[test]
fn filling_again_embeds_what_is_new_and_drops_what_is_gone() {
    let server = Server::start();
    let store = make(&server);
    add(&server, &store, "a", MONDAY);
    add(&server, &store, "b", OFFICE);
    insert(&server, &hashing(&store));
    add(&server, &store, "a", FRIDAY);
    assert_eq!(query(&server, &store, "When do parcels leave the house?")[0], MONDAY, "not yet filled");
    let saved = json!({ "storeId": store });
    assert_eq!(counts(&insert(&server, &saved)), [1, 1, 0, 1, 2]);
    assert_eq!(query(&server, &store, "When do parcels leave the house?"), [FRIDAY, OFFICE]);
    assert_eq!(counts(&insert(&server, &saved)), [0, 0, 0, 2, 2]);
    let flow = flow(&server, &store);
    let filled = server.owner("POST", &format!("/vector/upsert/{flow}")).json(&json!({})).send().is(200);
    assert_eq!(counts(&filled.json()), [0, 0, 0, 2, 2], "a flow fills it too");
    let mut other = hashing(&store);
    other["embeddingConfig"]["dimensions"] = "100".into();
    assert_eq!(counts(&insert(&server, &other)), [0, 0, 2, 0, 2]);
    assert_eq!(query(&server, &store, "When do parcels leave the house?"), [FRIDAY, OFFICE]);
}

/// Chunks of several pages, from several loaders.
fn add_many(server: &Server, store: &str) {
    for loader in 0..3 {
        let lines: Vec<String> =
            (0..300).map(|line| format!("Parcel {} goes to street {line}.", loader * 300 + line)).collect();
        let body = json!({
            "loader": {"name": "plainText", "config": {"text": lines.join("\n\n")}},
            "splitter": {"name": "recursiveCharacterTextSplitter", "config": {"chunkSize": 36, "chunkOverlap": 0}},
            "metadata": {"source": format!("list {loader}")},
        });
        let made = server.post(&format!("/document-store/upsert/{store}"), &body);
        assert_eq!(made["numAdded"], 300);
    }
}

#[test]
fn a_store_of_many_pages_is_filled_whole_with_each_kind_of_vector_store() {
    let server = Server::start();
    let cards = json!({"vectorStoreName": "faiss", "vectorStoreConfig": {"basePath": "many", "topK": 1}});
    let mut recorded = cards.clone();
    recorded["recordManagerName"] = "SQLiteRecordManager".into();
    recorded["recordManagerConfig"] = json!({"cleanup": "full"});
    for (cards, again) in
        [(json!({}), [0, 300, 0, 600, 600]), (cards, [600, 0, 0, 0, 600]), (recorded, [0, 300, 0, 600, 600])]
    {
        let store = make(&server);
        add_many(&server, &store);
        let mut body = hashing(&store);
        body.as_object_mut().unwrap().extend(cards.as_object().unwrap().clone());
        assert_eq!(counts(&insert(&server, &body)), [900, 0, 0, 0, 900], "{cards}");
        let asked = "Parcel 857 goes to street 257.";
        assert_eq!(query(&server, &store, asked)[0], asked, "{cards}");
        let seen = server.read(&format!("/document-store/store/{store}"));
        assert_eq!(seen["status"], "UPSERTED");
        let loader = seen["loaders"][2]["id"].as_str().unwrap();
        server.owner("DELETE", &format!("/document-store/loader/{store}/{loader}")).send().is(200);
        assert_eq!(query(&server, &store, asked)[0], asked, "not yet filled again");
        assert_eq!(counts(&insert(&server, &json!({ "storeId": store }))), again, "{cards}");
        assert_ne!(query(&server, &store, asked)[0], asked, "{cards}");
    }
}

#[test]
fn a_store_can_keep_its_vectors_with_a_vector_store_card_and_records() {
    let server = Server::start();
    let store = make(&server);
    add(&server, &store, "a", MONDAY);
    let mut body = hashing(&store);
    body["vectorStoreName"] = "faiss".into();
    body["vectorStoreConfig"] = json!({"basePath": "shared", "topK": 1});
    body["recordManagerName"] = "SQLiteRecordManager".into();
    body["recordManagerConfig"] = json!({"cleanup": "full"});
    let saved = server.owner("POST", "/document-store/vectorstore/save").json(&body).send().is(200).json();
    assert_eq!(
        saved["vectorStoreConfig"],
        json!({"name": "faiss", "config": {"basePath": "shared", "topK": 1}})
    );
    assert_eq!(counts(&insert(&server, &json!({ "storeId": store }))), [1, 0, 0, 0, 1]);
    assert_eq!(counts(&insert(&server, &json!({ "storeId": store }))), [0, 0, 0, 1, 1]);
    add(&server, &store, "b", OFFICE);
    insert(&server, &json!({ "storeId": store }));
    assert_eq!(query(&server, &store, "Where is the office?"), [OFFICE]);
}

#[test]
fn a_store_tells_its_cards_its_state_and_who_asks_it() {
    let server = Server::start();
    let store = make(&server);
    let read = || server.read(&format!("/document-store/store/{store}"));
    add(&server, &store, "a", MONDAY);
    assert_eq!((&read()["status"], &read()["embeddingConfig"]), (&json!("SYNC"), &json!(null)));
    insert(&server, &hashing(&store));
    let flow = flow(&server, &store);
    let told = read();
    assert_eq!(told["status"], "UPSERTED");
    assert_eq!(
        told["embeddingConfig"],
        json!({"name": "hashingEmbeddings", "config": {"dimensions": "256"}})
    );
    assert_eq!(told["whereUsed"][0], json!({"id": flow, "name": "Flow", "draft": false}));
    let other = server.flow(&scripted_flow());
    server
        .owner("PUT", &format!("/flow-drafts/{other}/settings"))
        .json(&json!({"publishInstantly": false}))
        .send()
        .is(200);
    let draft = json!({"flowData": canvas_with(&store)});
    server.owner("PUT", &format!("/flow-drafts/{other}")).json(&draft).send().is(200);
    let used = read()["whereUsed"].clone();
    let of_other = used.as_array().unwrap().iter().find(|one| one["id"] == other.as_str());
    assert_eq!(of_other.map(|one| &one["draft"]), Some(&json!(true)), "{used}");
    add(&server, &store, "b", OFFICE);
    assert_eq!(read()["status"], "SYNC", "the new chunk has no vector yet");
}

#[test]
fn a_store_says_since_when_its_vectors_have_what_it_holds() {
    let server = Server::start();
    let store = make(&server);
    let read = || {
        let told = server.read(&format!("/document-store/store/{store}"));
        (told["status"].clone(), told["filledDate"].clone())
    };
    add(&server, &store, "a", MONDAY);
    assert_eq!(read(), (json!("SYNC"), Value::Null), "never");
    insert(&server, &hashing(&store));
    let (status, filled) = read();
    assert!(status == "UPSERTED" && filled.is_string(), "{status} {filled}");
    let save = |cards: &Value| server.post("/document-store/vectorstore/save", cards);
    save(&hashing(&store));
    assert_eq!(read(), (json!("UPSERTED"), filled.clone()), "they are the cards that it has");
    add(&server, &store, "b", OFFICE);
    assert_eq!(read(), (json!("SYNC"), filled), "its chunks are others now");
    let mut others = hashing(&store);
    others["embeddingConfig"] = json!({"dimensions": "512"});
    save(&others);
    assert_eq!(read(), (json!("SYNC"), Value::Null), "its embeddings are others now");
}

#[test]
fn vectors_go_with_their_store() {
    let server = Server::start();
    let store = make(&server);
    add(&server, &store, "a", MONDAY);
    insert(&server, &hashing(&store));
    let flow = flow(&server, &store);
    server.owner("DELETE", &format!("/document-store/vectorstore/{store}")).send().is(200);
    let question = json!({"question": "When?"});
    assert!(server.ask(&flow, &question).is_error(500).contains("Document Store (Vector)"));
    insert(&server, &hashing(&store));
    server.ask(&flow, &question).is(200);
    server.owner("DELETE", &format!("/document-store/store/{store}?force=true")).send().is(200);
    let message = server.ask(&flow, &question).is_error(500);
    assert!(message.contains("does not exist in this workspace"), "{message}");
    let body = json!({"storeId": store, "query": "When?"});
    server.owner("POST", "/document-store/vectorstore/query").json(&body).send().is_error(404);
}

#[test]
fn a_store_without_vectors_says_what_to_do() {
    let server = Server::start();
    let store = make(&server);
    let body = json!({"storeId": store, "query": "When?"});
    let message = server.owner("POST", "/document-store/vectorstore/query").json(&body).send().is_error(400);
    assert!(message.contains("No embeddings were chosen"), "{message}");
    server.owner("POST", "/document-store/vectorstore/save").json(&hashing(&store)).send().is(200);
    let message = server.owner("POST", "/document-store/vectorstore/query").json(&body).send().is_error(500);
    assert!(message.contains("fill the store first"), "{message}");
}

#[test]
fn a_store_that_was_filled_with_other_embeddings_says_so_by_its_name() {
    let server = Server::start();
    let store = make(&server);
    add(&server, &store, "a", "Parcels leave on Mondays.");
    insert(&server, &hashing(&store));
    let mut other = hashing(&store);
    other["embeddingConfig"]["dimensions"] = json!("64");
    server.owner("POST", "/document-store/vectorstore/save").json(&other).send().is(200);
    let body = json!({"storeId": store, "query": "When?"});
    let message = server.owner("POST", "/document-store/vectorstore/query").json(&body).send().is_error(500);
    assert!(message.contains("'Handbook' was filled with other embeddings; fill it again"), "{message}");
    insert(&server, &other);
    server.owner("POST", "/document-store/vectorstore/query").json(&body).send().is(200);
}

#[test]
fn cards_a_store_cannot_have_are_refused() {
    let server = Server::start();
    let store = make(&server);
    for (name, value, status) in [
        ("embeddingName", json!("chatOpenAI"), 400),
        ("embeddingName", json!("nothing"), 400),
        ("embeddingName", json!(""), 400),
        ("embeddingName", json!(7), 400),
        ("embeddingConfig", json!("x"), 400),
        ("vectorStoreName", json!("documentStoreVS"), 400),
        ("vectorStoreName", json!("hashingEmbeddings"), 400),
        ("recordManagerName", json!("faiss"), 400),
        ("storeId", json!("x"), 404),
        ("storeId", json!("6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e"), 404),
    ] {
        let mut body = hashing(&store);
        body[name] = value.clone();
        for route in ["save", "insert"] {
            let path = format!("/document-store/vectorstore/{route}");
            let answer = server.owner("POST", &path).json(&body).send();
            // Without a card that is named, what was saved is inserted, and nothing was.
            assert_eq!(answer.status, status, "{route} {name} {value}");
        }
    }
    let missing = json!({"storeId": "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e"});
    server
        .owner("DELETE", "/document-store/vectorstore/6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e")
        .send()
        .is_error(404);
    server.owner("POST", "/document-store/vectorstore/insert").json(&missing).send().is_error(404);
}
