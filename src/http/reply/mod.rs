//! What a handler answers.

pub(crate) mod assets;
pub(crate) mod error;
pub(crate) mod error_shape;
pub(crate) mod file_body;
pub(crate) mod host_redaction;
pub(crate) mod manual;
pub(crate) mod notice;
pub(crate) mod pages;
pub(crate) mod pump;
pub(crate) mod sse;
pub(crate) mod stream_format;

use self::sse::EventSink;
use self::stream_format::{ServiceEvents, StreamFormat};
use crate::domain::error::{Error, Result};
use crate::domain::flows::rate_limit::WindowState;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{HeaderMap, StatusCode};
use jiff::Timestamp;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::sync::Arc;

const JSON_TYPE: &str = "application/json; charset=utf-8";
/// The policy of everything that is not a page (manual 12.3).
pub(super) const INERT_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
/// The policy of text that an owner wrote and a browser may show.
pub(super) const SANDBOX_POLICY: &str = "default-src 'none'; sandbox";

/// What a stream is made of.
pub(super) struct StreamSource {
    /// How it is written.
    pub(super) format: Arc<dyn StreamFormat>,
    /// The run behind it; it ends the stream by returning.
    pub(super) run: Box<dyn FnOnce(EventSink) + Send>,
}

/// Has something done and then calls back: a reply must not go out before.
pub(super) type Commit = Box<dyn FnOnce(Acknowledge) + Send>;

/// Called once the condition came true, or with why it did not.
pub(super) type Acknowledge = Box<dyn FnOnce(Result<()>) + Send>;

/// An answer: status, headers, and a whole body, a stream or a file.
pub struct Reply {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: ReplyBody,
    pub(super) after_commit: Option<Commit>,
}

pub(super) enum ReplyBody {
    Full(Bytes),
    Stream(StreamSource),
    /// A stream whose answer waits for its first event: what fails before it is a status of its own.
    HeldStream(StreamSource),
    File {
        file: File,
        length: u64,
    },
}

impl ReplyBody {
    /// The bytes of a whole body; none of what is still to be made or read.
    pub(super) fn into_bytes(self) -> Bytes {
        match self {
            Self::Full(bytes) => bytes,
            Self::Stream(_) | Self::HeldStream(_) | Self::File { .. } => Bytes::new(),
        }
    }
}

impl Reply {
    /// 200 with a JSON body.
    ///
    /// # Errors
    /// [`Error::Internal`] when the value cannot be written as JSON.
    pub fn json(value: &impl Serialize) -> Result<Self> {
        Self::json_status(StatusCode::OK, value)
    }

    /// 201 with a JSON body.
    ///
    /// # Errors
    /// As [`Self::json`].
    pub fn json_created(value: &impl Serialize) -> Result<Self> {
        Self::json_status(StatusCode::CREATED, value)
    }

    /// 202 with JSON.
    ///
    /// # Errors
    /// As [`Self::json`].
    pub(in crate::http) fn json_accepted(value: &impl Serialize) -> Result<Self> {
        Self::json_status(StatusCode::ACCEPTED, value)
    }

    /// 200 with JSON that is written already.
    #[must_use]
    pub fn json_text(body: Bytes) -> Self {
        Self::from_parts(StatusCode::OK, JSON_TYPE, body, INERT_POLICY)
    }

    /// JSON that is written already, with this status.
    ///
    /// # Panics
    /// When `status` is no HTTP status: one that is stored was one.
    #[must_use]
    pub fn json_body(status: u16, body: String) -> Self {
        let status = StatusCode::from_u16(status).expect("what was answered once was a status");
        Self::from_parts(status, JSON_TYPE, body.into(), INERT_POLICY)
    }

    /// The text of a whole body.
    pub(super) fn body_text(&self) -> Option<String> {
        match &self.body {
            ReplyBody::Full(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            ReplyBody::Stream(_) | ReplyBody::HeldStream(_) | ReplyBody::File { .. } => None,
        }
    }

    /// 200 with plain text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::from_parts(
            StatusCode::OK,
            "text/plain; charset=utf-8",
            Bytes::copy_from_slice(text.as_bytes()),
            INERT_POLICY,
        )
    }

    /// 200 with counts in the text format of Prometheus.
    #[must_use]
    pub fn metrics(text: String) -> Self {
        Self::from_parts(
            StatusCode::OK,
            "text/plain; version=0.0.4; charset=utf-8",
            text.into(),
            INERT_POLICY,
        )
    }

    /// An answer without a body, such as 204.
    ///
    /// # Panics
    /// When `status` is not an HTTP status: statuses are written in code.
    #[must_use]
    pub fn empty(status: u16) -> Self {
        let status = StatusCode::from_u16(status).expect("statuses are written in code");
        Self { status, headers: HeaderMap::new(), body: ReplyBody::Full(Bytes::new()), after_commit: None }
    }

    /// A stream of server-sent events: `run` starts once the head of the answer is on its way, on the request's
    /// own blocking thread, and the stream ends when it returns (manual 2.7).
    #[must_use]
    pub fn stream(run: impl FnOnce(EventSink) + Send + 'static) -> Self {
        Self::stream_as(Arc::new(ServiceEvents::default()), run)
    }

    /// As [`Self::stream`], in the frames of another protocol.
    pub(super) fn stream_as(
        format: Arc<dyn StreamFormat>,
        run: impl FnOnce(EventSink) + Send + 'static,
    ) -> Self {
        let mut headers = HeaderMap::with_capacity(4);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
        headers.insert(header::CONNECTION, HeaderValue::from_static("keep-alive"));
        headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
        let body = ReplyBody::Stream(StreamSource { format, run: Box::new(run) });
        Self { status: StatusCode::OK, headers, body, after_commit: None }
    }

    /// The same, where what fails before the first event is answered with a status of its own.
    #[must_use]
    pub fn held_until_first_event(self) -> Self {
        let body = match self.body {
            ReplyBody::Stream(run) => ReplyBody::HeldStream(run),
            other => other,
        };
        Self { body, ..self }
    }

    /// Holds the reply back until `condition` calls back; an error that it tells is answered instead. The request's thread
    /// does not wait for it.
    #[must_use]
    pub fn after_commit(self, condition: impl FnOnce(Acknowledge) + Send + 'static) -> Self {
        Self { after_commit: Some(Box::new(condition)), ..self }
    }

    /// 200 with the first `length` bytes of a file, which go out as fast as the client takes them. A browser that is
    /// brought to show them runs nothing.
    #[must_use]
    pub fn file(file: File, length: u64, kind: &'static str) -> Self {
        let whole = Self::from_parts(StatusCode::OK, kind, Bytes::new(), SANDBOX_POLICY);
        let mut headers = whole.headers;
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        Self { headers, body: ReplyBody::File { file, length }, ..whole }
    }

    /// 200 with a drawing of our own, or 304 for who has it already. Shown on its own it runs nothing.
    #[must_use]
    pub fn svg(svg: String, known: Option<&str>) -> Self {
        let digest = Sha256::digest(&svg);
        let tag = format!("\"{}\"", URL_SAFE_NO_PAD.encode(&digest[..12]));
        let is_known = known.is_some_and(|known| known.split(',').any(|one| one.trim() == tag));
        let reply = if is_known {
            Self::empty(304)
        } else {
            Self::from_parts(StatusCode::OK, "image/svg+xml", Bytes::from(svg), SANDBOX_POLICY)
        };
        reply.with_header("etag", &tag).with_header("cache-control", "public, max-age=86400")
    }

    /// Adds a header; `set-cookie` may be added several times, any other name replaces its earlier value.
    /// A value with control characters is not a header value: it is left out and logged.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: &str) -> Self {
        let Ok(value) = HeaderValue::from_str(value) else {
            tracing::error!(header = name, "a header value held characters that no header may hold");
            return self;
        };
        let name = HeaderName::from_static(name);
        if name == header::SET_COOKIE {
            self.headers.append(name, value);
        } else {
            self.headers.insert(name, value);
        }
        self
    }

    /// Adds the state of a flow's rate limit (manual 2.5): limit, what is left, and when the window ends.
    #[must_use]
    pub fn with_rate(self, window: &WindowState, now: Timestamp) -> Self {
        let reset = now.as_second().saturating_add(i64::try_from(window.reset_seconds).unwrap_or(i64::MAX));
        self.with_header("x-ratelimit-limit", &window.limit.to_string())
            .with_header("x-ratelimit-remaining", &window.remaining.to_string())
            .with_header("x-ratelimit-reset", &reset.to_string())
    }

    #[must_use]
    pub fn status(&self) -> u16 {
        self.status.as_u16()
    }

    pub(super) fn json_status(status: StatusCode, value: &impl Serialize) -> Result<Self> {
        let body = serde_json::to_vec(value).map_err(Error::internal)?;
        Ok(Self::from_parts(status, JSON_TYPE, body.into(), INERT_POLICY))
    }

    pub(super) fn from_parts(
        status: StatusCode,
        kind: &'static str,
        body: Bytes,
        policy: &'static str,
    ) -> Self {
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
        Self { status, headers, body: ReplyBody::Full(body), after_commit: None }
    }
}
