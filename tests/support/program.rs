//! The built program, started and stopped as an operator would.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

use super::wire::{Answer, Wire, request};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

/// Nothing that is started or stopped here takes longer.
const PATIENCE: Duration = Duration::from_secs(45);

/// Who owns the folders of these tests.
pub const OWNER: (&str, &str) = ("owner@test.local", "a-long-enough-password");

/// The program that is driven: the one that was built along, or the one that `FLOWKEEP_PROGRAM` names.
pub fn path() -> PathBuf {
    std::env::var_os("FLOWKEEP_PROGRAM").map_or_else(|| env!("CARGO_BIN_EXE_flowkeep").into(), PathBuf::from)
}

/// A command of the program that sees nothing of the environment of the tests.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(path());
    command.args(arguments).env_clear().stdin(Stdio::null());
    for name in ["PATH", "TMPDIR"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// Runs a command to its end.
pub fn run(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program can be started")
}

/// What a command printed.
pub fn standard_output(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a command complained about.
pub fn error_output(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A port nobody listens on. It is below those that the system gives to connections that begin here: one of them could have it
/// before the service does.
pub fn free_port() -> u16 {
    let by_chance = || 10_000 + (RandomState::new().build_hasher().finish() % 20_000) as u16;
    let mut ports = std::iter::repeat_with(by_chance).take(1_000);
    ports.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).expect("a free port")
}

/// A running service. Dropped, it is killed.
pub struct Program {
    child: Child,
    /// Kept open, so that the service can go on printing.
    stdout: BufReader<ChildStdout>,
    log: PathBuf,
    pub address: SocketAddr,
}

impl Program {
    /// Starts `serve` on a folder; with an owner when the folder is new.
    pub fn serve(folder: &Path, extra: &[&str]) -> Self {
        Self::serve_with(folder, extra, &[])
    }

    /// As [`Self::serve`], with these variables in its environment.
    pub fn serve_with(folder: &Path, extra: &[&str], variables: &[(&str, &str)]) -> Self {
        let port = free_port();
        let mut arguments = vec!["serve", "--data-dir", folder.to_str().expect("a plain path")];
        arguments.extend_from_slice(extra);
        let port_text = port.to_string();
        arguments.extend_from_slice(&["--port", &port_text]);
        let mut command = command(&arguments);
        command.env("SERVICE_OWNER_EMAIL", OWNER.0).env("SERVICE_OWNER_PASSWORD", OWNER.1);
        command.envs(variables.iter().copied());
        let mut program = Self::start(command, &folder.with_extension("log"));
        program.address.set_port(port);
        program.first_line();
        program
    }

    /// Starts a command that serves; its log goes to the file `log`.
    pub fn start(mut command: Command, log: &Path) -> Self {
        let file = File::options().create(true).append(true).open(log).expect("the log can be written");
        let child = command.stdout(Stdio::piped()).stderr(file).spawn();
        let mut child = child.expect("the program can be started");
        let stdout = BufReader::new(child.stdout.take().expect("it was piped"));
        Self { child, stdout, log: log.to_owned(), address: SocketAddr::from(([127, 0, 0, 1], 0)) }
    }

    /// The next line it prints; the service answers from the first one on.
    pub fn first_line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the output is text");
        assert!(!line.is_empty(), "the service ended at its start: {}", self.log());
        line
    }

    /// Lines up to the one that contains `mark`, it included.
    pub fn lines_until(&mut self, mark: &str) -> String {
        let mut text = self.first_line();
        while !text.lines().last().is_some_and(|line| line.contains(mark)) {
            text.push_str(&self.first_line());
        }
        text
    }

    /// What it logged so far.
    pub fn log(&self) -> String {
        let mut text = String::new();
        File::open(&self.log).and_then(|mut file| file.read_to_string(&mut text)).expect("the log is text");
        text
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// A new connection.
    pub fn wire(&self) -> Wire {
        Wire::to(self.address).expect("the service listens")
    }

    /// One request on a connection of its own.
    pub fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let asked = self.wire().ask(&request(method, path, headers, body.as_bytes()));
        asked.expect("the service answers")
    }

    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.call("GET", path, headers, &Value::Null)
    }

    /// Asks a flow for a whole answer.
    pub fn ask(&self, flow: &str, body: &Value) -> Answer {
        self.call("POST", &format!("/api/v1/prediction/{flow}"), &[], body)
    }

    /// Signs the owner in; the cookie.
    pub fn sign_in(&self, email: &str, password: &str) -> Option<String> {
        let answer =
            self.call("POST", "/api/v1/auth/login", &[], &json!({"email": email, "password": password}));
        let cookie = answer.header("set-cookie")?.split(';').next()?.to_owned();
        (answer.status() == 200).then_some(cookie)
    }

    /// Stores a credential; its id.
    pub fn make_credential(&self, key: &str, kind: &str, fields: &Value) -> String {
        let body = json!({"name": kind, "credentialName": kind, "plainDataObj": fields});
        let bearer = format!("Bearer {key}");
        let answer = self.call("POST", "/api/v1/credentials", &[("authorization", &bearer)], &body);
        assert_eq!(answer.status(), 200, "{}", answer.text());
        answer.json()["id"].as_str().expect("a credential has an id").to_owned()
    }

    /// Makes a flow that is Live at once; its id.
    pub fn make_flow(&self, key: &str, name: &str, canvas: &Value) -> String {
        self.make_flow_of(key, "CHATFLOW", name, &canvas.to_string())
    }

    /// Makes a flow of steps that is Live at once; its id.
    pub fn make_agentflow(&self, key: &str, name: &str, canvas: &str) -> String {
        self.make_flow_of(key, "AGENTFLOW", name, canvas)
    }

    /// Makes a flow of this kind that is Live at once; its id.
    pub fn make_flow_of(&self, key: &str, kind: &str, name: &str, canvas: &str) -> String {
        let body = json!({"name": name, "type": kind, "flowData": canvas, "publishInstantly": true});
        let bearer = format!("Bearer {key}");
        let answer = self.call("POST", "/api/v1/chatflows", &[("authorization", &bearer)], &body);
        assert_eq!(answer.status(), 200, "{}", answer.text());
        answer.json()["id"].as_str().expect("a flow has an id").to_owned()
    }

    pub fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(id, signal).expect("the process is ours");
    }

    /// Waits for the end.
    pub fn wait(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("the process is ours") {
                return status;
            }
            assert!(Instant::now() < end, "the service does not end: {}", self.log());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends it as an operator would.
    pub fn stop(mut self) -> ExitStatus {
        self.signal(Signal::TERM);
        self.wait()
    }

    /// Ends it as a power cut would, as far as the program can tell.
    pub fn kill(mut self) {
        self.child.kill().expect("the process is ours");
        self.child.wait().expect("the process is ours");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A service with data of its own, and a key that may do everything.
pub struct Throwaway {
    pub program: Program,
    /// The one line it printed.
    pub told: Value,
    pub key: String,
    _folder: tempfile::TempDir,
}

/// Starts `serve --throwaway --port 0`.
pub fn throwaway(extra: &[&str]) -> Throwaway {
    let mut arguments = vec!["serve", "--throwaway", "--port", "0"];
    arguments.extend_from_slice(extra);
    Throwaway::start(command(&arguments))
}

impl Throwaway {
    /// Starts a command that serves and throws away.
    pub fn start(mut command: Command) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        command.env("TMPDIR", folder.path());
        let mut program = Program::start(command, &folder.path().join("log"));
        let told: Value = serde_json::from_str(&program.first_line()).expect("the line is JSON");
        let base = told["baseUrl"].as_str().expect("an address");
        program.address = base.trim_start_matches("http://").parse().expect("an address and a port");
        let key = told["apiKey"].as_str().expect("a key").to_owned();
        Self { program, told, key, _folder: folder }
    }
}

/// Another role of the running test program, as a process of its own. Dropped, it is killed.
pub struct RoleProcess {
    child: Child,
    /// The line it printed once it was ready.
    pub line: String,
}

impl RoleProcess {
    pub fn start(arguments: &[&str]) -> Self {
        let program = std::env::current_exe().expect("this program has a path");
        let child =
            Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("this program can be started");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("it was piped");
        BufReader::new(stdout).read_line(&mut line).expect("it prints a line");
        Self { child, line: line.trim_end().to_owned() }
    }

    pub fn process_id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for RoleProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
