//! `fetch` through the one guarded client: every address is judged as one that a stranger chose (manual 12.5).

use super::fetch::{Fetch, FetchRequest, FetchResponse};
use crate::base::cancel::CancelToken;
use crate::net::{CallPurpose, Incoming, Method, NetError, Outgoing, ResponseLimits};
use std::fmt;
use std::io::Read;
use url::Url;

/// Redirects that one request of code follows (manual 14.12).
const CODE_REDIRECTS_MAX: usize = 5;

/// Headers that say who asks. They go to the place they were meant for and not on to where it redirects.
const PERSONAL_HEADERS: &[&str] = &["authorization", "cookie", "proxy-authorization"];
/// Parts of names of headers that carry keys.
const PERSONAL_NAME_PARTS: &[&str] = &["key", "token", "secret", "auth", "session"];
/// What a redirected request loses together with its body.
const BODY_HEADERS: &[&str] = &["content-type", "content-encoding", "content-language", "content-location"];

/// Sends the requests of code through [`Outgoing`], and follows redirects, each judged anew.
#[derive(Debug, Clone)]
pub struct GuardedFetch {
    outgoing: Outgoing,
    limits: ResponseLimits,
    /// Who chose the address of the first request.
    purpose: CallPurpose,
    /// A header that carries a key though its name does not say so.
    key_header: Option<String>,
}

/// An answer, before anybody reads it as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedBytes {
    pub status: u16,
    /// Names, in small letters, and values of headers.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The address that answered, after redirects.
    pub url: String,
}

/// Why a request has no answer. Its words may be shown to whoever wrote the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchError {
    Net(NetError),
    NoUrl,
    UnknownMethod,
    RedirectedNowhere,
    RedirectedTooOften,
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Net(error) => error.fmt(f),
            Self::NoUrl => f.write_str("the address is not a full URL"),
            Self::UnknownMethod => f.write_str("the method is unknown"),
            Self::RedirectedNowhere => f.write_str("redirected to no address"),
            Self::RedirectedTooOften => f.write_str("redirected too often"),
        }
    }
}

impl From<NetError> for FetchError {
    fn from(error: NetError) -> Self {
        Self::Net(error)
    }
}

impl GuardedFetch {
    /// With the usual limits (manual 12.5 r5).
    #[must_use]
    pub fn new(outgoing: Outgoing) -> Self {
        Self::with_limits(outgoing, ResponseLimits::default())
    }

    /// With limits of its own.
    #[must_use]
    pub fn with_limits(outgoing: Outgoing, limits: ResponseLimits) -> Self {
        Self { outgoing, limits, purpose: CallPurpose::Reachable, key_header: None }
    }
}

impl GuardedFetch {
    /// With a header that goes to the place it was meant for and not on to where that redirects, whatever its name is.
    #[must_use]
    pub fn with_key_header(mut self, name: &str) -> Self {
        self.key_header = Some(name.to_ascii_lowercase());
        self
    }

    /// For an address that somebody else chose than a stranger.
    #[must_use]
    pub const fn with_purpose(mut self, purpose: CallPurpose) -> Self {
        self.purpose = purpose;
        self
    }

    /// The answer as it came.
    ///
    /// # Errors
    /// As [`FetchError`]. An answer of any status is not an error.
    pub fn fetch_bytes(
        &self,
        request: FetchRequest,
        cancel: &CancelToken,
    ) -> Result<FetchedBytes, FetchError> {
        let (mut next, mut purpose) = (Hop::first(request)?, self.purpose);
        for _ in 0..=CODE_REDIRECTS_MAX {
            let answer = next.send(&self.outgoing, purpose, cancel, self.limits)?;
            purpose = purpose.redirected();
            match next.next_hop(&answer, self.key_header.as_deref()) {
                Some(hop) => next = hop?,
                None => return Ok(read(answer, &next.url)?),
            }
        }
        Err(FetchError::RedirectedTooOften)
    }
}

impl Fetch for GuardedFetch {
    fn fetch(&self, request: FetchRequest, cancel: &CancelToken) -> Result<FetchResponse, String> {
        self.fetch_bytes(request, cancel).map(FetchResponse::from).map_err(|error| error.to_string())
    }
}

impl FetchedBytes {
    /// The first header of this name, which is written in small letters.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl From<FetchedBytes> for FetchResponse {
    fn from(FetchedBytes { status, headers, body, url }: FetchedBytes) -> Self {
        Self { status, headers, body: lossy_text(body), url }
    }
}

/// Bytes as text; those that are not UTF-8 are replaced.
fn lossy_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// One request on the way to the answer.
struct Hop {
    method: Method,
    url: Url,
    headers: Vec<(String, String)>,
    body: Option<String>,
}

impl Hop {
    fn first(request: FetchRequest) -> Result<Self, FetchError> {
        let url = Url::parse(&request.url).map_err(|_| FetchError::NoUrl)?;
        let method = Method::from_bytes(request.method.as_bytes()).map_err(|_| FetchError::UnknownMethod)?;
        let mut headers = request.headers;
        let typed = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        if request.body.is_some() && !typed {
            headers.push(("content-type".into(), "text/plain;charset=UTF-8".into()));
        }
        Ok(Self { method, url, headers, body: request.body })
    }

    fn send(
        &self,
        outgoing: &Outgoing,
        purpose: CallPurpose,
        cancel: &CancelToken,
        limits: ResponseLimits,
    ) -> Result<Incoming, NetError> {
        let headers: Vec<(&str, &str)> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let body = self.body.as_deref().map(str::as_bytes);
        let method = self.method.clone();
        outgoing.send(purpose, method, self.url.as_str(), &headers, body, cancel, limits)
    }

    /// Where the answer sends us, if it does.
    fn next_hop(&self, answer: &Incoming, key_header: Option<&str>) -> Option<Result<Self, FetchError>> {
        if !matches!(answer.status(), 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let place = answer.header("location")?;
        let Ok(url) = self.url.join(place) else { return Some(Err(FetchError::RedirectedNowhere)) };
        let keeps_body = matches!(answer.status(), 307 | 308);
        let stays = url.origin() == self.url.origin();
        let kept = |name: &str| {
            let name = name.to_ascii_lowercase();
            let personal = PERSONAL_HEADERS.contains(&name.as_str())
                || key_header == Some(name.as_str())
                || PERSONAL_NAME_PARTS.iter().any(|part| name.contains(part));
            (stays || !personal) && (keeps_body || !BODY_HEADERS.contains(&name.as_str()))
        };
        let method = match self.method {
            Method::GET | Method::HEAD => self.method.clone(),
            _ if keeps_body => self.method.clone(),
            _ => Method::GET,
        };
        Some(Ok(Self {
            method,
            url,
            headers: self.headers.iter().filter(|(name, _)| kept(name)).cloned().collect(),
            body: if keeps_body { self.body.clone() } else { None },
        }))
    }
}

fn read(mut answer: Incoming, url: &Url) -> Result<FetchedBytes, NetError> {
    let headers = answer.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut body = Vec::new();
    // The limit of the request ends the read.
    answer.read_to_end(&mut body)?;
    Ok(FetchedBytes { status: answer.status(), headers, body, url: url.as_str().to_owned() })
}
