//! Redis servers of a flow's owner, spoken to over a guarded line in RESP2: no thread of its own, no pool, no await.
//!
//! A [`RedisClient`] makes its connection when it is first needed and keeps it for the run. Every key and value goes to the
//! server with its length before it, so nothing in them can become a command. Each exchange has a time, ends with
//! `CancelToken`, and brings back replies of bounded size and depth ([`read_reply`]).

mod connection;
mod error;
mod reply;
#[cfg(test)]
mod tests;

use crate::base::cancel::CancelToken;
use crate::net::{self, Dial, Outgoing};
pub use connection::RedisConnection;
pub use error::RedisError;
pub use reply::{RedisReply, read_reply};

/// The port where nothing else is said.
pub const PORT: u16 = 6379;

/// A server and the one connection a run has to it.
pub type RedisClient = net::LazyConnection<RedisServer>;

/// Which server, and who calls. It holds a secret, so it has no `Debug`.
#[derive(Clone)]
pub struct RedisServer {
    pub host: String,
    pub port: u16,
    /// The user; the one that every server has where none is named.
    pub user: Option<String>,
    /// Their password, where the server wants one.
    pub password: Option<String>,
    /// The number of the database there.
    pub database: u32,
    /// Whether the connection is one over TLS. The server proves who it is by an authority that is trusted everywhere, or
    /// that the operator trusts.
    pub tls: bool,
}

impl Dial for RedisServer {
    type Connection = RedisConnection;
    type Error = RedisError;

    fn open(&self, outgoing: &Outgoing, cancel: &CancelToken) -> Result<RedisConnection, RedisError> {
        RedisConnection::open(self, outgoing, cancel)
    }

    fn is_open(connection: &mut RedisConnection, cancel: &CancelToken) -> bool {
        connection.is_open(cancel)
    }

    fn is_connection_usable(error: &RedisError) -> bool {
        matches!(error, RedisError::Server { .. })
    }

    fn close(_: RedisConnection) {
        // The end of the line says it: a server keeps nothing of a connection.
    }
}
