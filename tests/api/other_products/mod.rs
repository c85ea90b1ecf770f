//! Exports of n8n, Langflow and Dify (manual 5.14): what comes in answers as it did there, and what does not is reported.

mod dify;
mod langflow;
mod n8n;

use crate::support::canvases::SECRET;
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use crate::support::{Server, id};
use crate::transfer::{actions, import};
use serde_json::{Value, json};

fn of_text(text: &str) -> Value {
    json!({ "text": text })
}

/// The canvas of a flow as its owner sees it.
fn drawn(server: &Server, flow: &str) -> String {
    let draft = server.read(&format!("/flow-drafts/{flow}"));
    let live = server.read(&format!("/chatflows/{flow}"));
    let canvas = draft["draft"]["flowData"].as_str().or_else(|| live["flowData"].as_str());
    canvas.unwrap_or_else(|| panic!("{draft} {live}")).to_owned()
}

/// Takes the only flow of a file in, lets its models speak to a stand-in provider, and makes it Live; its id.
#[track_caller]
fn publish(server: &Server, provider: &Provider, file: &Value) -> String {
    let told = import(server, file, "import", &json!({}));
    assert_eq!(actions(&told), ["create"], "{told}");
    let item = &told["items"][0];
    let flow = item["newId"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned();
    let body =
        json!({"name": "stand-in", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": SECRET}});
    let credential = id(&server.post("/credentials", &body));
    let mut canvas: Value = serde_json::from_str(&drawn(server, &flow)).unwrap();
    let base = format!("{}/v1", provider.base_url());
    for node in canvas["nodes"].as_array_mut().unwrap() {
        let data = &mut node["data"];
        if data["name"] == "chatOpenAI" {
            data["inputs"]["basepath"] = base.as_str().into();
            data["credential"] = credential.as_str().into();
        }
        for word in ["llm", "agent"] {
            if data["inputs"][format!("{word}Model")] == "chatOpenAI" {
                let config = &mut data["inputs"][format!("{word}ModelConfig")];
                config["basepath"] = base.as_str().into();
                config["FLOWISE_CREDENTIAL_ID"] = credential.as_str().into();
            }
        }
    }
    server.put(&format!("/chatflows/{flow}"), &json!({"flowData": canvas.to_string()}));
    server.post("/flow-drafts/publish", &json!({ "ids": [flow] }));
    flow
}

#[track_caller]
fn said(server: &Server, flow: &str, question: &str) -> String {
    let answer = server.ask(flow, &json!({ "question": question })).is(200).json();
    answer["text"].as_str().unwrap().to_owned()
}

/// The messages of a request, as role and text.
fn messages(request: &RecordedRequest) -> Vec<(String, String)> {
    let rows = request.body["messages"].as_array().unwrap().iter();
    let text = |content: &Value| match content {
        Value::String(text) => text.clone(),
        parts => parts[0]["text"].as_str().unwrap_or_default().to_owned(),
    };
    rows.map(|row| (row["role"].as_str().unwrap().to_owned(), text(&row["content"]))).collect()
}

fn told(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect()
}

/// Why the only flow of a file is refused.
#[track_caller]
fn refusal(server: &Server, file: &Value) -> String {
    let told = import(server, file, "import", &json!({}));
    assert_eq!(actions(&told), ["refused"], "{told}");
    told["items"][0]["reason"].as_str().unwrap().to_owned()
}

#[test]
fn texts_that_are_no_file_have_a_clear_error() {
    let server = Server::start();
    let refused = |text: &str| {
        let body = json!({"text": text, "mode": "preview"});
        server.owner("POST", "/export-import/import").json(&body).send().is_error(400)
    };
    let bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned()
        + &(0..9)
            .map(|at| {
                let (name, before) = (char::from(b'b' + at), char::from(b'a' + at));
                format!("{name}: &{name} [{}]\n", vec![format!("*{before}"); 9].join(", "))
            })
            .collect::<String>();
    let deep = format!("a: {}{}", "[".repeat(5_000), "]".repeat(5_000));
    for text in [
        bomb.as_str(),
        deep.as_str(),
        "a: [",
        "just words",
        "- 1\n- 2",
        "a: *gone",
        "\u{1}",
        "a: 1\n---\nb: 2",
    ] {
        let why = refused(text);
        assert!(why.contains("neither JSON nor YAML"), "{text:.20}: {why}");
    }
    assert!(refused("a: 1").contains("nothing in this file to import"));
    assert_eq!(server.read("/chatflows"), json!([]));
}
