//! The thread that makes the checkpoints of a store, and gives the database many messages at once.
//!
//! Both go through thousands of redb's pages, which are allocated by one thread and let go by whichever needs the room next. The
//! system's allocator keeps what was let go for the threads that had it, so checkpoints made by every thread that happened to
//! fill a segment left as many times redb's cache behind as there were such threads. One thread has one share.
//!
//! It does nothing that others could not do: who asks for something waits until the thread has tried, and then goes on as if
//! nobody had. So what failed here fails there once more, and is told to the writers that it concerns.

use super::database::StorageEngine;
use super::write_group::{WriteGroup, is_in_write};
use crate::domain::error::Result;
use crate::store::wal::memtable::Watermark;
use std::convert::Infallible;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// So many messages are given to the database by this thread. Fewer touch few pages, and waking a thread would cost more.
const DRAIN_MIN: usize = 32;

/// A handle to the thread, which ends with it.
pub(in crate::store) struct Checkpointer {
    /// Taken by its end.
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

struct Request {
    duty: Duty,
    /// Who waits is told by the end of this channel.
    waiter: Option<SyncSender<Infallible>>,
}

enum Duty {
    /// The checkpoint of a full segment, if it still waits for one.
    Checkpoint,
    /// Messages below this go into the database.
    Drain(Watermark),
}

impl Checkpointer {
    /// Starts the thread. It keeps the engine until it ends, and so closes the database if nobody else has it any more.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(in crate::store) fn start(engine: Arc<StorageEngine>, writers: Arc<WriteGroup>) -> io::Result<Self> {
        let (requests, waiting) = channel();
        let work = move || work(&engine, &writers, &waiting);
        let thread = Builder::new().name("checkpoints".to_owned()).spawn(work)?;
        Ok(Self { requests: Some(requests), thread: Some(thread) })
    }

    /// Has a checkpoint made for a full segment, while the caller goes on.
    pub(in crate::store) fn request_checkpoint(&self) {
        self.send(Request { duty: Duty::Checkpoint, waiter: None });
    }

    /// Waits until the full segment has its checkpoint, or one was tried.
    ///
    /// # Panics
    /// Inside a write, which the checkpoint would wait for.
    pub(in crate::store) fn wait_for_checkpoint(&self) {
        assert!(!is_in_write(), "a checkpoint inside a write would wait for itself");
        self.wait_for(Duty::Checkpoint);
    }

    /// Waits until the database has the messages that it lacks, or that was tried, if they are many. Inside a write nothing
    /// is waited for: what that write sees was settled when its transaction began.
    pub(in crate::store) fn drain_if_large(&self, engine: &StorageEngine) {
        if !is_in_write()
            && let Some(watermark) = engine.memtable.latest_of(DRAIN_MIN)
        {
            self.wait_for(Duty::Drain(watermark));
        }
    }

    fn wait_for(&self, duty: Duty) {
        let (waiter, ended) = sync_channel(0);
        self.send(Request { duty, waiter: Some(waiter) });
        // Nothing is ever sent: it ends when the thread lets go of the request.
        let _ = ended.recv();
    }

    fn send(&self, request: Request) {
        if let Some(requests) = &self.requests {
            // A thread that is gone does nothing, as if it had tried.
            let _ = requests.send(request);
        }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn work(engine: &StorageEngine, writers: &WriteGroup, requests: &Receiver<Request>) {
    for Request { duty, waiter } in requests {
        match catch_unwind(AssertUnwindSafe(|| perform(engine, writers, &duty))) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(
                    target: "flowkeep::store::engine::checkpointer",
                    %error,
                    "the checkpoint failed; the log still holds every change"
                );
            }
            Err(_) => {
                tracing::warn!(
                    target: "flowkeep::store::engine::checkpointer",
                    "the checkpoint ended in a panic; the log still holds every change"
                );
            }
        }
        drop(waiter);
    }
}

fn perform(engine: &StorageEngine, writers: &WriteGroup, duty: &Duty) -> Result<()> {
    match duty {
        // The one before may have been for this segment too.
        Duty::Checkpoint if !engine.is_checkpoint_pending() => Ok(()),
        Duty::Checkpoint => writers.checkpoint(engine),
        Duty::Drain(watermark) => writers.drain_memtable(engine, *watermark),
    }
}
