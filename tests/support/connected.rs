//! Services that are connected to a copy of the versions.

#![allow(dead_code, reason = "each test binary uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]

use crate::canvases;
use crate::git_host::GitHost;
use crate::home::Home;
use crate::program::{OWNER, Program};
use serde_json::{Value, json};
use std::path::Path;

pub const TOKEN: &str = "token-of-the-tests";
pub const REPOSITORY: &str = "acme/flows";
const BASE: &str = "/api/v1/flow-versions";

/// A service that copies its versions to a git host, or reads them there.
pub struct ConnectedServer {
    pub home: Home,
    pub program: Program,
    /// What its environment says of the git host.
    pub variables: Vec<(&'static str, String)>,
    /// The session of its owner.
    pub cookie: String,
}

impl ConnectedServer {
    /// A service with this label that is connected to the copy.
    pub fn start(host: &GitHost, label: &str) -> Self {
        let home = Home::new();
        let api = format!("{}/api/v3", host.url());
        let variables = vec![
            ("SERVICE_GITHUB_URL", host.url()),
            ("SERVICE_GITHUB_API", api),
            ("SERVICE_GITHUB_ALLOW_FILE_REMOTES", "on".to_owned()),
        ];
        let environment: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let program = Program::serve_with(Path::new(home.data()), &[], &environment);
        let cookie = program.sign_in(OWNER.0, OWNER.1).expect("the owner signs in");
        let server = Self { home, program, variables, cookie };
        server.call("PUT", &format!("{BASE}/environment"), &json!({ "environment": label }));
        server.call("PUT", &format!("{BASE}/github"), &json!({"repo": REPOSITORY, "token": TOKEN}));
        server
    }

    #[track_caller]
    pub fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.program.call(method, path, &[("cookie", &self.cookie)], body);
        assert!((200..300).contains(&answer.status()), "{method} {path}: {}", answer.text());
        answer.json()
    }

    /// Copies, or reads what was copied.
    #[track_caller]
    pub fn push(&self) {
        let status = self.call("POST", &format!("{BASE}/github/push"), &Value::Null);
        assert_eq!(status["state"], "up-to-date", "{status}");
    }

    /// Makes this Live, which the copy does not have yet.
    pub fn set_live(&self, flow: &str, text: &str) {
        let canvas = canvases::scripted(&json!([]), text).to_string();
        self.call("PUT", &format!("/api/v1/chatflows/{flow}"), &json!({ "flowData": canvas }));
    }

    /// Makes this Live, and copies it.
    pub fn publish(&self, flow: &str, text: &str) {
        self.set_live(flow, text);
        self.push();
    }

    /// Reads the copy, and makes its newest version of a flow Live.
    pub fn promote(&self, flow: &str) {
        self.push();
        self.promote_read(flow);
    }

    /// Makes the newest version of a flow that was read Live.
    pub fn promote_read(&self, flow: &str) {
        let shown = self.call("GET", &format!("{BASE}/incoming/{flow}"), &Value::Null);
        let body = json!({"sha": shown["version"]["sha"], "digest": shown["digest"]});
        self.call("POST", &format!("{BASE}/incoming/{flow}/promote"), &body);
    }

    /// What Live says, or the status of a flow that is not there.
    pub fn ask(&self, flow: &str) -> Result<String, u16> {
        let answer = self.program.ask(flow, &json!({"question": "What do you say?"}));
        match answer.status() {
            200 => Ok(answer.json()["text"].as_str().unwrap().to_owned()),
            refused => Err(refused),
        }
    }

    pub fn conversations(&self, flow: &str) -> usize {
        self.call("GET", &format!("/api/v1/chatmessage/{flow}"), &Value::Null).as_array().unwrap().len()
    }
}
