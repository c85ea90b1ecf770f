//! The messages of the Model Context Protocol, whatever carries them, and why there is no answer to one.

use crate::kit::CallError;
use crate::net::{NetError, status_may_pass};
use crate::programs;
use serde_json::{Value, json};
use std::fmt;

/// The version of the protocol we speak; a server may answer with an older one, which changes nothing of what we use.
pub(super) const PROTOCOL: &str = "2025-06-18";
/// The request that begins every session.
pub(super) const GREET: &str = "initialize";
/// What a method that nobody here knows is refused with.
const UNKNOWN_METHOD: i64 = -32_601;

/// Why a server gave no result. None of it is in the server's words.
#[derive(Debug)]
pub(super) enum McpError {
    Net(NetError),
    Status {
        status: u16,
        retry_after_seconds: Option<u64>,
    },
    Program(programs::ProgramError),
    /// Nothing may be started for who asks.
    NothingStarts,
    Malformed(&'static str),
    /// The server refused what it was asked, with this code of JSON-RPC.
    Refused(i64),
}

impl fmt::Display for McpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Net(error) => error.fmt(f),
            Self::Status { status, .. } => write!(f, "it answered with status {status}"),
            Self::Program(fault) => fault.fmt(f),
            Self::NothingStarts => f.write_str(
                "its program is only started to answer a question. Ask the flow while no action is chosen: the answer names them",
            ),
            Self::Malformed(what) => f.write_str(what),
            Self::Refused(code) => write!(f, "it refused what it was asked (code {code})"),
        }
    }
}

impl McpError {
    /// As the failure of a call, with these words around its own.
    pub(super) fn into_call_error(self, words: impl FnOnce(&Self) -> String) -> CallError {
        let wait = match &self {
            Self::Net(NetError::Cancelled) | Self::Program(programs::ProgramError::Cancelled(_)) => {
                return CallError::Cancelled;
            }
            Self::Status { status, retry_after_seconds } if status_may_pass(*status) => *retry_after_seconds,
            Self::Net(error) if error.may_pass() => None,
            Self::Program(fault) if fault.may_pass() => None,
            lasting => return words(lasting).into(),
        };
        CallError::may_pass(words(&self), wait)
    }
}

impl From<NetError> for McpError {
    fn from(error: NetError) -> Self {
        Self::Net(error)
    }
}

impl From<programs::ProgramError> for McpError {
    fn from(fault: programs::ProgramError) -> Self {
        Self::Program(fault)
    }
}

/// The parameters of the first request.
pub(super) fn greeting() -> Value {
    json!({
        "protocolVersion": PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "flowkeep", "version": env!("CARGO_PKG_VERSION")},
    })
}

/// The notification that follows the answer to the greeting.
pub(super) fn ready() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

pub(super) fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Whether a message is the answer to the request `id`.
pub(super) fn answers(message: &Value, id: u64) -> bool {
    let is_reply = message.get("result").is_some() || message.get("error").is_some();
    is_reply && message["id"].as_u64() == Some(id)
}

/// The answer to a server that asks us: that we are there, and that we can do nothing else. `None` where it asks nothing.
pub(super) fn answer_to(message: &Value) -> Option<Value> {
    let (method, id) = (message["method"].as_str()?, message.get("id").filter(|id| !id.is_null())?);
    Some(match method {
        "ping" => json!({"jsonrpc": "2.0", "id": id, "result": {}}),
        _ => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": UNKNOWN_METHOD, "message": "Unknown method"}})
        }
    })
}

pub(super) fn result_of(mut answer: Value) -> Result<Value, McpError> {
    match answer.get_mut("result") {
        Some(result) => Ok(result.take()),
        None => Err(McpError::Refused(answer["error"]["code"].as_i64().unwrap_or_default())),
    }
}
