//! Local programs of flows, when the service is killed under them (manual 12.6).
#![cfg(target_os = "linux")]

use crate::program::{Throwaway, command};
use crate::wire::request;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Long enough for a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(20);

/// Notes itself, its child and its folder, and hears no signal that can be heard.
const PROGRAM: &str = "trap '' TERM HUP INT PIPE; setsid sleep 1000 & \
                       printf '%s %s %s\\n' \"$$\" \"$!\" \"$(pwd)\" >\"$0.new\"; mv \"$0.new\" \"$0\"; \
                       while :; do sleep 1; done";

fn agent(program: &[&str]) -> Value {
    let config = json!({"command": program[0], "args": program[1..]}).to_string();
    let node = |id: &str, name: &str, inputs: Value| json!({"id": id, "data": {"id": id, "name": name, "label": name, "inputs": inputs}});
    json!({
        "nodes": [
            node("m", "chatScripted", json!({})),
            node("t", "customMCP", json!({"mcpServerConfig": config, "mcpActions": "[\"look\"]"})),
            node("a", "toolAgent", json!({"model": "{{m.data.instance}}", "tools": ["{{t.data.instance}}"]})),
        ],
        "edges": [{"source": "m", "target": "a"}, {"source": "t", "target": "a"}],
    })
}

fn until(done: impl Fn() -> bool, otherwise: &str) {
    let end = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < end, "{otherwise}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_service_that_is_killed_leaves_no_program_and_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    let program = ["/bin/sh", "-c", PROGRAM, notes.to_str().unwrap()];
    let mut serve = command(&["serve", "--throwaway", "--port", "0"]);
    serve.env("SERVICE_MCP_COMMANDS", json!([program]).to_string());
    let service = Throwaway::start(serve);
    let flow = service.program.make_flow(&service.key, "Local", &agent(&program));
    let mut wire = service.program.wire();
    let body = json!({"question": "Hi"}).to_string();
    wire.send(&request("POST", &format!("/api/v1/prediction/{flow}"), &[], body.as_bytes())).unwrap();
    until(|| notes.exists(), "the program did not start");
    let text = fs::read_to_string(&notes).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    let processes: Vec<PathBuf> = words[..2].iter().map(|number| Path::new("/proc").join(number)).collect();
    let own = PathBuf::from(words[2]);
    assert!(processes.iter().all(|process| process.exists()) && own.exists());
    service.program.signal(Signal::KILL);
    until(|| !processes.iter().any(|process| process.exists()), "a process is left");
    until(|| !own.exists(), "the folder is left");
}
