//! Promotion (manual 20): what Dev has becomes Live on Prod, and nothing that its owner was not shown.

mod assistants;
pub mod checks;
mod offers;
mod promoting;
mod races;
mod references;
mod wiring;
mod wiring_records;

use crate::support::canvases::{scripted_flow, scripted_flow_with};
use crate::support::{Answer, Server};
use flowkeep::domain::remote::environment::Environment;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The reference that Prod reads Dev into.
const INCOMING: &str = "refs/versions/incoming";

/// Two services: one where flows are made, and one that promotes what it reads of it.
pub struct Pair {
    pub dev: Server,
    pub prod: Server,
}

impl Pair {
    pub fn start() -> Self {
        let (dev, prod) = (Server::start(), Server::start());
        label(&prod, Some(Environment::Prod));
        Self { dev, prod }
    }

    /// A pair with a flow of Dev that was read by Prod; its id.
    pub fn with_flow() -> (Self, String) {
        let pair = Self::start();
        let flow = pair.dev.flow(&saying("one"));
        pair.read_dev();
        (pair, flow)
    }

    /// As [`Self::with_flow`], and promoted.
    pub fn with_promoted() -> (Self, String) {
        let (pair, flow) = Self::with_flow();
        pair.promote(&flow).is(200);
        (pair, flow)
    }

    /// Prod reads what Dev has.
    pub fn read_dev(&self) {
        let from = repository(&self.dev);
        git(
            &repository(&self.prod),
            &["fetch", "-q", from.to_str().unwrap(), &format!("+refs/heads/main:{INCOMING}")],
        );
    }

    /// Another Live on Dev, and Prod reads it; the id of the version.
    pub fn change_on_dev(&self, flow: &str, canvas: &str) -> String {
        self.dev.put(&format!("/chatflows/{flow}"), &json!({ "flowData": canvas }));
        self.read_dev();
        newest(&self.dev, flow)
    }

    /// What Prod offers.
    pub fn offers(&self) -> Vec<Value> {
        self.prod.read("/flow-versions/incoming")["flows"].as_array().unwrap().clone()
    }

    #[track_caller]
    pub fn shown(&self, flow: &str) -> Value {
        self.prod.read(&format!("/flow-versions/incoming/{flow}"))
    }

    /// Promotes what is shown now.
    #[track_caller]
    pub fn promote(&self, flow: &str) -> Answer {
        self.promote_shown(flow, &self.shown(flow))
    }

    pub fn promote_shown(&self, flow: &str, shown: &Value) -> Answer {
        self.promote_with(flow, &json!({"sha": shown["version"]["sha"], "digest": shown["digest"]}))
    }

    pub fn promote_with(&self, flow: &str, body: &Value) -> Answer {
        self.prod.owner("POST", &format!("/flow-versions/incoming/{flow}/promote")).json(body).send()
    }

    /// Live of Prod.
    pub fn live(&self, flow: &str) -> Value {
        let record = self.prod.read(&format!("/chatflows/{flow}"));
        serde_json::from_str(record["flowData"].as_str().unwrap()).unwrap()
    }
}

/// A flow that answers with this.
pub fn saying(text: &str) -> String {
    scripted_flow_with(json!({ "fallback": text }))
}

pub fn label(server: &Server, environment: Option<Environment>) {
    server.app.history.set_environment(environment).unwrap();
}

pub fn repository(server: &Server) -> PathBuf {
    server.folder.path().join("data").join("versions")
}

/// Runs `git` with nobody's settings; what it printed.
#[track_caller]
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let out = Command::new("git")
        .current_dir(folder)
        .args(["-c", "safe.directory=*", "-c", "user.name=Visitor", "-c", "user.email=visitor@example.org"])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(out.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// The id of a flow's newest version.
pub fn newest(server: &Server, flow: &str) -> String {
    server.read(&format!("/flow-versions/{flow}"))["versions"][0]["sha"].as_str().unwrap().to_owned()
}

/// The codes of the warnings that are shown, in their order, each once.
pub fn codes(shown: &Value) -> Vec<&str> {
    let mut codes: Vec<&str> = shown["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["code"].as_str().unwrap())
        .collect();
    codes.dedup();
    codes
}

/// The input of a node of a canvas.
pub fn input<'v>(canvas: &'v Value, node: &str, name: &str) -> &'v Value {
    let nodes = canvas["nodes"].as_array().unwrap();
    let node = nodes.iter().find(|one| one["id"] == node).unwrap_or_else(|| panic!("no {node}"));
    &node["data"]["inputs"][name]
}

/// A flow that this server, labeled Prod, is offered: what its own history has of an older Live stands for Dev. Its id, and
/// the version.
pub fn offered(server: &Server) -> (String, String) {
    let flow = server.flow(&scripted_flow());
    let sha = newest(server, &flow);
    server.put(&format!("/chatflows/{flow}"), &json!({"flowData": saying("Something newer.")}));
    git(&repository(server), &["update-ref", INCOMING, &sha]);
    label(server, Some(Environment::Prod));
    (flow, sha)
}
