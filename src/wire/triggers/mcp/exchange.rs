//! What clients of MCP send, and what they are told beside what tools answer.

use super::rpc::RpcFault;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The revisions that are spoken, newest first.
pub const REVISIONS: &[&str] = &["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"];
/// The newest one that begins with a handshake.
pub const NEWEST_WITH_HANDSHAKE: &str = "2025-11-25";
/// The one of clients that name none.
pub const UNNAMED_REVISION: &str = "2025-03-26";
/// The one without a handshake: every request says what others say once.
pub const WITHOUT_HANDSHAKE: &str = "2026-07-28";

const META: &str = "_meta";
const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// A message of a client.
#[derive(Debug)]
pub struct ClientMessage {
    /// None for what wants no answer.
    pub id: Option<Value>,
    /// None for an answer of the client.
    pub method: Option<String>,
    params: Map<String, Value>,
}

impl ClientMessage {
    /// Reads a body.
    ///
    /// # Errors
    /// For what is no message, or several at once.
    pub fn read(body: Value) -> Result<Self, RpcFault> {
        let wrong = |why: &str| RpcFault::new(RpcFault::INVALID_REQUEST, why);
        let mut fields = match body {
            Value::Object(fields) => fields,
            Value::Array(_) => {
                return Err(wrong("Several messages at once are not taken: send them one by one."));
            }
            _ => return Err(wrong("A message is a JSON object.")),
        };
        if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return Err(wrong("A message has the field 'jsonrpc' with the value '2.0'."));
        }
        let id = match fields.shift_remove("id") {
            None => None,
            Some(id @ (Value::String(_) | Value::Number(_))) => Some(id),
            Some(_) => return Err(wrong("The 'id' of a request is a text or a number.")),
        };
        let method = match fields.shift_remove("method") {
            Some(Value::String(method)) => Some(method),
            None if fields.contains_key("result") || fields.contains_key("error") => None,
            _ => return Err(wrong("A request has a 'method'.")),
        };
        let params = match fields.shift_remove("params") {
            None => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return Err(wrong("The 'params' of a request are an object.")),
        };
        Ok(Self { id, method, params })
    }

    fn meta(&self, name: &str) -> Option<&Value> {
        self.params.get(META)?.get(name)
    }

    /// What the client wants to be told the progress of its request under.
    pub fn progress_token(&self) -> Option<Value> {
        self.meta("progressToken").filter(|token| token.is_string() || token.is_number()).cloned()
    }

    /// The revision that a client begins with.
    pub fn handshake_revision(&self) -> &str {
        let asked = self.params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        let known = REVISIONS.iter().find(|known| **known == asked && asked != WITHOUT_HANDSHAKE);
        known.copied().unwrap_or(NEWEST_WITH_HANDSHAKE)
    }

    /// The request that a client takes back, as JSON.
    pub fn taken_back(&self) -> Option<String> {
        self.params.get("requestId").map(Value::to_string)
    }

    /// The tool that is called.
    pub fn tool(&self) -> Option<&str> {
        self.params.get("name").and_then(Value::as_str)
    }

    /// What the tool is called with; `None` for what are no arguments.
    pub fn arguments(&self) -> Option<Map<String, Value>> {
        match self.params.get("arguments") {
            None | Some(Value::Null) => Some(Map::new()),
            Some(Value::Object(arguments)) => Some(arguments.clone()),
            Some(_) => None,
        }
    }

    /// Judges what every request says of itself where there is no handshake, with the headers `Mcp-Method` and `Mcp-Name`.
    ///
    /// # Errors
    /// For a pair that is missing, and for headers that say something else.
    pub fn check_envelope(
        &self,
        (revision, method, name): (&str, Option<&str>, Option<&str>),
    ) -> Result<(), RpcFault> {
        for needed in [PROTOCOL_VERSION, CLIENT_CAPABILITIES] {
            if self.meta(needed).is_none() {
                let why = format!("'params._meta' lacks '{needed}'.");
                return Err(RpcFault::new(RpcFault::INVALID_PARAMS, why));
            }
        }
        let differs = |header: &str| {
            let why = format!("The header '{header}' does not say what the body says.");
            Err(RpcFault::new(RpcFault::HEADER_MISMATCH, why))
        };
        if self.meta(PROTOCOL_VERSION).and_then(Value::as_str) != Some(revision) {
            return differs("MCP-Protocol-Version");
        }
        if method != self.method.as_deref() {
            return differs("Mcp-Method");
        }
        let is_call = self.method.as_deref() == Some("tools/call");
        if is_call && self.tool().is_some() && name != self.tool() {
            return differs("Mcp-Name");
        }
        Ok(())
    }
}

/// Who answers.
#[derive(Debug, Clone, Serialize)]
pub struct ServerInfo {
    pub name: String,
    pub version: &'static str,
}

/// The answer to `initialize`.
pub fn initialized(revision: &str, server: &ServerInfo) -> Map<String, Value> {
    object(json!({"protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": server}))
}

/// The answer to `server/discover`.
pub fn discovered(server: &ServerInfo) -> Map<String, Value> {
    object(json!({
        "supportedVersions": REVISIONS, "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private",
        META: {SERVER_INFO: server},
    }))
}

/// A result, as revisions without a handshake have it.
pub fn complete(mut result: Map<String, Value>) -> Map<String, Value> {
    result.insert("resultType".to_owned(), "complete".into());
    result
}

/// A list that only this caller may keep, and not for any time, as revisions without a handshake say it.
pub fn uncached(mut result: Map<String, Value>) -> Map<String, Value> {
    result.insert("ttlMs".to_owned(), 0.into());
    result.insert("cacheScope".to_owned(), "private".into());
    result
}

/// How far a call came.
#[derive(Debug, Serialize)]
pub struct ProgressNotice<'a> {
    jsonrpc: &'static str,
    method: &'static str,
    params: Progress<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Progress<'a> {
    progress_token: &'a Value,
    progress: u64,
    message: &'a str,
}

impl<'a> ProgressNotice<'a> {
    pub const fn new(progress_token: &'a Value, progress: u64, message: &'a str) -> Self {
        Self {
            jsonrpc: "2.0",
            method: "notifications/progress",
            params: Progress { progress_token, progress, message },
        }
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
