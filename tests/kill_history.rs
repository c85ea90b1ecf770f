//! `kill -9` in the middle of saves, publishes and roll backs, again and again, through the real program: after each
//! start nothing that was acknowledged is missing, history and Live agree or the answer said that it was not
//! recorded, and `git fsck` has nothing to say. `FLOWKEEP_KILL_ROUNDS` sets how often (2 if not set).
#![allow(missing_docs, clippy::unwrap_used)]

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a start or an answer may take at most.
const PATIENCE: Duration = Duration::from_secs(30);
/// Flows under load at once, each with a writer of its own.
const FLOWS: usize = 3;

fn rounds() -> u64 {
    std::env::var("FLOWKEEP_KILL_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2)
}

fn program(data: &Path, address: SocketAddr) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flowkeep"));
    command
        .env("SERVICE_DATA_DIR", data)
        .env("SERVICE_PORT", address.port().to_string())
        .env("SERVICE_OWNER_EMAIL", "ada@example.org")
        .env("SERVICE_OWNER_PASSWORD", "correct horse battery")
        .env("SERVICE_LOG", "error")
        .stdin(Stdio::null());
    command
}

/// A running service; dropping it kills it.
struct Service(Child);

impl Service {
    fn start(data: &Path, address: SocketAddr) -> Self {
        let child = program(data, address).arg("serve").stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut service = Self(child.unwrap());
        let begun = Instant::now();
        while !matches!(ask(address, "GET", "/api/v1/ping", "", None), Some((200, _))) {
            assert!(begun.elapsed() < PATIENCE, "the service did not start");
            assert!(service.0.try_wait().unwrap().is_none(), "the service ended by itself");
            std::thread::sleep(Duration::from_millis(20));
        }
        service
    }

    /// `kill -9`.
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends a request; `None` when the service was gone before the whole answer came.
fn ask(
    address: SocketAddr,
    method: &str,
    path: &str,
    key: &str,
    body: Option<&Value>,
) -> Option<(u16, Value)> {
    let mut socket = TcpStream::connect(address).ok()?;
    socket.set_read_timeout(Some(PATIENCE)).ok()?;
    let text = body.map(Value::to_string).unwrap_or_default();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{text}",
        text.len()
    );
    socket.write_all(head.as_bytes()).ok()?;
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).ok()?;
    let answer = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    if length.is_some_and(|length: usize| length != body.len()) {
        return None;
    }
    Some((status, serde_json::from_str(body).unwrap_or(Value::Null)))
}

fn canvas(text: &str) -> String {
    json!({"nodes": [{"id": "model", "position": {"x": 0, "y": 0}, "data": {"id": "model", "name": "chatScripted",
        "label": "Model", "inputs": {"fallback": text}}}], "edges": []})
    .to_string()
}

fn text_of(flow_data: &Value) -> String {
    let canvas: Value = serde_json::from_str(flow_data.as_str().unwrap()).unwrap();
    canvas["nodes"][0]["data"]["inputs"]["fallback"].as_str().unwrap_or_default().to_owned()
}

/// What the writer of one flow knows for sure.
#[derive(Debug, Default)]
struct FlowState {
    id: String,
    /// Ids of all versions an answer named.
    versions: BTreeSet<String>,
    /// What Live held after the last acknowledged change of it.
    live: String,
    /// What the draft held after the last acknowledged save; `None` when it was published.
    draft: Option<String>,
    /// What an unanswered change may have made of Live and of the draft.
    maybe_live: Option<String>,
    maybe_draft: Option<Option<String>>,
    /// Changes of Live that were acknowledged without naming a version.
    saves: BTreeSet<String>,
}

struct Fixture {
    address: SocketAddr,
    key: String,
}

impl Fixture {
    fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Option<(u16, Value)> {
        ask(self.address, method, &format!("/api/v1{path}"), &self.key, body)
    }

    #[track_caller]
    fn call_ok(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let (status, body) = self.call(method, path, body).expect("an answer");
        assert_eq!(status, 200, "{method} {path}: {body}");
        body
    }

    fn make_flow(&self) -> FlowState {
        let body = json!({"name": "Flow", "type": "CHATFLOW", "flowData": canvas("start")});
        let id = self.call_ok("POST", "/chatflows", Some(&body))["id"].as_str().unwrap().to_owned();
        let answer = self.call_ok("POST", &format!("/flow-drafts/{id}/publish"), None);
        let sha = answer["version"]["sha"].as_str().unwrap().to_owned();
        FlowState { id, versions: [sha].into(), live: "start".to_owned(), ..FlowState::default() }
    }

    /// One step of the load; false when the service is gone.
    fn step(&self, known: &mut FlowState, round: u64, step: u64) -> bool {
        let id = known.id.clone();
        let text = format!("round {round} step {step}");
        match step % 4 {
            0 | 2 => {
                let Some(()) = self.save_and_publish(known, &text) else { return false };
            }
            1 => {
                known.maybe_live = Some(text.clone());
                let body = json!({"flowData": canvas(&text)});
                let Some((status, _)) = self.call("PUT", &format!("/chatflows/{id}"), Some(&body)) else {
                    return false;
                };
                assert_eq!(status, 200);
                known.saves.insert(text.clone());
                known.live = text;
            }
            _ => {
                let sha = known
                    .versions
                    .iter()
                    .nth(usize::try_from(step).unwrap() % known.versions.len())
                    .unwrap()
                    .clone();
                let Some((200, old)) = self.call("GET", &format!("/flow-versions/{id}/{sha}"), None) else {
                    return false;
                };
                let old = text_of(&old["flowData"]);
                known.maybe_live = Some(old.clone());
                let body = json!({ "sha": sha });
                let Some((status, answer)) =
                    self.call("POST", &format!("/flow-drafts/{id}/rollback"), Some(&body))
                else {
                    return false;
                };
                assert_eq!(status, 200, "{answer}");
                known.live = old;
                known.versions.extend(answer["version"]["sha"].as_str().map(str::to_owned));
                assert!(answer["unchanged"] == true || answer["recorded"] == true, "{answer}");
            }
        }
        known.maybe_live = None;
        true
    }

    fn save_and_publish(&self, known: &mut FlowState, text: &str) -> Option<()> {
        let path = format!("/flow-drafts/{}", known.id);
        known.maybe_draft = Some(Some(text.to_owned()));
        let (status, answer) = self.call("PUT", &path, Some(&json!({"flowData": canvas(text)})))?;
        assert_eq!(status, 200, "{answer}");
        known.draft = Some(text.to_owned());
        known.maybe_draft = Some(None);
        known.maybe_live = Some(text.to_owned());
        let body = json!({"overwriteLiveChanges": true});
        let (status, answer) = self.call("POST", &format!("{path}/publish"), Some(&body))?;
        assert_eq!(status, 200, "{answer}");
        assert_eq!(answer["recorded"], true, "nothing stands in the way of recording: {answer}");
        known.versions.insert(answer["version"]["sha"].as_str().unwrap().to_owned());
        (known.live, known.draft, known.maybe_draft) = (text.to_owned(), None, None);
        Some(())
    }

    /// What must hold after a start; what was unsure becomes known.
    fn holds(&self, known: &mut FlowState) {
        let id = known.id.clone();
        let live = text_of(&self.call_ok("GET", &format!("/chatflows/{id}"), None)["flowData"]);
        let late = known.maybe_live.take();
        assert!(live == known.live || Some(&live) == late.as_ref(), "Live is {live:?}: {known:?} {late:?}");
        let status = self.call_ok("GET", &format!("/flow-drafts/{id}"), None);
        let draft = (!status["draft"].is_null()).then(|| text_of(&status["draft"]["flowData"]));
        let late = known.maybe_draft.take();
        assert!(draft == known.draft || Some(&draft) == late.as_ref(), "the draft is {draft:?}: {known:?}");

        let history = self.call_ok("GET", &format!("/flow-versions/{id}"), None);
        let versions = history["versions"].as_array().unwrap();
        let shas: Vec<&str> = versions.iter().map(|version| version["sha"].as_str().unwrap()).collect();
        assert_eq!(shas.iter().collect::<BTreeSet<_>>().len(), shas.len());
        let missing: Vec<_> = known.versions.iter().filter(|sha| !shas.contains(&sha.as_str())).collect();
        assert!(missing.is_empty() || shas.len() == 200, "acknowledged versions are missing: {missing:?}");
        assert_eq!(history["liveSha"], shas[0], "history and Live agree: {history}");
        let newest = self.call_ok("GET", &format!("/flow-versions/{id}/{}", shas[0]), None);
        assert_eq!(text_of(&newest["flowData"]), live);
        // A save names no version in its answer: it is found by what it holds.
        let held: Vec<String> = shas
            .iter()
            .map(|sha| text_of(&self.call_ok("GET", &format!("/flow-versions/{id}/{sha}"), None)["flowData"]))
            .collect();
        let lost: Vec<_> = known.saves.iter().filter(|text| !held.contains(text)).collect();
        assert!(lost.is_empty() || shas.len() == 200, "acknowledged saves are missing: {lost:?}");
        // The load gives every publish and every save a text of its own: two of one text were recorded twice.
        let once: Vec<&String> = versions
            .iter()
            .zip(&held)
            .filter(|(version, _)| matches!(version["kind"].as_str(), Some("publish" | "save")))
            .map(|(_, text)| text)
            .collect();
        assert_eq!(
            once.iter().collect::<BTreeSet<_>>().len(),
            once.len(),
            "a change was recorded twice: {once:?}"
        );
        (known.live, known.draft) = (live, draft);
    }
}

fn git(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let out = Command::new("git")
        .current_dir(folder)
        .args(["-c", "safe.directory=*"])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    (out.status.success(), String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned())
}

fn free_address() -> SocketAddr {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap()
}

#[test]
fn nothing_acknowledged_is_lost_when_the_program_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let address = free_address();
    let mut service = Service::start(&data, address);
    let made = program(&data, address).args(["key", "create", "--name", "load", "--all"]).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let key = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    let house = Fixture { address, key };
    let flows: Vec<Mutex<FlowState>> = (0..FLOWS).map(|_| Mutex::new(house.make_flow())).collect();
    for round in 0..rounds() {
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for flow in &flows {
                let (house, over) = (&house, &over);
                scope.spawn(move || {
                    let mut known = flow.lock().unwrap();
                    for step in 0.. {
                        if over.load(Ordering::Relaxed) || !house.step(&mut known, round, step) {
                            return;
                        }
                    }
                });
            }
            // Another moment in each round: from before the first answer to many changes later.
            std::thread::sleep(Duration::from_millis(60 + round * 137 % 900));
            service.kill();
            over.store(true, Ordering::Relaxed);
        });
        let (sound, said) =
            git(&data.join("versions"), &["fsck", "--strict", "--no-dangling", "--no-progress"]);
        assert!(sound && !said.contains("error") && !said.contains("missing"), "before the start: {said}");
        service = Service::start(&data, address);
        for flow in &flows {
            house.holds(&mut flow.lock().unwrap());
        }
        let (sound, said) =
            git(&data.join("versions"), &["fsck", "--strict", "--no-dangling", "--no-progress"]);
        assert!(sound && said.trim().is_empty(), "after the start: {said}");
    }
}
