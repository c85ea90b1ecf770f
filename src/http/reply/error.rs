//! The one map from what went wrong to status, headers and body (manual 1.4).

use super::error_shape::ErrorShape;
use super::{INERT_POLICY, Reply, SANDBOX_POLICY};
use crate::base::cancel::CancelReason;
use crate::domain::error::{Error, FullQuota, RateLimitExceeded, Unauthorized, UnavailableReason};
use crate::domain::ids::FlowId;
use crate::domain::workspace::quota::QuotaRefusal;
use crate::http::request::form::FormError;
use crate::wire::refusal::{RefusalCode, RefusalView};
use bytes::Bytes;
use hyper::StatusCode;
use jiff::Timestamp;
use serde_json::{Value, json};

/// Wait named in a 503 while the service stops (manual 14.1).
const RESTART_RETRY_SECONDS: u64 = 60;
/// Wait named in a 503 while the service is full (manual 14.1).
const BUSY_RETRY_SECONDS: u64 = 5;
/// Wait named in a 429 while as many checks run as there may be at once (manual 14.1).
const CHECKS_RETRY_SECONDS: u64 = 60;

/// What of a request decides how its errors are answered.
#[derive(Debug, Clone, Copy)]
pub struct ErrorContext {
    /// What errors look like by the protocol of the address.
    pub(in crate::http) shape: ErrorShape,
    /// The request came from a page of Flowise's canvas (manual 1.4 r3).
    pub internal: bool,
    /// The caller asked for a stream.
    pub streaming: bool,
    /// A run began: the same request again would have it run again.
    pub run_began: bool,
    /// Why the run was ended, when it was.
    pub cancel_reason: Option<CancelReason>,
    /// Now, for the end of a rate window.
    pub now: Timestamp,
}

impl ErrorContext {
    /// Of a request that asks for nothing special.
    #[must_use]
    pub const fn at(now: Timestamp) -> Self {
        let shape = ErrorShape::Service;
        Self { shape, internal: false, streaming: false, run_began: false, cancel_reason: None, now }
    }

    /// Gives a refusal the look of the address's protocol; `error` is what it is about, where an operation failed.
    pub(in crate::http) fn dress(&self, reply: Reply, error: Option<&Error>) -> Reply {
        self.shape.dress(reply, error, self.run_began)
    }
}

/// What the HTTP service itself refuses, before or beside any operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejection {
    /// The request is not well-formed HTTP (400).
    Framing(&'static str),
    /// The request is for a name that is not the service's (421).
    Misdirected { host: String, expected: String },
    /// No route has this path (404).
    Path,
    /// The path has other methods (405), listed as in `Allow`.
    Method(String),
    /// The body did not arrive in time (408).
    BodySlow,
    /// The body broke off or is badly framed (400).
    BodyBroken,
    /// The body is larger than the route takes (413).
    BodyLarge {
        /// The route's limit in bytes.
        limit_bytes: usize,
    },
    /// The request line is too long (414).
    LineLong,
    /// The form is badly written, or there is too much of something in it (400).
    Form(FormError),
    /// The body's type is not one the route takes (415); the text says which are.
    MediaType(&'static str),
    /// The head did not arrive in time (408).
    HeadSlow,
    /// The head is too large (431).
    HeadLarge,
    /// The service stops or is full (503).
    Unavailable(UnavailableReason),
    /// The client's address holds as many streams open as one may (429).
    StreamsFull,
    /// There is no room for the files of a form (413, 507).
    Full(FullQuota),
    /// A handler panicked (500).
    Panicked,
}

impl Rejection {
    const fn status(&self) -> StatusCode {
        match self {
            Self::Framing(_) | Self::BodyBroken | Self::Form(_) => StatusCode::BAD_REQUEST,
            Self::Misdirected { .. } => StatusCode::MISDIRECTED_REQUEST,
            Self::Path => StatusCode::NOT_FOUND,
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::BodySlow | Self::HeadSlow => StatusCode::REQUEST_TIMEOUT,
            Self::BodyLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::LineLong => StatusCode::URI_TOO_LONG,
            Self::MediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::HeadLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::StreamsFull => StatusCode::TOO_MANY_REQUESTS,
            Self::Full(full) => quota_status(*full),
            Self::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub(in crate::http) fn message(&self) -> String {
        match self {
            Self::Framing(text) | Self::MediaType(text) => (*text).to_owned(),
            Self::Form(fault) => fault.to_string(),
            Self::Misdirected { host, expected } => format!(
                "This service does not answer to the name \"{host}\": it is expected at {expected}. If the name is its own, list it in SERVICE_HOSTS (or set SERVICE_BASE_URL to the address people use) and start it again."
            ),
            Self::Path => "There is nothing at this address. Check the path.".to_owned(),
            Self::Method(allow) => format!("This address takes {allow} only."),
            Self::BodySlow => "The request body took too long to arrive.".to_owned(),
            Self::BodyBroken => "The request body broke off or is badly framed.".to_owned(),
            Self::BodyLarge { limit_bytes } if *limit_bytes < 1 << 20 => {
                format!("The request body is over {limit_bytes} bytes.")
            }
            Self::BodyLarge { limit_bytes } => format!("The request body is over {} MiB.", limit_bytes >> 20),
            Self::LineLong => "The address is too long: the request line may have 8 KiB.".to_owned(),
            Self::HeadSlow => "The request took too long to arrive.".to_owned(),
            Self::HeadLarge => {
                "The request's headers are too large: 32 KiB and 100 fields are the most.".to_owned()
            }
            Self::Unavailable(why) => Error::Unavailable(*why).to_string(),
            Self::StreamsFull => {
                "Too many streams are open from your address. Let one end, then try again.".to_owned()
            }
            Self::Full(full) => Error::QuotaExceeded(*full).to_string(),
            Self::Panicked => internal_message(),
        }
    }

    #[must_use]
    pub fn reply(&self) -> Reply {
        match self {
            Self::Unavailable(why) => unavailable_reply(*why),
            Self::Method(allow) => error_reply(self.status(), &self.message()).with_header("allow", allow),
            Self::StreamsFull => error_reply(self.status(), &self.message())
                .with_header("retry-after", &BUSY_RETRY_SECONDS.to_string()),
            _ => error_reply(self.status(), &self.message()),
        }
    }

    /// As [`Self::reply`], in the look of an address's protocol.
    pub(in crate::http) fn reply_as(&self, shape: ErrorShape) -> Reply {
        shape.dress(self.reply(), None, false)
    }

    /// The whole answer as bytes, for the moments in which hyper has no request to answer.
    pub(in crate::http) fn to_http_bytes(&self, strict_transport: Option<&str>) -> Vec<u8> {
        let reply = self.reply();
        let (status, body) = (reply.status, reply.body.into_bytes());
        let reason = status.canonical_reason().unwrap_or_default();
        let mut raw = format!(
            "HTTP/1.1 {} {reason}\r\ncontent-length: {}\r\nconnection: close\r\nx-content-type-options: nosniff\r\n\
             referrer-policy: same-origin\r\n",
            status.as_u16(),
            body.len(),
        )
        .into_bytes();
        let strict = strict_transport.map(|value| ("strict-transport-security", value.as_bytes()));
        let own = reply.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        for (name, value) in own.chain(strict) {
            raw.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
        raw.extend_from_slice(b"\r\n");
        raw.extend_from_slice(&body);
        raw
    }
}

/// The answer to a failed operation. A fault of the service is logged here, once, with its causes.
#[must_use]
pub(crate) fn reply(error: &Error, context: &ErrorContext) -> Reply {
    context.dress(plain_reply(error, context), Some(error))
}

/// As the service words it, whatever the protocol of the address.
pub(super) fn plain_reply(error: &Error, context: &ErrorContext) -> Reply {
    let text = error.to_string();
    match error {
        Error::Invalid(_) | Error::Unsupported { .. } => error_reply(StatusCode::BAD_REQUEST, &text),
        Error::Unauthorized(why) => unauthorized_reply(*why, context),
        Error::Forbidden(_) => error_reply(StatusCode::FORBIDDEN, &text),
        // A widget shows the body of a refused stream as it is (manual 1.4 r2).
        Error::OriginRefused(_) if context.streaming => Reply::from_parts(
            StatusCode::FORBIDDEN,
            "text/plain; charset=utf-8",
            Bytes::from(text),
            SANDBOX_POLICY,
        ),
        Error::OriginRefused(_) => error_reply(StatusCode::FORBIDDEN, &text),
        Error::NotFound(_) => error_reply(StatusCode::NOT_FOUND, &text),
        Error::MethodRefused { allow } => {
            error_reply(StatusCode::METHOD_NOT_ALLOWED, &text).with_header("allow", allow)
        }
        Error::MediaType(_) => error_reply(StatusCode::UNSUPPORTED_MEDIA_TYPE, &text),
        Error::Contradiction(_) => error_reply(StatusCode::UNPROCESSABLE_ENTITY, &text),
        Error::Conflict(_) => error_reply(StatusCode::CONFLICT, &text),
        Error::QuotaExceeded(full) => error_reply(quota_status(*full), &text),
        Error::RateLimited(limited) => rate_limited_reply(limited, context.now),
        Error::TooManyAttempts { retry_after_seconds } | Error::ProviderThrottled { retry_after_seconds } => {
            error_reply(StatusCode::TOO_MANY_REQUESTS, &text)
                .with_header("retry-after", &retry_after_seconds.to_string())
        }
        Error::BudgetUsedUp(refusal) => error_reply(StatusCode::TOO_MANY_REQUESTS, &text)
            .with_header("retry-after", &refusal.retry_after_seconds.to_string()),
        Error::TooManyChecks => error_reply(StatusCode::TOO_MANY_REQUESTS, &text)
            .with_header("retry-after", &CHECKS_RETRY_SECONDS.to_string()),
        Error::RunFailed(_) | Error::Transient(_) | Error::Damaged(_) => {
            error_reply(StatusCode::INTERNAL_SERVER_ERROR, &text)
        }
        Error::Unavailable(why) => unavailable_reply(*why),
        Error::Cancelled => cancelled_reply(&text, context.cancel_reason),
        Error::Internal(_) => {
            log_internal(error);
            error_reply(StatusCode::INTERNAL_SERVER_ERROR, &text)
        }
    }
}

const fn quota_status(full: FullQuota) -> StatusCode {
    match full {
        FullQuota::Conversation => StatusCode::PAYLOAD_TOO_LARGE,
        FullQuota::OwnersBound(QuotaRefusal { kind, .. }) if !kind.is_of_disk() => StatusCode::CONFLICT,
        FullQuota::Workspace | FullQuota::Disk | FullQuota::OwnersBound(_) => {
            StatusCode::INSUFFICIENT_STORAGE
        }
    }
}

/// The `data` of an `error` event, for what fails after the first byte (manual 2.8).
#[must_use]
pub(crate) fn event_data(error: &Error) -> Value {
    let text = error.to_string();
    match error {
        Error::Unavailable(_) => json!({"status": 503, "code": "UNAVAILABLE", "message": text}),
        Error::ProviderThrottled { retry_after_seconds } | Error::TooManyAttempts { retry_after_seconds } => {
            json!({"status": 429, "code": "RATE_LIMITED", "retryAfter": retry_after_seconds, "message": text})
        }
        Error::RateLimited(limited) => {
            json!({"status": 429, "code": "RATE_LIMITED", "retryAfter": limited.window.reset_seconds, "message": text})
        }
        Error::BudgetUsedUp(refusal) => {
            json!({"status": 429, "code": "BUDGET_USED_UP", "retryAfter": refusal.retry_after_seconds, "message": text})
        }
        Error::Internal(_) => {
            log_internal(error);
            Value::String(text)
        }
        _ => Value::String(text),
    }
}

/// The sentence a caller reads when the fault is the service's own.
pub(in crate::http) fn internal_message() -> String {
    Error::internal("unsaid").to_string()
}

fn log_internal(error: &Error) {
    tracing::error!(cause = error.for_log(), "a request failed through a fault of the service");
}

/// Logs that a run failed, be its answer whole or a stream: which flow, and what kind of failure. Its message is for
/// the caller alone. A fault of the service is logged with its causes where the caller is told of it.
pub(in crate::http) fn log_failed_run(flow: Option<&FlowId>, fault: &Error) {
    let flow = flow.map(tracing::field::display);
    match fault {
        Error::RunFailed(_) | Error::Transient(_) | Error::ProviderThrottled { .. } => {
            tracing::warn!(flow, reason = fault.for_log(), "a run failed");
        }
        Error::Internal(_) => tracing::error!(flow, "a run failed through a fault of the service"),
        _ => tracing::debug!(flow, reason = fault.for_log(), "a run ended early"),
    }
}

fn error_body(status: StatusCode, message: &str) -> RefusalView {
    RefusalView::new(status.as_u16(), message)
}

fn error_reply(status: StatusCode, message: &str) -> Reply {
    reply_with_body(status, &error_body(status, message))
}

fn reply_with_body(status: StatusCode, body: &RefusalView) -> Reply {
    let text = serde_json::to_vec(body).expect("texts and numbers are always JSON");
    Reply::from_parts(status, "application/json; charset=utf-8", Bytes::from(text), INERT_POLICY)
}

fn unauthorized_reply(why: Unauthorized, context: &ErrorContext) -> Reply {
    let status = StatusCode::UNAUTHORIZED;
    match why {
        Unauthorized::SessionExpired => {
            let mut body = error_body(status, why.message());
            body.retry = Some(true);
            reply_with_body(status, &body)
        }
        // The canvas tells the two by their words (manual 1.4 r3).
        Unauthorized::NoProof if context.internal => error_reply(status, "Invalid or Missing token"),
        Unauthorized::NoProof
        | Unauthorized::WrongPassword
        | Unauthorized::WrongCurrentPassword
        | Unauthorized::PipelineWithoutKey
        | Unauthorized::Signature(_) => error_reply(status, why.message()),
    }
}

fn rate_limited_reply(limited: &RateLimitExceeded, now: Timestamp) -> Reply {
    let body = Bytes::copy_from_slice(limited.message.as_bytes());
    Reply::from_parts(StatusCode::TOO_MANY_REQUESTS, "text/html; charset=utf-8", body, SANDBOX_POLICY)
        .with_rate(&limited.window, now)
        .with_header("retry-after", &limited.window.reset_seconds.to_string())
}

fn unavailable_reply(why: UnavailableReason) -> Reply {
    let status = StatusCode::SERVICE_UNAVAILABLE;
    let mut body = error_body(status, &Error::Unavailable(why).to_string());
    body.code = Some(RefusalCode::Unavailable);
    let seconds = match why {
        UnavailableReason::Restarting => RESTART_RETRY_SECONDS,
        UnavailableReason::Busy => BUSY_RETRY_SECONDS,
    };
    reply_with_body(status, &body).with_header("retry-after", &seconds.to_string())
}

fn cancelled_reply(text: &str, ended: Option<CancelReason>) -> Reply {
    match ended {
        Some(CancelReason::Shutdown) => unavailable_reply(UnavailableReason::Restarting),
        Some(CancelReason::TimedOut) => {
            error_reply(StatusCode::INTERNAL_SERVER_ERROR, "The run took longer than a run may take.")
        }
        Some(CancelReason::Aborted) => error_reply(StatusCode::CONFLICT, text),
        // Nobody reads this: the caller is gone. The number is the customary one for that in access logs.
        Some(CancelReason::CallerLeft | CancelReason::Failed) | None => {
            error_reply(StatusCode::from_u16(499).expect("499 is within the range of statuses"), text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::rate_limit::WindowState;
    use crate::http::reply::ReplyBody;

    const CONTEXT: ErrorContext = ErrorContext::at(Timestamp::UNIX_EPOCH);

    fn body(reply: &Reply) -> String {
        match &reply.body {
            ReplyBody::Full(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
            _ => panic!("an error is whole"),
        }
    }

    fn header<'a>(reply: &'a Reply, name: &str) -> &'a str {
        reply.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    #[test]
    fn every_error_has_the_shape_of_the_spec() {
        for (error, status) in [
            (Error::invalid("x"), 400),
            (Error::unauthorized(), 401),
            (Error::Forbidden("x".into()), 403),
            (Error::OriginRefused("x".into()), 403),
            (Error::NotFound("x".into()), 404),
            (Error::MethodRefused { allow: "POST".into() }, 405),
            (Error::MediaType("x".into()), 415),
            (Error::Contradiction("x".into()), 422),
            (crate::domain::error::Conflict::IdTaken.into(), 409),
            (Error::QuotaExceeded(FullQuota::Conversation), 413),
            (Error::QuotaExceeded(FullQuota::Workspace), 507),
            (Error::QuotaExceeded(FullQuota::Disk), 507),
            (Error::ProviderThrottled { retry_after_seconds: 7 }, 429),
            (Error::RunFailed("x".into()), 500),
            (Error::transient("x"), 500),
            (Error::internal("secret path"), 500),
            (Error::Unavailable(UnavailableReason::Busy), 503),
            (Error::Cancelled, 499),
        ] {
            let reply = reply(&error, &CONTEXT);
            let value: Value = serde_json::from_str(&body(&reply)).unwrap();
            assert_eq!(reply.status(), status, "{error:?}");
            assert_eq!(
                (value["statusCode"].as_u64(), &value["success"], &value["stack"]),
                (Some(u64::from(status)), &json!(false), &json!({}))
            );
            assert!(!value["message"].as_str().unwrap().contains("secret"));
        }
    }

    #[test]
    fn a_rate_limit_is_told_as_inert_text() {
        let window = WindowState { limit: 5, remaining: 0, reset_seconds: 42 };
        let reply = reply(
            &Error::RateLimited(RateLimitExceeded { message: "slow <b>down</b>".into(), window }),
            &CONTEXT,
        );
        assert_eq!((reply.status(), body(&reply).as_str()), (429, "slow <b>down</b>"));
        for (name, value) in [
            ("content-type", "text/html; charset=utf-8"),
            ("content-security-policy", SANDBOX_POLICY),
            ("x-ratelimit-limit", "5"),
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "42"),
            ("retry-after", "42"),
        ] {
            assert_eq!(header(&reply, name), value, "{name}");
        }
    }

    #[test]
    fn some_errors_depend_on_who_asked_how() {
        let streaming = ErrorContext { streaming: true, ..CONTEXT };
        let refused = reply(&Error::OriginRefused("Not here".into()), &streaming);
        assert_eq!((refused.status(), body(&refused).as_str()), (403, "Not here"));
        let expired = reply(&Error::Unauthorized(Unauthorized::SessionExpired), &CONTEXT);
        assert!(
            body(&expired).contains(r#""message":"Token Expired""#)
                && body(&expired).contains(r#""retry":true"#)
        );
        let missing = reply(&Error::unauthorized(), &ErrorContext { internal: true, ..CONTEXT });
        assert!(body(&missing).contains("Invalid or Missing token"));
        let stopped = reply(
            &Error::Cancelled,
            &ErrorContext { cancel_reason: Some(CancelReason::Shutdown), ..CONTEXT },
        );
        assert_eq!((stopped.status(), header(&stopped, "retry-after")), (503, "60"));
        assert!(body(&stopped).contains(r#""code":"UNAVAILABLE""#));
    }
}
