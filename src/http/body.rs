//! Reading a request body under the route's size, the time its size earns, and the room all bodies share.

use super::error::Refused;
use super::form::{self, Form, FormFault};
use super::pace::Pace;
use super::router::Accepts;
use crate::app::App;
use crate::domain::error::Unavailable;
use crate::limits::{BODY_MULTIPART_BYTES, BODY_UNCOUNTED_BYTES};
use bytes::{Buf, Bytes, BytesMut};
use futures_util::{Stream, StreamExt as _};
use hyper::HeaderMap;
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

const KIB_100: u32 = 100 * 1024;
const SHARE_BYTES: usize = 64 * 1024;

/// The room that all large bodies may take together, in memory and on disk.
#[derive(Clone)]
pub(super) struct BodyBudget(Arc<Semaphore>);

impl BodyBudget {
    pub(super) fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes / SHARE_BYTES)))
    }

    fn take(&self, held: &mut Option<OwnedSemaphorePermit>) -> Result<(), Refused> {
        let more = self.0.clone().try_acquire_owned().map_err(|_| Refused::Unavailable(Unavailable::Busy))?;
        match held {
            Some(held) => held.merge(more),
            None => *held = Some(more),
        }
        Ok(())
    }
}

/// A body in memory.
#[derive(Default)]
pub(super) struct Read {
    pub(super) bytes: Bytes,
    /// In place of the bytes, when the body is a form.
    pub(super) form: Option<Form>,
    pub(super) share: Option<OwnedSemaphorePermit>,
}

/// What a body is.
enum Kind {
    Json,
    Form { boundary: String },
}

impl Kind {
    fn large(&self, limit_bytes: usize) -> Refused {
        match self {
            Self::Json => Refused::BodyLarge { limit_bytes },
            // A document that is too large is a bad request, wherever that is noticed (manual 4.1).
            Self::Form { .. } => Refused::Form(FormFault::Large),
        }
    }
}

/// Reads the body of a route that takes `accepts` of at most `limit_bytes`.
pub(super) async fn read<S, B, E>(
    app: &App,
    headers: &HeaderMap,
    accepts: Accepts,
    limit_bytes: usize,
    pace: &Pace,
    budget: &BodyBudget,
    stream: S,
) -> Result<Read, Refused>
where
    S: Stream<Item = Result<B, E>> + Send,
    B: Buf + Send,
{
    if !announces_body(headers) {
        return Ok(Read::default());
    }
    let kind = kind(headers, accepts)?;
    let limit_bytes = match kind {
        Kind::Json => limit_bytes,
        Kind::Form { .. } => BODY_MULTIPART_BYTES,
    };
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok())
        .and_then(|length| length.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit_bytes as u64) {
        return Err(kind.large(limit_bytes));
    }
    let mut pieces = Pieces {
        stream: pin!(stream),
        limit_bytes,
        large: kind.large(limit_bytes),
        start: Instant::now() + pace.body,
        per_100_kib: pace.body_per_100_kib,
        budget,
        taken: 0,
        counted: BODY_UNCOUNTED_BYTES,
        share: None,
    };
    let mut read = Read::default();
    match kind {
        Kind::Json => {
            let mut whole = BytesMut::new();
            while let Some(piece) = pieces.next().await? {
                whole.extend_from_slice(&piece);
            }
            read.bytes = whole.freeze();
        }
        Kind::Form { boundary } => read.form = Some(form::read(app, boundary, &mut pieces).await?),
    }
    read.share = pieces.share;
    Ok(read)
}

/// A body as it arrives, within its size, its time and the memory there is.
pub(super) struct Pieces<'a, S> {
    stream: Pin<&'a mut S>,
    limit_bytes: usize,
    large: Refused,
    start: Instant,
    per_100_kib: Duration,
    budget: &'a BodyBudget,
    taken: usize,
    counted: usize,
    share: Option<OwnedSemaphorePermit>,
}

impl<S, B, E> Pieces<'_, S>
where
    S: Stream<Item = Result<B, E>>,
    B: Buf,
{
    /// The next piece; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Refused> {
        let earned = self.per_100_kib * (u32::try_from(self.taken).unwrap_or(u32::MAX) / KIB_100);
        let chunk =
            timeout_at(self.start + earned, self.stream.next()).await.map_err(|_| Refused::BodySlow)?;
        let Some(chunk) = chunk else { return Ok(None) };
        let mut chunk = chunk.map_err(|_| Refused::BodyBroken)?;
        let length = chunk.remaining();
        if self.taken + length > self.limit_bytes {
            return Err(self.large.clone());
        }
        self.taken += length;
        while self.taken > self.counted {
            self.budget.take(&mut self.share)?;
            self.counted += SHARE_BYTES;
        }
        Ok(Some(chunk.copy_to_bytes(length)))
    }
}

/// True when the request has a body that is not known to be empty.
pub(super) fn announces_body(headers: &HeaderMap) -> bool {
    headers.contains_key(TRANSFER_ENCODING) || headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0")
}

/// Checks encoding and media type.
fn kind(headers: &HeaderMap, accepts: Accepts) -> Result<Kind, Refused> {
    let encoded = headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"));
    let coded = headers
        .get_all(TRANSFER_ENCODING)
        .iter()
        .any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked"));
    if encoded || coded {
        return Err(Refused::MediaType("Compressed request bodies are not taken. Send the body as it is."));
    }
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let mut parts = kind.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let utf8 = parts.filter_map(|part| part.split_once('=')).all(|(name, value)| {
        !name.trim().eq_ignore_ascii_case("charset")
            || value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
    });
    match (accepts, name.as_str()) {
        (Accepts::None, _) => Err(Refused::MediaType("This address takes no body.")),
        (Accepts::Json | Accepts::JsonOrMultipart, "application/json") if utf8 => Ok(Kind::Json),
        (Accepts::JsonOrMultipart | Accepts::Multipart, "multipart/form-data") => {
            Ok(Kind::Form { boundary: form::boundary(headers)? })
        }
        (Accepts::Json, _) => {
            Err(Refused::MediaType("Send the body as Content-Type: application/json, in UTF-8."))
        }
        (Accepts::Multipart, _) => {
            Err(Refused::MediaType("Send the body as Content-Type: multipart/form-data."))
        }
        (Accepts::JsonOrMultipart, _) => {
            Err(Refused::MediaType("Send the body as Content-Type: application/json or multipart/form-data."))
        }
    }
}
