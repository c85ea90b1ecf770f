//! Cards named by a request that upserts into a document store, and a model that describes one (manual 10.9).

use crate::support::provider::Provider;
use crate::support::{Server, id};
use serde_json::{Value, json};

const MONDAY: &str = "Parcels leave the house on Mondays.";
const OFFICE: &str = "The office is in Oslo, near the harbour.";

fn make(server: &Server) -> String {
    id(&server.post("/document-store/store", &json!({"name": "Handbook", "description": "For all of us"})))
}

fn text(text: &str) -> Value {
    json!({"loader": {"name": "plainText", "config": {"text": text}}})
}

fn with(mut body: Value, more: &Value) -> Value {
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

fn hashing() -> Value {
    json!({"embedding": {"name": "hashingEmbeddings", "config": {"dimensions": "256"}}})
}

fn nearest(server: &Server, store: &str, text: &str) -> String {
    let body = json!({"storeId": store, "query": text});
    let answer = server.owner("POST", "/document-store/vectorstore/query").json(&body).send().is(200).json();
    answer["docs"][0]["pageContent"].as_str().unwrap().to_owned()
}

#[test]
fn an_upsert_that_names_embeddings_stores_vectors_too() {
    let server = Server::start();
    let store = make(&server);
    let path = format!("/document-store/upsert/{store}");
    let counts = server.post(&path, &with(text(MONDAY), &hashing()));
    assert_eq!((&counts["numAdded"], &counts["totalKeys"]), (&json!(1), &json!(1)));
    assert!(counts["docId"].is_string() && counts.get("addedDocs").is_none(), "{counts}");
    let shown = server.read(&format!("/document-store/store/{store}"));
    assert_eq!(shown["status"], "UPSERTED");
    assert_eq!(shown["embeddingConfig"]["name"], "hashingEmbeddings");
    // The embeddings stay, and as JSON text an object is read too.
    let faiss = json!({"vectorStore": json!({"name": "faiss", "config": {"topK": 1}}).to_string(),
        "recordManager": {"name": "SQLiteRecordManager", "config": {"cleanup": "full"}}});
    let counts = server.post(&path, &with(text(OFFICE), &faiss));
    assert_eq!((&counts["numAdded"], &counts["totalKeys"]), (&json!(2), &json!(2)), "in another place");
    assert_eq!(nearest(&server, &store, "Where is the office?"), OFFICE);
    let shown = server.read(&format!("/document-store/store/{store}"));
    assert_eq!(shown["embeddingConfig"]["config"]["dimensions"], "256");
    assert_eq!(shown["recordManagerConfig"]["name"], "SQLiteRecordManager");
    let plain = server.post(&path, &text("More."));
    assert_eq!(plain["totalKeys"], 3, "chunks alone");
    assert_ne!(server.read(&format!("/document-store/store/{store}"))["status"], "UPSERTED");
}

#[test]
fn a_new_store_is_made_with_its_vectors_or_not_at_all() {
    let server = Server::start();
    let any = "00000000-0000-4000-8000-000000000000";
    let path = format!("/document-store/upsert/{any}");
    let new = json!({"createNewDocStore": true, "docStore": {"name": "Fresh"}});
    let made = server.post(&path, &with(with(text(MONDAY), &hashing()), &new));
    assert_eq!(nearest(&server, made["storeId"].as_str().unwrap(), "parcels"), MONDAY);
    let gone = json!({"embedding": {"name": "openAIEmbeddings", "config": {"credential": any}}});
    let failed = server.owner("POST", &path).json(&with(with(text(MONDAY), &gone), &new)).send();
    assert!(failed.is_error(500).contains("credential"), "{failed:?}");
    assert_eq!(server.read("/document-store/store").as_array().unwrap().len(), 1);
}

#[test]
fn cards_of_a_request_are_judged_as_saved_ones() {
    let server = Server::start();
    let store = make(&server);
    let path = format!("/document-store/upsert/{store}");
    let send = |body: &Value| server.owner("POST", &path).json(&with(text(MONDAY), body)).send();
    for (body, expected) in [
        (json!({"vectorStore": {"name": "faiss"}}), "embedding"),
        (json!({"embedding": {"name": "chatOpenAI"}}), "embeddingName"),
        (json!({"embedding": {"config": {}}}), "embedding"),
        (with(hashing(), &json!({"vectorStore": {"name": "documentStoreVS"}})), "vectorStoreName"),
        (with(hashing(), &json!({"recordManager": {"name": "faiss"}})), "recordManagerName"),
    ] {
        let message = send(&body).is_error(400);
        assert!(message.contains(expected), "{body}: {message}");
    }
    assert_eq!(
        server.read(&format!("/document-store/store/{store}"))["totalChunks"],
        0,
        "nothing was stored"
    );
    let key = server.key(&["documentStores:update", "documentStores:view"]);
    let key = key["apiKey"].as_str().unwrap();
    let call = || server.call("POST", &path).bearer(key);
    call().json(&with(text(MONDAY), &hashing())).send().is_error(403);
    call().json(&text(MONDAY)).send().is(200);
}

#[test]
fn a_credential_of_another_type_is_refused_by_name() {
    let (server, provider) = (Server::start(), Provider::start());
    let store = make(&server);
    let body = json!({"name": "c", "credentialName": "githubApi", "plainDataObj": {"accessToken": "ghp-x"}});
    let credential = id(&server.post("/credentials", &body));
    let config = json!({"basepath": format!("{}/v1", provider.base_url()), "credential": credential});
    let wrong = json!({"embedding": {"name": "openAIEmbeddings", "config": config}});
    let path = format!("/document-store/upsert/{store}");
    let message = server.owner("POST", &path).json(&with(text(MONDAY), &wrong)).send().is_error(500);
    assert!(message.contains("of the type Github API; select one of the type OpenAI API"), "{message}");
    assert_eq!(provider.served_count(), 0);
}

#[test]
fn a_model_describes_a_store_as_a_tool() {
    let (server, provider) = (Server::start(), Provider::start());
    let store = make(&server);
    let path = format!("/document-store/generate-tool-desc/{store}");
    let scripted =
        json!({"selectedChatModel": {"name": "chatScripted", "inputs": {"fallback": " {question} "}}});
    let empty = server.owner("POST", &path).json(&scripted).send().is_error(400);
    assert!(empty.contains("no chunks"), "{empty}");
    server.post(&format!("/document-store/upsert/{store}"), &text(MONDAY));
    let seen = server.post(&path, &scripted)["content"].as_str().unwrap().to_owned();
    assert!(seen.contains("Handbook") && seen.contains("For all of us") && seen.contains(MONDAY), "{seen}");
    let body = json!({"name": "c", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "sk-x"}});
    let credential = id(&server.post("/credentials", &body));
    let inputs =
        json!({"basepath": format!("{}/v1", provider.base_url()), "FLOWISE_CREDENTIAL_ID": credential});
    let asked = json!({"selectedChatModel": {"name": "chatOpenAI", "inputs": inputs}});
    assert!(!server.post(&path, &asked)["content"].as_str().unwrap().is_empty());
    let request = provider.last_request();
    assert_eq!(request.header("authorization"), Some("Bearer sk-x"));
    assert_eq!(request.body["messages"][0]["role"], "system");
    for wrong in [json!({"name": "faiss"}), json!({"name": "nobody"}), json!({"name": ""})] {
        let body = json!({ "selectedChatModel": wrong });
        server.owner("POST", &path).json(&body).send().is_error(400);
    }
}
