//! Chunks on their way into a collection: embedded some at a time, and kept where they take no memory until all of them count.

use super::collections::Collections;
use super::row_spool::{RowSpool, SpoolError, SpooledRows};
use super::waiting_chunks::WaitingChunks;
use crate::domain::error::{Error, FullQuota, Result};
use crate::domain::knowledge::upsert::{ShownChunks, UpsertProgress};
use crate::domain::predictions::prediction::Document;
use crate::kit::build::component::Embeddings;
use crate::kit::capabilities::host::Host;
use crate::kit::knowledge::embedding::EMBEDDING_TEXTS_AT_ONCE;
use crate::vectors::{RowId, VectorRow};
use std::io;

pub(super) struct RowWriter<'w> {
    collections: &'w dyn Collections,
    embeddings: &'w dyn Embeddings,
    host: &'w dyn Host,
    waiting: WaitingChunks<RowId>,
    done: usize,
    total: usize,
    spool: RowSpool,
    shown: ShownChunks,
}

impl<'w> RowWriter<'w> {
    /// For so many chunks.
    pub(super) fn new(
        collections: &'w dyn Collections,
        embeddings: &'w dyn Embeddings,
        host: &'w dyn Host,
        total: usize,
    ) -> Self {
        Self {
            collections,
            embeddings,
            host,
            waiting: WaitingChunks::new(),
            done: 0,
            total,
            spool: RowSpool::default(),
            shown: ShownChunks::default(),
        }
    }

    /// Takes a chunk.
    ///
    /// # Errors
    /// What the embeddings card fails with, or the disk; [`Error::Cancelled`] when the run ended.
    pub(super) fn push(&mut self, id: RowId, chunk: Document) -> Result<()> {
        self.shown.push(&chunk);
        if self.waiting.push(id, chunk, EMBEDDING_TEXTS_AT_ONCE) { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        Error::check_cancelled(self.host.cancel())?;
        if self.spool.is_in_file() {
            self.collections.check_disk()?;
        }
        self.host.report_progress(UpsertProgress::embedding(self.done, self.total));
        let some = self.waiting.take();
        let texts: Vec<&str> = some.iter().map(|(_, chunk)| chunk.page_content.as_str()).collect();
        let vectors = self.embeddings.embed(&texts, self.host)?;
        for ((id, chunk), vector) in some.iter().zip(vectors) {
            let text = serde_json::to_string(chunk).map_err(Error::internal)?;
            let row = VectorRow { id: *id, vector, text };
            self.spool.push(&row, || self.collections.spool()).map_err(|fault| match fault {
                SpoolError::Row(misfit) => {
                    Error::RunFailed(format!("The vectors do not fit together: {misfit}."))
                }
                SpoolError::File(fault) => disk_error(fault),
            })?;
        }
        self.done += some.len();
        Ok(())
    }

    /// All chunks came: their rows, and those of them that are shown.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub(super) fn finish(mut self) -> Result<(SpooledRows, Vec<Document>)> {
        if !self.waiting.is_empty() {
            self.flush()?;
        }
        self.host.report_progress(UpsertProgress::embedding(self.done, self.done));
        let rows = self.spool.finish(|| self.collections.spool()).map_err(disk_error)?;
        Ok((rows, self.shown.into_chunks()))
    }
}

fn disk_error(fault: io::Error) -> Error {
    match fault.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::QuotaExceeded(FullQuota::Disk),
        _ => Error::internal(fault),
    }
}
