//! Outgoing HTTP: the one client, and who it may talk to (manual 12.5).
//!
//! Every request of the service leaves here, so that one set of rules judges every address and one token ends every wait.
//! What speaks another protocol gets a [`GuardedStream`] here, under the same rules.

mod buffered_transport;
mod buffers;
mod error;
mod guard;
mod guarded_stream;
mod incoming;
mod lazy_connection;
mod resolve;
mod retry_after;
#[cfg(test)]
mod task_tests;
#[cfg(any(test, feature = "test-support"))]
pub mod test_servers;
mod tls;
#[cfg(test)]
mod tls_tests;
mod transport;
mod tunnel;
mod wait_limits;

use crate::base::cancel::CancelToken;
pub use crate::net::guarded_stream::GuardedStream;
pub use crate::net::lazy_connection::{Dial, LazyConnection, server_message};
use crate::net::wait_limits::WaitLimits;
use crate::settings::{AllowRule, Proxies, Settings};
pub use error::NetError;
use error::from_ureq;
use guard::AddressGuard;
pub use incoming::Incoming;
use resolve::GuardedResolver;
pub use retry_after::{believed_wait, parse_retry_after, parse_seconds, status_may_pass};
use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;
pub use tls::{AuthoritiesError, TlsError, TrustStore};
pub use ureq::http::Method;
use ureq::http::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue};
use ureq::http::{Request, StatusCode, Uri};
use ureq::unversioned::transport::Connector;
use ureq::{Agent, SendBody};

/// True for an address, or a host, that names a place of the network one is in: `localhost`, a private number, a name that means
/// nothing elsewhere. What a run fills in first tells nothing yet.
#[must_use]
pub fn is_private_place(place: &str) -> bool {
    let place = place.trim();
    // A number alone is a port.
    if place.contains("{{") || place.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let url = url::Url::parse(place).ok();
    let host = match url.as_ref().and_then(url::Url::host_str) {
        Some(host) => host.to_owned(),
        // A host alone, or a host and a port.
        None => match guard::host(place.rsplit_once(':').map_or(place, |(host, _)| host)) {
            Ok(host) => host,
            Err(_) => return false,
        },
    };
    guard::is_inner_host(&host)
}

/// The most bytes a response head may have (manual 12.5).
const HEAD_BYTES_MAX: usize = 32 * 1024;
/// Idle connections kept to one host, and to all.
const IDLE_PER_HOST_MAX: usize = 64;
const IDLE_MAX: usize = 256;
/// Servers commonly close idle connections after a minute.
const IDLE_SECONDS_MAX: u64 = 30;
/// TLS copies through these; what a response head needs is held around them.
const TLS_BUFFER_BYTES: usize = 4 * 1024;
/// How often a request is sent again because the idle connection it was sent on had been closed meanwhile.
const STALE_TRIES_MAX: usize = 3;
/// Headers that the client itself writes, or that change how a connection is read.
const OWN_HEADERS: &[&str] = &[
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "proxy-authorization",
    "proxy-connection",
];

/// Who chose the address, which decides what is allowed (manual 12.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallPurpose {
    /// The flow's owner wrote it into a card: a model, embedding or vector store address.
    Provider,
    /// A caller, a model or a document can have a say in it.
    Reachable,
    /// Scheme, host and port stand in a card as plain text: a host and port that the operator named may be called, and
    /// nothing of a network that the operator named.
    WrittenOut,
    /// A reference, a request or a redirect has a part in it, where plain text could have stood: nothing that the operator
    /// named counts.
    Assembled,
}

impl CallPurpose {
    /// Of the request that an answer redirects to.
    #[must_use]
    pub(crate) const fn redirected(self) -> Self {
        match self {
            Self::Provider => Self::Provider,
            Self::Reachable => Self::Reachable,
            Self::WrittenOut | Self::Assembled => Self::Assembled,
        }
    }
}

/// How long and how much an answer may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResponseLimits {
    /// Until the head of the response is there.
    pub first_byte: Duration,
    /// Between two bytes of the body.
    pub stall: Duration,
    pub body_bytes: u64,
}

impl Default for ResponseLimits {
    /// The usual limits (manual 12.5 r5).
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(60),
            stall: Duration::from_secs(30),
            body_bytes: 10 * 1024 * 1024,
        }
    }
}

impl ResponseLimits {
    /// Those of a model, which may think as long as its run may last: the run's own limit ends the wait, and the
    /// longest a run may take (10 minutes) where it has none.
    #[must_use]
    pub const fn model() -> Self {
        let long = Duration::from_secs(600);
        Self { first_byte: long, stall: long, body_bytes: 64 * 1024 * 1024 }
    }
}

/// The client. A clone shares its connections.
#[derive(Clone)]
pub struct Outgoing {
    // Apart, because an idle connection of one purpose must not serve the other.
    provider: AgentPair,
    reachable: AgentPair,
    written_out: AgentPair,
    assembled: AgentPair,
    /// For connections that are no HTTP: to addresses of the flow's owner only, and never through a proxy.
    resolver: Arc<GuardedResolver>,
    trust: TrustStore,
}

/// The agents of one purpose.
#[derive(Clone)]
struct AgentPair {
    repeatable: Agent,
    /// For requests that may do something twice when they are sent twice: it keeps no idle connections.
    once: Agent,
}

impl AgentPair {
    fn agent(&self, method: &Method) -> &Agent {
        if is_repeatable(method) { &self.repeatable } else { &self.once }
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Outgoing")
    }
}

impl Outgoing {
    /// `allow` is `SERVICE_HTTP_ALLOW`; `loopback_service` says that this service itself listens on loopback only.
    #[must_use]
    pub fn new(allow: Vec<AllowRule>, loopback_service: bool) -> Self {
        Self::with_trust(allow, loopback_service, TrustStore::default(), Proxies::default())
    }

    /// As the operator set it: what flows and tools send.
    ///
    /// # Errors
    /// When `SERVICE_CA_FILE` cannot be used.
    pub fn from_settings(settings: &Settings) -> Result<Self, AuthoritiesError> {
        let allow = settings.http_allow.clone();
        Ok(Self::with_trust(
            allow,
            !settings.listens_beyond_loopback(),
            trust_from_settings(settings)?,
            settings.proxies.clone(),
        ))
    }

    /// As the operator set it, for addresses that the operator named: they may be of this machine or of its network.
    ///
    /// # Errors
    /// As [`Self::from_settings`].
    pub fn for_operator(settings: &Settings) -> Result<Self, AuthoritiesError> {
        Ok(Self::with_trust(Vec::new(), true, trust_from_settings(settings)?, settings.proxies.clone()))
    }

    /// As the operator set it, for calls that may reach these hosts although they are private, and no other private one.
    ///
    /// # Errors
    /// As [`Self::from_settings`].
    pub fn for_hosts(settings: &Settings, hosts: Vec<AllowRule>) -> Result<Self, AuthoritiesError> {
        Ok(Self::with_trust(hosts, false, trust_from_settings(settings)?, settings.proxies.clone()))
    }

    /// As [`Self::new`], with these authorities and through these proxies. The guard judges whom a request is for, and
    /// never the proxy.
    #[must_use]
    pub(crate) fn with_trust(
        allow: Vec<AllowRule>,
        loopback_service: bool,
        trust: TrustStore,
        proxies: Proxies,
    ) -> Self {
        let proxies = Arc::new(proxies);
        let guard = |purpose| AddressGuard { purpose, allow: allow.clone(), loopback_service };
        let agent = |purpose, idle_max| agent(guard(purpose), idle_max, &trust, &proxies);
        let pair = |purpose| AgentPair { repeatable: agent(purpose, IDLE_MAX), once: agent(purpose, 0) };
        Self {
            provider: pair(CallPurpose::Provider),
            reachable: pair(CallPurpose::Reachable),
            written_out: pair(CallPurpose::WrittenOut),
            assembled: pair(CallPurpose::Assembled),
            resolver: Arc::new(GuardedResolver::new(guard(CallPurpose::Provider), Arc::default())),
            trust,
        }
    }

    /// True when the operator named the host and port of this address among those that may be called.
    #[must_use]
    pub fn is_named(&self, url: &str) -> bool {
        let Ok(uri) = guard::parse(url) else { return false };
        let usual = if uri.scheme_str() == Some("https") { 443 } else { 80 };
        self.resolver.is_named(guard::bare_host(&uri), uri.port_u16().unwrap_or(usual))
    }

    /// True for a text that reads as an address which could be called.
    #[must_use]
    pub fn is_address(&self, url: &str) -> bool {
        guard::parse(url).is_ok()
    }

    /// Connects to a server of the flow's owner that does not speak HTTP. Such a connection goes through no proxy.
    ///
    /// # Errors
    /// As [`NetError`].
    pub fn open_stream(
        &self,
        host: &str,
        port: u16,
        cancel: &CancelToken,
        most: Duration,
    ) -> Result<GuardedStream, NetError> {
        GuardedStream::open((&self.resolver, &self.trust), host, port, cancel, most)
    }

    /// Posts JSON.
    ///
    /// # Errors
    /// As [`NetError`]. A response of any status is not an error.
    pub fn post_json(
        &self,
        purpose: CallPurpose,
        url: &str,
        headers: &[(&str, &str)],
        body: &serde_json::Value,
        cancel: &CancelToken,
        limits: ResponseLimits,
    ) -> Result<Incoming, NetError> {
        let body = serde_json::to_vec(body).expect("a JSON value can always be written");
        let mut all = vec![("content-type", "application/json")];
        all.extend_from_slice(headers);
        self.send(purpose, Method::POST, url, &all, Some(&body), cancel, limits)
    }

    /// Sends a GET request.
    ///
    /// # Errors
    /// As [`NetError`]. A response of any status is not an error.
    pub fn get(
        &self,
        purpose: CallPurpose,
        url: &str,
        headers: &[(&str, &str)],
        cancel: &CancelToken,
        limits: ResponseLimits,
    ) -> Result<Incoming, NetError> {
        self.send(purpose, Method::GET, url, headers, None, cancel, limits)
    }

    /// Sends a request of any method. Redirects are answers like others: they are not followed.
    ///
    /// # Errors
    /// As [`NetError`]. A response of any status is not an error.
    #[expect(clippy::too_many_arguments, reason = "each is one independent thing a request is made of")]
    pub fn send(
        &self,
        purpose: CallPurpose,
        method: Method,
        url: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
        cancel: &CancelToken,
        limits: ResponseLimits,
    ) -> Result<Incoming, NetError> {
        let uri = guard::parse(url)?;
        let headers = build_headers(headers)?;
        let agent = match purpose {
            // What a provider is asked may be asked twice.
            CallPurpose::Provider => &self.provider.repeatable,
            _ => self.agents(purpose).agent(&method),
        };
        for _ in 0..STALE_TRIES_MAX {
            let waiting = WaitLimits { cancel: cancel.clone(), stall: limits.first_byte };
            let (result, traffic) = waiting.run(|| match body {
                Some(body) => agent.run(request(&method, &uri, &headers, body)?),
                None => agent.run(request(&method, &uri, &headers, ())?),
            });
            match result {
                Ok(response) => {
                    return Incoming::new(response, traffic, cancel, limits);
                }
                Err(error) => {
                    let error = from_ureq(error, &guard::label(&uri));
                    let stale =
                        matches!(error, NetError::Broken(_)) && !traffic.connected && !traffic.received;
                    if !stale {
                        return Err(error);
                    }
                }
            }
        }
        Err(NetError::Broken("the other side closed the connection".into()))
    }

    /// Posts a body that is read while it goes out, so that it is never in memory as a whole. It is sent once, on a connection
    /// of its own. `limits.first_byte` bounds each wait of the upload, and the one for the answer after it.
    ///
    /// # Errors
    /// As [`NetError`]; [`NetError::Broken`] too when `body` cannot be read, or ends before its `length`. An answer that came before
    /// all was sent is no error ([`Incoming::is_early`]).
    #[expect(clippy::too_many_arguments, reason = "each is one independent thing a request is made of")]
    pub fn post_stream(
        &self,
        purpose: CallPurpose,
        url: &str,
        headers: &[(&str, &str)],
        body: &mut dyn Read,
        length: u64,
        cancel: &CancelToken,
        limits: ResponseLimits,
    ) -> Result<Incoming, NetError> {
        let uri = guard::parse(url)?;
        let mut headers = build_headers(headers)?;
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        let waiting = WaitLimits { cancel: cancel.clone(), stall: limits.first_byte };
        let mut exact = ExactBody { body, left: length };
        let (result, traffic) = waiting.run(|| {
            let body = SendBody::from_reader(&mut exact);
            self.agents(purpose).once.run(request(&Method::POST, &uri, &headers, body)?)
        });
        let response = result.map_err(|error| from_ureq(error, &guard::label(&uri)))?;
        Incoming::new(response, traffic, cancel, limits)
    }

    const fn agents(&self, purpose: CallPurpose) -> &AgentPair {
        match purpose {
            CallPurpose::Provider => &self.provider,
            CallPurpose::Reachable => &self.reachable,
            CallPurpose::WrittenOut => &self.written_out,
            CallPurpose::Assembled => &self.assembled,
        }
    }
}

/// A body of which exactly so much is sent as was said: one that ends early must not pass for a whole one.
struct ExactBody<'a> {
    body: &'a mut dyn Read,
    left: u64,
}

impl Read for ExactBody<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        if wait_limits::is_cut() {
            // Nobody takes the rest, whatever it is.
            self.left -= most as u64;
            return Ok(most);
        }
        let amount = self.body.read(&mut buffer[..most])?;
        if amount == 0 && most > 0 {
            return Err(NetError::Broken("what was to be sent ended early".into()).into());
        }
        self.left -= amount as u64;
        Ok(amount)
    }
}

/// The words that go with a status; empty for one that has none.
#[must_use]
pub fn status_text(status: u16) -> &'static str {
    let known = StatusCode::from_u16(status).ok();
    known.and_then(|status| status.canonical_reason()).unwrap_or_default()
}

/// True for methods whose requests do the same when they are sent twice (RFC 9110, section 9.2.2). Where an idle connection
/// dies without an answer nobody knows whether the other side has done what was asked: only these are sent again, and
/// others never go out on an idle connection. What a provider is asked changes nothing there, or the same thing twice.
fn is_repeatable(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::PUT | Method::DELETE | Method::OPTIONS)
}

fn trust_from_settings(settings: &Settings) -> Result<TrustStore, AuthoritiesError> {
    settings.ca_file.as_deref().map_or_else(|| Ok(TrustStore::default()), TrustStore::with_file)
}

fn agent(guard: AddressGuard, idle_max: usize, trust: &TrustStore, proxies: &Arc<Proxies>) -> Agent {
    let config = Agent::config_builder()
        // Its own reading of proxies would look names up in our place, beyond all rules.
        .proxy(None)
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("flowkeep/", env!("CARGO_PKG_VERSION")))
        .max_response_header_size(HEAD_BYTES_MAX)
        .input_buffer_size(TLS_BUFFER_BYTES)
        .output_buffer_size(TLS_BUFFER_BYTES)
        .max_idle_connections(idle_max)
        .max_idle_connections_per_host(IDLE_PER_HOST_MAX.min(idle_max))
        .max_idle_age(Duration::from_secs(IDLE_SECONDS_MAX))
        .timeout_connect(Some(Duration::from_secs(transport::CONNECT_SECONDS_MAX)))
        .build();
    let chain = transport::Dialer(proxies.clone())
        .chain(tls::TlsConnector(trust.clone()))
        .chain(crate::net::buffered_transport::BufferConnector);
    Agent::with_parts(config, chain, GuardedResolver::new(guard, proxies.clone()))
}

fn request<Body>(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    body: Body,
) -> Result<Request<Body>, ureq::http::Error> {
    let mut request = Request::builder().method(method.clone()).uri(uri.clone()).body(body)?;
    *request.headers_mut() = headers.clone();
    Ok(request)
}

fn build_headers(headers: &[(&str, &str)]) -> Result<HeaderMap, NetError> {
    let mut map = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let bad = || NetError::BadAddress("a header cannot be sent as it is written".into());
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        if OWN_HEADERS.contains(&name.as_str()) || value.bytes().any(|b| matches!(b, b'\r' | b'\n' | 0)) {
            return Err(bad());
        }
        let mut value = HeaderValue::from_bytes(value.trim().as_bytes()).map_err(|_| bad())?;
        // Keeps it out of everything that prints headers.
        value.set_sensitive(true);
        // Not `append`: what a caller names replaces what was set before.
        map.insert(name, value);
    }
    Ok(map)
}

#[cfg(test)]
mod tests;
