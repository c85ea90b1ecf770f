//! What a pipeline over many small documents costs: a folder of files, cut into chunks, into vectors and into a file.

use crate::figures::{figure, heading};
use crate::memory::{Watch, megabytes, processor_time};
use crate::program::{Throwaway, command};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// As many as are read of a folder.
const DOCUMENTS: usize = 100_000;
/// Files of a folder within the folder.
const FILES_OF_FOLDER: usize = 1_000;
const LOOK: Duration = Duration::from_millis(250);

/// Bytes of each file of the folder of gigabytes: as large as reports and books are as text.
const FILE_BYTES: usize = 5_000_000;
/// Gigabytes of that folder.
const GIGABYTES: usize = 5;

/// Runs one over so many documents, or over as many as are read of a folder.
pub fn report(documents: Option<usize>) {
    let documents = documents.unwrap_or(DOCUMENTS);
    heading(&format!(
        "A pipeline over {documents} documents of a kilobyte: split, hash-embed, store and write"
    ));
    let place = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(place.path()).unwrap();
    fill(&folder, documents);
    let mut nodes = reading(&folder);
    nodes.extend([
        node("embeddings", "hashingEmbeddings", json!({"dimensions": 256})),
        node(
            "store",
            "faiss",
            json!({"document": from("split"), "embeddings": "{{embeddings.data.instance}}", "basePath": "all"}),
        ),
    ]);
    let cost = run(&folder, &nodes);
    assert_eq!(cost.done["read"], json!(documents), "{}", cost.done);
    figure("documents a second", &format!("{:.0}", documents as f64 / cost.seconds), "");
    let written = cost.done["written"].as_f64().unwrap();
    figure("chunks and lines a second", &format!("{:.0}", written / cost.seconds), "");
    figure("processor time of a document", &format!("{:.2} ms", cost.busy * 1e3 / documents as f64), "");
    figure(
        "memory, at most (before the run)",
        &format!("{:.0} MB ({:.0})", cost.peak, cost.before),
        "< 200 MB",
    );
}

/// Runs one over a folder of so many gigabytes, of files that are large: split, and written.
pub fn gigabytes(number: Option<usize>) {
    let number = number.unwrap_or(GIGABYTES);
    heading(&format!("A pipeline over {number} GB of text in files of 5 MB: split and write"));
    let place = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(place.path()).unwrap();
    let files = number * 1_000_000_000 / FILE_BYTES;
    for file in 0..files {
        let sentence = format!("Parcel {file} leaves when its day comes, and nobody knows why. ");
        fs::write(folder.join(format!("{file:06}.txt")), sentence.repeat(FILE_BYTES / sentence.len()))
            .unwrap();
    }
    let cost = run(&folder, &reading(&folder));
    assert_eq!(cost.done["read"], json!(files), "{}", cost.done);
    figure("megabytes a second", &format!("{:.1}", number as f64 * 1_000.0 / cost.seconds), "");
    figure(
        "memory, at most (before the run)",
        &format!("{:.0} MB ({:.0})", cost.peak, cost.before),
        "< 200 MB",
    );
}

/// Runs one into document stores that have embeddings: one that keeps its vectors itself, and one with a vector store card and
/// a record manager. Making the vectors is part of the run.
pub fn stores(documents: Option<usize>) {
    let documents = documents.unwrap_or(DOCUMENTS);
    let place = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(place.path()).unwrap();
    fill(&folder, documents);
    let cards = json!({
        "vectorStoreName": "faiss", "vectorStoreConfig": {"basePath": "all"},
        "recordManagerName": "SQLiteRecordManager", "recordManagerConfig": {"cleanup": "full"},
    });
    for (name, cards) in [("its own vectors", json!({})), ("Faiss and records", cards)] {
        heading(&format!(
            "{documents} documents of a kilobyte into a document store: split, store, embed; {name}"
        ));
        let cost = run_prepared(&folder, &|service| {
            let store = service.post("/api/v1/document-store/store", &json!({"name": "all"}));
            let store = store["id"].as_str().unwrap().to_owned();
            let mut vectors = json!({
                "storeId": store, "embeddingName": "hashingEmbeddings", "embeddingConfig": {"dimensions": 256},
            });
            vectors.as_object_mut().unwrap().extend(cards.as_object().unwrap().clone());
            service.post("/api/v1/document-store/vectorstore/save", &vectors);
            let mut nodes = reading(&folder);
            nodes.pop();
            let filled = json!({"documents": from("split"), "selectedStore": store});
            nodes.push(node("store", "etlDocumentStore", filled));
            nodes
        });
        assert_eq!(
            (&cost.done["read"], &cost.done["errors"]),
            (&json!(documents), &json!([])),
            "{}",
            cost.done
        );
        figure("chunks", &cost.done["written"].to_string(), "");
        figure("documents a second", &format!("{:.0}", documents as f64 / cost.seconds), "");
        figure(
            "memory, at most (before the run)",
            &format!("{:.0} MB ({:.0})", cost.peak, cost.before),
            "< 200 MB",
        );
    }
}

/// A run that is over, and what it took.
struct Cost {
    done: Value,
    seconds: f64,
    /// Seconds of processor time of the service.
    busy: f64,
    /// Megabytes of the service before the run.
    before: f64,
    /// Megabytes of it at most.
    peak: f64,
}

/// A service, and who may change it.
struct Owned<'s> {
    service: &'s Throwaway,
    bearer: String,
}

impl Owned<'_> {
    fn post(&self, path: &str, body: &Value) -> Value {
        self.service.program.call("POST", path, &[("authorization", self.bearer.as_str())], body).json()
    }
}

/// Runs a pipeline of these cards in a service that may read the folder.
fn run(folder: &Path, nodes: &[Value]) -> Cost {
    run_prepared(folder, &|_| nodes.to_vec())
}

/// As [`run`], with cards that need something of the service.
fn run_prepared(folder: &Path, nodes: &dyn Fn(&Owned<'_>) -> Vec<Value>) -> Cost {
    let mut serve = command(&["serve", "--throwaway", "--port", "0"]);
    serve.env("SERVICE_DOCUMENT_FOLDERS", folder);
    let service = Throwaway::start(serve);
    let bearer = format!("Bearer {}", service.key);
    let headers = [("authorization", bearer.as_str())];
    let owned = Owned { service: &service, bearer: bearer.clone() };
    let canvas = json!({"nodes": nodes(&owned), "edges": []}).to_string();
    let made = json!({"name": "pipeline", "type": "ETL", "flowData": canvas});
    let made = service.program.call("POST", "/api/v1/chatflows", &headers, &made).json();
    let runs = format!("/api/v1/etl/{}/runs", made["id"].as_str().unwrap());
    let process = service.program.process_id();
    let (before, used) = (megabytes(process), processor_time(process));
    let (watch, started) = (Watch::start(process), Instant::now());
    let run = service.program.call("POST", &runs, &headers, &json!({})).json();
    let run = format!("{runs}/{}", run["id"].as_str().unwrap());
    let done = loop {
        std::thread::sleep(LOOK);
        let now = service.program.get(&run, &headers).json();
        if now["state"] != "RUNNING" {
            break now;
        }
    };
    assert_eq!(done["state"], "FINISHED", "{done}");
    let seconds = started.elapsed().as_secs_f64();
    let busy = (processor_time(process) - used).as_secs_f64();
    Cost { done, seconds, busy, before, peak: watch.stop() as f64 / 1024.0 }
}

/// Texts of about a kilobyte, no two alike.
fn fill(folder: &Path, documents: usize) {
    for first in (0..documents).step_by(FILES_OF_FOLDER) {
        let inner = folder.join(format!("{:04}", first / FILES_OF_FOLDER));
        fs::create_dir(&inner).unwrap();
        for number in first..documents.min(first + FILES_OF_FOLDER) {
            let sentence =
                format!("Parcel {number} leaves on day {} of the year, and nobody knows why. ", number % 365);
            fs::write(inner.join(format!("{number:06}.txt")), sentence.repeat(14)).unwrap();
        }
    }
}

fn node(id: &str, name: &str, inputs: Value) -> Value {
    json!({"id": id, "data": {"id": id, "name": name, "label": name, "inputs": inputs}})
}

fn from(id: &str) -> Value {
    json!([format!("{{{{{id}.data.instance}}}}")])
}

/// Cards that read the folder, cut what is in it, and write the chunks into a file.
fn reading(folder: &Path) -> Vec<Value> {
    vec![
        node("source", "folderFiles", json!({"folderPath": folder, "recursive": true})),
        node("splitter", "recursiveCharacterTextSplitter", json!({"chunkSize": 500, "chunkOverlap": 50})),
        node(
            "split",
            "etlSplit",
            json!({"documents": from("source"), "textSplitter": "{{splitter.data.instance}}"}),
        ),
        node("file", "etlFile", json!({"documents": from("split"), "fileName": "rows.jsonl"})),
    ]
}
