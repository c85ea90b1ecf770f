//! Upserts into vector stores over HTTP, and the list of them (manual 10.5).

use crate::support::canvases::Drawing;
use crate::support::form::Form;
use crate::support::{Server, id};
use serde_json::{Value, json};

const COUNTS: [&str; 6] = ["numAdded", "numDeleted", "numUpdated", "numSkipped", "totalKeys", "addedDocs"];

/// One loader, `stores` in-memory stores it is wired into, and no chain: an upsert needs no answer.
fn canvas(stores: usize) -> String {
    let mut drawing = Drawing::default();
    let loader = drawing
        .card("plainText", json!({"text": "Parcels leave on Mondays.", "metadata": "{\"source\": \"a\"}"}));
    let embeddings = drawing.card("hashingEmbeddings", json!({}));
    for _ in 0..stores {
        let store = drawing.card("memoryVectorStore", json!({}));
        drawing.wire(&loader, &store, "document");
        drawing.wire(&embeddings, &store, "embeddings");
    }
    drawing.text()
}

fn fill(server: &Server, flow: &str, body: &Value) -> Value {
    server.owner("POST", &format!("/vector/upsert/{flow}")).json(body).send().is(200).json()
}

fn history(server: &Server, flow: &str) -> Vec<Value> {
    server.read(&format!("/upsert-history/{flow}")).as_array().unwrap().clone()
}

fn key(server: &Server, permissions: &[&str]) -> (String, String) {
    let made = server.key(permissions);
    (id(&made), made["apiKey"].as_str().unwrap().to_owned())
}

#[test]
fn filling_counts_what_was_added() {
    let server = Server::start();
    let flow = server.flow(&canvas(1));
    for path in ["upsert", "internal-upsert"] {
        let call = server.owner("POST", &format!("/vector/{path}/{flow}"));
        let answer = call.json(&json!({})).send().is(200).json();
        let mut names: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
        names.sort_unstable();
        let mut expected = COUNTS;
        expected.sort_unstable();
        assert_eq!(names, expected);
        assert_eq!((&answer["numAdded"], &answer["numDeleted"]), (&json!(1), &json!(0)));
        let chunk = json!([{"pageContent": "Parcels leave on Mondays.", "metadata": {"source": "a"}}]);
        assert_eq!(answer["addedDocs"], chunk);
    }
}

#[test]
fn one_of_several_stores_must_be_named() {
    let server = Server::start();
    let flow = server.flow(&canvas(2));
    let path = format!("/vector/upsert/{flow}");
    let message = server.owner("POST", &path).json(&json!({})).send().is_error(400);
    assert!(message.contains("memoryVectorStore_0, memoryVectorStore_1"), "{message}");
    assert_eq!(fill(&server, &flow, &json!({"stopNodeId": "memoryVectorStore_1"}))["numAdded"], 1);
    for wrong in ["plainText_0", "nothing"] {
        server.owner("POST", &path).json(&json!({"stopNodeId": wrong})).send().is_error(400);
    }
    let none = server.flow(&canvas(0));
    server.owner("POST", &format!("/vector/upsert/{none}")).json(&json!({})).send().is_error(404);
}

#[test]
fn a_filling_takes_the_overrides_its_owner_listed_and_no_others() {
    let server = Server::start();
    let listed = json!({"overrideConfig": {"status": true, "nodes": {"Plain Text": [
        {"label": "Text", "name": "text", "type": "string", "enabled": true}]}}});
    let flow = server.flow_with(&canvas(1), &json!({"apiConfig": listed.to_string()}));
    let sent = json!({"overrideConfig": {"text": "Sent along.", "metadata": {"source": "b"}}});
    let added = fill(&server, &flow, &sent)["addedDocs"].clone();
    assert_eq!(added, json!([{"pageContent": "Sent along.", "metadata": {"source": "a"}}]));
    let form = Form::default().field("text", "From a form.");
    let answer = server.owner("POST", &format!("/vector/upsert/{flow}")).form(&form).send().is(200).json();
    assert_eq!(answer["addedDocs"][0]["pageContent"], "From a form.");
    let closed = server.flow(&canvas(1));
    let added = fill(&server, &closed, &sent)["addedDocs"].clone();
    assert_eq!(added[0]["pageContent"], "Parcels leave on Mondays.");
}

#[test]
fn an_open_flow_is_filled_only_by_those_who_may_change_it() {
    let server = Server::start();
    let flow = server.flow(&canvas(1));
    let path = format!("/vector/upsert/{flow}");
    server.call("POST", &path).json(&json!({})).send().is_error(401);
    server.call("POST", &path).bearer("fk_wrong").json(&json!({})).send().is_error(401);
    let (_, viewer) = key(&server, &["chatflows:view"]);
    server.call("POST", &path).bearer(&viewer).json(&json!({})).send().is_error(403);
    let (_, writer) = key(&server, &["chatflows:update"]);
    server.call("POST", &path).bearer(&writer).json(&json!({})).send().is(200);
    let internal = format!("/vector/internal-upsert/{flow}");
    server.call("POST", &internal).json(&json!({})).send().is_error(401);
    server.call("POST", &internal).bearer(&viewer).json(&json!({})).send().is_error(403);
    assert_eq!(history(&server, &flow).len(), 1, "a refused filling leaves nothing");
}

#[test]
fn a_bound_flow_is_filled_with_its_key() {
    let server = Server::start();
    let (bound, value) = key(&server, &["chatflows:view"]);
    let flow = server.flow_with(&canvas(1), &json!({"apikeyid": bound}));
    let path = format!("/vector/upsert/{flow}");
    server.call("POST", &path).json(&json!({})).send().is_error(401);
    server.call("POST", &path).bearer(&value).json(&json!({})).send().is(200);
    let (_, other) = key(&server, &["chatflows:view"]);
    server.call("POST", &path).bearer(&other).json(&json!({})).send().is_error(403);
}

#[test]
fn a_page_that_the_flow_does_not_list_fills_nothing() {
    let server = Server::start();
    let listed = json!({"allowedOrigins": ["https://good.example"]}).to_string();
    let flow = server.flow_with(&canvas(1), &json!({"chatbotConfig": listed}));
    let (_, writer) = key(&server, &["chatflows:update"]);
    let from = |page: &str| {
        let call = server.call("POST", &format!("/vector/upsert/{flow}")).bearer(&writer);
        call.header("Origin", page).json(&json!({})).send()
    };
    from("https://good.example").is(200);
    from("https://bad.example").is_error(403);
}

#[test]
fn bad_requests_to_fill_are_refused() {
    let server = Server::start();
    let flow = server.flow(&canvas(1));
    let path = format!("/vector/upsert/{flow}");
    for body in [json!({"stopNodeId": 7}), json!({"overrideConfig": "x"}), json!([]), json!("x")] {
        server.owner("POST", &path).json(&body).send().is_error(400);
    }
    let form = Form::default().file("a.txt", "text/plain", b"hello");
    server.owner("POST", &path).form(&form).send().is_error(403);
    for odd in ["x", "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e"] {
        server.owner("POST", &format!("/vector/upsert/{odd}")).json(&json!({})).send().is_error(404);
        server.owner("GET", &format!("/upsert-history/{odd}")).send().is_error(404);
    }
    assert!(history(&server, &flow).is_empty());
}

#[test]
fn fillings_are_listed_and_entries_deleted() {
    let server = Server::start();
    let flow = server.flow(&canvas(1));
    let path = "/upsert-history";
    fill(&server, &flow, &json!({}));
    fill(&server, &flow, &json!({}));
    let listed = history(&server, &flow);
    assert_eq!(listed.len(), 2);
    let first = &listed[0];
    assert_eq!((&first["chatflowid"], &first["result"]["numAdded"]), (&json!(flow), &json!(1)));
    assert_eq!(first["flowData"]["nodes"].as_array().unwrap().len(), 3, "{first}");
    assert!(!first.to_string().contains("dimensions"), "no settings: {first}");
    let newest = server.read(&format!("/upsert-history/{flow}?order=DESC"));
    assert_eq!(newest[0]["id"], listed[1]["id"]);
    let later = server.read(&format!("/upsert-history/{flow}?startDate=2999-01-01T00:00:00Z"));
    assert_eq!(later, json!([]));
    server.owner("GET", &format!("/upsert-history/{flow}?startDate=yesterday")).send().is_error(400);
    server.owner("PATCH", path).json(&json!({"ids": []})).send().is_error(400);
    server.owner("PATCH", path).json(&json!({"ids": ["x"]})).send().is_error(404);
    let unknown = json!({"ids": [first["id"], "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e"]});
    server.owner("PATCH", path).json(&unknown).send().is_error(404);
    assert_eq!(history(&server, &flow).len(), 2, "all of them or none");
    let gone = server.owner("PATCH", path).json(&json!({"ids": [first["id"]]})).send().is(200).json();
    assert_eq!(gone["affected"], 1);
    assert_eq!(history(&server, &flow), [listed[1].clone()]);
}

#[test]
fn only_the_newest_fillings_are_remembered() {
    let server = Server::start();
    let flow = server.flow(&canvas(1));
    fill(&server, &flow, &json!({}));
    let first = history(&server, &flow)[0]["id"].clone();
    for _ in 0..100 {
        fill(&server, &flow, &json!({}));
    }
    let listed = history(&server, &flow);
    assert_eq!(listed.len(), 100);
    assert!(listed.iter().all(|filling| filling["id"] != first));
}
