//! MCP servers over streamable HTTP: each message of ours is a POST, and the answer is JSON or a stream of events that
//! holds it. Every address goes through the guarded client as one that a stranger chose (manual 12.5).

use super::message::{GREET, McpError, PROTOCOL, answers, greeting, ready, request, result_of};
use crate::base::cancel::CancelToken;
use crate::kit::Host;
use crate::limits::OUTGOING_BODY_MAX_BYTES;
use crate::llm::sse::SseReader;
use crate::net::{CallPurpose, Incoming, Method, Outgoing, ResponseLimits, parse_retry_after};
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
/// Longest session id and version that are sent back.
const HEADER_BYTES_MAX: usize = 512;
/// A server that is slow to hear that we are done is not waited for longer.
const GOODBYE: Duration = Duration::from_secs(2);

/// What a server calls itself by after the first words.
#[derive(Debug, Clone)]
struct McpSession {
    id: Option<String>,
    version: String,
}

/// A server that is reached over HTTP, as one run knows it.
pub(super) struct HttpTransport {
    url: String,
    headers: Vec<(String, String)>,
    outgoing: Outgoing,
    cancel: CancelToken,
    session: Mutex<Option<McpSession>>,
    last_id: AtomicU64,
}

impl HttpTransport {
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

    /// Asks within the session. A server that has forgotten the session, or was started anew, is greeted once more.
    pub(super) fn ask(&self, method: &str, params: &Value) -> Result<Value, McpError> {
        let session = self.session()?;
        match self.request(method, params, Some(&session)) {
            Err(McpError::Status { status: 404, .. }) if session.id.is_some() => {
                *self.lock_session() = None;
                let session = self.session()?;
                self.request(method, params, Some(&session)).map(|(result, _)| result)
            }
            other => other.map(|(result, _)| result),
        }
    }

    fn lock_session(&self) -> MutexGuard<'_, Option<McpSession>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn session(&self) -> Result<McpSession, McpError> {
        if let Some(session) = self.lock_session().clone() {
            return Ok(session);
        }
        let (result, id) = self.request(GREET, &greeting(), None)?;
        let version = result["protocolVersion"].as_str().unwrap_or(PROTOCOL);
        let fits = |text: &str| text.len() <= HEADER_BYTES_MAX && text.bytes().all(|b| b.is_ascii_graphic());
        if !fits(version) || !id.as_deref().is_none_or(fits) {
            return Err(McpError::Malformed("its greeting cannot be read"));
        }
        let session = McpSession { id, version: version.to_owned() };
        let answer = self.post(&ready(), Some(&session))?;
        match answer.status() {
            200..=299 => answer.finish(),
            _ => return Err(status_error(&answer)),
        }
        *self.lock_session() = Some(session.clone());
        Ok(session)
    }

    /// One request: its result, and the session id that came with it.
    fn request(
        &self,
        method: &str,
        params: &Value,
        session: Option<&McpSession>,
    ) -> Result<(Value, Option<String>), McpError> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let mut answer = self.post(&request(id, method, params), session)?;
        if !(200..=299).contains(&answer.status()) {
            return Err(status_error(&answer));
        }
        let given = answer.header(SESSION).map(str::to_owned);
        let kind = answer.header("content-type").unwrap_or_default().to_ascii_lowercase();
        let reply = if kind.starts_with("text/event-stream") {
            in_events(answer, id)?
        } else if kind.starts_with("application/json") {
            in_json(&answer.read_to_string(OUTGOING_BODY_MAX_BYTES)?, id)
        } else {
            return Err(McpError::Malformed("its answer is neither JSON nor a stream of events"));
        };
        let reply = reply.ok_or(McpError::Malformed("its answer holds no result"))?;
        Ok((result_of(reply)?, given))
    }

    fn post(&self, message: &Value, session: Option<&McpSession>) -> Result<Incoming, McpError> {
        let body = message.to_string();
        let own = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        self.send(Method::POST, &own, Some(body.as_bytes()), session, ResponseLimits::default())
    }

    fn send(
        &self,
        method: Method,
        own: &[(&str, &str)],
        body: Option<&[u8]>,
        session: Option<&McpSession>,
        limits: ResponseLimits,
    ) -> Result<Incoming, McpError> {
        let mut headers: Vec<(&str, &str)> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        // The protocol's own headers are not the owner's to set.
        headers.retain(|(name, _)| ![SESSION, VERSION].iter().any(|own| name.eq_ignore_ascii_case(own)));
        headers.extend(own);
        if let Some(session) = session {
            headers.push((VERSION, &session.version));
            headers.extend(session.id.as_deref().map(|id| (SESSION, id)));
        }
        Ok(self.outgoing.send(
            CallPurpose::Reachable,
            method,
            &self.url,
            &headers,
            body,
            &self.cancel,
            limits,
        )?)
    }
}

impl Drop for HttpTransport {
    /// Tells the server that the session is over. Whether it hears that changes nothing.
    fn drop(&mut self) {
        let Some(session) = self.lock_session().take().filter(|session| session.id.is_some()) else { return };
        let limits = ResponseLimits { first_byte: GOODBYE, stall: GOODBYE, ..ResponseLimits::default() };
        drop(self.send(Method::DELETE, &[], None, Some(&session), limits));
    }
}

fn status_error(answer: &Incoming) -> McpError {
    let retry_after_seconds = answer.header("retry-after").and_then(parse_retry_after);
    McpError::Status { status: answer.status(), retry_after_seconds }
}

/// The answer to `id` in a JSON body, which may hold several messages.
fn in_json(body: &str, id: u64) -> Option<Value> {
    match serde_json::from_str(body).ok()? {
        Value::Array(messages) => messages.into_iter().find(|message| answers(message, id)),
        message => answers(&message, id).then_some(message),
    }
}

/// The answer to `id` in a stream. What else a server says there is for clients that offer more than we do.
fn in_events(answer: Incoming, id: u64) -> Result<Option<Value>, McpError> {
    let mut events = SseReader::new(answer);
    loop {
        match events.next_event() {
            Ok(Some(event)) => {
                if let Some(message) = in_json(event.data, id) {
                    return Ok(Some(message));
                }
            }
            Ok(None) => return Ok(None),
            Err(_) => return Err(McpError::Malformed("its stream of events broke off")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
