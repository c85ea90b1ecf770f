//! What a person at the editor does, and `git` as the judge.

use crate::support::{Answer, Server, canvases, id};
use flowkeep::domain::ids::FlowId;
use flowkeep::store::tables::INTENTS;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The kinds of flow that have drafts.
pub const KINDS: [&str; 2] = ["CHATFLOW", "AGENTFLOW"];

/// A canvas whose chat answers `text`.
pub fn canvas_answering(text: &str) -> String {
    canvases::scripted_flow_with(json!({ "fallback": text }))
}

/// What a canvas of [`canvas_answering`] answers; empty for a canvas without such a card.
pub fn answer_of_canvas(canvas: &Value) -> String {
    let canvas: Value = serde_json::from_str(canvas.as_str().unwrap()).unwrap();
    let nodes = canvas["nodes"].as_array().unwrap();
    let card = nodes.iter().find(|node| node["data"]["name"] == "chatScripted");
    card.and_then(|card| card["data"]["inputs"]["fallback"].as_str()).unwrap_or_default().to_owned()
}

impl Server {
    /// A new flow of this kind with this canvas as its draft.
    #[track_caller]
    pub fn new_draft(&self, kind: &str, text: &str) -> String {
        let body = json!({"name": "Flow", "type": kind, "flowData": canvas_answering(text)});
        id(&self.post("/chatflows", &body))
    }

    /// A flow of this kind whose Live answers `text`, without a draft.
    #[track_caller]
    pub fn new_published(&self, kind: &str, text: &str) -> String {
        let flow = self.new_draft(kind, text);
        self.publish(&flow).is(200);
        flow
    }

    /// The draft status.
    #[track_caller]
    pub fn draft(&self, flow: &str) -> Value {
        self.read(&format!("/flow-drafts/{flow}"))
    }

    /// What the draft says; `None` without one.
    #[track_caller]
    pub fn draft_answer(&self, flow: &str) -> Option<String> {
        let draft = self.draft(flow)["draft"].take();
        (!draft.is_null()).then(|| answer_of_canvas(&draft["flowData"]))
    }

    /// Saves a draft that answers `text`.
    pub fn save_draft(&self, flow: &str, text: &str) -> Answer {
        self.save_canvas(flow, &canvas_answering(text))
    }

    /// Saves this canvas as the draft.
    pub fn save_canvas(&self, flow: &str, canvas: &str) -> Answer {
        self.owner("PUT", &format!("/flow-drafts/{flow}")).json(&json!({ "flowData": canvas })).send()
    }

    /// Publishes the draft.
    pub fn publish(&self, flow: &str) -> Answer {
        self.owner("POST", &format!("/flow-drafts/{flow}/publish")).send()
    }

    /// Publishes the draft over changes of Live.
    pub fn publish_over(&self, flow: &str) -> Answer {
        let body = json!({"overwriteLiveChanges": true});
        self.owner("POST", &format!("/flow-drafts/{flow}/publish")).json(&body).send()
    }

    /// Rolls Live back to a version.
    pub fn roll_back(&self, flow: &str, sha: &str) -> Answer {
        self.owner("POST", &format!("/flow-drafts/{flow}/rollback")).json(&json!({ "sha": sha })).send()
    }

    /// Restores a version.
    pub fn restore(&self, flow: &str, sha: &str) -> Answer {
        self.owner("POST", &format!("/flow-versions/{flow}/{sha}/restore")).send()
    }

    /// Changes the record through the chatflow API.
    pub fn change(&self, flow: &str, body: &Value) -> Answer {
        self.owner("PUT", &format!("/chatflows/{flow}")).json(body).send()
    }

    /// Writes Live through the chatflow API.
    pub fn write_live(&self, flow: &str, text: &str) -> Answer {
        self.change(flow, &json!({ "flowData": canvas_answering(text) }))
    }

    /// Switches Publish instantly.
    pub fn set_publish_instantly(&self, flow: &str, on: bool) -> Answer {
        let body = json!({ "publishInstantly": on });
        self.owner("PUT", &format!("/flow-drafts/{flow}/settings")).json(&body).send()
    }

    /// The record.
    #[track_caller]
    pub fn record(&self, flow: &str) -> Value {
        self.read(&format!("/chatflows/{flow}"))
    }

    /// What Live says.
    #[track_caller]
    pub fn live_answer(&self, flow: &str) -> String {
        answer_of_canvas(&self.record(flow)["flowData"])
    }

    /// The list of versions with what goes with it.
    #[track_caller]
    pub fn history(&self, flow: &str) -> Value {
        self.read(&format!("/flow-versions/{flow}"))
    }

    /// The versions, newest first.
    #[track_caller]
    pub fn versions(&self, flow: &str) -> Vec<Value> {
        self.history(flow)["versions"].as_array().unwrap().clone()
    }

    /// The kinds of the versions, newest first.
    #[track_caller]
    pub fn kinds(&self, flow: &str) -> Vec<String> {
        self.versions(flow).iter().map(|version| version["kind"].as_str().unwrap().to_owned()).collect()
    }

    /// Id of the newest version.
    #[track_caller]
    pub fn newest(&self, flow: &str) -> String {
        self.versions(flow)[0]["sha"].as_str().unwrap().to_owned()
    }

    /// The folder of the history repository.
    pub fn repository(&self) -> PathBuf {
        self.folder.path().join("data/versions")
    }

    /// Runs `git` on the history; what it printed.
    #[track_caller]
    pub fn git(&self, arguments: &[&str]) -> String {
        git(&self.repository(), arguments)
    }

    /// What must hold whenever nothing is under way: nothing waits to be recorded, and the repository is sound.
    #[track_caller]
    pub fn assert_settled(&self) {
        assert_eq!(self.unrecorded_count(), 0, "a version still waits to be recorded");
        assert_sound_repository(&self.repository());
    }

    /// How many versions wait to be recorded.
    pub fn unrecorded_count(&self) -> usize {
        self.app.store.read(|tx| INTENTS.list(tx)).unwrap().len()
    }
}

/// A flow's id, parsed.
pub fn flow_id(text: &str) -> FlowId {
    FlowId::parse(text).unwrap()
}

/// Runs `git` in a folder; what it printed.
#[track_caller]
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let out = git_command(folder, arguments).output().unwrap();
    assert!(out.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// `git` with nobody's settings.
pub fn git_command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .args(["-c", "safe.directory=*", "-c", "user.name=Visitor", "-c", "user.email=visitor@example.org"])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

/// `git fsck --strict` has nothing to say.
#[track_caller]
pub fn assert_sound_repository(repository: &Path) {
    let out = git_command(repository, &["fsck", "--strict", "--full", "--no-dangling", "--no-progress"]);
    let out = { out }.output().unwrap();
    let said = [out.stdout, out.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(out.status.success() && said.trim().is_empty(), "git fsck: {said}");
}
