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
mod create;
pub mod feedback;
mod handle;
pub mod index_rows;
mod journal;
mod journals;
mod keys;
pub mod leads;
mod look;
mod memo;
pub mod messages;
mod open;
pub mod passage_records;
pub mod passages;
pub mod places;
mod rows;
mod shelf;
mod sums;
pub mod tables;
mod tail;
mod tx;
mod upgrade;
mod upgrade_audit;
mod upgrade_passages;
mod upgrade_sums;

#[cfg(test)]
mod append_tests;
#[cfg(test)]
mod journal_tests;
#[cfg(test)]
mod message_tests;
#[cfg(test)]
mod rot_tests;
#[cfg(test)]
mod tail_tests;
#[cfg(test)]
mod tests;

pub use keys::{AsKey, KeyRange, RecordId};
pub use memo::Memo;
pub use open::{JournalFault, OpenError};
pub use shelf::{Register, Shelf, Texts};
pub use tx::{Order, ReadTx, Tx, WriteTx};

use crate::domain::conversation::Message;
use crate::domain::damage::Damage;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
use combine::{Combine, Lost};
use commit::{Commits, NotCommitted};
use handle::{Handle, Keep};
use journals::Journals;
use messages::Said;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tx::Sees;

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
        Ok(Self::with(Handle::open(path)?))
    }

    /// Opens the database file at `path` to look at it: no file beside it or in it changes, whatever is written here.
    ///
    /// # Errors
    /// As [`Self::open`]; when there is none.
    pub fn look(path: &Path) -> Result<Self, OpenError> {
        Ok(Self::with(Handle::look(path)?))
    }

    fn with(handle: Handle) -> Self {
        Self { handle, commits: Commits::default(), appends: Combine::new() }
    }

    /// Everything that the database at `path` consists of; a file that is not needed yet is not there.
    #[must_use]
    pub fn files(path: &Path) -> [PathBuf; 3] {
        let [first, second] = Journals::paths(path);
        [path.to_owned(), first, second]
    }

    /// True when there is a database at `path`; one that a start was killed over before it had become one is none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn is_at(path: &Path) -> std::io::Result<bool> {
        Ok(create::is_begun(path)? == Some(true))
    }

    /// Runs `f` over a snapshot. It blocks no writer; it waits for one only when there are messages that the database
    /// itself does not have yet.
    ///
    /// # Errors
    /// What `f` returns, or [`crate::domain::error::Error::Internal`] when the database cannot be read.
    pub fn read<T>(&self, f: impl FnOnce(&ReadTx) -> Result<T>) -> Result<T> {
        if let Some(ahead) = self.handle.tail.ahead() {
            self.commits.settle(&self.handle, ahead)?;
        }
        self.read_as(Sees::All, f)
    }

    /// As [`Self::read`] for what looks at no messages, which every answer does: no writer is ever waited for. To look at
    /// messages in it is an error.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_but_messages<T>(&self, f: impl FnOnce(&ReadTx) -> Result<T>) -> Result<T> {
        self.read_as(Sees::AllButMessages, f)
    }

    /// What `f` reads under `key`, which is read again only after the database changed. `f` looks at no messages, as in
    /// [`Self::read_but_messages`], and at nothing outside the database that may change.
    ///
    /// # Errors
    /// As [`Self::read`]; a failure is not kept.
    pub fn recall<K: Copy + Eq + Hash, V: Clone>(
        &self,
        memo: &Memo<K, V>,
        key: &K,
        f: impl FnOnce(&ReadTx) -> Result<V>,
    ) -> Result<V> {
        let now = self.handle.changed();
        if let Some(known) = memo.get(now, key) {
            return Ok(known);
        }
        let value = self.read_but_messages(f)?;
        memo.keep(now, key, value.clone());
        Ok(value)
    }

    fn read_as<T>(&self, sees: Sees, f: impl FnOnce(&ReadTx) -> Result<T>) -> Result<T> {
        if self.handle.is_sick() {
            self.commits.try_heal(&self.handle);
        }
        let result = self.handle.begin_read(sees).and_then(|tx| f(&tx));
        result.inspect_err(|error| self.handle.notice(error))
    }

    /// The newest `newest` messages of a conversation, oldest first; none when the flow is not in the workspace. No writer
    /// is waited for.
    ///
    /// # Errors
    /// [`Error::Internal`] when the database or a message cannot be read.
    pub fn conversation(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        chat: &ChatId,
        newest: usize,
    ) -> Result<Vec<Message>> {
        // First, and the snapshot after: what is stored in between is in both.
        let waiting = self.handle.tail.of_chat(workspace, flow, chat, newest);
        self.read_as(Sees::All, |tx| {
            let messages = messages::of_chat_with(tx, workspace, flow, chat, newest, &waiting)?;
            Ok(messages.unwrap_or_default())
        })
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
        let written = self.commits.write(&self.handle, &f);
        self.flush_if_due();
        written
    }

    /// Stores messages after all others and returns when they are durable. Every answer does this, so those who do it
    /// at the same moment share one operation.
    ///
    /// # Errors
    /// 404 when a flow is not (any more) in the workspace; [`Error::Internal`] when they did not reach the disk.
    pub fn append(&self, said: Said) -> Result<()> {
        let appended = self.appends.run(said, |all| self.append_all(&all)).unwrap_or_else(lost);
        self.flush_if_due();
        appended
    }

    /// As [`Self::append`], but `done` is called with the result, by this thread or another and perhaps before this
    /// returns. It must be quick, because others wait for it, and must not append anything itself.
    pub fn append_then(&self, said: Said, done: impl FnOnce(Result<()>) + Send + 'static) {
        let done = |appended: Result<_, Lost>| done(appended.unwrap_or_else(lost));
        self.appends.hand_over(said, done, |all| self.append_all(&all));
        // Nobody waits for this thread any more.
        self.flush_if_due();
    }

    fn append_all(&self, all: &[Said]) -> Vec<Result<()>> {
        let kept = self.handle.keep(all).and_then(|kept| match kept {
            // Whoever flushes already is waited for, and then there is room.
            Keep::NoRoom => self.commits.flush(&self.handle).and_then(|()| self.handle.keep(all)),
            kept => Ok(kept),
        });
        if let Ok(Keep::Done(results)) = kept {
            return results;
        }
        // A failure is told by the change that is made instead, which also knows how to open the database anew.
        self.commits.write(&self.handle, &|tx: &WriteTx| self.handle.store(tx, all)).unwrap_or_else(|error| {
            let why: Arc<str> = error.to_string().into();
            all.iter().map(|_| Err(Error::internal(NotCommitted(why.clone())))).collect()
        })
    }

    /// Looks at every row of every table, one table after the other, until `is_over` says so.
    ///
    /// # Errors
    /// [`Error::Cancelled`] then; [`Error::Internal`] when the database cannot be opened.
    pub fn verify(&self, is_over: &dyn Fn() -> bool) -> Result<Verified> {
        let mut verified = Verified::default();
        for table in tables::ALL {
            let found = self.read(|tx| tx.examine(table, is_over))?;
            verified.rows += found.rows;
            verified.damages.extend(found.damaged.iter().map(|key| rows::damaged(table, key)));
            if !found.is_whole {
                verified.damages.push(rows::damaged_table(table));
            }
        }
        Ok(verified)
    }

    /// Flushes the database when a file of the journal is full. The one who does it waits; others go on.
    fn flush_if_due(&self) {
        if self.handle.must_flush()
            && let Err(error) = self.commits.flush(&self.handle)
        {
            tracing::warn!(%error, "the database was not flushed; its journal has everything");
        }
    }
}

/// What was found in the whole database.
#[derive(Debug, Default)]
pub struct Verified {
    /// Rows that were looked at.
    pub rows: u64,
    /// What is not what was stored.
    pub damages: Vec<Damage>,
}

fn lost(Lost: Lost) -> Result<()> {
    Err(Error::internal(NotCommitted("the thread that stored them failed".into())))
}
