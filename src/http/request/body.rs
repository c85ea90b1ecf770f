//! Reading a request body under the route's size, the time its size earns, and the room all bodies share.

use super::form::{self, FormData, FormError};
use crate::app::App;
use crate::domain::error::UnavailableReason;
use crate::http::connection::timeouts::Timeouts;
use crate::http::reply::error::Rejection;
use crate::http::routing::router::Accepts;
use crate::limits::BODY_MULTIPART_BYTES;
use bytes::{Buf, Bytes, BytesMut};
use futures_util::{Stream, StreamExt as _};
use hyper::HeaderMap;
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Bodies up to here are not counted among the larger ones (manual 14.1).
const BODY_UNCOUNTED_BYTES: usize = 64 * 1024;
const KIB_100: u32 = 100 * 1024;
const SHARE_BYTES: usize = 64 * 1024;

/// The room that all large bodies may take together, in memory and on disk.
#[derive(Clone)]
pub(in crate::http) struct BodyBudget(Arc<Semaphore>);

impl BodyBudget {
    pub(in crate::http) fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes / SHARE_BYTES)))
    }

    fn reserve(&self, held: &mut Option<OwnedSemaphorePermit>) -> Result<(), Rejection> {
        let more = self
            .0
            .clone()
            .try_acquire_owned()
            .map_err(|_| Rejection::Unavailable(UnavailableReason::Busy))?;
        match held {
            Some(held) => held.merge(more),
            None => *held = Some(more),
        }
        Ok(())
    }
}

/// A body in memory.
#[derive(Default)]
pub(in crate::http) struct ReceivedBody {
    pub(in crate::http) bytes: Bytes,
    /// In place of the bytes, when the body is a form.
    pub(in crate::http) form: Option<FormData>,
    pub(in crate::http) budget_permit: Option<OwnedSemaphorePermit>,
}

/// What a body is.
enum BodyKind {
    /// JSON, or bytes that the handler reads: either is taken as it comes.
    Json,
    Form {
        boundary: String,
    },
}

impl BodyKind {
    fn too_large(&self, limit_bytes: usize) -> Rejection {
        match self {
            Self::Json => Rejection::BodyLarge { limit_bytes },
            // A document that is too large is a bad request, wherever that is noticed (manual 4.1).
            Self::Form { .. } => Rejection::Form(FormError::Large),
        }
    }
}

/// Reads the body of a route that takes `accepts` of at most `limit_bytes`.
pub(in crate::http) async fn read<S, B, E>(
    app: &App,
    headers: &HeaderMap,
    accepts: Accepts,
    limit_bytes: usize,
    timeouts: &Timeouts,
    budget: &BodyBudget,
    stream: S,
) -> Result<ReceivedBody, Rejection>
where
    S: Stream<Item = Result<B, E>> + Send,
    B: Buf + Send,
{
    if !has_body(headers) {
        return Ok(ReceivedBody::default());
    }
    let kind = body_kind(headers, accepts)?;
    let limit_bytes = match kind {
        BodyKind::Json => limit_bytes,
        BodyKind::Form { .. } => BODY_MULTIPART_BYTES,
    };
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok())
        .and_then(|length| length.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit_bytes as u64) {
        return Err(kind.too_large(limit_bytes));
    }
    let mut pieces = LimitedBody {
        stream: pin!(stream),
        limit_bytes,
        too_large: kind.too_large(limit_bytes),
        start: Instant::now() + timeouts.body,
        per_100_kib: timeouts.body_per_100_kib,
        budget,
        taken: 0,
        counted: BODY_UNCOUNTED_BYTES,
        budget_permit: None,
    };
    let mut read = ReceivedBody::default();
    match kind {
        BodyKind::Json => {
            let mut whole = BytesMut::new();
            while let Some(piece) = pieces.next().await? {
                whole.extend_from_slice(&piece);
            }
            read.bytes = whole.freeze();
        }
        BodyKind::Form { boundary } => read.form = Some(form::read(app, boundary, &mut pieces).await?),
    }
    read.budget_permit = pieces.budget_permit;
    Ok(read)
}

/// A body as it arrives, within its size, its time and the memory there is.
pub(in crate::http) struct LimitedBody<'a, S> {
    stream: Pin<&'a mut S>,
    limit_bytes: usize,
    too_large: Rejection,
    start: Instant,
    per_100_kib: Duration,
    budget: &'a BodyBudget,
    taken: usize,
    counted: usize,
    budget_permit: Option<OwnedSemaphorePermit>,
}

impl<S, B, E> LimitedBody<'_, S>
where
    S: Stream<Item = Result<B, E>>,
    B: Buf,
{
    /// The next piece; `None` at the end.
    pub(in crate::http) async fn next(&mut self) -> Result<Option<Bytes>, Rejection> {
        let earned = self.per_100_kib * (u32::try_from(self.taken).unwrap_or(u32::MAX) / KIB_100);
        let chunk =
            timeout_at(self.start + earned, self.stream.next()).await.map_err(|_| Rejection::BodySlow)?;
        let Some(chunk) = chunk else { return Ok(None) };
        let mut chunk = chunk.map_err(|_| Rejection::BodyBroken)?;
        let length = chunk.remaining();
        if self.taken + length > self.limit_bytes {
            return Err(self.too_large.clone());
        }
        self.taken += length;
        while self.taken > self.counted {
            self.budget.reserve(&mut self.budget_permit)?;
            self.counted += SHARE_BYTES;
        }
        Ok(Some(chunk.copy_to_bytes(length)))
    }
}

/// True when the request has a body that is not known to be empty.
pub(in crate::http) fn has_body(headers: &HeaderMap) -> bool {
    headers.contains_key(TRANSFER_ENCODING) || headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0")
}

/// Checks encoding and media type.
fn body_kind(headers: &HeaderMap, accepts: Accepts) -> Result<BodyKind, Rejection> {
    let encoded = headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"));
    let coded = headers
        .get_all(TRANSFER_ENCODING)
        .iter()
        .any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked"));
    if encoded || coded {
        return Err(Rejection::MediaType("Compressed request bodies are not taken. Send the body as it is."));
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let mut parts = kind.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let utf8 = parts.filter_map(|part| part.split_once('=')).all(|(name, value)| {
        !name.trim().eq_ignore_ascii_case("charset")
            || value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
    });
    match (accepts, name.as_str()) {
        (Accepts::None, _) => Err(Rejection::MediaType("This address takes no body.")),
        (Accepts::Bytes, _) => Ok(BodyKind::Json),
        (Accepts::Json | Accepts::JsonOrMultipart, "application/json") if utf8 => Ok(BodyKind::Json),
        (Accepts::JsonOrMultipart | Accepts::Multipart, "multipart/form-data") => {
            Ok(BodyKind::Form { boundary: form::boundary(headers)? })
        }
        (Accepts::Json, _) => {
            Err(Rejection::MediaType("Send the body as Content-Type: application/json, in UTF-8."))
        }
        (Accepts::Multipart, _) => {
            Err(Rejection::MediaType("Send the body as Content-Type: multipart/form-data."))
        }
        (Accepts::JsonOrMultipart, _) => Err(Rejection::MediaType(
            "Send the body as Content-Type: application/json or multipart/form-data.",
        )),
    }
}
