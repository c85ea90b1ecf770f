//! Runs that come to their end before anything of them was written: each is one record of the log, with the messages of its
//! answer, and no change of the database.

use super::run_changes::{Change, RunChanges, RunClose};
use super::writer::{ExecutionWriter, Record, WaitingRun, WriterState};
use crate::domain::error::{Error, Result};
use crate::domain::ids::ExecutionId;
use crate::domain::predictions::execution::Execution;
use crate::domain::resource::ResourceId as _;
use crate::store::queries::executions::WholeRun;
use crate::store::queries::messages::MessageBatch;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// Bytes of a run that is appended with its messages; a larger one would leave a segment of the log no room for others.
const APPENDED_BYTES_MAX: usize = 64 * 1024;

impl ExecutionWriter {
    /// What a run says that ends so, for [`Self::append`], if nothing of it was written yet and it is short.
    ///
    /// # Errors
    /// Gives the end back: it is for [`Self::submit`].
    pub(super) fn take_whole(
        &self,
        record: &Record,
        end: RunClose,
    ) -> std::result::Result<Vec<Change>, RunClose> {
        if !end.is_complete {
            return Err(end);
        }
        let mut queue = self.0.lock();
        // Changes leave in their order.
        let is_whole = |run: &&WaitingRun| {
            matches!(run.changes.first(), Some(Change::Begin(_)))
                && run.bytes <= APPENDED_BYTES_MAX
                && !run.changes.iter().any(|change| matches!(change, Change::Pause(..)))
        };
        if queue.runs.get(&record.id).filter(is_whole).is_none() {
            return Err(end);
        }
        let Some(mut run) = queue.runs.remove(&record.id) else { return Err(end) };
        queue.bytes = queue.bytes.saturating_sub(run.bytes);
        queue.appending.insert(record.id);
        record.settled.fetch_add(run.changes.len() as u64, Ordering::AcqRel);
        run.changes.push(Change::End(end));
        Ok(run.changes)
    }

    /// Appends a run with what was said in it, and calls `done` when both are durable, in this thread or another.
    pub(super) fn append(
        &self,
        record: &Record,
        changes: &[Change],
        said: MessageBatch,
        done: impl FnOnce(Result<()>) + Send + 'static,
    ) {
        let place = AppendPlace { shared: self.0.clone(), id: record.id };
        let done = move |stored| {
            drop(place);
            done(stored);
        };
        match self.whole(changes).and_then(|(_, run)| Ok((self.store()?, run))) {
            Ok((store, run)) => store.append_then(said.with_run(run), done),
            Err(error) => done(Err(error)),
        }
    }

    /// As [`Self::append`], of a run whose messages are stored apart, and waits for it: how it ended.
    ///
    /// # Errors
    /// 404 when its flow was deleted meanwhile; when it could not be stored.
    pub(super) fn append_now(&self, record: &Record, changes: &[Change]) -> Result<Execution> {
        let _place = AppendPlace { shared: self.0.clone(), id: record.id };
        let (ended, run) = self.whole(changes)?;
        let stored = self.store()?.append(MessageBatch::of_run(&record.workspace, run));
        stored.map(|()| ended).map_err(|error| match error {
            Error::NotFound(_) => record.id.not_found(),
            error => error,
        })
    }

    /// Waits for what is being appended.
    pub(super) fn settle_appends(&self) {
        let mut queue = self.0.lock();
        let appending = queue.appending.clone();
        while !appending.is_disjoint(&queue.appending) {
            queue.settlers += 1;
            queue = self.0.progress.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.settlers -= 1;
        }
    }

    fn whole(&self, changes: &[Change]) -> Result<(Execution, WholeRun)> {
        let whole = RunChanges::gather(changes).whole()?;
        whole.ok_or_else(|| Error::internal("a run was taken for one of which nothing is stored"))
    }
}

/// A run that is being appended, until this is dropped.
struct AppendPlace {
    shared: Arc<WriterState>,
    id: ExecutionId,
}

impl Drop for AppendPlace {
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.appending.remove(&self.id);
        let is_awaited = queue.settlers > 0;
        drop(queue);
        if is_awaited {
            self.shared.progress.notify_all();
        }
    }
}
