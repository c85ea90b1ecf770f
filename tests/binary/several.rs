//! Several services beside one another: one Dev copies its versions, every Prod that reads the copy is promoted by its own owner,
//! and nothing else is shared (manual 13.16).

use crate::git_host::GitHost;
use crate::program::{OWNER, Program};
use crate::{Home, canvases};
use serde_json::{Value, json};
use std::path::Path;

pub const TOKEN: &str = "token-of-the-tests";
pub const REPOSITORY: &str = "acme/flows";
const BASE: &str = "/api/v1/flow-versions";

pub struct Server {
    pub home: Home,
    pub program: Program,
    /// What its environment says of the git host.
    pub variables: Vec<(&'static str, String)>,
    cookie: String,
}

impl Server {
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

    pub fn publish(&self, flow: &str, text: &str) {
        let canvas = canvases::scripted(&json!([]), text).to_string();
        self.call("PUT", &format!("/api/v1/chatflows/{flow}"), &json!({ "flowData": canvas }));
        self.push();
    }

    pub fn promote(&self, flow: &str) {
        self.push();
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

/// One Dev that copied a flow which says "first", and two Prods that are connected to the copy.
struct Stage {
    _host: GitHost,
    dev: Server,
    /// Opens Dev.
    key: String,
    flow: String,
    north: Server,
    south: Server,
}

impl Stage {
    fn new() -> Self {
        let host = GitHost::start(TOKEN);
        host.create(REPOSITORY);
        let dev = Server::start(&host, "dev");
        let key = dev.home.key("dev");
        let flow = dev.program.make_flow(&key, "Support", &canvases::scripted(&json!([]), "first"));
        dev.push();
        let (north, south) = (Server::start(&host, "prod"), Server::start(&host, "prod"));
        Self { _host: host, dev, key, flow, north, south }
    }
}

#[test]
fn every_prod_that_reads_one_copy_is_promoted_by_its_own_owner() {
    let Stage { _host, dev, key: _, flow, north, south } = Stage::new();

    north.promote(&flow);
    assert_eq!((north.ask(&flow), south.ask(&flow)), (Ok("first".to_owned()), Err(404)));
    dev.publish(&flow, "second");
    assert_eq!((dev.ask(&flow), north.ask(&flow)), (Ok("second".to_owned()), Ok("first".to_owned())));
    south.promote(&flow);
    assert_eq!((north.ask(&flow), south.ask(&flow)), (Ok("first".to_owned()), Ok("second".to_owned())));
    north.promote(&flow);
    assert_eq!(north.ask(&flow), Ok("second".to_owned()));
}

#[test]
fn servers_that_share_a_copy_share_no_keys_people_and_conversations() {
    let Stage { _host, dev, key, flow, north, south } = Stage::new();
    north.promote(&flow);
    south.promote(&flow);

    north.ask(&flow).unwrap();
    assert_eq!((dev.conversations(&flow), north.conversations(&flow), south.conversations(&flow)), (0, 2, 0));
    let bearer = format!("Bearer {key}");
    for other in [&north, &south] {
        let refused = other.program.get("/api/v1/chatflows", &[("authorization", &bearer)]);
        assert_eq!(refused.status(), 401, "{}", refused.text());
        let signed_in = other.program.get("/api/v1/chatflows", &[("cookie", &dev.cookie)]);
        assert_eq!(signed_in.status(), 401, "{}", signed_in.text());
    }
    // A Prod that is away, or gone for good, is nothing to the others.
    drop(north);
    dev.publish(&flow, "second");
    south.promote(&flow);
    assert_eq!(south.ask(&flow), Ok("second".to_owned()));
}
