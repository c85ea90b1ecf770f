//! JSON-RPC 2.0, in which MCP speaks.

use serde::Serialize;
use serde_json::{Map, Value};

/// What one request is answered with.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "McpAnswer"))]
pub struct RpcAnswer {
    jsonrpc: &'static str,
    /// As the request has it; null where it could not be read.
    id: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Map<String, Value>"))]
    result: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "RpcFault"))]
    error: Option<RpcFault>,
}

/// Why a request was not carried out.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "McpFault"))]
pub struct RpcFault {
    pub code: i32,
    /// What to do about it.
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Value"))]
    data: Option<Value>,
}

impl RpcFault {
    /// The body is no JSON.
    pub const PARSE_ERROR: i32 = -32700;
    pub const INVALID_REQUEST: i32 = -32600;
    pub const METHOD_NOT_FOUND: i32 = -32601;
    pub const INVALID_PARAMS: i32 = -32602;
    pub const INTERNAL_ERROR: i32 = -32603;
    /// The endpoint admits this caller to nothing.
    pub const REFUSED: i32 = -32001;
    pub const SERVER_ERROR: i32 = -32000;
    /// What a header says is not what the body says.
    pub(crate) const HEADER_MISMATCH: i32 = -32020;
    const UNSUPPORTED_REVISION: i32 = -32022;

    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The revision of the protocol is none of these.
    pub fn unsupported_revision(supported: &[&str], requested: &str) -> Self {
        let data = serde_json::json!({"supported": supported, "requested": requested});
        let message = "Unsupported protocol version; send one of those in data.supported";
        Self { data: Some(data), ..Self::new(Self::UNSUPPORTED_REVISION, message) }
    }
}

impl RpcAnswer {
    pub fn refusal(id: Value, fault: RpcFault) -> Self {
        Self { jsonrpc: "2.0", id, result: None, error: Some(fault) }
    }

    pub fn result(id: Value, result: Map<String, Value>) -> Self {
        Self { jsonrpc: "2.0", id, result: Some(result), error: None }
    }
}
