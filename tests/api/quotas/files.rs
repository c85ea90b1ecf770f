//! Bytes of files: of conversations, flows and document stores together.

use super::{admitted, bound, tells, used};
use crate::files::documents;
use crate::support::canvases::{Drawing, scripted_flow};
use crate::support::{Answer, Server, id};
use crate::templates::inline;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

fn ask_with(server: &Server, flow: &str, texts: &[&str]) -> Answer {
    let upload = |text: &&str| {
        json!({"type": "file", "name": "notes.txt", "mime": "text/plain",
            "data": format!("data:text/plain;base64,{}", STANDARD.encode(text))})
    };
    let uploads: Vec<Value> = texts.iter().map(upload).collect();
    server.ask(flow, &json!({"question": "What is it?", "uploads": uploads}))
}

/// A canvas that holds a file.
fn canvas_with(text: &str) -> String {
    let mut drawing = Drawing::default();
    let loader = drawing.card("textFile", json!({"txtFile": inline("notes.txt", text)}));
    drawing.answer_with_document(&loader);
    drawing.text()
}

#[test]
fn a_question_whose_files_do_not_fit_is_refused_and_leaves_none_of_them() {
    let server = Server::start();
    let flow = server.flow_with(&scripted_flow(), &documents(""));
    bound(&server, &json!({"fileBytes": 10}));
    ask_with(&server, &flow, &["12345"]).is(200);
    assert_eq!(used(&server, "fileBytes"), 5);
    let told = ask_with(&server, &flow, &["123", "456"]).is_error(507);
    tells(&told, "fileBytes", 10, 8);
    assert_eq!(used(&server, "fileBytes"), 5, "the first of the two went with the second");
    assert_eq!(server.messages(&flow).len(), 2);
    ask_with(&server, &flow, &["12345"]).is(200);
    let server = server.restart();
    assert_eq!(used(&server, "fileBytes"), 10);
    server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    assert_eq!(used(&server, "fileBytes"), 0);
}

#[test]
fn files_of_canvases_and_document_stores_count_too() {
    let server = Server::start();
    bound(&server, &json!({"fileBytes": 10}));
    let body = |text: &str| json!({"name": "Reader", "type": "CHATFLOW", "flowData": canvas_with(text)});
    let made = server.owner("POST", "/chatflows").json(&body("1234567")).send().is(200).json();
    assert_eq!(used(&server, "fileBytes"), 7);
    tells(&server.owner("POST", "/chatflows").json(&body("1234")).send().is_error(507), "fileBytes", 10, 7);
    assert_eq!(server.read("/chatflows").as_array().unwrap().len(), 1);
    let store = id(&server.post("/document-store/store", &json!({"name": "Handbook"})));
    let load = |text: &str| {
        let loader =
            json!({"loader": {"name": "textFile", "config": {"txtFile": inline("notes.txt", text)}}});
        server.owner("POST", &format!("/document-store/upsert/{store}")).json(&loader).send()
    };
    tells(&load("1234").is_error(507), "fileBytes", 10, 7);
    load("123").is(200);
    assert_eq!(used(&server, "fileBytes"), 10);
    // A draft brings its own file, which Live takes over: it counts once.
    bound(&server, &json!({"fileBytes": 20}));
    let flow = id(&made);
    server.post(&format!("/flow-drafts/{flow}/publish"), &json!({}));
    assert_eq!(used(&server, "fileBytes"), 10, "what was of the draft is of Live");
    server.put(&format!("/flow-drafts/{flow}"), &json!({"flowData": canvas_with("12345")}));
    assert_eq!(used(&server, "fileBytes"), 15);
    server.post(&format!("/flow-drafts/{flow}/publish"), &json!({}));
    assert!(used(&server, "fileBytes") <= 15);
}

#[test]
fn files_that_race_do_not_overrun_a_quota() {
    let server = Server::start();
    let flow = server.flow_with(&scripted_flow(), &documents(""));
    bound(&server, &json!({"fileBytes": 25}));
    let let_in = admitted(12, 507, |_| ask_with(&server, &flow, &["12345"]).status);
    assert_eq!((let_in, used(&server, "fileBytes")), (5, 25));
}
