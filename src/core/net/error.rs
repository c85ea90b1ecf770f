//! Why a request failed, in our own words.

use super::tls::TlsError;
use std::io;

/// Why a request failed. Shows at most host and port: never a path, a query, a header or a library's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// The address may not be called.
    #[error("refused by policy")]
    RefusedByPolicy,
    /// The address or a header cannot be sent.
    #[error("the address cannot be called: {0}")]
    BadAddress(String),
    /// No connection; holds host and port.
    #[error("no connection to {0}")]
    Unreachable(String),
    /// The other side, or the run as a whole, took too long.
    #[error("no answer in time")]
    TimedOut,
    #[error("the run was stopped")]
    Cancelled,
    /// The other side is not trusted, or speaks no TLS that is spoken here.
    #[error("no trusted TLS connection to {place}: {fault}")]
    Untrusted { place: String, fault: TlsError },
    /// The operator's proxy does not let the request through; says why.
    #[error("the proxy (HTTPS_PROXY, HTTP_PROXY) does not help: {0}")]
    Proxy(String),
    /// The answer is larger than its limit.
    #[error("the answer is too large")]
    TooLarge,
    /// The answer is not HTTP, or broke off.
    #[error("{0}")]
    Broken(String),
}

impl NetError {
    /// True for what the same request may not meet again.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::TimedOut | Self::Broken(_))
    }
}

impl From<NetError> for io::Error {
    fn from(error: NetError) -> Self {
        Self::other(error)
    }
}

impl From<io::Error> for NetError {
    /// Unwraps what [`super::Incoming`] reported through `Read`.
    fn from(error: io::Error) -> Self {
        match ureq::Error::from(error) {
            ureq::Error::Io(error) => match error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
                Some(own) => own.clone(),
                None => Self::Broken("the answer broke off".into()),
            },
            other => from_ureq(other, "the other side"),
        }
    }
}

/// Our words for what ureq reports; `host` is host and port.
pub(super) fn from_ureq(error: ureq::Error, host: &str) -> NetError {
    match error {
        ureq::Error::Other(inner) => match inner.downcast::<NetError>() {
            Ok(own) => *own,
            Err(_) => NetError::Broken("the request failed".into()),
        },
        ureq::Error::Io(error) => match error.get_ref().and_then(|inner| inner.downcast_ref::<NetError>()) {
            Some(own) => own.clone(),
            None => NetError::Broken("the other side closed the connection".into()),
        },
        ureq::Error::Timeout(_) => NetError::TimedOut,
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => NetError::Unreachable(host.to_owned()),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) | ureq::Error::TlsRequired => {
            NetError::Untrusted { place: host.to_owned(), fault: TlsError::Other }
        }
        ureq::Error::LargeResponseHeader(..) | ureq::Error::BodyExceedsLimit(_) => NetError::TooLarge,
        ureq::Error::Protocol(_) => NetError::Broken("the answer is not HTTP".into()),
        _ => NetError::Broken("the request failed".into()),
    }
}
