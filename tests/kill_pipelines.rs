//! The process is killed in the middle of a pipeline: the next start goes on with it, and every document is in the store once.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]
#![allow(dead_code, reason = "the parts that are shared with other tests are used in part")]

#[path = "support/program.rs"]
mod program;
#[path = "support/wire.rs"]
mod wire;

use program::Program;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Files of the source: a batch, and the beginning of another one.
const FILES: usize = 90;
/// Documents of a batch.
const BATCH: u64 = 64;
const PATIENCE: Duration = Duration::from_secs(60);
const SLOW: &str = "const end = Date.now() + 15; while (Date.now() < end) {} return $pageContent;";

fn node(id: &str, name: &str, inputs: Value) -> Value {
    json!({"id": id, "data": {"id": id, "name": name, "label": name, "inputs": inputs}})
}

fn pipeline(folder: &str) -> Value {
    let nodes = [
        node("folder", "folderFiles", json!({ "folderPath": folder })),
        node("dedupe", "etlDedupe", json!({"documents": ["{{folder.data.instance}}"]})),
        node(
            "slow",
            "etlFunction",
            json!({"documents": ["{{dedupe.data.instance}}"], "javascriptFunction": SLOW}),
        ),
        node("embeddings", "hashingEmbeddings", json!({"dimensions": 16})),
        node(
            "store",
            "faiss",
            json!({"document": ["{{slow.data.instance}}"], "embeddings": "{{embeddings.data.instance}}", "basePath": "killed"}),
        ),
    ];
    json!({"nodes": nodes, "edges": []})
}

/// Shows what is in the store.
fn reader() -> Value {
    let nodes = [
        node("embeddings", "hashingEmbeddings", json!({"dimensions": 16})),
        node(
            "store",
            "faiss",
            json!({"embeddings": "{{embeddings.data.instance}}", "basePath": "killed", "topK": 100}),
        ),
        node("model", "chatScripted", json!({"rules": "[]", "fallback": "Yes."})),
        node(
            "chain",
            "retrievalQAChain",
            json!({
                "model": "{{model.data.instance}}", "vectorStoreRetriever": "{{store.data.instance}}",
                "returnSourceDocuments": true,
            }),
        ),
    ];
    let edges =
        [json!({"source": "store", "target": "chain"}), json!({"source": "model", "target": "chain"})];
    json!({"nodes": nodes, "edges": edges})
}

fn key(data: &Path) -> String {
    let made =
        program::run(&["key", "create", "--name", "load", "--all", "--data-dir", data.to_str().unwrap()]);
    let text = program::standard_output(&made);
    let start = text.find("fk_").unwrap();
    text[start..].chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).collect()
}

/// The run, when it came as far as this or to its end.
fn wait(service: &Program, run: &str, headers: &[(&str, &str)], is_far: impl Fn(&Value) -> bool) -> Value {
    let begin = Instant::now();
    loop {
        let now = service.get(run, headers).json();
        if now["state"] != "RUNNING" || is_far(&now) {
            return now;
        }
        assert!(begin.elapsed() < PATIENCE, "{now}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_killed_pipeline_goes_on_and_stores_every_document_once() {
    let place = tempfile::tempdir().unwrap();
    let (data, documents) = (place.path().join("data"), place.path().join("documents"));
    fs::create_dir(&documents).unwrap();
    for number in 0..FILES {
        fs::write(documents.join(format!("{number:03}.txt")), format!("word {number}")).unwrap();
    }
    let documents = fs::canonicalize(&documents).unwrap().to_str().unwrap().to_owned();
    let serve = || Program::serve_with(&data, &[], &[("SERVICE_DOCUMENT_FOLDERS", documents.as_str())]);
    let mut service = serve();
    let bearer = format!("Bearer {}", key(&data));
    let key = bearer.trim_start_matches("Bearer ");
    let headers = [("authorization", bearer.as_str())];
    let made = json!({"name": "filled", "type": "ETL", "flowData": pipeline(&documents).to_string()});
    let made = service.call("POST", "/api/v1/chatflows", &headers, &made).json();
    let runs = format!("/api/v1/etl/{}/runs", made["id"].as_str().unwrap());
    let shown = service.make_flow(key, "shown", &reader());
    let started = service.call("POST", &runs, &headers, &json!({}));
    assert_eq!(started.status(), 202, "{}", started.text());
    let run = format!("{runs}/{}", started.json()["id"].as_str().unwrap());
    // In the first batch, behind it, and once more right after the next start.
    for least in [0, BATCH, 0] {
        wait(&service, &run, &headers, |now| now["read"].as_u64() >= Some(least));
        std::thread::sleep(Duration::from_millis(200));
        service.kill();
        service = serve();
    }
    let done = wait(&service, &run, &headers, |now| now["state"] != "RUNNING");
    assert_eq!(done["resumed"], true, "{done}");
    let all = json!(FILES);
    assert_eq!((&done["state"], &done["read"], &done["written"]), (&json!("FINISHED"), &all, &all), "{done}");
    assert_eq!((&done["failed"], &done["skipped"]), (&json!(0), &json!(0)), "{done}");
    let answer = service.ask(&shown, &json!({"question": "word"})).json();
    let chunks = answer["sourceDocuments"].as_array().unwrap();
    let texts: BTreeSet<&str> = chunks.iter().map(|chunk| chunk["pageContent"].as_str().unwrap()).collect();
    assert_eq!((chunks.len(), texts.len()), (FILES, FILES));
    assert!(service.stop().success());
}
