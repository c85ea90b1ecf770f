//! A service that is recorded while somebody uses it, and what it promised.

use super::model::DiskOp;
use super::recorder::Recorder;
use super::wire::{Answer, Wire, request};
use super::{canvases, tracer};
use flowkeep::app::App;
use flowkeep::domain::flows::version::ShaPrefix;
use flowkeep::domain::ids::{ChatId, FlowId};
use flowkeep::files::{chat_files, flow_files::FlowFileName};
use flowkeep::store::tables::{CANVASES, FLOWS, WORKSPACES};
use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A traced program of a debug build takes its time.
const PATIENCE: Duration = Duration::from_secs(120);
const OWNER: (&str, &str) = ("owner@test.local", "a-long-enough-password");
/// What the files say that are stored with a flow and with a question.
const WORDS: &str = "What is in the file.";

/// Something that an answer said is stored.
#[derive(Debug, Clone)]
pub enum Promise {
    /// The service was ready, and so has an owner.
    Ready,
    /// The flow is there and has this name, or a later one.
    Named(FlowId, usize),
    /// Live says this, or something later.
    Live(FlowId, usize),
    /// The version can be read.
    Version(FlowId, String),
    /// The conversation holds this answer.
    Answer(FlowId, ChatId, String),
    /// The file of the flow can be read.
    File(FlowId, FlowFileName),
    /// The conversation names the file that came with its question, which can be read.
    Sent(FlowId, ChatId),
}

/// A data folder in a folder of its own, all that ever happened to it, and what was promised when.
pub struct Session {
    home: TempDir,
    recorder: Option<Recorder>,
    promises: Vec<(usize, Promise)>,
    number: usize,
}

impl Session {
    pub fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let recorder = Some(Recorder::new(home.path()));
        Self { home, recorder, promises: Vec::new(), number: 0 }
    }

    /// Goes on with what a disk kept, and with what was promised before.
    pub fn resume(home: TempDir, promises: impl Iterator<Item = Promise>, number: usize) -> Self {
        let mut recorder = Recorder::new(home.path());
        recorder.load_folder(home.path());
        let promises = promises.map(|promise| (recorder.record.length(), promise)).collect();
        Self { home, recorder: Some(recorder), promises, number }
    }

    pub fn ops(&self) -> Vec<DiskOp> {
        self.recorder.as_ref().unwrap().record.ops()
    }

    /// What was promised, and how much was recorded by then.
    pub fn promises(&self) -> &[(usize, Promise)] {
        &self.promises
    }

    /// The number that changes have got to.
    pub const fn number(&self) -> usize {
        self.number
    }

    /// When the service was ready first; the end of the record when it never was.
    pub fn ready_at(&self) -> usize {
        let ready = self.promises.iter().find(|(_, promise)| matches!(promise, Promise::Ready));
        ready.map_or(usize::MAX, |(at, _)| *at)
    }

    /// Runs the service once and uses it for some rounds; the flush of this number fails. Then it is killed. Tells how many
    /// flushes there were, and whether it was ever ready.
    pub fn run(&mut self, rounds: usize, fails_at: Option<usize>) -> (usize, bool) {
        let mut recorder = self.recorder.take().unwrap();
        recorder.fail_at(fails_at);
        let record = recorder.record.clone();
        let address = free_address();
        let program = program(&self.data(), address);
        let (told, process) = mpsc::channel();
        let tracing = std::thread::spawn(move || {
            tracer::run(&program, &mut recorder, |process| told.send(process).unwrap());
            recorder
        });
        let process = process.recv().unwrap();
        let mut user =
            User { address, cookie: String::new(), promises: Vec::new(), length: &|| record.length() };
        let is_ready = user.wait_until_ready(&|| tracing.is_finished());
        if is_ready {
            self.number = user.run_rounds(self.number, rounds);
        }
        // It may have ended by itself.
        let _ = kill(process, Signal::SIGKILL);
        let recorder = tracing.join().unwrap();
        self.promises.append(&mut user.promises);
        let flushes = recorder.flushes();
        self.recorder = Some(recorder);
        (flushes, is_ready)
    }

    fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn program(data: &Path, address: SocketAddr) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_flowkeep"));
    program.arg("serve").env("SERVICE_DATA_DIR", data).env("SERVICE_PORT", address.port().to_string());
    program.env("SERVICE_OWNER_EMAIL", OWNER.0).env("SERVICE_OWNER_PASSWORD", OWNER.1);
    program
}

/// Who uses the service.
struct User<'a> {
    address: SocketAddr,
    cookie: String,
    promises: Vec<(usize, Promise)>,
    length: &'a dyn Fn() -> usize,
}

impl User<'_> {
    fn call(&self, method: &str, path: &str, body: &Value) -> Option<Answer> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let headers = [("cookie", self.cookie.as_str())];
        let headers = if self.cookie.is_empty() { &headers[..0] } else { &headers };
        let path = format!("/api/v1{path}");
        Wire::to(self.address).ok()?.ask(&request(method, &path, headers, body.as_bytes())).ok()
    }

    /// The answer, when it is a good one.
    fn call_ok(&self, method: &str, path: &str, body: &Value) -> Option<Value> {
        self.call(method, path, body).filter(|answer| answer.status() == 200).map(|answer| answer.json())
    }

    fn note_promise(&mut self, promise: Promise) {
        self.promises.push(((self.length)(), promise));
    }

    /// Waits for the service; false when it ended at its start.
    fn wait_until_ready(&mut self, has_ended: &dyn Fn() -> bool) -> bool {
        let begun = Instant::now();
        while self.call("GET", "/ping", &Value::Null).is_none() {
            assert!(begun.elapsed() < PATIENCE, "the service did not start");
            if has_ended() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.note_promise(Promise::Ready);
        true
    }

    /// Changes things for some rounds; each change has a number of its own, and they grow.
    fn run_rounds(&mut self, mut number: usize, rounds: usize) -> usize {
        let signed = self.call("POST", "/auth/login", &json!({"email": OWNER.0, "password": OWNER.1}));
        let Some(cookie) = signed.as_ref().and_then(|answer| answer.head.header("set-cookie")) else {
            return number;
        };
        self.cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        let files = json!({"fullFileUpload": {"status": true, "allowedUploadFileTypes": "text/plain"}});
        let made = json!({
            "name": format!("flow-{number}"), "type": "CHATFLOW", "flowData": canvas(number, false),
            "chatbotConfig": files.to_string(),
        });
        let Some(made) = self.call_ok("POST", "/chatflows", &made) else { return number };
        let id = made["id"].as_str().unwrap().to_owned();
        let flow = FlowId::parse(&id).unwrap();
        self.note_promise(Promise::Named(flow, number));
        for round in 0..rounds {
            number += 1;
            let body = json!({"flowData": canvas(number, round.is_multiple_of(2))});
            if self.call_ok("PUT", &format!("/flow-drafts/{id}"), &body).is_some() {
                self.publish_version(&id, flow, number);
            }
            if self
                .call_ok("PUT", &format!("/chatflows/{id}"), &json!({"name": format!("flow-{number}")}))
                .is_some()
            {
                self.note_promise(Promise::Named(flow, number));
            }
            self.ask_and_note(&id, flow, number);
        }
        number
    }

    fn publish_version(&mut self, id: &str, flow: FlowId, number: usize) {
        let Some(published) = self.call_ok("POST", &format!("/flow-drafts/{id}/publish"), &Value::Null)
        else {
            return;
        };
        self.note_promise(Promise::Live(flow, number));
        if published["recorded"] == true {
            let sha = published["version"]["sha"].as_str().unwrap().to_owned();
            self.note_promise(Promise::Version(flow, sha));
        }
        let Some(record) = self.call_ok("GET", &format!("/chatflows/{id}"), &Value::Null) else { return };
        let text = record["flowData"].as_str().unwrap_or_default();
        if let Some((_, rest)) = text.split_once("FILE-STORAGE::") {
            let name = rest.split('"').next().unwrap_or_default().trim_end_matches('\\');
            self.note_promise(Promise::File(flow, FlowFileName::parse(name).unwrap()));
        }
    }

    fn ask_and_note(&mut self, id: &str, flow: FlowId, number: usize) {
        let has_file = number.is_multiple_of(3);
        let file = json!({"type": "file", "name": "notes.txt", "mime": "text/plain", "data": data_url()});
        let uploads: Vec<Value> = has_file.then_some(file).into_iter().collect();
        let question = json!({"question": format!("question {number}"), "uploads": uploads});
        let Some(answer) = self.call_ok("POST", &format!("/prediction/{id}"), &question) else { return };
        let (chat, text) = (answer["chatId"].as_str().unwrap(), answer["text"].as_str().unwrap());
        let chat = ChatId::parse(chat).unwrap();
        self.note_promise(Promise::Answer(flow, chat, text.to_owned()));
        if has_file {
            self.note_promise(Promise::Sent(flow, chat));
        }
    }
}

/// A canvas that says its number, with a file that a person just chose.
fn canvas(number: usize, has_file: bool) -> String {
    let mut canvas = canvases::scripted(&json!([]), &format!("live-{number}. I heard {{question}}"));
    if has_file {
        canvas["nodes"][0]["data"]["inputs"]["txtFile"] = json!(format!("{},filename:notes.txt", data_url()));
    }
    canvas.to_string()
}

/// A file of [`WORDS`], as it is sent.
fn data_url() -> String {
    use base64::Engine as _;
    format!("data:text/plain;base64,{}", base64::engine::general_purpose::STANDARD.encode(WORDS))
}

/// The number behind a mark in a text.
fn number_in(text: &str, mark: &str) -> Option<usize> {
    let (_, rest) = text.split_once(mark)?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// What of a promise is not so.
pub fn broken_promise(app: &App, promise: &Promise) -> Option<String> {
    let missing = || Some(format!("{promise:?}"));
    let Ok(workspaces) = app.store.read(|tx| WORKSPACES.list(tx)) else { return missing() };
    let Some(workspace) = workspaces.first().map(|workspace| workspace.id) else { return missing() };
    let holds = match promise {
        Promise::Ready => true,
        Promise::Named(flow, number) => app
            .store
            .read(|tx| FLOWS.get(tx, &workspace, flow))
            .is_ok_and(|found| found.is_some_and(|found| number_in(&found.name, "flow-") >= Some(*number))),
        Promise::Live(flow, number) => app
            .store
            .read(|tx| CANVASES.get(tx, &workspace, flow))
            .is_ok_and(|found| found.is_some_and(|found| number_in(&found, "live-") >= Some(*number))),
        Promise::Version(flow, sha) => {
            let found = app.history.find(flow, &ShaPrefix::parse(sha).unwrap()).ok().flatten();
            found.is_some_and(|version| {
                app.history.content(flow, &version).is_ok_and(|content| content.is_some())
            })
        }
        Promise::Answer(flow, chat, text) => app
            .store
            .conversation(&workspace, flow, chat, 100)
            .is_ok_and(|messages| messages.iter().any(|message| message.content == *text)),
        Promise::File(flow, name) => app
            .files
            .get(&workspace, flow, name, 1_000)
            .is_ok_and(|found| found.as_deref() == Some(WORDS.as_bytes())),
        Promise::Sent(flow, chat) => {
            let messages = app.store.conversation(&workspace, flow, chat, 100).unwrap_or_default();
            let mut sent = messages.iter().flat_map(|message| &message.file_uploads);
            sent.any(|file| {
                let name = file.file_name.as_deref().and_then(chat_files::ChatFileName::parse);
                let bytes = name.and_then(|name| app.chat_files.read(&workspace, flow, chat, &name).ok()?);
                bytes.as_deref() == Some(WORDS.as_bytes())
            })
        }
    };
    if holds { None } else { missing() }
}
