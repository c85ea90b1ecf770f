//! What became of filling a vector store: remembered for the people who look after the flow (manual 10.5).

use super::ids::FillingId;
use crate::limits::{FILLING_SAMPLE_CHARS_MAX, FILLING_SAMPLES_MAX};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::prediction::SourceDocument;

/// One filling. Passages are kept as samples: the store has them all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Filling {
    /// Id.
    pub id: FillingId,
    /// When it was done.
    pub date: Timestamp,
    /// What it did.
    pub counts: FillingCounts,
    /// The beginnings of its first new passages.
    pub samples: Vec<SourceDocument>,
    /// The cards that took part, in the order in which they were built.
    pub cards: Vec<FillingCard>,
}

/// How far a filling is (manual 10.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// What it does now.
    pub phase: Phase,
    /// Passages this is done for.
    pub done: usize,
    /// Passages it is to be done for; `None` as long as nobody knows.
    pub total: Option<usize>,
}

impl Progress {
    /// Before anything is known.
    pub const BEGUN: Self = Self::loading(0);

    /// While documents are read and cut.
    #[must_use]
    pub const fn loading(done: usize) -> Self {
        Self { phase: Phase::Loading, done, total: None }
    }

    /// While vectors are made.
    #[must_use]
    pub const fn embedding(done: usize, total: usize) -> Self {
        Self { phase: Phase::Embedding, done, total: Some(total) }
    }

    /// While passages are written.
    #[must_use]
    pub const fn storing(done: usize, total: usize) -> Self {
        Self { phase: Phase::Storing, done, total: Some(total) }
    }
}

/// What a filling does, in this order. A store that embeds and writes some at a time says `embedding` for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Reads documents and cuts them.
    Loading,
    /// Makes vectors.
    Embedding,
    /// Writes passages.
    Storing,
}

/// How many passages were what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct FillingCounts {
    pub num_added: usize,
    pub num_deleted: usize,
    pub num_updated: usize,
    pub num_skipped: usize,
    pub total_keys: usize,
}

/// A card that took part, without its settings: some of them are nobody's business.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FillingCard {
    /// The node.
    pub id: String,
    /// The card.
    pub name: String,
    /// The owner's label.
    pub label: String,
}

/// The beginnings of the first passages.
#[must_use]
pub fn samples(passages: &[SourceDocument]) -> Vec<SourceDocument> {
    let beginning = |passage: &SourceDocument| SourceDocument {
        page_content: passage.page_content.chars().take(FILLING_SAMPLE_CHARS_MAX).collect(),
        metadata: Map::new(),
    };
    passages.iter().take(FILLING_SAMPLES_MAX).map(beginning).collect()
}
