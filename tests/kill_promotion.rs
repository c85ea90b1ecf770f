//! Two services and a git host between them: Dev copies its versions, Prod reads them and its owner promotes. Either service is
//! killed (`kill -9`) at random instants, again and again: no version that was acknowledged is missing, the host holds nothing
//! that Dev does not, nothing is promoted by itself, and `git fsck --strict` has nothing to say about any of the three.
//! `FLOWKEEP_KILL_ROUNDS` says how often (3 if not set).

#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]

#[path = "support/canvases.rs"]
mod canvases;
#[path = "support/git_host/mod.rs"]
mod git_host;
#[path = "support/kills.rs"]
mod kills;
#[path = "support/program.rs"]
mod program;
#[path = "support/wire.rs"]
mod wire;

use git_host::GitHost;
use program::{OWNER, Program};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use wire::{Wire, request};

const TOKEN: &str = "token-of-the-tests";
const REPOSITORY: &str = "acme/flows";
const BASE: &str = "/api/v1/flow-versions";
/// Flows that Dev's owner works on.
const FLOWS: usize = 3;
/// Nothing that is waited for takes longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Numbers that are the same in each run of the test with the same rounds.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// What answers with this text.
fn canvas(text: &str) -> String {
    canvases::scripted(&json!([]), text).to_string()
}

/// What an owner of one of the servers uses: a service on a folder, started anew after each kill.
struct Server {
    folder: TempDir,
    variables: Vec<(&'static str, String)>,
    program: Option<Program>,
    cookie: String,
}

impl Server {
    fn start(host: &GitHost) -> Self {
        let variables = vec![
            ("SERVICE_GITHUB_URL", host.url()),
            ("SERVICE_GITHUB_API", format!("{}/api/v3", host.url())),
            ("SERVICE_GITHUB_ALLOW_FILE_REMOTES", "on".to_owned()),
        ];
        let mut server =
            Self { folder: TempDir::new().unwrap(), variables, program: None, cookie: String::new() };
        server.restart();
        server
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn versions(&self) -> PathBuf {
        self.data().join("versions")
    }

    fn restart(&mut self) {
        let variables: Vec<(&str, &str)> =
            self.variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let program = Program::serve_with(&self.data(), &[], &variables);
        self.cookie = program.sign_in(OWNER.0, OWNER.1).expect("the owner signs in");
        self.program = Some(program);
    }

    fn kill(&mut self) {
        if let Some(program) = self.program.take() {
            program.kill();
        }
    }

    /// `None` when the service was gone before it answered.
    fn call(&self, method: &str, path: &str, body: &Value) -> Option<(u16, Value)> {
        let program = self.program.as_ref()?;
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let headers = [("cookie", self.cookie.as_str())];
        let answer =
            Wire::to(program.address).ok()?.ask(&request(method, path, &headers, body.as_bytes())).ok()?;
        Some((answer.status(), answer.json()))
    }

    #[track_caller]
    fn call_ok(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.call(method, path, body).expect("the service answers");
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        answer
    }

    fn connect(&self, environment: &str) {
        self.call_ok("PUT", &format!("{BASE}/environment"), &json!({ "environment": environment }));
        let status =
            self.call_ok("PUT", &format!("{BASE}/github"), &json!({"repo": REPOSITORY, "token": TOKEN}));
        assert_eq!(status["connected"], true, "{status}");
    }

    /// Copies or reads now, until it went well: a kill may have left the service in a wait.
    fn push(&self) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let status = self.call_ok("POST", &format!("{BASE}/github/push"), &Value::Null);
            if status["state"] == "up-to-date" {
                return status;
            }
            assert!(Instant::now() < end, "the copy does not go well: {status}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// How many flows of Dev are offered.
    fn offers(&self) -> usize {
        let list = self.call_ok("GET", &format!("{BASE}/incoming"), &Value::Null);
        list["flows"].as_array().unwrap().len()
    }

    fn live_text(&self, flow: &str) -> Option<String> {
        let (status, answer) = self.call("GET", &format!("/api/v1/chatflows/{flow}"), &Value::Null)?;
        let canvas: Value =
            serde_json::from_str(answer["flowData"].as_str().filter(|_| status == 200)?).ok()?;
        canvas["nodes"][0]["data"]["inputs"]["fallback"].as_str().map(str::to_owned)
    }
}

fn git(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).trim().to_owned())
}

/// Nothing is missing or damaged. The host may still be storing what was sent before the kill, object by object, so it is looked
/// at again.
#[track_caller]
fn assert_sound(folder: &Path) {
    let end = Instant::now() + PATIENCE;
    loop {
        let (is_sound, said) = git(folder, &["fsck", "--strict", "--no-dangling"]);
        if is_sound {
            return;
        }
        assert!(Instant::now() < end, "{}: {said}", folder.display());
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// What the owners know for sure, and what a call without an answer may have done.
#[derive(Default)]
struct Known {
    flows: Vec<String>,
    /// Versions that Dev acknowledged.
    versions: BTreeSet<String>,
    /// What Prod's Live of a flow may be: one text, or two after a promote without an answer; nothing for a flow it lacks.
    prod: BTreeMap<String, BTreeSet<Option<String>>>,
    /// What each version of Dev holds.
    texts: BTreeMap<String, String>,
}

/// One step of Dev's owner: a new text of any flow, saved and published.
fn publish(dev: &Server, known: &mut Known, numbers: &mut Numbers, text: &str) -> Option<()> {
    let flow = known.flows[usize::try_from(numbers.below(FLOWS as u64)).unwrap()].clone();
    publish_flow(dev, known, &flow, text)
}

fn publish_flow(dev: &Server, known: &mut Known, flow: &str, text: &str) -> Option<()> {
    let draft = format!("/api/v1/flow-drafts/{flow}");
    let (status, answer) = dev.call("PUT", &draft, &json!({"flowData": canvas(text)}))?;
    assert_eq!(status, 200, "{answer}");
    let (status, answer) =
        dev.call("POST", &format!("{draft}/publish"), &json!({"overwriteLiveChanges": true}))?;
    assert_eq!(status, 200, "{answer}");
    if let Some(sha) = answer["version"]["sha"].as_str() {
        known.versions.insert(sha.to_owned());
        known.texts.insert(sha.to_owned(), text.to_owned());
    }
    Some(())
}

/// One step of Prod's owner: promotes the first flow that is offered, as it was shown.
fn promote(prod: &Server, known: &mut Known) -> Option<()> {
    let (status, list) = prod.call("GET", &format!("{BASE}/incoming"), &Value::Null)?;
    assert_eq!(status, 200, "{list}");
    let Some(flow) = list["flows"].as_array().and_then(|flows| flows.first()) else { return Some(()) };
    let flow = flow["flowId"].as_str().unwrap().to_owned();
    let (status, shown) = prod.call("GET", &format!("{BASE}/incoming/{flow}"), &Value::Null)?;
    if status == 404 {
        return Some(());
    }
    assert_eq!(status, 200, "{shown}");
    let sha = shown["version"]["sha"].as_str().unwrap().to_owned();
    let body = json!({"sha": sha, "digest": shown["digest"]});
    // A version whose publish was cut off by a kill is one that Dev's owner never heard of.
    let text = known.texts.get(&sha).cloned().unwrap_or_else(|| text_of_version(prod, &sha, &flow));
    known.prod.entry(flow.clone()).or_insert_with(|| [None].into()).insert(Some(text.clone()));
    let (status, answer) = prod.call("POST", &format!("{BASE}/incoming/{flow}/promote"), &body)?;
    // Prod's task may have read a newer version meanwhile.
    assert!(status == 200 || status == 409, "{status} {answer}");
    if status == 200 {
        known.prod.insert(flow, [Some(text)].into());
    }
    Some(())
}

/// What a version that was read holds.
fn text_of_version(prod: &Server, sha: &str, flow: &str) -> String {
    let path = format!("{sha}:flows/{}/{flow}/canvas.json", &flow[..2]);
    let (is_there, text) = git(&prod.versions(), &["show", &path]);
    assert!(is_there, "{text}");
    let canvas: Value = serde_json::from_str(&text).unwrap();
    canvas["nodes"][0]["data"]["inputs"]["fallback"].as_str().unwrap().to_owned()
}

/// What must hold after a start, whatever happened before.
fn assert_whole(host: &GitHost, dev: &Server, prod: &Server, known: &mut Known) {
    for folder in [dev.versions(), prod.versions(), host.folder(REPOSITORY)] {
        assert_sound(&folder);
    }
    let (_, line) = git(&dev.versions(), &["rev-list", "--first-parent", "main"]);
    let line: BTreeSet<&str> = line.lines().collect();
    for version in &known.versions {
        assert!(line.contains(version.as_str()), "Dev lost the version {version}");
    }
    if let Some(tip) = host.tip(REPOSITORY, "main") {
        assert!(line.contains(tip.as_str()), "the host holds {tip}, which Dev does not");
    }
    let (_, branches) = git(&host.folder(REPOSITORY), &["for-each-ref", "--format=%(refname)"]);
    assert!(branches.lines().all(|name| name == "refs/heads/main"), "{branches}");
    for flow in known.flows.clone() {
        let live = prod.live_text(&flow);
        let may_be = known.prod.entry(flow.clone()).or_insert_with(|| [None].into());
        assert!(may_be.contains(&live), "Prod's Live of {flow} is {live:?}, and was to be one of {may_be:?}");
        *may_be = [live].into();
    }
}

#[test]
fn nothing_is_lost_or_promoted_by_itself_whichever_server_is_killed() {
    let host = GitHost::start(TOKEN);
    host.create(REPOSITORY);
    let (mut dev, mut prod) = (Server::start(&host), Server::start(&host));
    dev.connect("dev");
    prod.connect("prod");
    let (mut known, mut numbers) = (Known::default(), Numbers(0x9E37_79B9_7F4A_7C15));
    for number in 0..FLOWS {
        let body = json!({"name": format!("Flow {number}"), "type": "CHATFLOW", "flowData": canvas("start")});
        let flow = dev.call_ok("POST", "/api/v1/chatflows", &body);
        known.flows.push(flow["id"].as_str().unwrap().to_owned());
    }
    for round in 0..kills::rounds(3) {
        let is_dev = numbers.below(2) == 0;
        let instant = Duration::from_millis(20 + numbers.below(600));
        let begun = Instant::now();
        let mut step = 0;
        // The other one is used on; the one that is to be killed dies between two bytes of whatever it does.
        while begun.elapsed() < instant {
            step += 1;
            let text = format!("round {round} step {step}");
            let gone = publish(&dev, &mut known, &mut numbers, &text).is_none()
                || promote(&prod, &mut known).is_none();
            if gone {
                break;
            }
            if step % 3 == 0 {
                let server = if numbers.below(2) == 0 { &dev } else { &prod };
                let _whatever = server.call("POST", &format!("{BASE}/github/push"), &Value::Null);
            }
        }
        let victim = if is_dev { &mut dev } else { &mut prod };
        let in_flight = start_push(victim);
        std::thread::sleep(Duration::from_millis(numbers.below(40)));
        victim.kill();
        in_flight.join().unwrap();
        victim.restart();
        assert_whole(&host, &dev, &prod, &mut known);
    }
    finish(&host, &dev, &prod, &mut known);
}

/// A copy or a read that is under way when the kill comes.
fn start_push(server: &Server) -> std::thread::JoinHandle<()> {
    let address = server.program.as_ref().unwrap().address;
    let cookie = server.cookie.clone();
    std::thread::spawn(move || {
        let sent = request("POST", &format!("{BASE}/github/push"), &[("cookie", &cookie)], b"");
        let _cut_off = Wire::to(address).and_then(|mut wire| wire.ask(&sent));
    })
}

/// All goes over and becomes Live, a version is checked, promoted, taken back and followed by another one, and both servers part
/// from the host.
fn finish(host: &GitHost, dev: &Server, prod: &Server, known: &mut Known) {
    let copied = dev.push();
    assert_eq!(copied["waiting"], 0, "{copied}");
    let (_, tip) = git(&dev.versions(), &["rev-parse", "main"]);
    assert_eq!(host.tip(REPOSITORY, "main").as_deref(), Some(tip.as_str()));
    prod.push();
    while prod.offers() > 0 {
        promote(prod, known).unwrap();
    }
    for flow in &known.flows {
        assert_eq!(prod.live_text(flow), dev.live_text(flow), "{flow}");
    }
    assert_whole(host, dev, prod, known);
    take_back_and_promote_again(dev, prod, known);
    assert_whole(host, dev, prod, known);
    for server in [dev, prod] {
        let status = server.call_ok("DELETE", &format!("{BASE}/github"), &Value::Null);
        assert_eq!((&status["connected"], &status["state"]), (&json!(false), &json!("not-connected")));
        let (_, names) = git(&server.versions(), &["for-each-ref", "--format=%(refname)"]);
        assert_eq!(names, "refs/heads/main", "disconnecting forgets what was copied and read");
    }
    assert!(host.tip(REPOSITORY, "main").is_some(), "nothing changes at the host");
}

/// A version is compared with Live, promoted and taken back; it stays away until Dev has something newer, which is promoted.
fn take_back_and_promote_again(dev: &Server, prod: &Server, known: &mut Known) {
    let flow = known.flows[0].clone();
    let before = prod.live_text(&flow).unwrap();
    let line = |prod: &Server| prod.call_ok("GET", &format!("{BASE}/{flow}"), &Value::Null);
    let kept = line(prod)["versions"][0]["sha"].clone();
    let first = "to be taken back";
    hand_over(dev, prod, known, &flow, first);
    let check = check(prod, &flow);
    let case = &check["cases"][0];
    assert_eq!((&case["live"]["text"], &case["draft"]["text"]), (&json!(before), &json!(first)), "{check}");
    assert_eq!(prod.live_text(&flow).as_ref(), Some(&before), "a check promotes nothing");
    promote(prod, known).unwrap();
    assert_eq!(prod.live_text(&flow).as_deref(), Some(first));

    let taken_back =
        prod.call_ok("POST", &format!("/api/v1/flow-drafts/{flow}/rollback"), &json!({ "sha": kept }));
    assert_eq!(prod.live_text(&flow).as_ref(), Some(&before), "{taken_back}");
    known.prod.insert(flow.clone(), [Some(before)].into());
    prod.push();
    assert_eq!(prod.offers(), 0, "what was taken back is not offered again");

    let second = "promoted again";
    hand_over(dev, prod, known, &flow, second);
    promote(prod, known).unwrap();
    assert_eq!((prod.live_text(&flow).as_deref(), prod.offers()), (Some(second), 0));
    let line = line(prod);
    let kinds: Vec<&Value> =
        line["versions"].as_array().unwrap().iter().take(3).map(|version| &version["kind"]).collect();
    assert_eq!(kinds, ["promote", "rollback", "promote"]);
}

/// A new text goes from Dev to the host and from there to Prod, which offers it and nothing else.
fn hand_over(dev: &Server, prod: &Server, known: &mut Known, flow: &str, text: &str) {
    publish_flow(dev, known, flow, text).unwrap();
    dev.push();
    prod.push();
    assert_eq!(prod.offers(), 1);
}

/// Asks Live and what is offered of the flow the same question.
fn check(prod: &Server, flow: &str) -> Value {
    let path = format!("{BASE}/incoming/{flow}/check");
    let begun = prod.call_ok("POST", &path, &json!({"questions": ["What do you say?"]}));
    let end = Instant::now() + PATIENCE;
    loop {
        let check = prod.call_ok("GET", &format!("{path}/{}", begun["id"].as_str().unwrap()), &Value::Null);
        if check["status"] != "running" {
            assert_eq!(check["status"], "done", "{check}");
            return check;
        }
        assert!(Instant::now() < end, "the check does not end: {check}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
