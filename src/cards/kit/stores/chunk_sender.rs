//! Chunks on their way to a database on another server: embedded and stored some at a time. What was stored before a failure
//! stays.

use super::collections::Collections;
use super::remote::{RemoteChunk, RemoteVectorStore, VectorDatabase};
use super::waiting_chunks::WaitingChunks;
use crate::domain::conversations::uploads::StoragePermit;
use crate::domain::error::{Error, Result};
use crate::domain::knowledge::upsert::UpsertProgress;
use crate::domain::predictions::prediction::Document;
use crate::kit::capabilities::host::Host;
use uuid::Uuid;

/// Chunks of the first request, which tell how long the vectors are.
const FIRST_CHUNKS: usize = 8;
/// Numbers of all vectors in one request: together with their texts within what databases take.
const NUMBERS_AT_ONCE: usize = 60_000;

pub(super) struct ChunkSender<'s, D> {
    store: &'s RemoteVectorStore<D>,
    leave: Option<(&'s dyn Collections, StoragePermit)>,
    host: &'s dyn Host,
    waiting: WaitingChunks<Uuid>,
    /// Chunks of one request; `None` before the first of them told how long vectors are.
    size: Option<usize>,
    done: usize,
    total: usize,
}

impl<'s, D: VectorDatabase> ChunkSender<'s, D> {
    pub(super) fn new(
        store: &'s RemoteVectorStore<D>,
        leave: Option<(&'s dyn Collections, StoragePermit)>,
        total: usize,
        host: &'s dyn Host,
    ) -> Self {
        Self { store, leave, host, waiting: WaitingChunks::new(), size: None, done: 0, total }
    }

    /// Takes a chunk, and sends those that wait when they are enough.
    ///
    /// # Errors
    /// What the embeddings card or the database fails with; [`Error::Cancelled`] when the run ended.
    pub(super) fn push(&mut self, name: Uuid, chunk: Document) -> Result<()> {
        let enough = self.size.unwrap_or(FIRST_CHUNKS);
        if self.waiting.push(name, chunk, enough) { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        let some = self.waiting.take();
        self.send_some(&some.iter().map(|(name, chunk)| (*name, chunk)).collect::<Vec<_>>())
    }

    /// All chunks came.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub(super) fn finish(mut self) -> Result<()> {
        self.flush()?;
        self.host.report_progress(UpsertProgress::embedding(self.done, self.done));
        Ok(())
    }

    /// Sends chunks, all there are.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub(super) fn send(mut self, named: &[(Uuid, &Document)]) -> Result<()> {
        self.send_some(named)?;
        self.finish()
    }

    fn send_some(&mut self, named: &[(Uuid, &Document)]) -> Result<()> {
        let mut rest = named;
        while !rest.is_empty() {
            Error::check_cancelled(self.host.cancel())?;
            self.host.report_progress(UpsertProgress::embedding(self.done, self.total));
            let some = rest.len().min(self.size.unwrap_or(FIRST_CHUNKS));
            let (now, later) = rest.split_at(some);
            self.store_now(now)?;
            self.done += now.len();
            rest = later;
        }
        Ok(())
    }

    fn store_now(&mut self, now: &[(Uuid, &Document)]) -> Result<()> {
        let (store, cancel) = (self.store, self.host.cancel());
        let texts: Vec<&str> = now.iter().map(|(_, chunk)| chunk.page_content.as_str()).collect();
        let vectors = store.inputs.embeddings.embed(&texts, self.host)?;
        let size = match self.size {
            Some(size) => size,
            None => {
                let dimensions = vectors.first().map_or(1, Vec::len);
                store.card_result(store.database.prepare(dimensions, cancel))?;
                let size = (NUMBERS_AT_ONCE / dimensions.max(1)).clamp(1, store.batch.max(1));
                *self.size.insert(size)
            }
        };
        let rows: Vec<RemoteChunk<'_>> = now
            .iter()
            .zip(vectors)
            .map(|(&(name, chunk), vector)| RemoteChunk { name, vector, chunk })
            .collect();
        for some in rows.chunks(size) {
            if let Some((library, leave)) = &self.leave {
                library.require_valid(leave)?;
            }
            store.card_result(store.database.put(some, cancel))?;
        }
        Ok(())
    }
}
