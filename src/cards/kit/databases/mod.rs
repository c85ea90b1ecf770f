//! Databases that code asks: PostgreSQL and MySQL servers, over credentials that are saved in the flow's workspace.
//!
//! Where a call goes stands in the credential, so whoever may change credentials chose it, and code chooses among those
//! alone. A credential lets code read unless it says that code may write. Reading is kept three times: the statement
//! begins with a word that reads, it runs in a transaction that the server holds to be read-only and that is rolled
//! back, and only one statement goes out at a time. What is left can be done by functions for which the user of the
//! credential has the rights, such as those that open connections of their own; a user that may only read ends that too.

mod fault;
mod judge;
mod mysql;
mod postgres;
mod saved;

use super::host::Host;
use crate::domain::cancel::{Cancel, Reason};
use crate::limits;
use crate::script::{
    DatabaseAnswer, DatabaseAsk, DatabaseFamily, DatabaseFault, DatabaseValue, DatabaseWork, Databases,
};
use fault::Failure;
use saved::Saved;
pub use saved::{CREDENTIAL_TYPES, ListedCredential};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// One connection to a server.
trait Client {
    /// Sends one statement.
    fn query(
        &mut self,
        sql: &str,
        values: &[DatabaseValue],
        writes: bool,
        within: &Within<'_>,
    ) -> Result<DatabaseAnswer, Failure>;

    /// Ends a statement that is still under way.
    fn stop(self: Box<Self>, host: &dyn Host);

    /// Ends the connection.
    fn close(self: Box<Self>);
}

/// How long something may take, and what ends it earlier.
struct Within<'a> {
    cancel: &'a Cancel,
    time: Duration,
}

struct Line {
    saved: Saved,
    client: Box<dyn Client>,
}

/// What one run of code has of databases.
pub struct CodeDatabases<'a> {
    host: &'a dyn Host,
    /// The label of the card whose code it is, for the log.
    card: &'a str,
    lines: RefCell<BTreeMap<u32, Line>>,
    /// Connections of code's own that broke off: what was begun on them is gone, so nothing goes on there.
    broken: RefCell<BTreeSet<u32>>,
}

impl<'a> CodeDatabases<'a> {
    /// Nothing is connected yet.
    #[must_use]
    pub const fn new(host: &'a dyn Host, card: &'a str) -> Self {
        Self { host, card, lines: RefCell::new(BTreeMap::new()), broken: RefCell::new(BTreeSet::new()) }
    }

    fn done(&self, ask: &DatabaseAsk, within: &Within<'_>) -> Result<DatabaseAnswer, DatabaseFault> {
        if matches!(ask.work, DatabaseWork::Close) {
            if let Some(line) = self.lines.borrow_mut().remove(&ask.line) {
                line.client.close();
            }
            return Ok(DatabaseAnswer::default());
        }
        let mut line = self.line(ask, within)?;
        let DatabaseWork::Query { sql, values } = &ask.work else {
            let family = Some(line.saved.family);
            self.lines.borrow_mut().insert(ask.line, line);
            return Ok(DatabaseAnswer { family, ..DatabaseAnswer::default() });
        };
        let judged = judge::judge(sql, line.saved.family, line.saved.writes, ask.shared);
        let answer = match judged {
            Ok(()) => line.client.query(sql, values, line.saved.writes, within),
            Err(why) => Err(Failure::refused(why)),
        };
        match answer {
            Ok(answer) => {
                let family = Some(line.saved.family);
                self.lines.borrow_mut().insert(ask.line, line);
                Ok(DatabaseAnswer { family, ..answer })
            }
            Err(failure) => {
                let fault = failure.told(&line.saved.name, self.card);
                if failure.leaves_connection {
                    self.lines.borrow_mut().insert(ask.line, line);
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
    fn line(&self, ask: &DatabaseAsk, within: &Within<'_>) -> Result<Line, DatabaseFault> {
        if let Some(line) = self.lines.borrow_mut().remove(&ask.line) {
            return Ok(line);
        }
        let refused = |message: String| DatabaseFault { message, ..DatabaseFault::default() };
        if !ask.shared && self.broken.borrow().contains(&ask.line) {
            return Err(refused(
                "the connection to the database ended after an earlier error; open another one".into(),
            ));
        }
        if self.lines.borrow().len() >= limits::CODE_CONNECTIONS_MAX {
            return Err(refused(format!(
                "code has {} connections to databases already; end or release those that are not needed",
                limits::CODE_CONNECTIONS_MAX
            )));
        }
        let saved = saved::find(self.host, &ask.place).map_err(refused)?;
        let client: Result<Box<dyn Client>, Failure> = match saved.family {
            DatabaseFamily::Postgres => postgres::open(&saved, self.host, within),
            DatabaseFamily::Mysql => mysql::open(&saved, self.host, within),
        };
        match client {
            Ok(client) => Ok(Line { saved, client }),
            Err(failure) => Err(failure.told(&saved.name, self.card)),
        }
    }
}

impl Databases for CodeDatabases<'_> {
    fn ask(&self, ask: &DatabaseAsk, time: Duration) -> Result<DatabaseAnswer, DatabaseFault> {
        let time = time.min(Duration::from_secs(limits::CODE_QUERY_SECONDS));
        // Ends with the run, and when the time is up for all that one call needs: signing in too.
        let cancel = Cancel::new(Some(time));
        let (run, own) = (self.host.cancel(), cancel.clone());
        let _ends = run.on_cancel(move || own.cancel(Reason::Aborted));
        self.done(ask, &Within { cancel: &cancel, time })
    }
}

impl Drop for CodeDatabases<'_> {
    fn drop(&mut self) {
        for line in std::mem::take(self.lines.get_mut()).into_values() {
            line.client.close();
        }
    }
}
