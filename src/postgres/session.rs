//! A server and the one connection a run has to it.

use super::{Connection, PgError, Server};
use crate::domain::cancel::Cancel;
use crate::net::Outgoing;
use std::sync::{Mutex, PoisonError};

/// A server and the one connection a run has to it, made when it is first needed.
pub struct Session {
    server: Server,
    outgoing: Outgoing,
    connection: Mutex<Option<Connection>>,
}

impl Session {
    /// Nothing is connected yet.
    #[must_use]
    pub const fn new(server: Server, outgoing: Outgoing) -> Self {
        Self { server, outgoing, connection: Mutex::new(None) }
    }

    /// Does something on the connection. Who else asks meanwhile waits: a statement has a time.
    ///
    /// # Errors
    /// As [`PgError`].
    pub fn with<T>(
        &self,
        cancel: &Cancel,
        work: impl FnOnce(&mut Connection) -> Result<T, PgError>,
    ) -> Result<T, PgError> {
        let mut kept = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let mut connection = match kept.take() {
            Some(connection) => connection,
            None => Connection::open(&self.server, &self.outgoing, cancel)?,
        };
        let done = work(&mut connection);
        // What broke off in the middle of an answer is not used again.
        if done.as_ref().err().is_none_or(PgError::leaves_connection) {
            *kept = Some(connection);
        }
        done
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            connection.close();
        }
    }
}
