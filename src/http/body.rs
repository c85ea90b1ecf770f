//! Reading a request body under the route's size, the time its size earns, and the memory all bodies share.

use super::error::Refused;
use super::pace::Pace;
use super::router::Accepts;
use crate::domain::error::Unavailable;
use crate::limits::{BODY_MULTIPART_BYTES, BODY_UNCOUNTED_BYTES};
use bytes::{Buf, Bytes, BytesMut};
use futures_util::{Stream, StreamExt as _};
use hyper::HeaderMap;
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

const KIB_100: u32 = 100 * 1024;
const SHARE_BYTES: usize = 64 * 1024;

/// The memory that all large bodies may take together.
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
    pub(super) share: Option<OwnedSemaphorePermit>,
}

/// Reads the body of a route that takes `accepts` of at most `limit_bytes`.
pub(super) async fn read<S, B, E>(
    headers: &HeaderMap,
    accepts: Accepts,
    limit_bytes: usize,
    pace: &Pace,
    budget: &BodyBudget,
    stream: S,
) -> Result<Read, Refused>
where
    S: Stream<Item = Result<B, E>>,
    B: Buf,
{
    if !announces_body(headers) {
        return Ok(Read::default());
    }
    let limit_bytes = check_kind(headers, accepts, limit_bytes)?;
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok())
        .and_then(|length| length.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit_bytes as u64) {
        return Err(Refused::BodyLarge { limit_bytes });
    }
    let start = Instant::now() + pace.body;
    let mut stream = pin!(stream);
    let mut read = Read::default();
    let mut whole = BytesMut::new();
    let mut counted = BODY_UNCOUNTED_BYTES;
    loop {
        let earned = pace.body_per_100_kib * (u32::try_from(whole.len()).unwrap_or(u32::MAX) / KIB_100);
        let chunk = timeout_at(start + earned, stream.next()).await.map_err(|_| Refused::BodySlow)?;
        let Some(chunk) = chunk else { break };
        let mut chunk = chunk.map_err(|_| Refused::BodyBroken)?;
        if whole.len() + chunk.remaining() > limit_bytes {
            return Err(Refused::BodyLarge { limit_bytes });
        }
        while whole.len() + chunk.remaining() > counted {
            budget.take(&mut read.share)?;
            counted += SHARE_BYTES;
        }
        while chunk.has_remaining() {
            let part = chunk.chunk();
            whole.extend_from_slice(part);
            let taken = part.len();
            chunk.advance(taken);
        }
    }
    read.bytes = whole.freeze();
    Ok(read)
}

/// True when the request has a body that is not known to be empty.
pub(super) fn announces_body(headers: &HeaderMap) -> bool {
    headers.contains_key(TRANSFER_ENCODING) || headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0")
}

/// Checks encoding and media type; gives the size limit that goes with the type.
fn check_kind(headers: &HeaderMap, accepts: Accepts, limit_bytes: usize) -> Result<usize, Refused> {
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
        (Accepts::Json | Accepts::JsonOrMultipart, "application/json") if utf8 => Ok(limit_bytes),
        (Accepts::JsonOrMultipart, "multipart/form-data") => Ok(limit_bytes.min(BODY_MULTIPART_BYTES)),
        (Accepts::Json, _) => {
            Err(Refused::MediaType("Send the body as Content-Type: application/json, in UTF-8."))
        }
        (Accepts::JsonOrMultipart, _) => {
            Err(Refused::MediaType("Send the body as Content-Type: application/json or multipart/form-data."))
        }
    }
}
