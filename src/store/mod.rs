//! The database: the truth for flows, keys, people, credentials, variables and conversations. redb lives here
//! and nowhere else.
//!
//! An operation opens one transaction and passes it down; what it reads is its own. Records of a workspace are
//! asked for with the workspace (`shelf.rs`), so a query that forgets it does not compile.

pub mod audit;
mod changes;
pub mod collections;
mod combine;
mod commit;
pub mod feedback;
pub mod index_rows;
mod journal;
mod keys;
pub mod leads;
pub mod messages;
mod open;
pub mod passage_records;
pub mod passages;
pub mod places;
mod shelf;
pub mod tables;
mod tx;
mod upgrade;
mod upgrade_audit;
mod upgrade_passages;

#[cfg(test)]
mod journal_tests;
#[cfg(test)]
mod message_tests;
#[cfg(test)]
mod tests;

pub use keys::{AsKey, KeyRange, RecordId};
pub use open::OpenError;
pub use shelf::{Register, Shelf, Texts};
pub use tx::{Order, ReadTx, Tx, WriteTx};

use crate::domain::error::{Error, Result};
use combine::{Combine, Lost};
use commit::{Commits, NotCommitted};
use messages::Said;
use open::Handle;
use std::path::Path;
use std::sync::Arc;

/// The open database.
pub struct Store {
    handle: Handle,
    commits: Commits,
    appends: Combine<Said, Result<()>>,
}

impl Store {
    /// Opens the database file at `path`, makes it when there is none, and upgrades an older format.
    ///
    /// # Errors
    /// Says what is wrong and what to do next.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Ok(Self { handle: Handle::open(path)?, commits: Commits::default(), appends: Combine::new() })
    }

    /// Runs `f` over a snapshot. It blocks no writer and no writer blocks it.
    ///
    /// # Errors
    /// What `f` returns, or [`crate::domain::error::Error::Internal`] when the database cannot be read.
    pub fn read<T>(&self, f: impl FnOnce(&ReadTx) -> Result<T>) -> Result<T> {
        if self.handle.is_sick() {
            self.commits.try_heal(&self.handle);
        }
        let result = self.handle.begin_read().and_then(|tx| f(&tx));
        result.inspect_err(|error| self.handle.notice(error))
    }

    /// Runs `f` in a transaction and returns when its writes are durable. When `f` fails, nothing it wrote
    /// stays. `f` may run more than once (`commit.rs` says when), so it must have no effect beyond its
    /// transaction; and it must be quick, because other writers wait for it.
    ///
    /// # Errors
    /// What `f` returns, or [`crate::domain::error::Error::Internal`] when the change did not reach the disk.
    ///
    /// # Panics
    /// When called inside another write of the same thread.
    pub fn write<T>(&self, f: impl Fn(&WriteTx) -> Result<T>) -> Result<T> {
        self.commits.write(&self.handle, &f)
    }

    /// Stores messages after all others and returns when they are durable. Every answer does this, so those who do it
    /// at the same moment share one operation.
    ///
    /// # Errors
    /// 404 when a flow is not (any more) in the workspace; [`Error::Internal`] when they did not reach the disk.
    pub fn append(&self, said: Said) -> Result<()> {
        let work = |all: Vec<Said>| match self.write(|tx| messages::append_all(tx, &all)) {
            Ok(results) => results,
            Err(error) => {
                let why: Arc<str> = error.to_string().into();
                all.iter().map(|_| Err(Error::internal(NotCommitted(why.clone())))).collect()
            }
        };
        let lost = |Lost| Err(Error::internal(NotCommitted("the thread that stored them failed".into())));
        self.appends.run(said, work).unwrap_or_else(lost)
    }
}
