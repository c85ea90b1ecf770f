//! Starting, idling, and coming back after a kill, with an empty and with a large database.

use crate::callers::Target;
use crate::figures::{Latencies, figure, heading};
use crate::memory::resident_kib;
use crate::program::{OWNER, command, free_port};
use crate::wire::{Answer, Wire, request};
use crate::{canvases, program};
use flowkeep::domain::conversations::conversation::Message;
use flowkeep::domain::ids::{ChatId, FlowId, MessageId, WorkspaceId};
use flowkeep::domain::predictions::prediction::{ChatType, MessageRole};
use flowkeep::store::Store;
use flowkeep::store::queries::messages::MessageBatch;
use serde_json::json;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const MESSAGES: usize = 100_000;
const ROUNDS: usize = 7;

/// Start, memory, size, and the way back after a kill.
pub fn report() {
    heading("Start, memory, size");
    let folder = tempfile::tempdir().unwrap();
    let empty: Vec<Duration> =
        (0..ROUNDS).map(|round| first_start(&folder.path().join(round.to_string()))).collect();
    print_times("cold start to first answer, no data yet, median", empty, "< 100 ms");
    let data = folder.path().join("data");
    let flow = fill(&data);
    let mut memory = 0;
    let starts = (0..ROUNDS).map(|_| {
        let (mut child, took) = start_and_measure(&data, &flow);
        std::thread::sleep(Duration::from_secs(1));
        memory = resident_kib(child.id()).max(memory);
        end(&mut child);
        took
    });
    let starts = starts.collect();
    print_times("cold start to first answer, 100,000 messages, median", starts, "< 100 ms");
    figure("idle memory, 100,000 messages, one answer given", &megabytes(memory * 1024), "< 30 MB");
    let size = std::fs::metadata(program::path()).unwrap().len();
    figure("release program", &megabytes(size), "< 40 MB");
    let again = (0..ROUNDS).map(|_| restart_after_kill(&data, &flow)).collect();
    print_times("kill -9 under load to first answer, 100,000 messages", again, "< 100 ms");
    let size = std::fs::metadata(data.join("flowkeep.redb")).unwrap().len();
    figure("database file, 100,000 messages", &megabytes(size), "");
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / f64::from(1 << 20))
}

fn print_times(name: &str, times: Vec<Duration>, target: &str) {
    let times = Latencies::new(times);
    figure(
        name,
        &format!("{:.0} ms", times.percentile(0.5)),
        &format!("{target} (worst {:.0} ms)", times.percentile(1.0)),
    );
}

fn start(folder: &Path) -> (Child, SocketAddr, Instant) {
    let port = free_port();
    let mut command = command(&["serve", "--port", &port.to_string(), "--data-dir"]);
    command.arg(folder).stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    (command.spawn().unwrap(), SocketAddr::from(([127, 0, 0, 1], port)), begun)
}

/// Asks as soon as somebody listens.
fn first_answer(address: SocketAddr, asked: &[u8]) -> Answer {
    loop {
        if let Ok(mut wire) = Wire::to(address) {
            return wire.ask(asked).unwrap();
        }
        std::thread::sleep(Duration::from_micros(500));
    }
}

fn first_start(folder: &Path) -> Duration {
    let (mut child, address, begun) = start(folder);
    let answer = first_answer(address, &request("GET", "/ready", &[], b""));
    let took = begun.elapsed();
    assert_eq!(answer.status(), 200);
    end(&mut child);
    took
}

fn question(address: SocketAddr, flow: &FlowId) -> Target {
    let body = json!({"question": "Will it rain?"}).to_string();
    Target::new(address, &format!("/api/v1/prediction/{flow}"), &body)
}

fn start_and_measure(folder: &Path, flow: &FlowId) -> (Child, Duration) {
    let (child, address, begun) = start(folder);
    let answer = first_answer(address, &question(address, flow).request);
    let took = begun.elapsed();
    assert_eq!(answer.status(), 200, "{}", answer.text());
    (child, took)
}

/// Kills a service that is recording answers, and times the next one.
fn restart_after_kill(folder: &Path, flow: &FlowId) -> Duration {
    let (mut child, address, _) = start(folder);
    let target = question(address, flow);
    first_answer(address, &target.request);
    let callers: Vec<_> = (0..16)
        .map(|_| {
            let target = target.clone();
            std::thread::spawn(move || {
                let Ok(mut wire) = Wire::to(target.address) else { return };
                while wire.ask(&target.request).is_ok() {}
            })
        })
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    child.kill().unwrap();
    child.wait().unwrap();
    for caller in callers {
        caller.join().unwrap();
    }
    let (mut child, took) = start_and_measure(folder, flow);
    end(&mut child);
    took
}

fn end(child: &mut Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Makes a folder with an owner, a flow, and many messages; the flow.
fn fill(folder: &Path) -> FlowId {
    let service = program::Program::serve(folder, &[]);
    let cookie = service.sign_in(OWNER.0, OWNER.1).unwrap();
    let canvas = canvases::scripted(&json!([]), "It will rain.");
    let body = json!({"name": "bench", "type": "CHATFLOW", "flowData": canvas.to_string(), "publishInstantly": true});
    let made = service.call("POST", "/api/v1/chatflows", &[("cookie", &cookie)], &body).json();
    service.stop();
    let flow = FlowId::parse(made["id"].as_str().unwrap()).unwrap();
    let workspace = WorkspaceId::parse(made["workspaceId"].as_str().unwrap()).unwrap();
    let store = Store::open(&folder.join("flowkeep.redb")).unwrap();
    for _ in 0..MESSAGES / 1_000 {
        let some: Vec<Message> = (0..50).flat_map(|_| conversation(flow)).collect();
        store.append(MessageBatch::new(&workspace, &some).unwrap()).unwrap();
    }
    flow
}

/// Ten questions and their answers.
fn conversation(flow: FlowId) -> Vec<Message> {
    let chat = ChatId::random();
    let message = |at: usize| Message {
        id: MessageId::random(),
        role: if at.is_multiple_of(2) { MessageRole::User } else { MessageRole::Api },
        flow,
        chat,
        content: "The quick brown fox jumps over the lazy dog. ".repeat(1 + at % 5),
        chat_type: ChatType::External,
        session: Some(chat.to_string()),
        session_name: None,
        memory_type: Some("Buffer Memory".to_owned()),
        created: "2026-01-01T00:00:00Z".parse().unwrap(),
        lead_email: None,
        file_uploads: Vec::new(),
        used_tools: Vec::new(),
        source_documents: Vec::new(),
        usage: None,
        follow_up_prompts: Vec::new(),
        stopped: false,
        execution: None,
        receipt: None,
        agent_reasoning: Vec::new(),
        turns: None,
        team: None,
        action: None,
    };
    (0..20).map(message).collect()
}
