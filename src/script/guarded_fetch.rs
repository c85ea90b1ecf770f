//! `fetch` through the one guarded client: every address is judged as one that a stranger chose (manual 12.5).

use super::fetch::{Fetch, FetchRequest, FetchResponse};
use crate::base::cancel::CancelToken;
use crate::net::{CallPurpose, Incoming, Method, NetError, Outgoing, ResponseLimits};
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
}

impl GuardedFetch {
    /// With the usual limits (manual 12.5 r5).
    #[must_use]
    pub fn new(outgoing: Outgoing) -> Self {
        Self::with_limits(outgoing, ResponseLimits::default())
    }

    /// With limits of its own.
    #[must_use]
    pub const fn with_limits(outgoing: Outgoing, limits: ResponseLimits) -> Self {
        Self { outgoing, limits }
    }
}

impl Fetch for GuardedFetch {
    fn fetch(&self, request: FetchRequest, cancel: &CancelToken) -> Result<FetchResponse, String> {
        let mut next = Hop::first(request)?;
        for _ in 0..=CODE_REDIRECTS_MAX {
            let answer = next.send(&self.outgoing, cancel, self.limits).map_err(|error| error.to_string())?;
            match next.next_hop(&answer) {
                Some(hop) => next = hop?,
                None => return response(answer, self.limits, &next.url).map_err(|error| error.to_string()),
            }
        }
        Err("redirected too often".into())
    }
}

/// One request on the way to the answer.
struct Hop {
    method: Method,
    url: Url,
    headers: Vec<(String, String)>,
    body: Option<String>,
}

impl Hop {
    fn first(request: FetchRequest) -> Result<Self, String> {
        let url = Url::parse(&request.url).map_err(|_| "the address is not a full URL")?;
        let method = Method::from_bytes(request.method.as_bytes()).map_err(|_| "the method is unknown")?;
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
        cancel: &CancelToken,
        limits: ResponseLimits,
    ) -> Result<Incoming, NetError> {
        let headers: Vec<(&str, &str)> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let body = self.body.as_deref().map(str::as_bytes);
        let method = self.method.clone();
        outgoing.send(CallPurpose::Reachable, method, self.url.as_str(), &headers, body, cancel, limits)
    }

    /// Where the answer sends us, if it does.
    fn next_hop(&self, answer: &Incoming) -> Option<Result<Self, String>> {
        if !matches!(answer.status(), 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let place = answer.header("location")?;
        let Ok(url) = self.url.join(place) else { return Some(Err("redirected to no address".into())) };
        let keeps_body = matches!(answer.status(), 307 | 308);
        let stays = url.origin() == self.url.origin();
        let kept = |name: &str| {
            let name = name.to_ascii_lowercase();
            let personal = PERSONAL_HEADERS.contains(&name.as_str())
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

fn response(mut answer: Incoming, limits: ResponseLimits, url: &Url) -> Result<FetchResponse, NetError> {
    let headers = answer.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let body = answer.read_to_string(limits.body_bytes)?;
    Ok(FetchResponse { status: answer.status(), headers, body, url: url.as_str().to_owned() })
}
