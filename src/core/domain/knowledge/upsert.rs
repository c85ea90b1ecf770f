//! What became of an upsert into a vector store: remembered for the people who look after the flow (manual 10.5).

use crate::domain::ids::{ChatId, DocumentStoreId, LoaderId, UpsertId};
use crate::domain::predictions::prediction::Document;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Map;

/// Chunks of a filling that are remembered (manual 14.8).
const FILLING_SAMPLES_MAX: usize = 5;
/// Characters of a remembered chunk (manual 14.8).
const FILLING_SAMPLE_CHARS_MAX: usize = 300;

/// New chunks that the answer to a filling shows (manual 14.8).
const FILLING_SHOWN_MAX: usize = 1_000;
/// Bytes of the texts of chunks that the answer to a filling shows (manual 14.8).
const FILLING_SHOWN_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The first of the new chunks of a filling, as many as its answer shows: nobody holds the others.
#[derive(Debug, Default)]
pub struct ShownChunks {
    chunks: Vec<Document>,
    bytes: usize,
}

impl ShownChunks {
    pub fn push(&mut self, chunk: &Document) {
        let bytes = self.bytes + chunk.page_content.len();
        if self.chunks.len() < FILLING_SHOWN_MAX && bytes <= FILLING_SHOWN_BYTES_MAX {
            self.bytes = bytes;
            self.chunks.push(chunk.clone());
        }
    }

    pub fn into_chunks(self) -> Vec<Document> {
        self.chunks
    }
}

/// The first of these chunks that an answer shows.
pub fn shown_of<'c>(chunks: impl IntoIterator<Item = &'c Document>) -> Vec<Document> {
    let mut shown = ShownChunks::default();
    chunks.into_iter().for_each(|chunk| shown.push(chunk));
    shown.into_chunks()
}

/// One upsert. Some chunks are kept as samples: the store has them all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpsertRecord {
    pub id: UpsertId,
    /// When it was done.
    pub date: Timestamp,
    pub counts: UpsertCounts,
    /// The beginnings of its first new chunks.
    pub samples: Vec<Document>,
    /// The cards that took part, in the order in which they were built.
    pub cards: Vec<UpsertCard>,
}

/// What an upsert into a store of a flow did.
#[derive(Debug, Clone, PartialEq)]
pub struct UpsertOutcome {
    pub counts: UpsertCounts,
    /// The first of its new chunks.
    pub shown: Vec<Document>,
    /// The conversation whose files it took in, if it took in such files.
    pub session: Option<UploadSession>,
}

/// A conversation that files were sent ahead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadSession {
    pub chat: ChatId,
    /// The proof with which a question goes on in it.
    pub token: String,
}

/// What became of documents that were added to a document store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreUpsertOutcome {
    pub counts: UpsertCounts,
    pub loader: LoaderId,
    /// The store, when it was made for them.
    pub new_store: Option<DocumentStoreId>,
}

/// What became of a loader that was run again among others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoaderRunOutcome {
    Done(StoreUpsertOutcome),
    Refused { loader: LoaderId, why: String },
}

/// How far an upsert is (manual 10.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpsertProgress {
    pub phase: UpsertPhase,
    pub done: usize,
    /// Chunks it is to be done for; `None` as long as nobody knows.
    pub total: Option<usize>,
}

impl UpsertProgress {
    /// Before anything is known.
    pub const STARTED: Self = Self::loading(0);

    /// While documents are read and cut.
    #[must_use]
    pub const fn loading(done: usize) -> Self {
        Self { phase: UpsertPhase::Loading, done, total: None }
    }

    #[must_use]
    pub const fn embedding(done: usize, total: usize) -> Self {
        Self { phase: UpsertPhase::Embedding, done, total: Some(total) }
    }

    #[must_use]
    pub const fn storing(done: usize, total: usize) -> Self {
        Self { phase: UpsertPhase::Storing, done, total: Some(total) }
    }
}

/// What an upsert does, in this order. A store that embeds and writes some at a time says `embedding` for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum UpsertPhase {
    Loading,
    Embedding,
    Storing,
}

/// How many chunks were added, removed, updated and skipped, and how many are there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpsertCounts {
    pub num_added: usize,
    pub num_deleted: usize,
    pub num_updated: usize,
    pub num_skipped: usize,
    pub total_keys: usize,
}

/// A card that took part, without its settings: some of them are nobody's business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpsertCard {
    pub id: String,
    pub name: String,
    pub label: String,
}

/// The beginnings of the first chunks.
#[must_use]
pub fn sample_chunks(chunks: &[Document]) -> Vec<Document> {
    let beginning = |chunk: &Document| Document {
        page_content: chunk.page_content.chars().take(FILLING_SAMPLE_CHARS_MAX).collect(),
        metadata: Map::new(),
    };
    chunks.iter().take(FILLING_SAMPLES_MAX).map(beginning).collect()
}
