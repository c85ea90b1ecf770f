//! Flows asked by OpenAI's protocol (manual 2.14).

mod answers;
mod overrides;
mod refusals;
mod sessions;
mod streams;

use crate::support::canvases::{ProviderFormat, scripted_flow_with};
use crate::support::client::Answer;
use crate::support::provider::Provider;
use crate::support::{Server, id};
use serde_json::{Value, json};

/// A key that may see flows, and a caller who has it.
pub struct Asker {
    pub server: Server,
    pub key: String,
}

impl Asker {
    pub fn new() -> Self {
        let server = Server::start();
        let key = server.key(&["chatflows:view", "agentflows:view"])["apiKey"].as_str().unwrap().to_owned();
        Self { server, key }
    }

    pub fn send(&self, path: &str, body: &Value) -> Answer {
        self.server.call("POST", &format!("/openai/v1{path}")).bearer(&self.key).json(body).send()
    }

    pub fn read(&self, path: &str) -> Answer {
        self.server.call("GET", &format!("/openai/v1{path}")).bearer(&self.key).send()
    }

    pub fn chat(&self, body: &Value) -> Answer {
        self.send("/chat/completions", body)
    }
}

/// A chat in front of a stand-in provider, with these fields of its record.
fn with_provider(server: &Server, fields: &Value) -> (Provider, String) {
    let provider = Provider::start();
    let images = json!({"allowImageUploads": true});
    let canvas = ProviderFormat::OpenAi.conversation(server, &provider.base_url(), images);
    let flow = server.flow_with(&canvas, fields);
    (provider, flow)
}

fn echo(server: &Server, name: &str) -> String {
    server.flow_with(&scripted_flow_with(json!({"fallback": "Hello {question}"})), &json!({"name": name}))
}

/// A key with these permissions: its id and its value.
fn bound_key(server: &Server, permissions: &[&str]) -> (String, String) {
    let made = server.key(permissions);
    (id(&made), made["apiKey"].as_str().unwrap().to_owned())
}

fn user(text: &str) -> Value {
    json!([{"role": "user", "content": text}])
}

/// The error of an answer, by type and code.
fn fault(answer: &Answer, status: u16) -> (String, Option<String>, String) {
    assert_eq!(answer.status, status, "{}", answer.text());
    let body = answer.json();
    let text = |name: &str| body["error"][name].as_str().map(str::to_owned);
    (text("type").unwrap(), text("code"), text("message").unwrap())
}
