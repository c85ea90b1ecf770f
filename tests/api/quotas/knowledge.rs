//! Chunks, their characters, and vectors.

use super::{admitted, bound, tells, used};
use crate::support::{Answer, Server, id};
use serde_json::{Value, json};

pub fn make(server: &Server) -> String {
    id(&server.post("/document-store/store", &json!({"name": "Handbook"})))
}

/// Adds a text that is one chunk.
fn add(server: &Server, store: &str, source: &str, text: &str) -> Answer {
    let body = json!({
        "loader": {"name": "plainText", "config": {"text": text}}, "metadata": {"source": source},
        "replaceExisting": true,
    });
    server.owner("POST", &format!("/document-store/upsert/{store}")).json(&body).send()
}

fn totals(server: &Server, store: &str) -> [Value; 3] {
    let read = server.read(&format!("/document-store/store/{store}"));
    [&read["totalChunks"], &read["totalChars"], &read["loaders"]].map(Clone::clone)
}

#[test]
fn chunks_of_all_stores_count_together_and_what_is_replaced_takes_no_room() {
    let server = Server::start();
    let (one, other) = (make(&server), make(&server));
    bound(&server, &json!({"chunks": 2}));
    add(&server, &one, "a", "Parcels leave on Mondays.").is(200);
    add(&server, &other, "b", "The office is in Oslo.").is(200);
    let before = totals(&server, &one);
    tells(&add(&server, &one, "c", "One more.").is_error(409), "chunks", 2, 2);
    assert_eq!(totals(&server, &one), before, "nothing of it is there");
    add(&server, &one, "a", "Parcels leave on Fridays.").is(200);
    assert_eq!(used(&server, "chunks"), 2);
    server.owner("DELETE", &format!("/document-store/store/{other}")).send().is(200);
    add(&server, &one, "c", "One more.").is(200);
}

#[test]
fn characters_are_bounded_when_a_chunk_is_edited_too() {
    let server = Server::start();
    let store = make(&server);
    bound(&server, &json!({"characters": 20}));
    add(&server, &store, "a", "0123456789").is(200);
    tells(&add(&server, &store, "b", "0123456789a").is_error(409), "characters", 20, 10);
    let page = server.read(&format!("/document-store/chunks/{store}/all/1"));
    let chunk = &page["chunks"][0];
    let (loader, chunk) = (chunk["docId"].as_str().unwrap(), id(chunk));
    let edit = |text: &str| {
        let path = format!("/document-store/chunks/{store}/{loader}/{chunk}");
        server.owner("PUT", &path).json(&json!({ "pageContent": text })).send()
    };
    tells(&edit(&"x".repeat(21)).is_error(409), "characters", 20, 10);
    edit(&"x".repeat(20)).is(200);
    assert_eq!(used(&server, "characters"), 20);
}

#[test]
fn chunks_that_race_do_not_overrun_a_quota() {
    let server = Server::start();
    let stores = [make(&server), make(&server)];
    bound(&server, &json!({"chunks": 3}));
    let let_in = admitted(12, 409, |number| {
        add(&server, &stores[number % 2], &number.to_string(), "Parcels leave on Mondays.").status
    });
    assert_eq!((let_in, used(&server, "chunks")), (3, 3));
}

#[test]
fn vectors_beyond_the_quota_are_refused_and_those_that_were_there_stay() {
    let server = Server::start();
    let store = make(&server);
    add(&server, &store, "a", "Parcels leave on Mondays.").is(200);
    bound(&server, &json!({"vectors": 1}));
    let fill = || {
        let body = json!({"storeId": store, "embeddingName": "hashingEmbeddings",
            "embeddingConfig": {"dimensions": "256"}});
        server.owner("POST", "/document-store/vectorstore/insert").json(&body).send()
    };
    fill().is(200);
    add(&server, &store, "b", "The office is in Oslo.").is(200);
    tells(&fill().is_error(409), "vectors", 1, 1);
    let query = json!({"storeId": store, "query": "When do parcels leave?"});
    let found = server.owner("POST", "/document-store/vectorstore/query").json(&query).send().is(200).json();
    assert_eq!(found["docs"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(used(&server, "vectors"), 1);
    bound(&server, &json!({"vectors": 2}));
    fill().is(200);
    assert_eq!(used(&server, "vectors"), 2);
}
