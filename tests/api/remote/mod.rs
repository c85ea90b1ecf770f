//! The copy of versions at a git host (manual 19): connecting, copying, reading, and what the owner sees of it.

mod bad_input;
mod connecting;
mod copying;
mod credential;
mod environment;
mod host;
mod lost_label;
mod reading;
mod repositories;
mod stand_ins;

use crate::support::Server;
use crate::support::canvases::scripted_flow;
use crate::support::git_host::{git, git_command};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::sync::watch;

const TOKEN: &str = "tok-4711-not-for-eyes";
const NAME: &str = "acme/flows";

/// True for a route of the copy.
pub fn is_of_copy(pattern: &str) -> bool {
    pattern.starts_with("/flow-versions/github") || pattern == "/flow-versions/environment"
}

/// A request for a route of the copy that asks no host: its credential is not there.
pub fn sample(method: &str, pattern: &str) -> Option<Value> {
    let nothing = "7bd3a5ac-4f3f-4bb5-8a42-53cf41fbb4f1";
    match (method, pattern) {
        ("PUT", "/flow-versions/github") => Some(json!({"repo": NAME, "credentialId": nothing})),
        ("POST", "/flow-versions/github/repos") => Some(json!({ "credentialId": nothing })),
        ("POST", "/flow-versions/github/repos/new") => {
            Some(json!({"name": "flows", "credentialId": nothing}))
        }
        ("PUT", "/flow-versions/environment") => Some(json!({ "environment": null })),
        _ => None,
    }
}

/// A folder that stands in for a host, and a service that takes its repositories from it.
struct Stage {
    server: Server,
    root: TempDir,
}

impl Stage {
    /// With an empty repository [`NAME`].
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let server = Server::with(&stand_in(&root));
        let stage = Self { server, root };
        stage.create(NAME);
        stage
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.root.path().join(format!("{name}.git"))
    }

    fn create(&self, name: &str) {
        make_repository(&self.folder(name));
    }

    /// What `main` of a repository is; `None` where it has none.
    fn tip(&self, name: &str) -> Option<String> {
        tip(&self.folder(name), "main")
    }

    /// The same data after a stop and a new start with the same settings.
    fn restart(self) -> Self {
        let Self { server, root } = self;
        let server = server.restart_with(&stand_in(&root));
        Self { server, root }
    }
}

fn stand_in(root: &TempDir) -> [(&'static str, &str); 2] {
    [("SERVICE_GITHUB_ALLOW_FILE_REMOTES", "on"), ("SERVICE_GITHUB_TEST_ROOT", root.path().to_str().unwrap())]
}

fn make_repository(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    git(folder, &["init", "--quiet", "--bare", "--initial-branch=main"]);
}

fn tip(folder: &Path, reference: &str) -> Option<String> {
    let output = git_command(folder).args(["rev-parse", "--verify", "--quiet", reference]).output().unwrap();
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Writes a commit onto a branch of a bare repository, as somebody else would; its id.
fn commit(folder: &Path, branch: &str, message: &str) -> String {
    let tree = git(folder, &["mktree"]);
    let parent = tip(folder, branch);
    let mut arguments = vec!["commit-tree", tree.as_str(), "-m", message];
    arguments.extend(parent.iter().flat_map(|parent| ["-p", parent.as_str()]));
    let made = git(folder, &arguments);
    git(folder, &["update-ref", &format!("refs/heads/{branch}"), &made]);
    made
}

/// The repository of a service's own history.
fn history(server: &Server) -> PathBuf {
    server.folder.path().join("data/versions")
}

fn status(server: &Server) -> Value {
    server.read("/flow-versions/github")
}

#[track_caller]
fn connect(server: &Server, repository: &str) -> Value {
    server.put("/flow-versions/github", &json!({"repo": repository, "token": TOKEN}))
}

/// What a body is refused with.
#[track_caller]
fn refused(server: &Server, body: &Value, with: u16) -> String {
    server.owner("PUT", "/flow-versions/github").json(body).send().is_error(with)
}

#[track_caller]
fn push(server: &Server) -> Value {
    server.owner("POST", "/flow-versions/github/push").send().is(200).json()
}

#[track_caller]
fn disconnect(server: &Server) -> Value {
    server.owner("DELETE", "/flow-versions/github").send().is(200).json()
}

#[track_caller]
fn label(server: &Server, environment: Value) -> Value {
    server.put("/flow-versions/environment", &json!({ "environment": environment }))
}

/// A version more in the history of a service.
fn save(server: &Server) -> String {
    server.flow(&scripted_flow())
}

fn credentials(server: &Server) -> Vec<Value> {
    server.read("/credentials").as_array().unwrap().clone()
}

/// The task that copies, until this is dropped.
struct Copying {
    stop: watch::Sender<bool>,
    task: Option<JoinHandle<()>>,
}

impl Copying {
    fn start(server: &Server) -> Self {
        let (stop, stopping) = watch::channel(false);
        let app = server.app.clone();
        let task = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(flowkeep::tasks::remote::run(app, stopping));
        });
        Self { stop, task: Some(task) }
    }
}

impl Drop for Copying {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        let ended = self.task.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || ended.is_some_and(|ended| ended.is_ok()));
    }
}

/// Waits until the copy is in this state; the status then.
#[track_caller]
fn wait_for(server: &Server, state: &str) -> Value {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let found = status(server);
        if found["state"] == state {
            return found;
        }
        assert!(Instant::now() < end, "not {state}: {found}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
