//! What a guard and a handler see of a request: parsed, bounded, and already in memory.

pub(crate) mod body;
pub(crate) mod dispatch;
pub(crate) mod form;
pub(crate) mod json;
pub(crate) mod session_cookie;
pub(crate) mod strict;

use self::form::FormData;
use super::openapi::spec::ParamLocation;
use super::reply::error::{ErrorContext, Rejection};
use super::reply::error_shape::ErrorShape;
use super::routing::host_names::{self, HostNames, is_loopback_host};
use super::routing::origin::{self, Admission, Origin};
use super::routing::router::Route;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::error::Result;
use crate::domain::flows::settings::AllowedOrigins;
use crate::domain::resource::ResourceId;
use bytes::Bytes;
use hyper::header::{AUTHORIZATION, COOKIE, HOST, HeaderName, ORIGIN};
use hyper::{HeaderMap, Method};
use serde::de::DeserializeOwned;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OwnedSemaphorePermit;

/// What proxies add to the requests they pass on.
const FORWARDING: &[&str] =
    &["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

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
    pub(super) form: Mutex<Option<FormData>>,
    /// What is wrong with the body; answered only after the guard let the caller pass.
    pub(super) body_rejection: Option<Rejection>,
    pub(super) address: IpAddr,
    pub(super) cancel: CancelToken,
    pub(super) host_names: Arc<HostNames>,
    pub(super) streaming: AtomicBool,
    pub(super) run_began: AtomicBool,
    /// The body's share of the memory all bodies may take.
    pub(super) body_permit: Option<OwnedSemaphorePermit>,
}

/// The value of a header that is there once.
fn single_header<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() {
        return None;
    }
    first.to_str().ok()
}

fn origin_header(headers: &HeaderMap) -> Option<&str> {
    headers.contains_key(ORIGIN).then(|| single_header(headers, &ORIGIN).unwrap_or("null"))
}

/// As [`Request::is_direct`], of these headers.
pub(super) fn is_direct(headers: &HeaderMap) -> bool {
    let here = single_header(headers, &HOST)
        .and_then(Origin::parse_host)
        .is_some_and(|host| is_loopback_host(&host.host));
    let page_here = origin_header(headers).is_none_or(|page| {
        Origin::parse(page)
            .is_some_and(|page| page.scheme.as_deref() == Some("http") && is_loopback_host(&page.host))
    });
    here && page_here && !FORWARDING.iter().any(|name| headers.contains_key(*name))
}

/// The value of a cookie among these headers.
pub(super) fn cookie_value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value.trim_matches('"'))
}

impl Request {
    /// The decoded path segment that the route's pattern calls `name`; empty when the pattern has none.
    #[must_use]
    pub fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    /// The id in the segment of the path that the route's pattern calls `name`.
    ///
    /// # Errors
    /// 404 for a text that is no id.
    pub fn id<T: ResourceId>(&self, name: &str) -> Result<T> {
        T::from_caller(self.param(name))
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

    /// A query value that the route knows one of, and that was sent twice: which of them counts would be a guess.
    pub(super) fn repeated_param(&self) -> Option<&'static str> {
        let one = self
            .route
            .query
            .iter()
            .filter(|param| param.location == ParamLocation::Query && !param.kind.is_list());
        let mut names = one.map(|param| param.name);
        names.find(|name| self.query.iter().filter(|(known, _)| known == name).count() > 1)
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
        cookie_value(&self.headers, name)
    }

    /// The body, a JSON object, as `T`.
    ///
    /// # Errors
    /// [`crate::domain::error::Error::Invalid`] with a reason that names the field (manual 1.5).
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        json::parse_object(&self.body)
    }

    /// The body, a JSON list, as its items.
    ///
    /// # Errors
    /// As [`Self::json`].
    pub fn json_list<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        json::parse_list(&self.body)
    }

    /// The body as any JSON value.
    ///
    /// # Errors
    /// As [`Self::json`].
    pub fn value(&self) -> Result<serde_json::Value> {
        json::parse_value(&self.body)
    }

    /// The body's bytes; empty when there was none.
    #[must_use]
    pub const fn body(&self) -> &Bytes {
        &self.body
    }

    /// Takes the body when it is a form. Its files are large, so they are handed on and not copied.
    #[must_use]
    pub fn take_form(&self) -> Option<FormData> {
        self.form.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The client's address (forwarding headers count from trusted proxies only, manual 12.2 r2).
    #[must_use]
    pub const fn address(&self) -> IpAddr {
        self.address
    }

    /// Ends with the request: set when the caller leaves, the service stops or the run is out of time.
    #[must_use]
    pub const fn cancel(&self) -> &CancelToken {
        &self.cancel
    }

    /// The value of `Authorization: Bearer <value>`, when there is exactly one such header (manual 1.7 r6).
    #[must_use]
    pub fn bearer(&self) -> Option<&str> {
        let (scheme, value) = self.single_header(&AUTHORIZATION)?.split_once(' ')?;
        let value = value.trim();
        let whole = scheme.eq_ignore_ascii_case("bearer") && !value.is_empty() && !value.contains(' ');
        whole.then_some(value)
    }

    /// The `Host` header.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        self.single_header(&HOST)
    }

    /// The page that asks. An origin that is given twice or cannot be read is `null`, which nothing admits.
    #[must_use]
    pub fn origin(&self) -> Option<&str> {
        origin_header(&self.headers)
    }

    /// The service's own addresses, for comparing origins: what is set, and the request's host where that counts
    /// (manual 2.4 r1).
    #[must_use]
    pub fn own_origins(&self) -> Vec<&str> {
        self.host_names.own_origins(self.host())
    }

    /// True when no page asks, or a page of the service.
    #[must_use]
    pub fn has_own_origin(&self) -> bool {
        self.origin().is_none_or(|page| {
            origin::judge_origin(&AllowedOrigins::NONE, &[], &self.own_origins(), page) == Admission::Own
        })
    }

    /// Why a page may not change anything here, and what to set where it is the service's own page after all. The log says
    /// it too, once for each origin.
    #[must_use]
    pub fn other_site_message(&self) -> String {
        let page = self.origin().filter(|_| !self.has_own_origin());
        let Some(page) = page else {
            return "A page of another site may not do this: the browser says that the request comes from elsewhere.".to_owned();
        };
        self.host_names.log_refused_origin(page, self.host());
        let (expected, seen) = (self.host_names.expected_address(self.host()), host_names::sanitize(page));
        let remedy = Origin::parse(page).map(|_| format!(" {}", self.host_names.remedy(page)));
        format!(
            "A page of another site may not do this: the page is at {seen}, and this service is expected at {expected}.{}",
            remedy.unwrap_or_default()
        )
    }

    /// True for a page that a browser on this machine shows past the proxy, at an address other than the one people use.
    #[must_use]
    pub fn is_beside_base(&self) -> bool {
        let page = self.origin().and_then(Origin::parse);
        page.is_some_and(|page| self.is_direct() && !self.host_names.is_base(&page))
    }

    /// True when the caller is on this machine and no proxy stands between, as far as a request can say that.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        is_direct(&self.headers)
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

    /// What is wrong with the body, for a guard that must judge it before anything else (manual 2.2).
    #[must_use]
    pub const fn body_rejection(&self) -> Option<&Rejection> {
        self.body_rejection.as_ref()
    }

    /// True for a request of Flowise's canvas, whose session errors have words of their own (manual 1.4 r3).
    #[must_use]
    pub fn is_internal(&self) -> bool {
        self.header("x-request-from").is_some_and(|from| from.eq_ignore_ascii_case("internal"))
    }

    /// Notes that the caller asked for a stream, which changes how a refused origin is answered (manual 1.4).
    pub fn set_streaming(&self, streaming: bool) {
        self.streaming.store(streaming, Ordering::Relaxed);
    }

    /// Notes that a run began: whoever asks the same again has it run again.
    pub fn mark_run_began(&self) {
        self.run_began.store(true, Ordering::Relaxed);
    }

    /// How errors of this request are answered.
    #[must_use]
    pub fn error_context(&self, app: &App) -> ErrorContext {
        ErrorContext {
            shape: ErrorShape::of_pattern(&self.route.pattern),
            internal: self.is_internal(),
            streaming: self.streaming.load(Ordering::Relaxed),
            run_began: self.run_began.load(Ordering::Relaxed),
            cancel_reason: self.cancel.reason(),
            now: app.clock.now(),
        }
    }

    fn single_header(&self, name: &HeaderName) -> Option<&str> {
        single_header(&self.headers, name)
    }
}
