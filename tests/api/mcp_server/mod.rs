//! Flows called as tools of an MCP server (manual 2.15).

mod calls;
mod refusals;
mod revisions;
mod settings;

use crate::support::Server;
use crate::support::canvases::scripted_flow_with;
use crate::support::client::{Answer, Call};
use crate::support::steps::{START, Steps};
use serde_json::{Value, json};

pub const NEWEST: &str = "2026-07-28";

/// A flow that is a tool, and what opens it.
pub struct Tool {
    pub server: Server,
    pub flow: String,
    pub token: String,
}

impl Tool {
    /// A chat that greets.
    pub fn greeter() -> Self {
        Self::of(&scripted_flow_with(json!({"fallback": "Hello {question}"})), &json!({}))
    }

    pub fn of(canvas: &str, fields: &Value) -> Self {
        let server = Server::start();
        let flow = server.flow_with(canvas, fields);
        let token = enable(&server, &flow, "greeter");
        Self { server, flow, token }
    }

    pub fn post(&self) -> Call {
        self.server.call("POST", &format!("/mcp/{}", self.flow)).bearer(&self.token)
    }

    /// A message in a revision with a handshake.
    pub fn send(&self, method: &str, params: &Value) -> Answer {
        self.post().header("MCP-Protocol-Version", "2025-11-25").json(&message(method, params)).send()
    }

    /// A message in the revision without one.
    pub fn send_at_once(&self, method: &str, params: Value) -> Answer {
        at_once(self.post(), method, params).send()
    }

    pub fn call_tool(&self, arguments: &Value) -> Value {
        let called = self.send("tools/call", &json!({"name": "greeter", "arguments": arguments})).is(200);
        called.json()["result"].clone()
    }
}

/// Makes a flow a tool of this name; its token.
pub fn enable(server: &Server, flow: &str, name: &str) -> String {
    let body = json!({"toolName": name, "description": "Greets whoever asks."});
    let made = server.owner("POST", &format!("/mcp-server/{flow}")).json(&body).send().is(201).json();
    made["token"].as_str().unwrap().to_owned()
}

pub fn message(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
}

/// A call in the revision without a handshake, with all that it must say.
pub fn at_once(call: Call, method: &str, mut params: Value) -> Call {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = NEWEST.into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let call = call.header("MCP-Protocol-Version", NEWEST).header("Mcp-Method", method);
    let call = match params["name"].as_str() {
        Some(name) => call.header("Mcp-Name", name),
        None => call,
    };
    call.json(&message(method, &params))
}

/// An agentflow of which one step speaks.
pub fn spoken_by(start: Value, reply: &str) -> String {
    let steps = Steps::begin_with(start).card(
        "directReplyAgentflow_0",
        "Speaker",
        json!({"directReplyMessage": reply}),
    );
    steps.edge(START, "directReplyAgentflow_0").text()
}

/// The error of an answer in JSON-RPC: its code and message.
pub fn fault(answer: &Answer, status: u16) -> (i64, String) {
    assert_eq!(answer.status, status, "{}", answer.text());
    let body = answer.json();
    assert_eq!(body["jsonrpc"], "2.0");
    (body["error"]["code"].as_i64().unwrap(), body["error"]["message"].as_str().unwrap().to_owned())
}
