//! The process is killed during upserts into a vector store, again and again: afterwards its chunks are those of one
//! upsert, whole, and not of one before the last that was acknowledged. `FLOWKEEP_KILL_ROUNDS` says how often.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]
#![allow(dead_code, reason = "the parts that are shared with other tests are used in part")]

#[path = "support/kills.rs"]
mod kills;
#[path = "support/program.rs"]
mod program;
#[path = "support/wire.rs"]
mod wire;

use program::Program;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use wire::{Answer, Wire, request};

/// Chunks of an upsert: a few blocks of them.
const CHUNKS: usize = 12;
const CHUNK_BYTES: usize = 250 * 1024;

/// How long a round waits for its first upsert.
const PATIENCE: Duration = Duration::from_secs(60);

/// Twelve loaders whose text the request brings, a store of vectors, and a chain that shows what is in it.
fn canvas(record_manager: bool) -> Value {
    let node = |id: &str, name: &str, inputs: Value| json!({"id": id, "data": {"id": id, "name": name, "label": name, "inputs": inputs}});
    let loader = |number: usize| format!("loader{number}");
    let mut nodes: Vec<Value> = (0..CHUNKS)
        .map(|number| {
            node(&loader(number), "plainText", json!({"text": "x", "metadata": {"source": number}}))
        })
        .collect();
    let documents: Vec<String> =
        (0..CHUNKS).map(|number| format!("{{{{{}.data.instance}}}}", loader(number))).collect();
    let mut store = json!({
        "document": documents, "embeddings": "{{embeddings.data.instance}}", "basePath": "killed", "topK": 100,
    });
    if record_manager {
        store["recordManager"] = "{{records.data.instance}}".into();
        nodes.push(node("records", "SQLiteRecordManager", json!({"cleanup": "full"})));
    }
    nodes.push(node("embeddings", "hashingEmbeddings", json!({"dimensions": 16})));
    nodes.push(node("store", "faiss", store));
    nodes.push(node("model", "chatScripted", json!({"rules": "[]", "fallback": "Yes."})));
    nodes.push(node(
        "chain",
        "retrievalQAChain",
        json!({
            "model": "{{model.data.instance}}", "vectorStoreRetriever": "{{store.data.instance}}",
            "returnSourceDocuments": true,
        }),
    ));
    let ends = [("store", "chain"), ("model", "chain")];
    let edges: Vec<Value> = ends.iter().map(|(from, to)| json!({"source": from, "target": to})).collect();
    json!({"nodes": nodes, "edges": edges})
}

struct Caller {
    wire: Wire,
    key: String,
}

impl Caller {
    fn to(address: SocketAddr, key: &str) -> Option<Self> {
        Some(Self { wire: Wire::to(address).ok()?, key: key.to_owned() })
    }

    /// `None` when the process died before it answered.
    fn call(&mut self, method: &str, path: &str, body: &Value) -> Option<Answer> {
        let bearer = format!("Bearer {}", self.key);
        let call = request(method, path, &[("authorization", &bearer)], body.to_string().as_bytes());
        self.wire.ask(&call).ok()
    }
}

fn prepare(data: &Path) -> (Vec<String>, String) {
    let service = Program::serve(data, &[]);
    let made =
        program::run(&["key", "create", "--name", "load", "--all", "--data-dir", data.to_str().unwrap()]);
    let text = program::standard_output(&made);
    let start =
        text.find("fk_").unwrap_or_else(|| panic!("no key in {text:?}: {}", program::error_output(&made)));
    let key: String =
        text[start..].chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).collect();
    let mut caller = Caller::to(service.address, &key).unwrap();
    let listed = json!({"overrideConfig": {"status": true, "nodes": {"plainText": [
        {"label": "Text", "name": "text", "type": "string", "enabled": true}]}}});
    let flows = [false, true].map(|records| {
        let flow = service.make_flow(&key, "filled", &canvas(records));
        let body = json!({"apiConfig": listed.to_string()});
        assert_eq!(caller.call("PUT", &format!("/api/v1/chatflows/{flow}"), &body).unwrap().status(), 200);
        flow
    });
    drop(caller);
    assert!(service.stop().success());
    (flows.to_vec(), key)
}

/// The beginning of a chunk of an upsert.
fn chunk_start(number: u64) -> String {
    format!("filling {number};")
}

fn fill(caller: &mut Caller, flow: &str, number: u64) -> Option<Answer> {
    // No words beyond the first: embedding it takes no time.
    let text = format!("{} {}", chunk_start(number), ".".repeat(CHUNK_BYTES));
    let body = json!({"overrideConfig": {"text": text}});
    caller.call("POST", &format!("/api/v1/vector/upsert/{flow}"), &body)
}

/// The upsert whose chunks the store holds; none before the first.
fn stored_upsert(caller: &mut Caller, flow: &str) -> Option<u64> {
    let answer =
        caller.call("POST", &format!("/api/v1/prediction/{flow}"), &json!({"question": "word"})).unwrap();
    if answer.status() != 200 {
        assert!(answer.text().contains("nothing is stored"), "{}", answer.text());
        return None;
    }
    let answer = answer.json();
    let chunks = answer["sourceDocuments"].as_array().cloned().unwrap_or_default();
    let number = |chunk: &Value| -> u64 {
        let text = chunk["pageContent"].as_str().unwrap();
        text.split_once(';').unwrap().0.trim_start_matches("filling ").parse().unwrap()
    };
    let numbers: Vec<u64> = chunks.iter().map(number).collect();
    assert_eq!(numbers.len(), CHUNKS, "{numbers:?}");
    assert!(numbers.iter().all(|number| *number == numbers[0]), "of several fillings: {numbers:?}");
    Some(numbers[0])
}

#[test]
fn a_killed_filling_leaves_one_whole_filling() {
    let rounds = kills::rounds(2);
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (flows, key) = prepare(&data);
    let acknowledged = AtomicU64::new(0);
    let sent = AtomicU64::new(0);
    for round in 0..rounds * 2 {
        let flow = &flows[usize::try_from(round % 2).unwrap()];
        let service = Program::serve(&data, &[]);
        std::thread::scope(|scope| {
            let (address, key, acknowledged, sent) = (service.address, &key, &acknowledged, &sent);
            scope.spawn(move || {
                let Some(mut caller) = Caller::to(address, key) else { return };
                loop {
                    let number = sent.fetch_add(1, Ordering::SeqCst) + 1;
                    let Some(answer) = fill(&mut caller, flow, number) else { return };
                    assert_eq!(answer.status(), 200, "{}", answer.text());
                    acknowledged.store(number, Ordering::SeqCst);
                }
            });
            // In the middle of an upsert after the first one of the round.
            let (before, patience) = (acknowledged.load(Ordering::SeqCst), Instant::now());
            while acknowledged.load(Ordering::SeqCst) == before && patience.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis(round * 37 % 500));
            service.kill();
        });
        let service = Program::serve(&data, &[]);
        let mut caller = Caller::to(service.address, &key).unwrap();
        let (stored_upsert, least) = (stored_upsert(&mut caller, flow), acknowledged.load(Ordering::SeqCst));
        assert!(
            stored_upsert.unwrap_or(0) >= least,
            "{stored_upsert:?} is older than what was acknowledged: {least}"
        );
        drop(caller);
        assert!(service.stop().success());
    }
    assert!(acknowledged.into_inner() > 0, "nothing was filled");
}
