//! What a guard and a handler see of a request: parsed, bounded, and already in memory.

use super::error::{Manner, Refused};
use super::form::Form;
use super::json;
use super::router::Route;
use crate::app::App;
use crate::domain::cancel::Cancel;
use crate::domain::error::Result;
use bytes::Bytes;
use hyper::header::{AUTHORIZATION, COOKIE, HOST, HeaderName, ORIGIN};
use hyper::{HeaderMap, Method};
use serde::de::DeserializeOwned;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio::sync::OwnedSemaphorePermit;

/// One request of one route.
pub struct Request {
    pub(super) route: &'static Route,
    pub(super) method: Method,
    pub(super) params: Vec<(&'static str, String)>,
    pub(super) query: Vec<(String, String)>,
    pub(super) query_text: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// In place of the bytes, when the body is a form; gone once it was taken.
    pub(super) form: Mutex<Option<Form>>,
    /// What is wrong with the body; told only after the guard let the caller pass.
    pub(super) fault: Option<Refused>,
    pub(super) address: IpAddr,
    pub(super) cancel: Cancel,
    pub(super) base_url: Option<String>,
    pub(super) streaming: AtomicBool,
    /// The body's share of the memory all bodies may take.
    pub(super) share: Option<OwnedSemaphorePermit>,
}

impl Request {
    /// The decoded path segment that the route's pattern calls `name`; empty when the pattern has none.
    #[must_use]
    pub fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    /// The first query value called `name`.
    #[must_use]
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Every query value called `name`, in order.
    #[must_use]
    pub fn query_all(&self, name: &str) -> Vec<&str> {
        self.query.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect()
    }

    /// The query as it was sent, without the question mark.
    #[must_use]
    pub fn query_text(&self) -> &str {
        &self.query_text
    }

    /// A header's first value; `None` when there is none or it holds more than visible ASCII.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The value of a cookie.
    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<&str> {
        let lines = self.headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(known, _)| *known == name).map(|(_, value)| value.trim_matches('"'))
    }

    /// The body, a JSON object, as `T`.
    ///
    /// # Errors
    /// [`crate::domain::error::Error::Invalid`] with a reason that names the field (spec 7, 400).
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        json::parse_object(&self.body)
    }

    /// The body as any JSON value.
    ///
    /// # Errors
    /// As [`Self::json`].
    pub fn value(&self) -> Result<serde_json::Value> {
        json::parse(&self.body)
    }

    /// The body's bytes; empty when there was none.
    #[must_use]
    pub const fn body(&self) -> &Bytes {
        &self.body
    }

    /// Takes the body when it is a form. Its files are large, so they are handed on and not copied.
    #[must_use]
    pub fn take_form(&self) -> Option<Form> {
        self.form.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The client's address (security rules 2: forwarding headers count from trusted proxies only).
    #[must_use]
    pub const fn address(&self) -> IpAddr {
        self.address
    }

    /// Ends with the request: set when the caller leaves, the service stops or the run is out of time.
    #[must_use]
    pub const fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// The value of `Authorization: Bearer <value>`, when there is exactly one such header (security rules 3).
    #[must_use]
    pub fn bearer(&self) -> Option<&str> {
        let (scheme, value) = self.only(&AUTHORIZATION)?.split_once(' ')?;
        let value = value.trim();
        let whole = scheme.eq_ignore_ascii_case("bearer") && !value.is_empty() && !value.contains(' ');
        whole.then_some(value)
    }

    /// The `Host` header.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        self.only(&HOST)
    }

    /// The page that asks. An origin that is given twice or cannot be read is `null`, which nothing admits.
    #[must_use]
    pub fn origin(&self) -> Option<&str> {
        self.headers.contains_key(ORIGIN).then(|| self.only(&ORIGIN).unwrap_or("null"))
    }

    /// The service's own addresses, for comparing origins: `SERVICE_BASE_URL`, else the request's host (contract 6.5).
    #[must_use]
    pub fn own_origins(&self) -> Vec<&str> {
        self.base_url.as_deref().or_else(|| self.host()).into_iter().collect()
    }

    /// The method; HEAD shows as GET.
    #[must_use]
    pub const fn method(&self) -> &Method {
        &self.method
    }

    /// The route that was matched.
    #[must_use]
    pub const fn route(&self) -> &'static Route {
        self.route
    }

    /// What the door found wrong with the body, for a guard that must judge it before anything else (contract 6.2).
    #[must_use]
    pub const fn fault(&self) -> Option<&Refused> {
        self.fault.as_ref()
    }

    /// True for a request of the family's canvas, whose session errors have words of their own (reference 0.2).
    #[must_use]
    pub fn is_internal(&self) -> bool {
        self.header("x-request-from").is_some_and(|from| from.eq_ignore_ascii_case("internal"))
    }

    /// Notes that the caller asked for a stream, which changes how a refused origin is told (contract 9).
    pub fn note_streaming(&self, streaming: bool) {
        self.streaming.store(streaming, Ordering::Relaxed);
    }

    /// How errors of this request are told.
    #[must_use]
    pub fn manner(&self, app: &App) -> Manner {
        Manner {
            internal: self.is_internal(),
            streaming: self.streaming.load(Ordering::Relaxed),
            ended: self.cancel.reason(),
            now: app.clock.now(),
        }
    }

    fn only(&self, name: &HeaderName) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let first = values.next()?;
        if values.next().is_some() {
            return None;
        }
        first.to_str().ok()
    }
}
