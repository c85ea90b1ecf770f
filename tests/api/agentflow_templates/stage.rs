//! A template as a person fills it in, on a service whose way out leads to stand-ins: what goes out is what would go to
//! the providers themselves, address for address.

use super::trace::{self, ForeignTexts};
use crate::canvases::agentflow_template;
use crate::oauth2::service::{CLIENT, GoogleStandIn, OAuthFixture, SECRET};
use crate::support::client::Answer;
use crate::support::internet::{InternetStandIn, StandInAnswer};
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Options, Server, id};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

const HOSTS: &[&str] = &[
    "api.openai.com",
    "api.anthropic.com",
    "api.groq.com",
    "generativelanguage.googleapis.com",
    "oauth2.googleapis.com",
    "gmail.googleapis.com",
    "www.googleapis.com",
];

/// Cards, with the credential that each takes and its fields.
const SIGNED_IN: &[(&str, &str, &[&str])] = &[
    ("chatOpenAI", "openAIApi", &["openAIApiKey"]),
    ("openAIEmbeddings", "openAIApi", &["openAIApiKey"]),
    ("chatAnthropic", "anthropicApi", &["anthropicApiKey"]),
    ("chatGoogleGenerativeAI", "googleGenerativeAI", &["googleGenerativeAPIKey"]),
    ("groqChat", "groqApi", &["groqApiKey"]),
    ("googleCustomSearch", "googleCustomSearchApi", &["googleCustomSearchApiKey", "googleCustomSearchApiId"]),
    ("slackMCP", "slackApi", &["botToken", "teamId"]),
];

/// The program that Slack MCP starts, as a person who runs the service would allow it.
const SLACK: &[&str] = &["-y", "@modelcontextprotocol/server-slack"];

/// One request, and what stand-ins answer in turn until it is answered.
pub struct Exchange {
    pub body: Value,
    pub script: Vec<Behaviour>,
}

pub fn exchange(body: Value, script: Vec<Behaviour>) -> Exchange {
    Exchange { body, script }
}

/// How a caller takes answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    Streamed,
    Whole,
}

pub struct Stage {
    pub house: OAuthFixture,
    pub provider: Provider,
    pub flow: String,
    folder: TempDir,
    foreign: ForeignTexts,
}

impl Stage {
    /// The template, published on a service that runs so many branches at once. `edit` changes what a person would have to:
    /// addresses of their own machine, files, stores.
    pub fn open(name: &str, branches: &str, edit: &dyn Fn(&Self, &mut Value)) -> Option<Self> {
        let text = agentflow_template(name)?;
        let provider = Provider::start();
        let folder = tempfile::tempdir().unwrap();
        let house = house(&provider, branches, &allow_slack(&folder));
        let body = json!({"name": name, "type": "AGENTFLOW", "flowData": text, "publishInstantly": false});
        let flow = id(&house.server.post("/chatflows", &body));
        let template: Value = serde_json::from_str(&text).unwrap();
        let foreign = ForeignTexts::of(&template);
        let stage = Self { house, provider, flow, folder, foreign };
        let mut canvas = template;
        edit(&stage, &mut canvas);
        for node in canvas["nodes"].as_array_mut().unwrap() {
            stage.sign_in(&mut node["data"]["inputs"]);
        }
        stage
            .house
            .server
            .put(&format!("/flow-drafts/{}", stage.flow), &json!({ "flowData": canvas.to_string() }));
        stage.house.server.owner("POST", &format!("/flow-drafts/{}/publish", stage.flow)).send().is(200);
        Some(stage)
    }

    pub fn server(&self) -> &Server {
        &self.house.server
    }

    /// Selects a credential in every card that is picked in these inputs.
    fn sign_in(&self, inputs: &mut Value) {
        match inputs {
            Value::Object(fields) => {
                let picked: Vec<(String, String)> = fields
                    .iter()
                    .filter_map(|(name, value)| Some((format!("{name}Config"), value.as_str()?.to_owned())))
                    .collect();
                for (config, card) in picked {
                    let Some(credential) = self.credential(&card) else { continue };
                    if let Some(Value::Object(config)) = fields.get_mut(&config) {
                        config.insert("FLOWISE_CREDENTIAL_ID".to_owned(), credential.into());
                    }
                }
                fields.values_mut().for_each(|value| self.sign_in(value));
            }
            Value::Array(rows) => rows.iter_mut().for_each(|row| self.sign_in(row)),
            _ => {}
        }
    }

    /// A credential for the card.
    pub fn credential(&self, card: &str) -> Option<String> {
        if card == "gmail" {
            self.house.sign_in().is(200);
            return Some(self.house.credential.clone());
        }
        let (_, kind, fields) = SIGNED_IN.iter().find(|(name, ..)| *name == card)?;
        let field = |name: &&str| ((*name).to_owned(), Value::from(format!("{}{name}", trace::SECRET)));
        let fields: serde_json::Map<String, Value> = fields.iter().map(field).collect();
        let body = json!({"name": kind, "credentialName": kind, "plainDataObj": fields});
        Some(id(&self.house.server.post("/credentials", &body)))
    }

    /// A conversation of its own: what was sent, told and kept for each of its requests.
    pub fn converse(&self, exchanges: &[Exchange], reading: Reading) -> Value {
        let mut chat = Chat::default();
        exchanges.iter().map(|exchange| self.ask(&mut chat, exchange, reading)).collect()
    }

    fn ask(&self, chat: &mut Chat, exchange: &Exchange, reading: Reading) -> Value {
        let before = self.provider.requests().len();
        for behaviour in &exchange.script {
            self.provider.push_behaviour(behaviour.clone());
        }
        let mut body = exchange.body.clone();
        if let Some(id) = &chat.id {
            body["chatId"] = id.as_str().into();
        }
        if reading == Reading::Streamed {
            body["streaming"] = true.into();
        }
        let mut call = self.server().call("POST", &format!("/prediction/{}", self.flow));
        if let Some(cookie) = &chat.cookie {
            call = call.header("Cookie", cookie);
        }
        let answer = call.json(&body).send();
        chat.learn(&answer, reading);
        let sent = &self.provider.requests()[before..];
        assert_eq!(sent.len(), exchange.script.len(), "{}: {answer:?}", exchange.body);
        let record = self.newest_record();
        let mut told = trace::told(&answer, reading, &record);
        told["asked"] = exchange.body.clone();
        told["sent"] = sent.iter().map(trace::sent).collect();
        told["record"] = trace::record(&record);
        if let Some(posted) = self.posted() {
            told["posted"] = posted;
        }
        self.foreign.shorten(trace::normalise(told))
    }

    fn newest_record(&self) -> Value {
        let page = self.server().read("/executions");
        let newest = page["data"][0]["id"].as_str().expect("a record");
        self.server().read(&format!("/executions/{newest}"))
    }

    /// What the stand-in of Slack was given to post.
    fn posted(&self) -> Option<Value> {
        let notes = self.notes();
        let text = std::fs::read_to_string(&notes).ok()?;
        std::fs::remove_file(notes).unwrap();
        let call = |line: &str| serde_json::from_str::<Value>(line).unwrap()["params"].clone();
        Some(text.lines().map(call).collect())
    }

    fn notes(&self) -> PathBuf {
        self.folder.path().join("posted")
    }
}

/// What a caller keeps of a conversation.
#[derive(Default)]
struct Chat {
    id: Option<String>,
    cookie: Option<String>,
}

impl Chat {
    fn learn(&mut self, answer: &Answer, reading: Reading) {
        let told = match reading {
            Reading::Whole => Some(answer.json()),
            Reading::Streamed => {
                answer.events().into_iter().find(|(name, _)| name == "metadata").map(|(_, data)| data)
            }
        };
        self.id = told.and_then(|told| told["chatId"].as_str().map(str::to_owned)).or(self.id.take());
        let cookie = answer.header("set-cookie").and_then(|cookie| cookie.split(';').next());
        self.cookie = cookie.map(str::to_owned).or(self.cookie.take());
    }
}

/// A service whose owner has a mailbox, with the stand-in provider behind every address.
fn house(provider: &Provider, branches: &str, programs: &Value) -> OAuthFixture {
    let google = Arc::new(GoogleStandIn::default());
    *google.lasts.lock().unwrap() = 3600;
    let (sells_tokens, address) = (google.clone(), provider.base_url().replace("http://", ""));
    let beyond = address.parse().unwrap();
    let internet = InternetStandIn::of(HOSTS, move |seen| {
        if seen.address == "oauth2.googleapis.com/token" {
            return sells_tokens.answer(seen);
        }
        StandInAnswer::Relay(beyond)
    });
    let settings = vec![
        ("HTTPS_PROXY", internet.proxy.clone()),
        ("SERVICE_CA_FILE", internet.authority.clone()),
        ("SERVICE_HTTP_ALLOW", address),
        ("SERVICE_BRANCHES", branches.to_owned()),
        ("SERVICE_MCP_COMMANDS", programs.to_string()),
    ];
    let server = Server::with_options(Options { settings, ..Options::default() });
    let fields = json!({"clientId": CLIENT, "clientSecret": SECRET});
    let mailbox = json!({"name": "Mailbox", "credentialName": "gmailOAuth2", "plainDataObj": fields});
    let credential = id(&server.post("/credentials", &mailbox));
    OAuthFixture { server, internet, google, credential }
}

/// The operator's list, with a stand-in of Slack's server under the name that its card starts.
fn allow_slack(folder: &TempDir) -> Value {
    let program = folder.path().join("npx");
    let notes = folder.path().join("posted");
    let script = include_str!("slack.sh").replace("NOTES", notes.to_str().unwrap());
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let command: Vec<&str> = [program.to_str().unwrap()].into_iter().chain(SLACK.iter().copied()).collect();
    json!([{"command": command, "flowEnv": ["SLACK_BOT_TOKEN", "SLACK_TEAM_ID"]}])
}
