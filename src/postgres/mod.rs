//! PostgreSQL servers of a flow's owner, spoken to over a guarded line: no thread of its own, no pool, no await.
//!
//! A [`Session`] makes its connection when it is first needed and keeps it for the run. Every value goes to the server as a
//! parameter; names of tables and columns are judged and quoted ([`Table`], [`Column`]). Each statement has a time, ends
//! with `Cancel`, and brings back a bounded result.

mod connection;
mod error;
mod login;
mod name;
#[cfg(test)]
mod tests;

pub use connection::{Answer, Bounds, Connection, Described, Row};
pub use error::PgError;
pub use name::{Column, Table};

use crate::domain::cancel::Cancel;
use crate::limits;
use crate::net::{self, Dial, Outgoing};
use std::time::Duration;

/// A server and the one connection a run has to it.
pub type Session = net::Session<Server>;

/// The port where nothing else is said.
pub const PORT: u16 = 5432;

/// Which server, and who calls.
#[derive(Clone)]
pub struct Server {
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The database there.
    pub database: String,
    /// The user.
    pub user: String,
    /// Their password.
    pub password: String,
    /// Whether the connection is one over TLS.
    pub tls: Tls,
    /// How this service calls itself there.
    pub application: String,
    /// The longest a statement may take.
    pub time: Duration,
}

/// Whether a connection is one over TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tls {
    /// It is not.
    Off,
    /// It is, and the server proves who it is by an authority that is trusted everywhere.
    Public,
    /// It is, and the server proves who it is by one of these authorities, as PEM.
    Of(String),
}

impl Server {
    /// The time a statement has where nobody shortens it.
    pub const TIME_MAX: Duration = Duration::from_secs(limits::POSTGRES_SECONDS);
}

impl Dial for Server {
    type Connection = Connection;
    type Error = PgError;

    fn open(&self, outgoing: &Outgoing, cancel: &Cancel) -> Result<Connection, PgError> {
        Connection::open(self, outgoing, cancel)
    }

    fn leaves_connection(error: &PgError) -> bool {
        error.leaves_connection()
    }

    fn close(connection: Connection) {
        connection.close();
    }
}
