//! One message of a client and its answer, in any revision of the protocol.

use super::call::{ToolCall, ToolCaller};
use crate::app::App;
use crate::domain::error::{Error, Result};
use crate::domain::triggers::mcp_tool::McpTool;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::triggers::mcp::{self, CallKey};
use crate::wire::triggers::mcp::exchange::{
    ClientMessage, NEWEST_WITH_HANDSHAKE, REVISIONS, ServerInfo, UNNAMED_REVISION, WITHOUT_HANDSHAKE,
    complete, discovered, initialized, uncached,
};
use crate::wire::triggers::mcp::rpc::{RpcAnswer, RpcFault};
use crate::wire::triggers::mcp::tools::listed;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

const REVISION: &str = "mcp-protocol-version";
const SESSION: &str = "mcp-session-id";

/// What a caller reaches: one tool, or several.
pub(crate) struct Endpoint {
    /// Which one it is.
    pub(super) key: String,
    /// SHA-256 of what opened it.
    pub(super) opener: [u8; 32],
    /// What it calls itself.
    pub(super) name: String,
    pub(super) tools: Vec<McpTool>,
}

impl Endpoint {
    /// # Errors
    /// When the answer cannot be written.
    pub(super) fn answer(self, app: &App, request: &Request) -> Result<Reply> {
        let body = request.value()?;
        let message = match ClientMessage::read(body) {
            Ok(message) => message,
            Err(fault) => return refusal(400, Value::Null, fault),
        };
        let revision = request.header(REVISION).unwrap_or(UNNAMED_REVISION);
        let named = message.id.clone().unwrap_or_default();
        if !REVISIONS.contains(&revision) {
            return refusal(400, named, RpcFault::unsupported_revision(REVISIONS, revision));
        }
        if request.headers.contains_key(SESSION) && request.header(SESSION).is_none() {
            let why = "The header 'Mcp-Session-Id' holds characters that no session has.";
            return refusal(400, named, RpcFault::new(RpcFault::INVALID_REQUEST, why));
        }
        let has_handshake = revision != WITHOUT_HANDSHAKE;
        match (message.id.clone(), message.method.clone()) {
            (Some(id), Some(method)) if has_handshake => {
                self.answer_with_handshake(app, request, (id, method.as_str()), &message)
            }
            (Some(id), Some(method)) => {
                let name = request.header("mcp-name").map(decode_header);
                let told = (revision, request.header("mcp-method"), name.as_deref());
                match message.check_envelope(told) {
                    Ok(()) => self.answer_at_once(app, request, (id, method.as_str()), &message),
                    Err(fault) => refusal(400, id, fault),
                }
            }
            (None, Some(method)) => {
                if method == "notifications/cancelled"
                    && has_handshake
                    && let Some(taken_back) = message.taken_back()
                {
                    mcp::take_back(app, &self.call_key(request, taken_back));
                }
                Ok(Reply::empty(202))
            }
            // Nothing is asked of clients, so what they answer is nothing either.
            (_, None) => Ok(Reply::empty(202)),
        }
    }

    fn answer_with_handshake(
        self,
        app: &App,
        request: &Request,
        (id, method): (Value, &str),
        message: &ClientMessage,
    ) -> Result<Reply> {
        match method {
            "initialize" => {
                let told = initialized(message.handshake_revision(), &self.info());
                Ok(result(id, told)?.with_header(SESSION, &new_session()?))
            }
            "ping" => result(id, Map::new()),
            "tools/list" => result(id, listed(&self.tools)),
            "tools/call" => self.call(app, request, id, message, NEWEST_WITH_HANDSHAKE),
            _ => refusal(200, id, unknown(method)),
        }
    }

    fn answer_at_once(
        self,
        app: &App,
        request: &Request,
        (id, method): (Value, &str),
        message: &ClientMessage,
    ) -> Result<Reply> {
        match method {
            "server/discover" => result(id, complete(discovered(&self.info()))),
            "tools/list" => result(id, complete(uncached(listed(&self.tools)))),
            "tools/call" => self.call(app, request, id, message, WITHOUT_HANDSHAKE),
            _ => refusal(404, id, unknown(method)),
        }
    }

    fn call(
        self,
        app: &App,
        request: &Request,
        id: Value,
        message: &ClientMessage,
        revision: &'static str,
    ) -> Result<Reply> {
        let is_complete = revision == WITHOUT_HANDSHAKE;
        let wrong = |why: &str| {
            let status = if is_complete { 400 } else { 200 };
            refusal(status, id.clone(), RpcFault::new(RpcFault::INVALID_PARAMS, why))
        };
        let key = self.call_key(request, id.to_string());
        let Some(name) = message.tool() else { return wrong("'params.name' is the tool to call.") };
        let Some(tool) = self.tools.into_iter().find(|tool| tool.name == name) else {
            return wrong("There is no tool of this name: 'tools/list' has them all.");
        };
        let Some(arguments) = message.arguments() else {
            return wrong("'params.arguments' must be an object.");
        };
        let takes_events =
            request.header("accept").is_some_and(|accept| accept.contains("text/event-stream"));
        let progress = message.progress_token().filter(|_| takes_events);
        let call = ToolCall { tool, arguments, id, is_complete, progress, key };
        ToolCaller { app, request }.call(call)
    }

    fn call_key(&self, request: &Request, id: String) -> CallKey {
        let session = request.header(SESSION).unwrap_or_default().to_owned();
        CallKey { endpoint: self.key.clone(), opener: self.opener, session, request: id }
    }

    fn info(&self) -> ServerInfo {
        ServerInfo { name: self.name.clone(), version: env!("CARGO_PKG_VERSION") }
    }
}

fn unknown(method: &str) -> RpcFault {
    let shown: String = method.chars().filter(|c| !c.is_control()).take(64).collect();
    RpcFault::new(RpcFault::METHOD_NOT_FOUND, format!("There is no method '{shown}' here."))
}

pub(super) fn result(id: Value, result: Map<String, Value>) -> Result<Reply> {
    Reply::json(&RpcAnswer::result(id, result))
}

fn refusal(status: u16, id: Value, fault: RpcFault) -> Result<Reply> {
    let text = serde_json::to_string(&RpcAnswer::refusal(id, fault)).map_err(Error::internal)?;
    Ok(Reply::json_body(status, text))
}

/// A session is a name that a client repeats: nothing is kept of it.
fn new_session() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(Error::internal)?;
    Ok(crate::base::hex::to_hex(&bytes))
}

/// A name in a header: as it is, or in base64 where a header could not hold it.
fn decode_header(sent: &str) -> String {
    let wrapped = sent.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    let decoded = wrapped.and_then(|text| STANDARD.decode(text).ok());
    decoded.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| sent.to_owned())
}
