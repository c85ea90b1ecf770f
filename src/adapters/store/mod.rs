//! The database: the truth for flows, keys, people, credentials, variables and conversations. redb lives here
//! and nowhere else.
//!
//! An operation opens one transaction and passes it down; what it reads is its own. Records of a workspace are
//! asked for with the workspace (`typed.rs`), so a query that forgets it does not compile.

mod checksum;
mod compaction;
pub(crate) mod engine;
mod keys;
mod migrations;
mod page_damage;
pub mod queries;
mod row_damage;
mod snapshot;
mod table_report;
pub mod tables;
mod transaction;
mod typed;
pub(crate) mod wal;

#[cfg(test)]
mod tests;

use crate::domain::conversations::conversation::{Message, Utterance};
use crate::domain::damage::Damage;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FlowId, WorkspaceId};
pub use crate::store::compaction::{FileSizes, bytes_on_disk};
use crate::store::engine::checkpointer::Checkpointer;
use crate::store::engine::database::{AppendResult, StorageEngine};
use crate::store::engine::group_commit::{GroupCommit, LeaderPanicked};
pub use crate::store::engine::read_cache::ReadCache;
pub use crate::store::engine::recovery::{LogError, OpenError};
use crate::store::engine::write_group::{self, CommitError, WriteGroup};
use crate::store::engine::{overlay, recovery, upgrade_copy};
use crate::store::migrations::{CURRENT_FORMAT, FormatState};
use crate::store::queries::messages::MessageBatch;
pub use crate::store::snapshot::Snapshot;
pub use crate::store::transaction::{MessageReader, MessagesTx, Order, ReadTx, Tx, WriteTx};
pub use crate::store::typed::{GlobalTable, WorkspaceTable, WorkspaceTexts};
use crate::store::wal::log::WriteAheadLog;
pub use keys::{AsKey, KeyRange, RecordId};
use serde::de::DeserializeOwned;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What reading a format needs of a database.
const UPGRADE_STATE_CACHE_BYTES: usize = 1024 * 1024;

/// How a database stands to this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpgradeState {
    /// It is in the format this program writes.
    Ready { format: u32 },
    /// Opening it brings it from one format to the other; both are the same where only tables are missing.
    Due { found: u32, known: u32 },
}

/// The open database.
pub struct Store {
    engine: Arc<StorageEngine>,
    write_group: Arc<WriteGroup>,
    append_group: GroupCommit<MessageBatch, Result<()>>,
    checkpointer: Checkpointer,
}

impl Store {
    /// Opens the database file at `path`, makes it when there is none, and upgrades an older format.
    ///
    /// # Errors
    /// Says what is wrong and what to do next.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Self::new(StorageEngine::open(path)?)
    }

    /// Opens the database file at `path` to look at it: no file beside it or in it changes, whatever is written here.
    ///
    /// # Errors
    /// As [`Self::open`]; when there is none.
    pub fn open_read_only(path: &Path) -> Result<Self, OpenError> {
        Self::new(StorageEngine::open_read_only(path)?)
    }

    fn new(engine: StorageEngine) -> Result<Self, OpenError> {
        let (engine, write_group) = (Arc::new(engine), Arc::<WriteGroup>::default());
        let checkpointer = Checkpointer::start(engine.clone(), write_group.clone())?;
        Ok(Self { engine, write_group, append_group: GroupCommit::new(), checkpointer })
    }

    /// How the database at `path` stands to this program. Nothing changes, and nobody uses the database meanwhile.
    ///
    /// # Errors
    /// As [`Self::open`]; when there is none.
    pub fn upgrade_state(path: &Path) -> Result<UpgradeState, OpenError> {
        let database = overlay::open(path, UPGRADE_STATE_CACHE_BYTES)?;
        match recovery::format_state(&database)?.0 {
            FormatState::Newer(found) => Err(OpenError::NewerFormat { found, known: CURRENT_FORMAT }),
            FormatState::NewerProgram(version) => Err(OpenError::NewerProgram(version)),
            FormatState::Older(found) => Ok(UpgradeState::Due { found, known: CURRENT_FORMAT }),
            FormatState::Ready | FormatState::OtherProgram => {
                Ok(UpgradeState::Ready { format: CURRENT_FORMAT })
            }
        }
    }

    /// Where the database at `path` is kept as it was before its last upgrade; there need not have been one.
    #[must_use]
    pub fn upgrade_copy(path: &Path) -> PathBuf {
        upgrade_copy::folder(path)
    }

    /// Everything that the database at `path` consists of; a file that is not needed yet is not there.
    #[must_use]
    pub fn files(path: &Path) -> [PathBuf; 3] {
        let [first, second] = WriteAheadLog::paths(path);
        [path.to_owned(), first, second]
    }

    /// Keeps services away from the database at `path` until what is returned is dropped; `None` when one uses it. The database need
    /// not be sound.
    ///
    /// # Errors
    /// When there is a file and it cannot be opened.
    pub fn lock(path: &Path) -> std::io::Result<Option<DatabaseLock>> {
        let file = match std::fs::File::open(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Some(DatabaseLock(None)));
            }
            opened => opened?,
        };
        match file.try_lock() {
            Ok(()) => Ok(Some(DatabaseLock(Some(file)))),
            Err(std::fs::TryLockError::WouldBlock) => Ok(None),
            Err(std::fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// True when there is a database at `path`; one that a start was killed over before it had become one is none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn exists(path: &Path) -> std::io::Result<bool> {
        Ok(crate::store::engine::create::completion_state(path)? == Some(true))
    }

    /// Runs `f` over a snapshot of everything but messages. It blocks no writer and waits for none.
    ///
    /// # Errors
    /// What `f` returns, or [`crate::domain::error::Error::Internal`] when the database cannot be read.
    pub fn read<T>(&self, f: impl FnOnce(&ReadTx) -> Result<T>) -> Result<T> {
        self.with_snapshot(|tx| f(&tx))
    }

    /// As [`Self::read`], over a snapshot that has every message acknowledged before. It waits for a writer when there are
    /// messages that the database itself does not have yet.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_messages<T>(&self, f: impl FnOnce(&MessagesTx) -> Result<T>) -> Result<T> {
        self.checkpointer.drain_if_large(&self.engine);
        if let Some(watermark) = self.engine.memtable.latest() {
            self.write_group.drain_memtable(&self.engine, watermark)?;
        }
        self.with_snapshot(|tx| f(&MessagesTx::assume_drained(tx)))
    }

    /// What `f` reads under `key`, which is read again only after the database changed. `f` looks at nothing outside the
    /// database that may change.
    ///
    /// # Errors
    /// As [`Self::read`]; a failure is not kept.
    pub fn read_cached<K: Copy + Eq + Hash, V: Clone>(
        &self,
        cache: &ReadCache<K, V>,
        key: &K,
        f: impl FnOnce(&ReadTx) -> Result<V>,
    ) -> Result<V> {
        let version = self.engine.commit_version();
        if let Some(known) = cache.get(version, key) {
            return Ok(known);
        }
        let value = self.read(f)?;
        cache.insert(version, key, value.clone());
        Ok(value)
    }

    fn with_snapshot<T>(&self, f: impl FnOnce(ReadTx) -> Result<T>) -> Result<T> {
        if self.engine.is_poisoned() {
            self.write_group.try_recover(&self.engine);
        }
        let result = self.engine.begin_read().and_then(f);
        result.inspect_err(|error| self.engine.inspect_error(error))
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
        self.read_conversation(workspace, flow, chat, newest)
    }

    /// As [`Self::conversation`], without what a memory does not read.
    ///
    /// # Errors
    /// As [`Self::conversation`].
    pub fn utterances(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        chat: &ChatId,
        newest: usize,
    ) -> Result<Vec<Utterance>> {
        self.read_conversation(workspace, flow, chat, newest)
    }

    fn read_conversation<M: DeserializeOwned>(
        &self,
        workspace: &WorkspaceId,
        flow: &FlowId,
        chat: &ChatId,
        newest: usize,
    ) -> Result<Vec<M>> {
        // First, and the snapshot after: what is stored in between is in both.
        let pending = self.engine.memtable.of_chat(workspace, flow, chat, newest);
        self.with_snapshot(|tx| {
            let tx = MessagesTx::assume_drained(tx);
            let messages = crate::store::queries::messages::of_chat_with_pending(
                &tx, workspace, flow, chat, newest, &pending,
            )?;
            Ok(messages.unwrap_or_default())
        })
    }

    /// Runs `f` in a transaction and returns when its writes are durable. When `f` fails, nothing it wrote
    /// stays. `f` may run more than once (`engine/write_group.rs` says when), so it must have no effect beyond its
    /// transaction; and it must be quick, because other writers wait for it.
    ///
    /// # Errors
    /// What `f` returns, or [`crate::domain::error::Error::Internal`] when the change did not reach the disk.
    ///
    /// # Panics
    /// When called inside another write of the same thread.
    pub fn write<T>(&self, f: impl Fn(&WriteTx) -> Result<T>) -> Result<T> {
        self.checkpointer.drain_if_large(&self.engine);
        let result = self.write_group.write(&self.engine, &f);
        self.request_checkpoint_if_due();
        result
    }

    /// As [`Self::write`], and stores messages in the same transaction, after all others. What came of each batch of them: 404
    /// where its flow is not (any more) in the workspace.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn write_with_messages<T>(
        &self,
        batches: &[&MessageBatch],
        f: impl Fn(&WriteTx) -> Result<T>,
    ) -> Result<(T, Vec<Result<()>>)> {
        self.write(|tx| {
            let written = f(tx)?;
            let stored =
                if batches.is_empty() { Vec::new() } else { self.engine.store_messages(tx, batches)? };
            Ok((written, stored))
        })
    }

    /// True in a thread that runs a closure of [`Self::write`], where nothing may be waited for that somebody else holds while
    /// waiting for the database.
    #[must_use]
    pub fn is_in_write() -> bool {
        write_group::is_in_write()
    }

    /// Stores messages after all others and returns when they are durable. Every answer does this, so those who do it
    /// at the same moment share one operation.
    ///
    /// # Errors
    /// 404 when a flow is not (any more) in the workspace; [`Error::Internal`] when they did not reach the disk.
    pub fn append(&self, batch: MessageBatch) -> Result<()> {
        let result =
            self.append_group.submit_and_wait(batch, |all| self.append_all(&all)).unwrap_or_else(fail_append);
        self.request_checkpoint_if_due();
        result
    }

    /// As [`Self::append`], but `done` is called with the result, by this thread or another and perhaps before this
    /// returns. It must be quick, because others wait for it, and must not append anything itself.
    pub fn append_then(&self, batch: MessageBatch, done: impl FnOnce(Result<()>) + Send + 'static) {
        let done = |appended: Result<_, LeaderPanicked>| done(appended.unwrap_or_else(fail_append));
        self.append_group.submit(batch, done, |all| self.append_all(&all));
        self.request_checkpoint_if_due();
    }

    fn append_all(&self, batches: &[MessageBatch]) -> Vec<Result<()>> {
        let appended = self.engine.append_messages(batches).and_then(|kept| match kept {
            // When the checkpoint is over there is room.
            AppendResult::LogFull => {
                self.checkpointer.wait_for_checkpoint();
                self.engine.append_messages(batches)
            }
            kept => Ok(kept),
        });
        if let Ok(AppendResult::Done(results)) = appended {
            return results;
        }
        // A failure shows in the change that is made instead, which also knows how to open the database anew.
        self.write_group
            .write(&self.engine, &|tx: &WriteTx| self.engine.store_messages(tx, batches))
            .unwrap_or_else(|error| {
                let why: Arc<str> = error.to_string().into();
                batches.iter().map(|_| Err(Error::internal(CommitError(why.clone())))).collect()
            })
    }

    /// Looks at every row of every table, one table after the other, until `is_cancelled` says so.
    ///
    /// # Errors
    /// [`Error::Cancelled`] then; [`Error::Internal`] when the database cannot be opened.
    pub fn verify(&self, is_cancelled: &dyn Fn() -> bool) -> Result<DatabaseReport> {
        let mut report = DatabaseReport::default();
        for table in tables::ALL {
            let found = self.read_messages(|tx| tx.examine(table, is_cancelled))?;
            report.rows += found.rows;
            report.damages.extend(
                found.damaged_keys.iter().map(|key| crate::store::row_damage::row_damage(table, key)),
            );
            if !found.is_complete {
                report.damages.push(crate::store::row_damage::table_damage(table));
            }
        }
        Ok(report)
    }

    /// Has a checkpoint made when a segment of the log is full. Nobody waits for it as long as the other one has room.
    fn request_checkpoint_if_due(&self) {
        if self.engine.take_checkpoint_duty() {
            self.checkpointer.request_checkpoint();
        }
    }
}

/// The lock that an open database has, held by somebody who does not open it.
pub struct DatabaseLock(Option<std::fs::File>);

impl DatabaseLock {
    /// False where there was none to lock.
    #[must_use]
    pub const fn has_database(&self) -> bool {
        self.0.is_some()
    }
}

/// What was found in the whole database.
#[derive(Debug, Default)]
pub struct DatabaseReport {
    pub rows: u64,
    /// What is not what was stored.
    pub damages: Vec<Damage>,
}

fn fail_append(LeaderPanicked: LeaderPanicked) -> Result<()> {
    Err(Error::internal(CommitError("the thread that stored them failed".into())))
}
