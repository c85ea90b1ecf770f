//! Pipelines: flows of type ETL, whose runs bring documents into stores (manual 10.12).

mod asked;
mod called;
mod cards;
mod clock;
mod params;
mod runs;
mod sources;
mod started;
mod targets;

use crate::support::canvases::Drawing;
use crate::support::{Server, id};
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

/// A folder of documents that a service may read.
pub struct DocumentFolder {
    guard: tempfile::TempDir,
}

impl DocumentFolder {
    /// A folder with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let guard = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(guard.path().join(name), text).unwrap();
        }
        Self { guard }
    }

    /// As many texts, each of which says its number.
    pub fn numbered(count: usize) -> Self {
        let folder = Self::with(&[]);
        for number in 0..count {
            let text = format!("Parcel {number} leaves on Monday.");
            fs::write(folder.guard.path().join(format!("{number:04}.txt")), text).unwrap();
        }
        folder
    }

    pub fn path(&self) -> String {
        fs::canonicalize(self.guard.path()).unwrap().to_str().unwrap().to_owned()
    }

    pub fn server(&self) -> Server {
        Server::with(&[("SERVICE_DOCUMENT_FOLDERS", &self.path())])
    }
}

/// A store of this server under a name, with what makes its vectors.
pub fn store(drawing: &mut Drawing, name: &str, mode: &str) -> String {
    let embeddings = drawing.card("hashingEmbeddings", json!({"dimensions": 64}));
    let store = drawing.card("faiss", json!({"basePath": name, "mode": mode, "topK": 100}));
    drawing.wire(&embeddings, &store, "embeddings");
    store
}

/// A source, transforms behind it, and a store.
pub fn line(source: (&str, Value), transforms: &[(&str, Value)], mode: &str) -> Drawing {
    let mut drawing = Drawing::default();
    let mut last = drawing.card(source.0, source.1);
    for (name, inputs) in transforms {
        let next = drawing.card(name, inputs.clone());
        drawing.wire(&last, &next, "documents");
        last = next;
    }
    let store = store(&mut drawing, "parcels", mode);
    drawing.wire(&last, &store, "document");
    drawing
}

/// A source, code that may be none, and a target.
pub fn into(source: (&str, Value), code: Option<&str>, target: (&str, Value)) -> Drawing {
    let mut drawing = Drawing::default();
    let mut last = drawing.card(source.0, source.1);
    if let Some(code) = code {
        let function = drawing.card("etlFunction", json!({ "javascriptFunction": code }));
        drawing.wire(&last, &function, "documents");
        last = function;
    }
    let target = drawing.card(target.0, target.1);
    drawing.wire(&last, &target, "documents");
    drawing
}

/// A text into a file of this name.
pub fn into_file(name: &str) -> Drawing {
    let mut drawing = Drawing::default();
    let text = drawing.card("plainText", json!({"text": "Parcels leave."}));
    let file = drawing.card("etlFile", json!({ "fileName": name }));
    drawing.wire(&text, &file, "documents");
    drawing
}

/// The files of a folder straight into a store.
pub fn folder_line(folder: &DocumentFolder, transforms: &[(&str, Value)]) -> Drawing {
    line(("folderFiles", json!({"folderPath": folder.path()})), transforms, "append")
}

pub fn pipeline(server: &Server, drawing: &Drawing) -> String {
    server.flow_with(&drawing.text(), &json!({"type": "ETL"}))
}

/// Draws a pipeline anew.
pub fn save(server: &Server, flow: &str, drawing: &Drawing) {
    server.put(&format!("/chatflows/{flow}"), &json!({"flowData": drawing.text()}));
}

/// Starts a run; its id.
pub fn start(server: &Server, flow: &str, body: &Value) -> String {
    let run = server.owner("POST", &format!("/etl/{flow}/runs")).json(body).send().is(202).json();
    assert_eq!((&run["state"], &run["trigger"]), (&json!("RUNNING"), &json!("API")));
    id(&run)
}

/// Waits for the end of a run.
pub fn end(server: &Server, flow: &str, run: &str) -> Value {
    let begin = Instant::now();
    loop {
        let now = server.read(&format!("/etl/{flow}/runs/{run}"));
        if now["state"] != "RUNNING" {
            return now;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "{now}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Takes a while for each document.
const SLOW: &str = "const end = Date.now() + 40; while (Date.now() < end) {} return $pageContent;";

/// Code for it.
pub const fn slow_code() -> &'static str {
    SLOW
}

/// The files of a folder, each of which takes a while.
pub fn slow(folder: &DocumentFolder) -> Drawing {
    folder_line(folder, &[("etlFunction", json!({ "javascriptFunction": SLOW }))])
}

/// Runs a pipeline to its end.
pub fn run(server: &Server, flow: &str) -> Value {
    end(server, flow, &start(server, flow, &json!({})))
}

/// Runs a pipeline that comes to its end.
#[track_caller]
pub fn finish(server: &Server, flow: &str) -> Value {
    let done = run(server, flow);
    assert_eq!(done["state"], "FINISHED", "{done}");
    done
}

/// The texts in the store of [`line`].
pub fn stored(server: &Server) -> Vec<String> {
    let mut drawing = Drawing::default();
    let store = drawing.card("faiss", json!({"basePath": "parcels", "topK": 100}));
    drawing.answer_with_chunks(&store, json!({"dimensions": 64}));
    let asked = server.ask(&server.flow(&drawing.text()), &json!({"question": "Monday"}));
    let answer = asked.is(200).json();
    let texts = answer["sourceDocuments"].as_array().unwrap();
    let mut texts: Vec<String> =
        texts.iter().map(|chunk| chunk["pageContent"].as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}

/// The counts of a run: read, written, skipped, failed.
pub fn counts(run: &Value) -> [u64; 4] {
    ["read", "written", "skipped", "failed"].map(|name| run[name].as_u64().unwrap())
}
