//! Checkpoints: everything goes into the database itself, and the log begins anew.

use crate::domain::error::Result;
use crate::store::queries::messages;
use crate::store::tables::META;
use crate::store::transaction::{WriteTx, database_error};
use crate::store::wal::log::{KnownLength, LogMark, NewSegment, WriteAheadLog};
use crate::store::wal::memtable::PendingRecord;

/// What the database knows of its log, in the table of facts about it: [`LogMark`].
pub(in crate::store) const LOG_MARK_KEY: &[u8] = b"journal";

/// What comes after a checkpoint of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum CheckpointMode {
    /// Changes, for which a segment of the log is begun.
    KeepLogging,
    /// None yet, or none any more: the database must be good without its log.
    CloseLog,
}

/// Commits everything into the database itself, with `pending` of the messages, and with an epoch that makes all records of
/// the log stale.
pub(in crate::store) fn checkpoint(
    tx: WriteTx,
    pending: &[PendingRecord],
    log: Option<&mut WriteAheadLog>,
    mode: CheckpointMode,
) -> Result<()> {
    let Some(log) = log else { return tx.commit_durable().map_err(database_error) };
    // Epochs are at random: a database that was put back to an older state must never meet records of what it forgot.
    let new_segment = if mode == CheckpointMode::KeepLogging { log.begin_segment(new_epoch) } else { None };
    let none = || LogMark { epoch: new_epoch(), length: KnownLength::Bytes(0) };
    let mark = new_segment.map_or_else(none, NewSegment::mark);
    checkpoint_with(tx, pending, mark)?;
    log.reset(mark, new_segment);
    Ok(())
}

/// As [`checkpoint`], with a segment that the log has begun already.
pub(in crate::store) fn checkpoint_with(tx: WriteTx, pending: &[PendingRecord], mark: LogMark) -> Result<()> {
    if !pending.is_empty() {
        messages::store(&tx, pending)?;
    }
    tx.put(META, LOG_MARK_KEY, &mark.to_bytes())?;
    tx.commit_durable().map_err(database_error)
}

/// An epoch that no database had before.
pub(in crate::store) fn new_epoch() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().1
}
