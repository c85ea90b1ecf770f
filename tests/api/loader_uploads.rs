//! Files of a form for document loaders that the owner listed (manual 4.1 r4).

use crate::loaders::inline;
use crate::overrides::override_settings;
use crate::support::canvases::Drawing;
use crate::support::form::Form;
use crate::support::{Answer, Server};
use serde_json::{Value, json};

/// A flow that answers with what its loader reads, with these settings of the loader listed.
fn reader(server: &Server, names: &[&str], more: &Value) -> String {
    let mut drawing = Drawing::default();
    let loader = drawing.card("textFile", json!({"txtFile": inline("own.txt", "text/plain", b"Its own.")}));
    drawing.choose_output(&loader, "text");
    drawing.answer_with_document(&loader);
    let mut fields = file_inputs_allowed(names);
    fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server.flow_with(&drawing.text(), &fields)
}

fn file_inputs_allowed(names: &[&str]) -> Value {
    override_settings(&[("Text File", names)], &[])
}

fn ask(server: &Server, flow: &str, form: &Form) -> Answer {
    server.call("POST", &format!("/prediction/{flow}")).form(form).send()
}

fn question() -> Form {
    Form::of(&[("question", "Hi")])
}

#[test]
fn a_listed_loader_reads_the_file_that_came_along() {
    let server = Server::start();
    for name in ["files", "txtFile"] {
        let flow = reader(&server, &[name], &json!({}));
        let form = question().file("a.txt", "text/plain", b"Sent.");
        assert_eq!(ask(&server, &flow, &form).is(200).json()["text"], "[Sent.]");
        let two = form.file("b.txt", "application/octet-stream", b"Also.");
        assert_eq!(ask(&server, &flow, &two).is(200).json()["text"], "[Sent.\nAlso.]");
        assert_eq!(ask(&server, &flow, &question()).is(200).json()["text"], "[Its own.]");
    }
}

#[test]
fn a_loader_that_is_not_listed_keeps_its_file() {
    let server = Server::start();
    for names in [&[][..], &["metadata"]] {
        let flow = reader(&server, names, &json!({}));
        ask(&server, &flow, &question().file("a.txt", "text/plain", b"Sent.")).is_error(403);
    }
    let flow = reader(&server, &["files"], &json!({}));
    ask(&server, &flow, &question().file("a.pdf", "application/pdf", b"%PDF-1.4")).is_error(403);
    ask(&server, &flow, &question().file("a.txt", "text/plain", b"PK\x03\x04")).is_error(400);
}

#[test]
fn a_value_of_the_request_is_never_a_file() {
    let server = Server::start();
    let flow = reader(&server, &["files", "txtFile"], &json!({}));
    for value in [
        json!({"txtFile": inline("a.txt", "text/plain", b"Sent.")}),
        json!({"txtFile": "FILE-STORAGE::a.txt"}),
        json!({"files": inline("a.txt", "text/plain", b"Sent.")}),
        json!({"txtFile": {"textFile_0": "FILE-STORAGE::a.txt"}}),
    ] {
        let body = json!({"question": "Hi", "overrideConfig": value});
        assert_eq!(server.ask(&flow, &body).is(200).json()["text"], "[Its own.]", "{value}");
    }
}

#[test]
fn a_chat_that_takes_documents_has_them_first() {
    let server = Server::start();
    let config = json!({"fullFileUpload": {"status": true, "allowedUploadFileTypes": "text/plain"}});
    let flow = reader(&server, &["files"], &json!({"chatbotConfig": config.to_string()}));
    let answer = ask(&server, &flow, &question().file("a.txt", "text/plain", b"Sent.")).is(200).json();
    assert_eq!(answer["text"], "[Its own.]");
}

#[test]
fn the_list_of_settings_names_the_files_of_loaders() {
    let server = Server::start();
    let flow = reader(&server, &[], &json!({}));
    let rows = server.read(&format!("/flow-config/{flow}"));
    let row = rows.as_array().unwrap().iter().find(|row| row["name"] == "files").unwrap();
    assert_eq!((row["node"].as_str(), row["label"].as_str()), (Some("Text File"), Some("Txt File")));
    assert!(row["type"].as_str().unwrap().contains(".txt"), "{row}");
}

#[test]
fn a_store_is_filled_with_the_file_that_came_along() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let loader = drawing.card("textFile", json!({}));
    let embeddings = drawing.card("hashingEmbeddings", json!({}));
    let store = drawing.card("memoryVectorStore", json!({}));
    drawing.wire(&loader, &store, "document");
    drawing.wire(&embeddings, &store, "embeddings");
    let flow = server.flow_with(&drawing.text(), &file_inputs_allowed(&["files"]));
    let fill = |form: &Form| server.owner("POST", &format!("/vector/upsert/{flow}")).form(form).send();
    let done = fill(&Form::of(&[]).file("a.txt", "text/plain", b"Parcels leave on Mondays.")).is(200).json();
    assert_eq!(done["addedDocs"][0]["pageContent"], "Parcels leave on Mondays.");
    fill(&Form::of(&[]).file("a.pdf", "application/pdf", b"%PDF-1.4")).is_error(403);
    server.put(&format!("/chatflows/{flow}"), &file_inputs_allowed(&[]));
    fill(&Form::of(&[]).file("a.txt", "text/plain", b"Other.")).is_error(403);
}
