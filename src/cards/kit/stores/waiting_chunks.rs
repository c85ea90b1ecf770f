//! Chunks that wait until there are enough of them to be embedded in one call.

use crate::domain::predictions::prediction::Document;

/// Bytes of text that wait to be embedded.
const WAITING_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Chunks with the names that they are stored under.
pub(super) struct WaitingChunks<K> {
    chunks: Vec<(K, Document)>,
    bytes: usize,
}

impl<K> WaitingChunks<K> {
    pub(super) const fn new() -> Self {
        Self { chunks: Vec::new(), bytes: 0 }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Takes one more; true when they are as many as `enough`, or have enough text.
    pub(super) fn push(&mut self, name: K, chunk: Document, enough: usize) -> bool {
        self.bytes += chunk.page_content.len();
        self.chunks.push((name, chunk));
        self.chunks.len() >= enough || self.bytes >= WAITING_BYTES_MAX
    }

    /// Hands over those that wait, and begins anew.
    pub(super) fn take(&mut self) -> Vec<(K, Document)> {
        self.bytes = 0;
        std::mem::take(&mut self.chunks)
    }
}
