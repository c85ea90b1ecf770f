//! Tests of the history, with the real git program as the judge.

mod damage;
mod faults;
mod index;
mod judge;
mod many;
mod packing;
mod remote;

use super::*;
use crate::base::cancel::CancelToken;
use crate::domain::flows::flow::FlowKind;
use crate::domain::flows::version::{Author, FlowSnapshot, NewVersion, VersionKind};
use crate::domain::ids::UserId;
use jiff::Timestamp;
use serde_json::json;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

/// A history in a folder of its own, whose list of versions outlives it.
struct Ground {
    root: TempDir,
    store: Arc<MemoryIndex>,
    history: History,
}

impl Ground {
    fn new() -> Self {
        Self::on(TempDir::new().unwrap())
    }

    /// In memory where that can be: for histories so long that the disk would set the pace.
    fn quick() -> Self {
        Self::on(TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap())
    }

    fn on(root: TempDir) -> Self {
        let store = Arc::<MemoryIndex>::default();
        let history = open(root.path(), &store);
        Self { root, store, history }
    }

    /// Ends the process in effect, and starts another one on the same folder.
    fn restart(&mut self) {
        self.history = open(self.root.path(), &self.store);
    }

    fn folder(&self) -> PathBuf {
        self.root.path().join("versions")
    }

    fn record(&self, change: &NewVersion) -> Version {
        self.history.recorder().record(change).unwrap()
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(&self.folder(), arguments)
    }

    /// Git and `verify` find nothing wrong.
    fn assert_sound(&self) -> VerifyReport {
        let found = self.history.verify(&CancelToken::new(None), &mut |_| {}).unwrap();
        assert_eq!(found.faults, Vec::<String>::new());
        self.git(&["fsck", "--strict", "--full", "--no-dangling"]);
        found
    }

    /// What `verify` says.
    fn faults(&self) -> Vec<String> {
        self.history.verify(&CancelToken::new(None), &mut |_| {}).unwrap().faults
    }

    /// How many files are loose objects, and how many packs there are.
    fn loose_and_packs(&self) -> (usize, usize) {
        let text = self.git(&["count-objects", "-v"]);
        let number = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.trim_start_matches(": ").parse().unwrap()
        };
        (number("count"), number("packs"))
    }
}

fn open(root: &Path, store: &Arc<MemoryIndex>) -> History {
    History::open(root.join("versions"), true).with_index(Box::new(Arc::clone(store)))
}

/// Runs git, which must succeed and must not complain.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    for who in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{who}_NAME"), "Someone Else")
            .env(format!("GIT_{who}_EMAIL"), "else@example.com");
    }
    let output = command.output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {complaint}");
    assert!(
        !complaint.contains("error:") && !complaint.contains("warning:"),
        "git {arguments:?}: {complaint}"
    );
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn canvas(text: &str) -> String {
    json!({
        "nodes": [{ "id": "llm_0", "position": { "x": 1, "y": 2.5 }, "selected": true, "width": 300,
            "data": { "id": "llm_0", "label": "Model", "inputs": { "prompt": text } } }],
        "edges": [],
    })
    .to_string()
}

fn snapshot(id: FlowId, text: &str) -> FlowSnapshot {
    FlowSnapshot {
        id,
        name: "Help desk".into(),
        kind: FlowKind::Chatflow,
        category: Some("a;b".into()),
        canvas: canvas(text),
        settings: json!({ "isPublic": true }).as_object().unwrap().clone(),
        references: None,
    }
}

fn change(id: FlowId, kind: VersionKind, text: &str) -> NewVersion {
    NewVersion {
        content: VersionContent::Flow(snapshot(id, text)),
        kind,
        author: Author::person("Ada Lovelace", UserId::random()),
        date: Timestamp::now(),
        title: format!("Saved: {text}"),
        details: vec!["Model: prompt".into()],
        promoted_from: None,
        hidden_secrets: 0,
        intent: Uuid::new_v4(),
    }
}

fn deletion(id: FlowId) -> NewVersion {
    let content = VersionContent::Deleted { id, name: "Help desk".into() };
    NewVersion { content, ..change(id, VersionKind::Delete, "") }
}

fn titles(versions: &[Version]) -> Vec<&str> {
    versions.iter().map(|version| version.title.as_str()).collect()
}
