//! A server that speaks another protocol than HTTP, and the one connection a run has to it.

use super::{NetError, Outgoing};
use crate::base::cancel::CancelToken;
use std::sync::{Mutex, PoisonError};

/// The longest reason of a server that is written to the log.
const REASON_CHARS_MAX: usize = 300;

/// A server that can be called: how a connection to it begins, ends and may be used again.
pub trait Dial {
    /// A connection that is signed in.
    type Connection;
    /// Why there is none, or why it gave nothing.
    type Error;

    /// Connects and signs in.
    ///
    /// # Errors
    /// Why that cannot be done.
    fn open(&self, outgoing: &Outgoing, cancel: &CancelToken) -> Result<Self::Connection, Self::Error>;

    /// True when a connection that lay idle since it was last used is still one.
    fn is_open(_connection: &mut Self::Connection, _cancel: &CancelToken) -> bool {
        true
    }

    /// True when the connection can be used again after this error.
    fn is_connection_usable(error: &Self::Error) -> bool;

    /// Says goodbye, for which nobody waits long.
    fn close(connection: Self::Connection);
}

/// A server and the one connection a run has to it, made when it is first needed.
pub struct LazyConnection<D: Dial> {
    server: D,
    outgoing: Outgoing,
    connection: Mutex<Option<D::Connection>>,
}

impl<D: Dial> LazyConnection<D> {
    #[must_use]
    pub const fn new(server: D, outgoing: Outgoing) -> Self {
        Self { server, outgoing, connection: Mutex::new(None) }
    }

    /// Does something on the connection. Who else asks meanwhile waits: each exchange has a time.
    ///
    /// # Errors
    /// Why there is no connection, or what `work` fails with.
    pub fn with_connection<T>(
        &self,
        cancel: &CancelToken,
        work: impl FnOnce(&mut D::Connection) -> Result<T, D::Error>,
    ) -> Result<T, D::Error> {
        let mut kept = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = kept.take().and_then(|mut idle| D::is_open(&mut idle, cancel).then_some(idle));
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.server.open(&self.outgoing, cancel)?,
        };
        let done = work(&mut connection);
        // What broke off in the middle of an answer is not used again.
        if done.as_ref().err().is_none_or(D::is_connection_usable) {
            *kept = Some(connection);
        }
        done
    }

    /// As [`Self::with_connection`], for work after which the server is not needed for a long time: the connection ends
    /// with it, so that none lies idle meanwhile.
    ///
    /// # Errors
    /// As [`Self::with_connection`].
    pub fn with_brief_connection<T>(
        &self,
        cancel: &CancelToken,
        work: impl FnOnce(&mut D::Connection) -> Result<T, D::Error>,
    ) -> Result<T, D::Error> {
        let done = self.with_connection(cancel, work);
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(connection) = connection {
            D::close(connection);
        }
        done
    }
}

impl<D: Dial> Drop for LazyConnection<D> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            D::close(connection);
        }
    }
}

/// What a server says, for the log: one line of bounded length that holds none of these secrets. No server says them, and
/// one that is none could.
#[must_use]
pub fn server_message(said: &str, secrets: &[&str]) -> String {
    let mut said = said.to_owned();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        said = said.replace(secret, "[secret hidden]");
    }
    let words = said.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").chars().take(REASON_CHARS_MAX).collect()
}

impl NetError {
    /// What only the log is told of a failed session, with the server's place.
    #[must_use]
    pub fn log_detail(&self) -> Option<String> {
        match self {
            Self::Unreachable(place) => Some(format!("no connection to {place}")),
            Self::Broken(why) => Some(why.clone()),
            Self::Untrusted { place, fault } => {
                Some(format!("no trusted TLS connection to {place}: {fault}"))
            }
            _ => None,
        }
    }

    /// What callers are told of a failed session with a server that speaks `protocol`: no address of it. `places` says what
    /// its owner should look at.
    #[must_use]
    pub fn public_message(&self, protocol: &str, places: &str) -> String {
        match self {
            Self::RefusedByPolicy => {
                "the address was refused by policy; add its host and port to SERVICE_HTTP_ALLOW if it may be called"
                    .to_owned()
            }
            Self::Unreachable(_) => {
                format!("no connection to the server; check {places} and that the server is up; see the log")
            }
            Self::Untrusted { fault, .. } => format!("no trusted TLS connection to the server: {fault}"),
            Self::TimedOut => format!("the server took too long, or nothing there speaks {protocol}"),
            Self::Broken(_) => {
                format!("the connection to the server broke, or nothing there speaks {protocol}; see the log")
            }
            other => other.to_string(),
        }
    }
}
