//! MySQL and MariaDB servers of a flow's owner, spoken to over a guarded line: no thread of its own, no pool, no await.
//!
//! A [`MySqlConnection`] sends one statement at a time: several in one text are a fault of the server's grammar, because the
//! connection never says that it knows them, and it never says that it has files to send. Values go as parameters. Each
//! statement has a time, ends with `CancelToken`, and brings back a bounded result.

mod connection;
mod error;
mod login;
mod packet;
mod query_result;
#[cfg(test)]
mod tests;

use crate::base::cancel::CancelToken;
pub use crate::mysql::query_result::{
    MySqlCell, MySqlColumn, MySqlQueryResult, MySqlRow, RowFormat, ValueType, read,
};
use crate::net::{self, Dial, Outgoing};
pub use connection::{MySqlConnection, MySqlValue};
pub use error::MySqlError;
pub use login::ServerGreeting;
use std::time::Duration;

/// A server, and the one connection that a card has to it.
pub type MySqlClient = net::LazyConnection<MySqlServer>;

/// The port where nothing else is said.
pub const PORT: u16 = 3306;

/// Which server, and who calls.
#[derive(Clone)]
pub struct MySqlServer {
    pub host: String,
    pub port: u16,
    /// The database there; empty for none.
    pub database: String,
    pub user: String,
    pub password: String,
    /// Whether the connection is one over TLS.
    pub tls: bool,
    /// The authorities by which the server proves who it is, as PEM; those that are trusted everywhere where there are none.
    pub authorities: Option<String>,
}

impl Dial for MySqlServer {
    type Connection = MySqlConnection;
    type Error = MySqlError;

    fn open(&self, outgoing: &Outgoing, cancel: &CancelToken) -> Result<MySqlConnection, MySqlError> {
        MySqlConnection::open(self, outgoing, cancel)
    }

    fn is_connection_usable(error: &MySqlError) -> bool {
        error.is_connection_usable()
    }

    fn close(connection: MySqlConnection) {
        connection.close();
    }
}

/// The most that one statement may take and give.
#[derive(Debug, Clone, Copy)]
pub struct MySqlLimits {
    /// Time until its answer is there.
    pub time: Duration,
    pub rows: usize,
    /// Bytes of all rows, and of the memory that holds them.
    pub bytes: usize,
}
