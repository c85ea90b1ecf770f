//! What became of filling a vector store: remembered for the people who look after the flow (reference canvas 3.6).

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
