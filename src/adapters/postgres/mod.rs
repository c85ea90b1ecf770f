//! PostgreSQL servers of a flow's owner, spoken to over a guarded line: no thread of its own, no pool, no await.
//!
//! A [`PgClient`] makes its connection when it is first needed and keeps it for the run. Every value goes to the server as a
//! parameter; names of tables and columns are judged and quoted ([`TableName`], [`ColumnName`]). Each statement has a time,
//! ends with `CancelToken`, and brings back a bounded result.

mod connection;
mod error;
mod login;
mod name;
#[cfg(test)]
mod tests;

use crate::base::cancel::CancelToken;
use crate::limits;
use crate::net::{self, Dial, Outgoing};
pub use connection::{PgColumn, PgConnection, PgQueryResult, PgResultLimits, PgRow};
pub use error::PgError;
pub use name::{ColumnName, TableName};
use std::time::Duration;

/// A server and the one connection a run has to it.
pub type PgClient = net::LazyConnection<PgServer>;

/// The port where nothing else is said.
pub const PORT: u16 = 5432;

/// Which server, and who calls.
#[derive(Clone)]
pub struct PgServer {
    pub host: String,
    pub port: u16,
    pub database: String,
    pub user: String,
    pub password: String,
    /// Whether the connection is one over TLS.
    pub tls: PgTls,
    /// How this service calls itself there.
    pub application: String,
    /// The longest a statement may take.
    pub time: Duration,
}

/// Whether a connection is one over TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PgTls {
    /// It is not.
    Off,
    /// It is, and the server proves who it is by an authority that is trusted everywhere.
    Public,
    /// It is, and the server proves who it is by one of these authorities, as PEM.
    WithAuthorities(String),
}

impl PgServer {
    /// The time a statement has where nobody shortens it.
    pub const TIME_MAX: Duration = Duration::from_secs(limits::POSTGRES_SECONDS);
}

impl Dial for PgServer {
    type Connection = PgConnection;
    type Error = PgError;

    fn open(&self, outgoing: &Outgoing, cancel: &CancelToken) -> Result<PgConnection, PgError> {
        PgConnection::open(self, outgoing, cancel)
    }

    fn is_connection_usable(error: &PgError) -> bool {
        error.is_connection_usable()
    }

    fn close(connection: PgConnection) {
        connection.close();
    }
}
