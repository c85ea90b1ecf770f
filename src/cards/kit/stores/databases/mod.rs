//! Databases that code asks: PostgreSQL and MySQL servers, over credentials that are saved in the flow's workspace.
//!
//! Where a call goes stands in the credential, so whoever may change credentials chose it, and code chooses among those
//! alone. A credential lets code read unless it says that code may write. Reading is kept three times: the statement
//! begins with a word that reads, it runs in a transaction that the server holds to be read-only and that is rolled
//! back, and only one statement goes out at a time. What is left can be done by functions for which the user of the
//! credential has the rights, such as those that open connections of their own; a user that may only read ends that too.

pub(crate) mod failure;
mod mysql;
mod postgres;
pub(crate) mod saved_database;
pub(crate) mod statement_check;

use self::failure::QueryError;
use self::saved_database::SavedDatabase;
pub use self::saved_database::{CREDENTIAL_TYPES, DatabaseCredentials, ListedCredential};
use crate::base::cancel::{CancelReason, CancelToken};
use crate::kit::capabilities::host::Host;
use crate::script::{
    DatabaseAnswer, DatabaseError, DatabaseHandler, DatabaseKind, DatabaseOperation, DatabaseRequest,
    DatabaseValue,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Time of one statement that code sends to a database; no longer than what is left of the run of code (manual 14.12).
const CODE_QUERY_SECONDS: u64 = 60;
/// Connections to databases that one run of code has at the same time (manual 14.12).
const CODE_CONNECTIONS_MAX: usize = 5;

/// One connection to a server.
trait DatabaseClient {
    fn query(
        &mut self,
        sql: &str,
        values: &[DatabaseValue],
        writes: bool,
        within: &CallLimits<'_>,
    ) -> Result<DatabaseAnswer, QueryError>;

    /// Ends a statement that is still under way.
    fn stop(self: Box<Self>, host: &dyn Host);

    fn close(self: Box<Self>);
}

/// How long something may take, and what ends it earlier.
struct CallLimits<'a> {
    cancel: &'a CancelToken,
    time: Duration,
}

struct OpenConnection {
    database: SavedDatabase,
    client: Box<dyn DatabaseClient>,
}

/// What one run of code has of databases.
pub struct CodeDatabases<'a> {
    host: &'a dyn Host,
    credentials: &'a dyn DatabaseCredentials,
    /// The label of the card whose code it is, for the log.
    card: &'a str,
    connections: RefCell<BTreeMap<u32, OpenConnection>>,
    /// Connections of code's own that broke off: what was begun on them is gone, so nothing goes on there.
    broken: RefCell<BTreeSet<u32>>,
}

impl<'a> CodeDatabases<'a> {
    #[must_use]
    pub const fn new(host: &'a dyn Host, credentials: &'a dyn DatabaseCredentials, card: &'a str) -> Self {
        Self {
            host,
            credentials,
            card,
            connections: RefCell::new(BTreeMap::new()),
            broken: RefCell::new(BTreeSet::new()),
        }
    }

    fn execute(
        &self,
        ask: &DatabaseRequest,
        within: &CallLimits<'_>,
    ) -> Result<DatabaseAnswer, DatabaseError> {
        if matches!(ask.work, DatabaseOperation::Close) {
            if let Some(line) = self.connections.borrow_mut().remove(&ask.line) {
                line.client.close();
            }
            return Ok(DatabaseAnswer::default());
        }
        let mut line = self.take_connection(ask, within)?;
        let DatabaseOperation::Query { sql, values } = &ask.work else {
            let family = Some(line.database.family);
            self.connections.borrow_mut().insert(ask.line, line);
            return Ok(DatabaseAnswer { family, ..DatabaseAnswer::default() });
        };
        let judged =
            statement_check::check_statement(sql, line.database.family, line.database.writes, ask.shared);
        let answer = match judged {
            Ok(()) => line.client.query(sql, values, line.database.writes, within),
            Err(why) => Err(QueryError::not_sent(why)),
        };
        match answer {
            Ok(answer) => {
                let family = Some(line.database.family);
                self.connections.borrow_mut().insert(ask.line, line);
                Ok(DatabaseAnswer { family, ..answer })
            }
            Err(failure) => {
                let fault = failure.for_code(&line.database.name, self.card);
                if failure.leaves_connection {
                    self.connections.borrow_mut().insert(ask.line, line);
                } else {
                    self.broken.borrow_mut().insert(ask.line);
                    if failure.is_under_way {
                        line.client.stop(self.host);
                    }
                }
                Err(fault)
            }
        }
    }

    /// The connection that is meant, taken out; it is made where it is not there yet.
    fn take_connection(
        &self,
        ask: &DatabaseRequest,
        within: &CallLimits<'_>,
    ) -> Result<OpenConnection, DatabaseError> {
        if let Some(line) = self.connections.borrow_mut().remove(&ask.line) {
            return Ok(line);
        }
        let refused = |message: String| DatabaseError { message, ..DatabaseError::default() };
        if !ask.shared && self.broken.borrow().contains(&ask.line) {
            return Err(refused(
                "the connection to the database ended after an earlier error; open another one".into(),
            ));
        }
        if self.connections.borrow().len() >= CODE_CONNECTIONS_MAX {
            return Err(refused(format!(
                "code has {CODE_CONNECTIONS_MAX} connections to databases already; end or release those that are not needed"
            )));
        }
        let saved = saved_database::find(self.credentials, &ask.place).map_err(refused)?;
        let client: Result<Box<dyn DatabaseClient>, QueryError> = match saved.family {
            DatabaseKind::Postgres => postgres::open(&saved, self.host, within),
            DatabaseKind::Mysql => mysql::open(&saved, self.host, within),
        };
        match client {
            Ok(client) => Ok(OpenConnection { database: saved, client }),
            Err(failure) => Err(failure.for_code(&saved.name, self.card)),
        }
    }
}

impl DatabaseHandler for CodeDatabases<'_> {
    fn execute(&self, ask: &DatabaseRequest, time: Duration) -> Result<DatabaseAnswer, DatabaseError> {
        let time = time.min(Duration::from_secs(CODE_QUERY_SECONDS));
        // Ends with the run, and when the time is up for all that one call needs: signing in too.
        let cancel = CancelToken::new(Some(time));
        let (run, own) = (self.host.cancel(), cancel.clone());
        let _ends = run.on_cancel(move || own.cancel(CancelReason::Aborted));
        self.execute(ask, &CallLimits { cancel: &cancel, time })
    }
}

impl Drop for CodeDatabases<'_> {
    fn drop(&mut self) {
        for line in std::mem::take(self.connections.get_mut()).into_values() {
            line.client.close();
        }
    }
}
