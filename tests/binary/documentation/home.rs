//! The homes in which printed commands are run: what a reader has who follows them.

use super::printed::PrintedCommand;
use crate::canvases;
use crate::connected::{ConnectedServer, REPOSITORY, TOKEN};
use crate::git_host::GitHost;
use crate::move_in::Folder;
use crate::program::{self, Program, error_output, standard_output};
use crate::steps::{START, Steps, reply, with};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The card of the webhook's flow that answers.
const REPLY: &str = "directReplyAgentflow_0";

/// A shell that finds the program under its name and the data under `~/.flowkeep`.
fn shell(home: &Path, script: &str) -> Command {
    let programs = home.join("bin");
    if !programs.exists() {
        fs::create_dir(&programs).unwrap();
        std::os::unix::fs::symlink(program::path(), programs.join("flowkeep")).unwrap();
    }
    let inherited = std::env::var("PATH").unwrap();
    let mut command = Command::new("bash");
    command.args(["-e", "-u", "-o", "pipefail", "-c", script]).env_clear().current_dir(home);
    command.env("HOME", home).env("PATH", format!("{}:{inherited}", programs.display()));
    command
}

#[track_caller]
fn assert_good(command: &PrintedCommand, output: &Output) {
    let said = format!("{}{}", standard_output(output), error_output(output));
    assert!(output.status.success(), "{}: {}\n{said}", command.place, command.text);
    // Of curl, which is content with any answer.
    assert!(!said.contains(r#""success":false"#), "{}: {}\n{said}", command.place, command.text);
}

/// A service on an empty folder, which nobody owns yet, and the file of flows that its reader brings.
pub struct FirstHome {
    folder: tempfile::TempDir,
    service: Program,
}

impl FirstHome {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = program::free_port();
        let port_text = port.to_string();
        let mut command = program::command(&["serve", "--port", &port_text]);
        command.env("HOME", folder.path()).current_dir(folder.path());
        let mut service = Program::start(command, &folder.path().join("serve.log"));
        service.address.set_port(port);
        service.first_line();
        let canvas = canvases::scripted(&json!([]), "Hello");
        fs::write(folder.path().join("flows.json"), canvas.to_string()).unwrap();
        Self { folder, service }
    }

    /// Runs lines that must succeed.
    #[track_caller]
    pub fn run(&self, command: &PrintedCommand) {
        let script = command.text.replace("localhost:3000", &self.service.address.to_string());
        assert_good(command, &shell(self.folder.path(), &script).output().unwrap());
    }
}

/// A Prod server that reads the copy of a Dev server, with flows that people ask, and the files that the pages speak of.
pub struct ReaderHome {
    _host: GitHost,
    _dev: ConnectedServer,
    prod: ConnectedServer,
    /// A flow that was asked, with a newer version in the copy.
    flow: String,
    /// A flow that calls start.
    webhook: String,
    /// A flow that signed calls start, and the secret that signs them.
    signed_webhook: (String, String),
    /// What stands on a page for something that a reader puts there, and what these readers put.
    placeholders: Vec<(&'static str, String)>,
}

impl ReaderHome {
    pub fn start() -> Self {
        let host = GitHost::start(TOKEN);
        host.create(REPOSITORY);
        let dev = ConnectedServer::start(&host, "dev");
        let key = dev.home.key("dev");
        let flow = dev.program.make_flow(&key, "Support", &canvases::scripted(&json!([]), "It is 30."));
        dev.push();
        let prod = ConnectedServer::start(&host, "prod");
        prod.promote(&flow);
        assert_eq!(prod.ask(&flow).as_deref(), Ok("It is 30."));
        dev.publish(&flow, "It is 31.");
        prod.push();
        let webhook = make_webhook(&prod, json!({}));
        let signed = json!({"webhookEnableAuth": true, "webhookSignatureHeader": "x-webhook-signature"});
        let signed = make_webhook(&prod, signed);
        let told = prod.call("POST", &format!("/api/v1/chatflows/{signed}/webhook-secret"), &Value::Null);
        let signed_webhook = (signed, told["webhookSecret"].as_str().unwrap().to_owned());
        let placeholders = placeholders(&prod, &flow);
        let home = Self { _host: host, _dev: dev, prod, flow, webhook, signed_webhook, placeholders };
        home.write_files();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.prod.home.path().join(name)
    }

    fn write_files(&self) {
        std::os::unix::fs::symlink(self.prod.home.data(), self.path(".flowkeep")).unwrap();
        for (name, text) in
            [("flow.json", "Hello"), ("a.json", "same"), ("b.json", "same"), ("new.json", "new")]
        {
            fs::write(self.path(name), canvases::scripted(&json!([]), text).to_string()).unwrap();
        }
        fs::write(self.path("questions.txt"), "How much is it?\n").unwrap();
        self.prod.home.good(&["export", self.path("flows.json").to_str().unwrap()]);
        Folder::at(self.path(".flowise")).fill("http://127.0.0.1:9/v1");
    }

    /// Gives the flow something to check that no earlier command has published: an answer to what nobody asks.
    fn edit_draft(&self, unasked: &str) {
        let rules = json!([{"match": unasked, "reply": "It is 32."}]);
        let draft = canvases::scripted(&rules, "It is 30.").to_string();
        self.prod.call("PUT", &format!("/api/v1/flow-drafts/{}", self.flow), &json!({ "flowData": draft }));
    }

    /// Runs lines that must succeed.
    #[track_caller]
    pub fn run(&self, command: &PrintedCommand) {
        let mut script = whole(&command.text);
        for (stands, put) in &self.placeholders {
            script = script.replace(stands, put);
        }
        if script.starts_with("flowkeep check ") {
            self.edit_draft(&command.place);
        }
        let (signed, secret) = &self.signed_webhook;
        let flow = match script.as_str() {
            script if script.contains("$SECRET") => signed,
            script if script.contains("/webhook/") => &self.webhook,
            _ => &self.flow,
        };
        let mut shell = shell(self.prod.home.path(), &script);
        shell
            .env("FLOW", flow)
            .env("SECRET", secret)
            .env("SERVICE_API_KEY", self.prod.home.key(&command.place));
        shell.envs(self.prod.variables.iter().map(|(name, value)| (*name, value.as_str())));
        let output = shell.output().unwrap();
        // The manual says that a check which finds a change ends with 1.
        let found_change =
            output.status.code() == Some(1) && standard_output(&output).contains("A change is reported");
        if !found_change {
            assert_good(command, &output);
        }
    }
}

/// The whole command where a page names no more than its beginning, and what has to stand before it.
fn whole(text: &str) -> String {
    match text {
        "flowkeep ask" => r#"flowkeep ask "$FLOW" Hello"#.to_owned(),
        "flowkeep backup" => "flowkeep backup -".to_owned(),
        "flowkeep history" => "flowkeep history log".to_owned(),
        "flowkeep import FILE" => "flowkeep import flows.json".to_owned(),
        "flowkeep <command>" => "flowkeep help".to_owned(),
        // They want a folder that no service uses.
        text if text.starts_with("flowkeep upgrade") => format!("flowkeep restore all.tar.zst && {text}"),
        text => text.to_owned(),
    }
}

/// In the order in which they are put: the longer of two that begin alike comes first.
fn placeholders(prod: &ConnectedServer, flow: &str) -> Vec<(&'static str, String)> {
    let address = format!("http://{}", prod.program.address);
    let log = prod.home.good(&["history", "log", flow, "--json"]);
    let versions: Value = serde_json::from_str(&log).unwrap();
    vec![
        ("https://flows.example.org", address.clone()),
        ("http://127.0.0.1:3000", address),
        ("<flow id>", flow.to_owned()),
        ("<flow>", flow.to_owned()),
        ("check FLOW", format!("check {flow}")),
        ("0123456", versions[0]["sha"].as_str().unwrap()[..7].to_owned()),
        ("--from-flowise PATH", "--from-flowise ~/.flowise".to_owned()),
        ("--questions FILE", "--questions questions.txt".to_owned()),
        ("backup -", "backup - | cat > streamed.tar.zst".to_owned()),
        ("/var/lib/flowkeep", "~/.flowkeep".to_owned()),
        ("FILE", "all.tar.zst".to_owned()),
        // Into an empty folder, as the page says.
        ("flowkeep restore", r#"export HOME="$(mktemp -d)"; flowkeep restore"#.to_owned()),
    ]
}

/// A flow that calls of its webhook start.
fn make_webhook(server: &ConnectedServer, inputs: Value) -> String {
    let start = with(json!({"startInputType": "webhookTrigger"}), inputs);
    let canvas = Steps::begin_with(start).card(REPLY, "Reply", reply("Thanks")).edge(START, REPLY).text();
    server.program.make_agentflow(&server.home.key("webhook"), "Orders", &canvas)
}
