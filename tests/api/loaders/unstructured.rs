//! Files that go to a server of Unstructured, before a stand-in that takes the form apart.

use super::{answer_text, ask, inline};
use crate::support::canvases::{Drawing, SECRET};
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use crate::support::{Server, id};
use serde_json::{Value, json};

/// A flow that answers with what the server makes of a file.
fn canvas(server: &Server, provider: &Provider, more: Value) -> String {
    let mut drawing = Drawing::default();
    let mut inputs = more;
    inputs["unstructuredAPIUrl"] = format!("{}/general/v0/general", provider.base_url()).into();
    inputs["fileObject"] = inline("the \"plan\".docx", "application/octet-stream", b"PK\0\r\n--bytes").into();
    let loader = drawing.card("unstructuredFileLoader", inputs);
    let body = json!({"name": "u", "credentialName": "unstructuredApi", "plainDataObj": {"unstructuredAPIKey": SECRET}});
    drawing.credential(&loader, &id(&server.post("/credentials", &body)));
    drawing.choose_output(&loader, "text");
    drawing.answer_with_document(&loader);
    drawing.text()
}

/// The parts of a form: what names them, and what is in them.
fn parts(request: &RecordedRequest) -> Vec<(String, String)> {
    let kind = request.header("content-type").unwrap();
    let boundary = kind.strip_prefix("multipart/form-data; boundary=").unwrap();
    let text = String::from_utf8_lossy(&request.bytes).into_owned();
    let inner = text.strip_prefix(&format!("--{boundary}\r\n")).unwrap();
    let inner = inner.strip_suffix(&format!("\r\n--{boundary}--\r\n")).unwrap();
    let part = |part: &str| {
        let (head, body) = part.split_once("\r\n\r\n").unwrap();
        let names = head.lines().next().unwrap().strip_prefix("Content-Disposition: form-data; ").unwrap();
        (names.to_owned(), body.to_owned())
    };
    inner.split(&format!("\r\n--{boundary}\r\n")).map(part).collect()
}

fn elements() -> Value {
    json!([
        {"type": "Title", "element_id": "1", "text": "The plan", "metadata": {"filename": "x", "page_number": 1}},
        {"type": "PageBreak", "element_id": "2", "text": "", "metadata": {}},
        {"type": "NarrativeText", "element_id": "3", "text": "Parcels leave on Mondays.", "metadata": {"page_number": 2}},
    ])
}

/// A service that may send files to the stand-in beside it.
fn start() -> (Server, Provider) {
    let provider = Provider::start();
    let allowed = provider.base_url().replace("http://", "");
    (Server::with(&[("SERVICE_HTTP_ALLOW", &allowed)]), provider)
}

#[test]
fn an_address_inside_the_network_is_refused_unless_the_operator_names_it() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&canvas(&server, &provider, json!({})));
    let message = ask(&server, &flow).is_error(500);
    assert!(message.contains("refused by policy"), "{message}");
    assert_eq!(provider.requests().len(), 0);
}

#[test]
fn a_file_goes_there_with_the_options_of_the_card_and_elements_come_back() {
    let (server, provider) = start();
    provider.set_decision(|_| Behaviour::status(200, &elements().to_string()));
    let options = json!({"strategy": "hi_res", "encoding": "utf-8", "chunkingStrategy": "by_title",
        "skipInferTableTypes": "[\"pdf\",\"jpg\"]", "ocrLanguages": "eng, deu", "coordinates": true,
        "includePageBreaks": "true", "xmlKeepTags": false, "maxCharacters": "500", "newAfterNChars": ""});
    let flow = server.flow(&canvas(&server, &provider, options));
    assert_eq!(answer_text(&server, &flow), "[The plan\nParcels leave on Mondays.]");
    let request = provider.last_request();
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/general/v0/general"));
    assert_eq!(request.header("unstructured-api-key"), Some(SECRET));
    let field = |name: &str, value: &str| (format!("name=\"{name}\""), value.to_owned());
    let file = "name=\"files\"; filename=\"the__plan_.docx\"".to_owned();
    assert_eq!(
        parts(&request),
        [
            (file, "PK\0\r\n--bytes".to_owned()),
            field("strategy", "hi_res"),
            field("encoding", "utf-8"),
            field("chunking_strategy", "by_title"),
            field("max_characters", "500"),
            field("coordinates", "true"),
            field("xml_keep_tags", "false"),
            field("include_page_breaks", "true"),
            field("skip_infer_table_types", "pdf"),
            field("skip_infer_table_types", "jpg"),
            field("languages", "eng"),
            field("languages", "deu"),
        ]
    );
    let flow = server.flow(&canvas(&server, &provider, json!({"chunkingStrategy": "None"})));
    answer_text(&server, &flow);
    assert_eq!(parts(&provider.last_request()).len(), 1, "what is not set is not sent");
}

#[test]
fn elements_are_documents_with_what_is_said_of_them() {
    let (server, provider) = start();
    provider.set_decision(|_| Behaviour::status(200, &elements().to_string()));
    let store = id(&server.post("/document-store/store", &json!({"name": "Plans"})));
    let config = json!({"unstructuredAPIUrl": provider.base_url(), "sourceIdKey": "origin",
        "fileObject": inline("plan.docx", "application/octet-stream", b"x")});
    let body = json!({"loader": {"name": "unstructuredFileLoader", "config": config}});
    assert_eq!(server.post(&format!("/document-store/upsert/{store}"), &body)["numAdded"], 2);
    assert_eq!(provider.last_request().path, "/general/v0/general", "an address without a path has this one");
    let page = server.read(&format!("/document-store/chunks/{store}/all/1"));
    let metadata = &page["chunks"][1]["metadata"];
    let said = ["page_number", "category", "origin", "source"].map(|name| metadata[name].clone());
    assert_eq!(said, [json!(2), json!("NarrativeText"), json!("plan.docx"), Value::Null]);
}

#[test]
fn a_server_that_fails_is_named_and_its_key_is_not() {
    let (server, provider) = start();
    let flow = server.flow(&canvas(&server, &provider, json!({})));
    let many = format!("[{}]", vec!["{}"; 100_001].join(","));
    for (behaviour, says) in [
        (Behaviour::status(401, r#"{"detail":"API key is malformed"}"#), "refused the API key"),
        (
            Behaviour::status(
                422,
                &json!({"detail": format!("File type of {SECRET} is not supported")}).to_string(),
            ),
            "answered 422: File type of [secret hidden] is not supported",
        ),
        (Behaviour::status(200, "<html>"), "could not be read"),
        (Behaviour::status(200, r#"{"elements":[]}"#), "no list of elements"),
        (Behaviour::status(200, "[1]"), "no list of elements"),
        (Behaviour::status(200, &many), "too many documents"),
        (Behaviour::Close, "could not be read"),
    ] {
        provider.set_decision(move |_| behaviour.clone());
        let message = ask(&server, &flow).is_error(500);
        assert!(message.contains(says) && message.contains("Unstructured File Loader"), "{message}");
        assert!(!message.contains(SECRET), "{message}");
    }
    let canvas = canvas(&server, &provider, json!({"maxCharacters": "1e99"}));
    let message = ask(&server, &server.flow(&canvas)).is_error(500);
    assert!(message.contains("Max Characters: this must be between"), "{message}");
    drop(provider);
    let message = ask(&server, &flow).is_error(500);
    assert!(message.contains("Unstructured File Loader: no connection"), "{message}");
}
