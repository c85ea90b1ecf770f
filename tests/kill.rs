//! The process is killed in the middle of its work, again and again: nothing that was acknowledged may be missing
//! afterwards. `FLOWKEEP_KILL_ROUNDS` says how often; a few rounds by default, thousands for a long run.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]

#[path = "support/canvases.rs"]
mod canvases;
#[path = "support/kills.rs"]
mod kills;
#[path = "support/program.rs"]
mod program;
#[path = "support/wire.rs"]
mod wire;

use program::Program;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use wire::{Answer, Wire, request};

/// Opening after a kill reads no whole file, whatever its size; this is far above what it takes on a busy machine.
const REOPEN_MAX: Duration = Duration::from_secs(20);
/// A round in which nothing was answered by then says nothing, and the end of the test says so.
const FIRST_ANSWER_MAX: Duration = Duration::from_secs(60);

/// What the service acknowledged.
#[derive(Default)]
struct AcknowledgedWork {
    /// Answer id and text.
    answers: Mutex<Vec<(String, String)>>,
    /// Flow id and the name it was given last.
    flows: Mutex<HashMap<String, String>>,
    /// Names that were on their way when the process died: one of them may have arrived.
    unsure: Mutex<HashMap<String, Vec<String>>>,
    keys: Mutex<Vec<String>>,
}

struct Caller {
    wire: Wire,
    headers: [(&'static str, String); 1],
}

impl Caller {
    fn to(address: SocketAddr, key: &str) -> Option<Self> {
        Some(Self { wire: Wire::to(address).ok()?, headers: [("authorization", format!("Bearer {key}"))] })
    }

    /// `None` when the process died before it answered.
    fn call(&mut self, method: &str, path: &str, body: &Value) -> Option<Answer> {
        let headers: Vec<(&str, &str)> =
            self.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.wire.ask(&request(method, path, &headers, body.as_bytes())).ok()
    }
}

#[test]
fn a_killed_process_loses_nothing_it_acknowledged() {
    let rounds = kills::rounds(2);
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (flow, key) = prepare(&data);
    let acknowledged = AcknowledgedWork::default();
    for round in 0..rounds {
        let service = Program::serve(&data, &[]);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for worker in 0..8_u64 {
                let (done, acknowledged, flow, key) = (&done, &acknowledged, &flow, &key);
                let address = service.address;
                scope.spawn(move || work(address, worker, flow, key, done, acknowledged));
            }
            // On a busy machine the first answer may take longer than any moment below.
            let before = acknowledged.answers.lock().unwrap().len();
            let late = Instant::now() + FIRST_ANSWER_MAX;
            while acknowledged.answers.lock().unwrap().len() == before && Instant::now() < late {
                std::thread::sleep(Duration::from_millis(1));
            }
            // Never the same moment twice: the dates of the clock are as good as dice.
            let moment = 20 + round * 37 % 400;
            std::thread::sleep(Duration::from_millis(moment));
            service.kill();
            done.store(true, Ordering::SeqCst);
        });
        let started = Instant::now();
        let service = Program::serve(&data, &[]);
        assert!(started.elapsed() < REOPEN_MAX, "opening after a kill took {:?}", started.elapsed());
        check(&service, &flow, &key, &acknowledged);
        assert!(service.stop().success());
    }
    assert!(!acknowledged.answers.lock().unwrap().is_empty(), "nothing was asked");
}

/// Makes the data folder: the flow that is asked and a key.
fn prepare(data: &Path) -> (String, String) {
    let service = Program::serve(data, &[]);
    let made =
        program::run(&["key", "create", "--name", "load", "--all", "--data-dir", data.to_str().unwrap()]);
    let text = program::standard_output(&made);
    let start =
        text.find("fk_").unwrap_or_else(|| panic!("no key in {text:?}: {}", program::error_output(&made)));
    let key: String =
        text[start..].chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).collect();
    let flow = service.make_flow(&key, "asked", &canvases::scripted(&json!([]), "I heard {question}"));
    assert!(service.stop().success());
    (flow, key)
}

/// One worker: asks, makes and renames flows, makes keys, until the process is gone.
fn work(
    address: SocketAddr,
    worker: u64,
    flow: &str,
    key: &str,
    done: &AtomicBool,
    acknowledged: &AcknowledgedWork,
) {
    let Some(mut caller) = Caller::to(address, key) else { return };
    let mut number = 0_u64;
    while !done.load(Ordering::SeqCst) {
        number += 1;
        let went_on = match (worker + number) % 8 {
            0 => make_flow(&mut caller, worker, number, acknowledged),
            1 => rename_flow(&mut caller, worker, number, acknowledged),
            2 if number % 16 == 2 => make_key(&mut caller, acknowledged),
            _ => ask(&mut caller, flow, worker, number, acknowledged),
        };
        if went_on.is_none() {
            return;
        }
    }
}

fn ask(
    caller: &mut Caller,
    flow: &str,
    worker: u64,
    number: u64,
    acknowledged: &AcknowledgedWork,
) -> Option<()> {
    let question = format!("question {worker}-{number}");
    let answer =
        caller.call("POST", &format!("/api/v1/prediction/{flow}"), &json!({"question": question}))?;
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let (json, text) = (answer.json(), format!("I heard {question}"));
    assert_eq!(json["text"], text.as_str());
    acknowledged.answers.lock().unwrap().push((json["chatMessageId"].as_str()?.to_owned(), text));
    Some(())
}

fn make_flow(caller: &mut Caller, worker: u64, number: u64, acknowledged: &AcknowledgedWork) -> Option<()> {
    let name = format!("flow {worker}-{number}");
    let body = json!({"name": name, "type": "CHATFLOW"});
    let answer = caller.call("POST", "/api/v1/chatflows", &body)?;
    assert_eq!(answer.status(), 200, "{}", answer.text());
    acknowledged.flows.lock().unwrap().insert(answer.json()["id"].as_str()?.to_owned(), name);
    Some(())
}

/// Only the worker that made a flow renames it, so the last acknowledged name is the name.
fn rename_flow(caller: &mut Caller, worker: u64, number: u64, acknowledged: &AcknowledgedWork) -> Option<()> {
    let mine = format!("flow {worker}-");
    let found = {
        let flows = acknowledged.flows.lock().unwrap();
        flows.iter().find(|(_, name)| name.starts_with(&mine)).map(|(id, _)| id.clone())
    };
    let Some(id) = found else { return Some(()) };
    let name = format!("flow {worker}-{number}, renamed");
    acknowledged.unsure.lock().unwrap().entry(id.clone()).or_default().push(name.clone());
    let answer = caller.call("PUT", &format!("/api/v1/chatflows/{id}"), &json!({"name": name}))?;
    assert_eq!(answer.status(), 200, "{}", answer.text());
    acknowledged.flows.lock().unwrap().insert(id.clone(), name);
    acknowledged.unsure.lock().unwrap().remove(&id);
    Some(())
}

fn make_key(caller: &mut Caller, acknowledged: &AcknowledgedWork) -> Option<()> {
    let body = json!({"keyName": "made under load", "permissions": ["chatflows:view"]});
    let answer = caller.call("POST", "/api/v1/apikey", &body)?;
    assert_eq!(answer.status(), 201, "{}", answer.text());
    acknowledged.keys.lock().unwrap().push(answer.json()["apiKey"].as_str()?.to_owned());
    Some(())
}

fn check(service: &Program, flow: &str, key: &str, acknowledged: &AcknowledgedWork) {
    let mut caller = Caller::to(service.address, key).unwrap();
    let stored = caller.call("GET", &format!("/api/v1/chatmessage/{flow}"), &Value::Null).unwrap().json();
    let by_id: HashMap<&str, &Value> =
        stored.as_array().unwrap().iter().map(|message| (message["id"].as_str().unwrap(), message)).collect();
    for (id, text) in &*acknowledged.answers.lock().unwrap() {
        let message = by_id.get(id.as_str()).unwrap_or_else(|| panic!("the answer {id} is missing"));
        assert_eq!(message["content"], text.as_str());
    }
    let stored = caller.call("GET", "/api/v1/chatflows", &Value::Null).unwrap().json();
    let names: HashMap<&str, &str> = stored
        .as_array()
        .unwrap()
        .iter()
        .map(|flow| (flow["id"].as_str().unwrap(), flow["name"].as_str().unwrap()))
        .collect();
    let mut unsure = acknowledged.unsure.lock().unwrap();
    for (id, name) in &mut *acknowledged.flows.lock().unwrap() {
        let is = names.get(id.as_str()).unwrap_or_else(|| panic!("the flow {name} is missing"));
        let on_its_way = unsure.get(id).is_some_and(|names| names.iter().any(|name| name == is));
        assert!(is == name || on_its_way, "the flow is named {is:?} instead of {name:?}");
        (*is).clone_into(name);
    }
    unsure.clear();
    for value in &*acknowledged.keys.lock().unwrap() {
        let mut holder = Caller::to(service.address, value).unwrap();
        assert_eq!(
            holder.call("GET", "/api/v1/chatflows", &Value::Null).unwrap().status(),
            200,
            "a key is missing"
        );
    }
}
