//! The Model Context Protocol over streamable HTTP: each message of ours is a POST, and the answer is JSON or a stream of
//! events that holds it. Every address goes through the guarded client as one that a stranger chose (contract 11).

use crate::cards::kit::Host;
use crate::domain::cancel::Cancel;
use crate::limits::{MCP_SCHEMA_BYTES_MAX, MCP_TOOLS_MAX, MCP_TOOLS_PAGES_MAX, OUTGOING_BODY_MAX_BYTES};
use crate::llm::sse::Events;
use crate::net::{Incoming, Limits, Method, NetError, Outgoing, Purpose};
use serde_json::{Value, json};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The version of the protocol we speak; a server may answer with an older one, which changes nothing of what we use.
const PROTOCOL: &str = "2025-06-18";
const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
/// Longest session id and version that are sent back.
const HEADER_BYTES_MAX: usize = 512;
/// A server that is slow to hear that we are done is not waited for longer.
const GOODBYE: Duration = Duration::from_secs(2);

/// Why a server gave no result. None of it is in the server's words.
#[derive(Debug)]
pub(super) enum Fault {
    Net(NetError),
    Status(u16),
    Garbled(&'static str),
    /// The server refused what it was asked, with this code of JSON-RPC.
    Refused(i64),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Net(error) => error.fmt(f),
            Self::Status(status) => write!(f, "it answered with status {status}"),
            Self::Garbled(what) => f.write_str(what),
            Self::Refused(code) => write!(f, "it refused what it was asked (code {code})"),
        }
    }
}

impl From<NetError> for Fault {
    fn from(error: NetError) -> Self {
        Self::Net(error)
    }
}

/// What a server calls itself by after the first words.
#[derive(Debug, Clone)]
struct Session {
    id: Option<String>,
    version: String,
}

/// A server as one run knows it.
pub(super) struct Client {
    url: String,
    headers: Vec<(String, String)>,
    outgoing: Outgoing,
    cancel: Cancel,
    session: Mutex<Option<Session>>,
    last_id: AtomicU64,
}

/// The longest description of a tool.
const DESCRIPTION_CHARS_MAX: usize = 1024;

/// A tool as its server describes it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Described {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) schema: Value,
}

impl Client {
    pub(super) fn new(url: String, headers: Vec<(String, String)>, host: &dyn Host) -> Self {
        Self {
            url,
            headers,
            outgoing: host.outgoing().clone(),
            cancel: host.cancel().clone(),
            session: Mutex::default(),
            last_id: AtomicU64::new(0),
        }
    }

    /// The server's tools, as far as they are described well.
    pub(super) fn tools(&self) -> Result<Vec<Described>, Fault> {
        let (mut found, mut params) = (Vec::new(), json!({}));
        for _ in 0..MCP_TOOLS_PAGES_MAX {
            let page = self.ask("tools/list", &params)?;
            let tools = page["tools"].as_array().ok_or(Fault::Garbled("its list of tools cannot be read"))?;
            found.extend(tools.iter().filter_map(described));
            found.truncate(MCP_TOOLS_MAX);
            match page["nextCursor"].as_str() {
                Some(cursor) if found.len() < MCP_TOOLS_MAX => params = json!({ "cursor": cursor }),
                _ => break,
            }
        }
        Ok(found)
    }

    /// Calls a tool: what it returned, and whether that is an error of its own.
    pub(super) fn call(&self, name: &str, arguments: &Value) -> Result<(Vec<Value>, bool), Fault> {
        let result = self.ask("tools/call", &json!({"name": name, "arguments": arguments}))?;
        let content =
            result["content"].as_array().cloned().ok_or(Fault::Garbled("its result cannot be read"))?;
        Ok((content, result["isError"] == true))
    }

    /// Asks within the session. A server that has forgotten the session, or was started anew, is greeted once more.
    fn ask(&self, method: &str, params: &Value) -> Result<Value, Fault> {
        let session = self.session()?;
        match self.request(method, params, Some(&session)) {
            Err(Fault::Status(404)) if session.id.is_some() => {
                *self.known() = None;
                let session = self.session()?;
                self.request(method, params, Some(&session)).map(|(result, _)| result)
            }
            other => other.map(|(result, _)| result),
        }
    }

    fn known(&self) -> MutexGuard<'_, Option<Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn session(&self) -> Result<Session, Fault> {
        if let Some(session) = self.known().clone() {
            return Ok(session);
        }
        let greeting = json!({
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "flowkeep", "version": env!("CARGO_PKG_VERSION")},
        });
        let (result, id) = self.request("initialize", &greeting, None)?;
        let version = result["protocolVersion"].as_str().unwrap_or(PROTOCOL);
        let fits = |text: &str| text.len() <= HEADER_BYTES_MAX && text.bytes().all(|b| b.is_ascii_graphic());
        if !fits(version) || !id.as_deref().is_none_or(fits) {
            return Err(Fault::Garbled("its greeting cannot be read"));
        }
        let session = Session { id, version: version.to_owned() };
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let answer = self.post(&ready, Some(&session))?;
        match answer.status() {
            200..=299 => answer.finish(),
            status => return Err(Fault::Status(status)),
        }
        *self.known() = Some(session.clone());
        Ok(session)
    }

    /// One request: its result, and the session id that came with it.
    fn request(
        &self,
        method: &str,
        params: &Value,
        session: Option<&Session>,
    ) -> Result<(Value, Option<String>), Fault> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let mut answer = self.post(&message, session)?;
        if !(200..=299).contains(&answer.status()) {
            return Err(Fault::Status(answer.status()));
        }
        let given = answer.header(SESSION).map(str::to_owned);
        let kind = answer.header("content-type").unwrap_or_default().to_ascii_lowercase();
        let reply = if kind.starts_with("text/event-stream") {
            in_events(answer, id)?
        } else if kind.starts_with("application/json") {
            in_json(&answer.read_to_string(OUTGOING_BODY_MAX_BYTES)?, id)
        } else {
            return Err(Fault::Garbled("its answer is neither JSON nor a stream of events"));
        };
        let mut reply = reply.ok_or(Fault::Garbled("its answer holds no result"))?;
        match reply.get_mut("result") {
            Some(result) => Ok((result.take(), given)),
            None => Err(Fault::Refused(reply["error"]["code"].as_i64().unwrap_or_default())),
        }
    }

    fn post(&self, message: &Value, session: Option<&Session>) -> Result<Incoming, Fault> {
        let body = message.to_string();
        let own = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        self.send(Method::POST, &own, Some(body.as_bytes()), session, Limits::default())
    }

    fn send(
        &self,
        method: Method,
        own: &[(&str, &str)],
        body: Option<&[u8]>,
        session: Option<&Session>,
        limits: Limits,
    ) -> Result<Incoming, Fault> {
        let mut headers: Vec<(&str, &str)> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        // The protocol's own headers are not the owner's to set.
        headers.retain(|(name, _)| ![SESSION, VERSION].iter().any(|own| name.eq_ignore_ascii_case(own)));
        headers.extend(own);
        if let Some(session) = session {
            headers.push((VERSION, &session.version));
            headers.extend(session.id.as_deref().map(|id| (SESSION, id)));
        }
        Ok(self.outgoing.send(Purpose::Reachable, method, &self.url, &headers, body, &self.cancel, limits)?)
    }
}

impl Drop for Client {
    /// Tells the server that the session is over. Whether it hears that changes nothing.
    fn drop(&mut self) {
        let Some(session) = self.known().take().filter(|session| session.id.is_some()) else { return };
        let limits = Limits { first_byte: GOODBYE, stall: GOODBYE, ..Limits::default() };
        drop(self.send(Method::DELETE, &[], None, Some(&session), limits));
    }
}

/// The answer to `id` in a JSON body, which may hold several messages.
fn in_json(body: &str, id: u64) -> Option<Value> {
    match serde_json::from_str(body).ok()? {
        Value::Array(messages) => messages.into_iter().find(|message| answers(message, id)),
        message => answers(&message, id).then_some(message),
    }
}

/// The answer to `id` in a stream. What else a server says there is for clients that offer more than we do.
fn in_events(answer: Incoming, id: u64) -> Result<Option<Value>, Fault> {
    let mut events = Events::new(answer);
    loop {
        match events.next() {
            Ok(Some(event)) => {
                if let Some(message) = in_json(event.data, id) {
                    return Ok(Some(message));
                }
            }
            Ok(None) => return Ok(None),
            Err(_) => return Err(Fault::Garbled("its stream of events broke off")),
        }
    }
}

fn answers(message: &Value, id: u64) -> bool {
    let is_reply = message.get("result").is_some() || message.get("error").is_some();
    is_reply && message["id"].as_u64() == Some(id)
}

fn described(tool: &Value) -> Option<Described> {
    Some(Described {
        name: tool["name"].as_str().filter(|name| !name.is_empty())?.to_owned(),
        description: tool["description"]
            .as_str()
            .unwrap_or_default()
            .chars()
            .take(DESCRIPTION_CHARS_MAX)
            .collect(),
        // One that is too long is none; many of them must not lie here side by side.
        schema: Some(&tool["inputSchema"])
            .filter(|schema| schema.to_string().len() <= MCP_SCHEMA_BYTES_MAX)
            .cloned()
            .unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_a_request_is_told_from_what_else_a_server_says() {
        let wanted = json!({"jsonrpc": "2.0", "id": 7, "result": {"a": 1}});
        let others = [
            json!({"jsonrpc": "2.0", "method": "notifications/progress"}),
            json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": 6, "result": {}}),
        ];
        for other in &others {
            assert_eq!(in_json(&other.to_string(), 7), None, "{other}");
        }
        assert_eq!(in_json(&wanted.to_string(), 7), Some(wanted.clone()));
        let batch = Value::Array(others.iter().cloned().chain([wanted.clone()]).collect());
        assert_eq!(in_json(&batch.to_string(), 7), Some(wanted));
        assert_eq!(in_json("not JSON", 7), None);
    }
}
