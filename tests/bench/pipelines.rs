//! What a pipeline over many small documents costs: a folder of files, cut into chunks, into vectors and into a file.

use crate::figures::{figure, heading};
use crate::memory::{Watch, megabytes, processor_time};
use crate::program::{Throwaway, command};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// With the folders that they lie in, as many as a folder may hold.
const DOCUMENTS: usize = 99_000;
/// Files of a folder within the folder.
const FILES_OF_FOLDER: usize = 1_000;
const LOOK: Duration = Duration::from_millis(250);

/// Runs one over so many documents, or over as many as a folder may hold.
pub fn report(documents: Option<usize>) {
    let documents = documents.unwrap_or(DOCUMENTS);
    heading(&format!(
        "A pipeline over {documents} documents of a kilobyte: split, hash-embed, store and write"
    ));
    let place = tempfile::tempdir().unwrap();
    let folder = fs::canonicalize(place.path()).unwrap();
    fill(&folder, documents);
    let mut serve = command(&["serve", "--throwaway", "--port", "0"]);
    serve.env("SERVICE_DOCUMENT_FOLDERS", &folder);
    let service = Throwaway::start(serve);
    let bearer = format!("Bearer {}", service.key);
    let headers = [("authorization", bearer.as_str())];
    let made = json!({"name": "pipeline", "type": "ETL", "flowData": canvas(&folder).to_string()});
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
    assert_eq!((&done["state"], &done["read"]), (&json!("FINISHED"), &json!(documents)), "{done}");
    let seconds = started.elapsed().as_secs_f64();
    let peak = watch.stop() as f64 / 1024.0;
    figure("documents a second", &format!("{:.0}", documents as f64 / seconds), "");
    figure("chunks and lines a second", &format!("{:.0}", done["written"].as_f64().unwrap() / seconds), "");
    let busy = (processor_time(process) - used).as_secs_f64();
    figure("processor time of a document", &format!("{:.2} ms", busy * 1e3 / documents as f64), "");
    figure("memory, at most (before the run)", &format!("{peak:.0} MB ({before:.0})"), "< 200 MB");
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

fn canvas(folder: &Path) -> Value {
    let node = |id: &str, name: &str, inputs: Value| json!({"id": id, "data": {"id": id, "name": name, "label": name, "inputs": inputs}});
    let from = |id: &str| json!([format!("{{{{{id}.data.instance}}}}")]);
    let nodes = [
        node("source", "folderFiles", json!({"folderPath": folder, "recursive": true})),
        node("splitter", "recursiveCharacterTextSplitter", json!({"chunkSize": 500, "chunkOverlap": 50})),
        node(
            "split",
            "etlSplit",
            json!({"documents": from("source"), "textSplitter": "{{splitter.data.instance}}"}),
        ),
        node("embeddings", "hashingEmbeddings", json!({"dimensions": 256})),
        node(
            "store",
            "faiss",
            json!({"document": from("split"), "embeddings": "{{embeddings.data.instance}}", "basePath": "all"}),
        ),
        node("file", "etlFile", json!({"documents": from("split"), "fileName": "rows.jsonl"})),
    ];
    json!({"nodes": nodes, "edges": []})
}
