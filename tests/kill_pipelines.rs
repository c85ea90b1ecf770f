//! The process ends in the middle of a pipeline, by a kill or by a stop: the next start goes on with it, and every document is
//! in the store once.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]
#![allow(dead_code, reason = "the parts that are shared with other tests are used in part")]

#[path = "kill_pipelines/ends.rs"]
mod ends;
#[path = "support/program.rs"]
mod program;
#[path = "support/provider/mod.rs"]
mod provider;
#[path = "kill_pipelines/sources.rs"]
mod sources;
#[path = "support/wire.rs"]
mod wire;

use program::Program;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Files of the source: a batch, and the beginning of another one.
const FILES: usize = 90;
/// Documents of a batch.
const BATCH: u64 = 64;
const PATIENCE: Duration = Duration::from_secs(60);
/// Stands for the id of the document store until it is made.
const STORE: &str = "00000000-0000-4000-8000-000000000000";
/// Targets of the pipeline, each of which takes every document.
const TARGETS: u64 = 4;
const SLOW: &str = "const end = Date.now() + 15; while (Date.now() < end) {} return $pageContent;";

fn node(id: &str, name: &str, inputs: Value) -> Value {
    json!({"id": id, "data": {"id": id, "name": name, "label": name, "inputs": inputs}})
}

/// The documents of this source one by one through slow code into a store.
fn pipeline(source: &Value, others: &[Value]) -> Value {
    let mut nodes = vec![
        source.clone(),
        node("start", "etlStart", json!({"params": [{"name": "day", "value": "Sunday"}]})),
        node("dedupe", "etlDedupe", json!({"documents": ["{{source.data.instance}}"]})),
        node(
            "dated",
            "etlMetadata",
            json!({"documents": ["{{dedupe.data.instance}}"], "set": [{"key": "day", "value": "{{ params.day }}"}]}),
        ),
        node(
            "slow",
            "etlFunction",
            json!({"documents": ["{{dated.data.instance}}"], "javascriptFunction": SLOW}),
        ),
        node("embeddings", "hashingEmbeddings", json!({"dimensions": 16})),
        node(
            "store",
            "faiss",
            json!({"document": ["{{slow.data.instance}}"], "embeddings": "{{embeddings.data.instance}}", "basePath": "killed"}),
        ),
    ];
    let documents = json!(["{{slow.data.instance}}"]);
    let store = json!({"documents": documents, "selectedStore": STORE, "mode": "replace"});
    nodes.push(node("document_store", "etlDocumentStore", store));
    for mode in ["append", "replace"] {
        let file = json!({"documents": documents, "fileName": format!("{mode}.jsonl"), "mode": mode});
        nodes.push(node(mode, "etlFile", file));
    }
    nodes.extend_from_slice(others);
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

/// What a pipeline is drawn for.
struct Ground<'g> {
    /// A folder of files.
    documents: &'g str,
    service: &'g Program,
    key: &'g str,
    /// A document store.
    store: &'g str,
}

/// A service with a pipeline, and a run of it.
struct Running {
    service: Program,
    /// What the service may call, beside providers.
    allowed: String,
    place: tempfile::TempDir,
    documents: String,
    bearer: String,
    /// The address of the run.
    run: String,
    /// The document store that it fills.
    store: String,
}

impl Running {
    /// Starts a run of the pipeline that `draw` makes for this folder of files.
    fn start(draw: impl FnOnce(&Ground<'_>) -> Value) -> Self {
        Self::start_allowing("", draw)
    }

    /// As [`Self::start`], with an address that the service may call.
    fn start_allowing(allowed: &str, draw: impl FnOnce(&Ground<'_>) -> Value) -> Self {
        let place = tempfile::tempdir().unwrap();
        let documents = place.path().join("documents");
        fs::create_dir(&documents).unwrap();
        for number in 0..FILES {
            fs::write(documents.join(format!("{number:03}.txt")), format!("word {number}")).unwrap();
        }
        let documents = fs::canonicalize(&documents).unwrap().to_str().unwrap().to_owned();
        let service = serve(&place, &documents, allowed);
        let key = key(&data(&place));
        let bearer = format!("Bearer {key}");
        let headers = [("authorization", bearer.as_str())];
        let store =
            service.call("POST", "/api/v1/document-store/store", &headers, &json!({"name": "filled"})).json();
        let store = store["id"].as_str().unwrap().to_owned();
        let ground = Ground { documents: &documents, service: &service, key: &key, store: &store };
        let canvas = draw(&ground).to_string().replace(STORE, &store);
        let made = json!({"name": "filled", "type": "ETL", "flowData": canvas});
        let made = service.call("POST", "/api/v1/chatflows", &headers, &made).json();
        let runs = format!("/api/v1/etl/{}/runs", made["id"].as_str().unwrap());
        let started = service.call("POST", &runs, &headers, &json!({"params": {"day": "Monday"}}));
        assert_eq!(started.status(), 202, "{}", started.text());
        let run = format!("{runs}/{}", started.json()["id"].as_str().unwrap());
        Self { service, allowed: allowed.to_owned(), place, documents, bearer, run, store }
    }

    /// Starts the service once more, which was ended by `end`.
    fn again(self, end: impl FnOnce(Program)) -> Self {
        end(self.service);
        Self { service: serve(&self.place, &self.documents, &self.allowed), ..self }
    }

    /// Waits until so many documents were read.
    fn wait_for(&self, documents: u64) {
        self.wait(|now| now["read"].as_u64() >= Some(documents));
    }

    /// The run, when it came as far as this or to its end.
    fn wait(&self, is_far: impl Fn(&Value) -> bool) -> Value {
        let begin = Instant::now();
        loop {
            let now = self.service.get(&self.run, &[("authorization", &self.bearer)]).json();
            if now["state"] != "RUNNING" || is_far(&now) {
                return now;
            }
            assert!(begin.elapsed() < PATIENCE, "{now}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn get(&self, path: &str) -> wire::Answer {
        self.service.get(path, &[("authorization", &self.bearer)])
    }

    /// Every document is in each file and in the store, once.
    fn check_targets(&self, done: &Value) {
        assert_eq!(done["written"], json!(TARGETS * FILES as u64), "{done}");
        let flow = self.run.split("/runs/").next().unwrap();
        for name in ["append", "replace"] {
            let file = self.get(&format!("{flow}/files/{name}.jsonl")).text();
            let rows: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let texts: BTreeSet<&str> = rows.iter().map(|row| row["pageContent"].as_str().unwrap()).collect();
            assert_eq!((rows.len(), texts.len()), (FILES, FILES), "{name}");
        }
        let store = self.get(&format!("/api/v1/document-store/store/{}", self.store)).json();
        assert_eq!(store["totalChunks"], json!(FILES), "{store}");
    }

    /// Its end, and whether it went on from where it was.
    fn end(&self) -> (Value, bool) {
        let done = self.wait(|_| false);
        assert_eq!((&done["state"], &done["failed"]), (&json!("FINISHED"), &json!(0)), "{done}");
        assert_eq!(done["params"], json!({"day": "Monday"}), "{done}");
        let resumed = done["resumed"].as_bool().unwrap();
        (done, resumed)
    }
}

fn data(place: &tempfile::TempDir) -> PathBuf {
    place.path().join("data")
}

fn serve(place: &tempfile::TempDir, documents: &str, allowed: &str) -> Program {
    let settings = [("SERVICE_DOCUMENT_FOLDERS", documents), ("SERVICE_HTTP_ALLOW", allowed)];
    Program::serve_with(&data(place), &[], &settings)
}

fn stop(service: Program) {
    assert!(service.stop().success());
}

fn of_folder(ground: &Ground<'_>) -> Value {
    pipeline(&node("source", "folderFiles", json!({ "folderPath": ground.documents })), &[])
}

#[test]
fn a_killed_pipeline_goes_on_and_stores_every_document_once() {
    let mut running = Running::start(of_folder);
    let key = running.bearer.trim_start_matches("Bearer ");
    let shown = running.service.make_flow(key, "shown", &reader());
    // In the first batch, behind it, and once more right after the next start.
    for least in [0, BATCH, 0] {
        running.wait_for(least);
        std::thread::sleep(Duration::from_millis(200));
        running = running.again(Program::kill);
    }
    let (done, resumed) = running.end();
    let all = json!(FILES);
    assert_eq!((resumed, &done["read"]), (true, &all), "{done}");
    running.check_targets(&done);
    assert_eq!(done["skipped"], 0, "{done}");
    let answer = running.service.ask(&shown, &json!({"question": "word"})).json();
    let chunks = answer["sourceDocuments"].as_array().unwrap();
    let texts: BTreeSet<&str> = chunks.iter().map(|chunk| chunk["pageContent"].as_str().unwrap()).collect();
    assert_eq!((chunks.len(), texts.len()), (FILES, FILES));
    assert!(chunks.iter().all(|chunk| chunk["metadata"]["day"] == "Monday"), "{answer}");
    stop(running.service);
}

#[test]
fn a_stopped_pipeline_goes_on_from_its_last_batch() {
    let running = Running::start(of_folder);
    running.wait_for(BATCH);
    let running = running.again(stop);
    let (done, resumed) = running.end();
    let all = json!(FILES);
    assert_eq!((resumed, &done["read"]), (true, &all), "{done}");
    running.check_targets(&done);
    let runs = running.run.rsplit_once('/').unwrap().0;
    assert_eq!(running.service.get(runs, &[("authorization", &running.bearer)]).json()["total"], 1);
}

#[test]
fn a_run_over_a_source_without_places_begins_anew() {
    let running = Running::start(|_| {
        let text: String = (0..FILES).map(|number| format!("Parcel {number} leaves on Monday.\n")).collect();
        let settings = json!({"separator": "\n", "chunkSize": 30, "chunkOverlap": 0});
        let splitter = node("splitter", "characterTextSplitter", settings);
        let inputs = json!({"text": text, "textSplitter": "{{splitter.data.instance}}"});
        pipeline(&node("source", "plainText", inputs), &[splitter])
    });
    running.wait_for(BATCH);
    let running = running.again(stop);
    let (done, resumed) = running.end();
    assert_eq!((resumed, &done["read"]), (false, &json!(FILES)), "{done}");
    running.check_targets(&done);
}
