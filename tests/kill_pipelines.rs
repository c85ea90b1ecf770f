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

/// Files of the source: several batches of them.
const FILES: usize = 90;
const TIMES_KILLED: u64 = 3;
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
    for killed in 0..TIMES_KILLED {
        std::thread::sleep(Duration::from_millis(500 + killed * 700));
        service.kill();
        service = serve();
    }
    let begin = Instant::now();
    let done = loop {
        let now = service.get(&run, &headers).json();
        if now["state"] != "RUNNING" {
            break now;
        }
        assert!(begin.elapsed() < PATIENCE, "{now}");
        std::thread::sleep(Duration::from_millis(50));
    };
    let all = json!(FILES);
    assert_eq!((&done["state"], &done["read"], &done["written"]), (&json!("FINISHED"), &all, &all), "{done}");
    assert_eq!((&done["failed"], &done["skipped"]), (&json!(0), &json!(0)), "{done}");
    let answer = service.ask(&shown, &json!({"question": "word"})).json();
    let chunks = answer["sourceDocuments"].as_array().unwrap();
    let texts: BTreeSet<&str> = chunks.iter().map(|chunk| chunk["pageContent"].as_str().unwrap()).collect();
    assert_eq!((chunks.len(), texts.len()), (FILES, FILES));
    assert!(service.stop().success());
}
