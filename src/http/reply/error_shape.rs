//! What refusals look like at addresses that speak a protocol of somebody else: status and headers are those of
//! [`super::error`], and the body is the protocol's.

use super::error::{ErrorContext, plain_reply};
use super::{INERT_POLICY, Reply};
use crate::domain::error::Error;
#[cfg(test)]
use crate::http::openapi::body_type::TypeSchema;
use crate::http::routing::prefix;
use crate::wire::predictions::openai::errors::{OpenAiErrorView, OpenAiFault};
use crate::wire::triggers::mcp::rpc::{RpcAnswer, RpcFault};
use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

/// Whose errors an address answers with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum ErrorShape {
    /// The service's own (manual 1.4).
    Service,
    OpenAi,
    /// Those of JSON-RPC, which MCP speaks.
    JsonRpc,
}

/// Tells OpenAI's clients, which try again by themselves, not to.
const SHOULD_RETRY: &str = "x-should-retry";

impl ErrorShape {
    /// Of a route.
    pub(in crate::http) fn of_pattern(pattern: &str) -> Self {
        let Some(rest) = pattern.strip_prefix("/api/v1/") else { return Self::Service };
        match rest.split('/').next() {
            Some("openai") => Self::OpenAi,
            Some("mcp") => Self::JsonRpc,
            _ => Self::Service,
        }
    }

    /// The body of its refusals, where it is not the service's own.
    #[cfg(test)]
    pub(in crate::http) fn body(self) -> Option<TypeSchema> {
        match self {
            Self::Service => None,
            Self::OpenAi => Some(TypeSchema::of::<OpenAiErrorView>()),
            Self::JsonRpc => Some(TypeSchema::of::<RpcAnswer>()),
        }
    }

    /// Of a path as it was sent, whether or not a route has it.
    pub(in crate::http) fn of_request(path: &str, base_path: &str) -> Self {
        let mut shapes = prefix::candidate_paths(path, base_path).map(Self::of_pattern);
        shapes.find(|shape| *shape != Self::Service).unwrap_or(Self::Service)
    }

    /// Gives a refusal the body of the protocol.
    pub(super) fn dress(self, mut reply: Reply, error: Option<&Error>, run_began: bool) -> Reply {
        let status = reply.status();
        let message = match self {
            Self::Service => return reply,
            Self::OpenAi | Self::JsonRpc => message_of(&reply),
        };
        reply = match self {
            Self::OpenAi => {
                // Nobody waits until tomorrow for a request that is tried again by itself.
                let is_for_today = matches!(error, Some(Error::BudgetUsedUp(_)));
                let error = openai_fault(status, message, error);
                let may_help = status != 409 && !run_began && !is_for_today;
                let dressed = with_json(reply, &OpenAiErrorView { error });
                if may_help { dressed } else { dressed.with_header(SHOULD_RETRY, "false") }
            }
            _ => {
                let fault = RpcFault::new(rpc_code(status, &message), message);
                rpc_reply(reply, Value::Null, fault)
            }
        };
        reply
    }
}

/// A refusal of a request in JSON-RPC whose id is known.
pub(in crate::http) fn rpc_refusal(error: &Error, context: &ErrorContext, id: Value) -> Reply {
    let reply = plain_reply(error, context);
    let message = message_of(&reply);
    let fault = RpcFault::new(rpc_code(reply.status(), &message), message);
    rpc_reply(reply, id, fault)
}

/// The error of JSON-RPC that an error of the service is, in the middle of a stream.
pub(in crate::http) fn rpc_fault(error: &Error) -> RpcFault {
    let reply = plain_reply(error, &ErrorContext::at(Timestamp::UNIX_EPOCH));
    let message = message_of(&reply);
    RpcFault::new(rpc_code(reply.status(), &message), message)
}

fn rpc_reply(reply: Reply, id: Value, fault: RpcFault) -> Reply {
    let status = reply.status();
    let told = with_json(reply, &RpcAnswer::refusal(id, fault));
    if status == 401 { told.with_header("www-authenticate", "Bearer") } else { told }
}

/// An error in the middle of a stream of OpenAI's protocol.
pub(in crate::http) fn openai_error(error: &Error) -> OpenAiFault {
    let reply = plain_reply(error, &ErrorContext::at(Timestamp::UNIX_EPOCH));
    openai_fault(reply.status(), message_of(&reply), Some(error))
}

/// The sentence of a refusal, which is JSON or plain text.
fn message_of(reply: &Reply) -> String {
    let text = reply.body_text().unwrap_or_default();
    let body = serde_json::from_str::<Value>(&text).ok();
    let said = body.as_ref().and_then(|body| body.get("message")).and_then(Value::as_str);
    said.map(str::to_owned).unwrap_or(text)
}

fn with_json(mut reply: Reply, body: &impl Serialize) -> Reply {
    let text = serde_json::to_vec(body).expect("texts and numbers are always JSON");
    let whole =
        Reply::from_parts(reply.status, "application/json; charset=utf-8", Bytes::from(text), INERT_POLICY);
    reply.headers.extend(whole.headers);
    reply.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    reply.body = whole.body;
    reply
}

fn openai_fault(status: u16, message: String, error: Option<&Error>) -> OpenAiFault {
    const REQUEST: &str = "invalid_request_error";
    let (r#type, code) = match status {
        401 => (REQUEST, Some("invalid_api_key")),
        403 => ("permission_error", None),
        404 if error.is_some() => (REQUEST, Some("model_not_found")),
        404 => (REQUEST, Some("unknown_url")),
        409 => ("conflict", Some("conflict")),
        429 => ("rate_limit_error", Some("rate_limit_exceeded")),
        503 => ("server_error", Some("unavailable")),
        500.. => ("server_error", Some("flow_failed")),
        _ => (REQUEST, None),
    };
    let message = match status {
        401 => "This is no API key of this service: send one as 'Authorization: Bearer <key>'.".to_owned(),
        _ => message,
    };
    match error {
        Some(Error::Unsupported { parameter, .. }) => {
            OpenAiFault { message, r#type, param: Some(parameter), code: Some("unsupported_parameter") }
        }
        Some(Error::NotFound(_)) => OpenAiFault { message, r#type, param: Some("model"), code },
        _ => OpenAiFault { message, r#type, param: None, code },
    }
}

/// The code of JSON-RPC for a request that was refused before it was read.
fn rpc_code(status: u16, message: &str) -> i32 {
    match status {
        400 if message.contains("not valid JSON") => RpcFault::PARSE_ERROR,
        400 | 408 | 413..=415 => RpcFault::INVALID_REQUEST,
        401 | 403 | 404 => RpcFault::REFUSED,
        405 | 409 | 429 | 503 => RpcFault::SERVER_ERROR,
        _ => RpcFault::INTERNAL_ERROR,
    }
}
