//! What vector store cards of this server share: documents are gathered once, found rows are chunks again.

use super::chunk_source::{ChunkSource, says_something};
use crate::domain::error::{Error, Result};
use crate::domain::knowledge::upsert::UpsertProgress;
use crate::domain::predictions::prediction::Document;
use crate::kit::build::component::Embeddings;
use crate::kit::build::inputs::Inputs;
use crate::kit::capabilities::host::Host;
use crate::kit::knowledge::{Loader, ScoredChunk};
use crate::kit::schema::input::Input;
use crate::kit::schema::wire_type::WireType;
use crate::vectors::SearchHit;
use serde_json::Value;
use std::sync::Arc;

/// Chunks one filling of a vector store may bring that are held all together (manual 14.8).
const FILLING_CHUNKS_MAX: usize = 100_000;

/// Chunks returned when a card says nothing else.
pub const TOP_K: usize = 4;

/// The inputs all vector stores have (manual 10.4).
pub const DOCUMENT: Input = Input::wires("document", "Document", WireType::Document)
    .optional()
    .upsert_only()
    .help("What is stored. It is loaded when the store is filled.");
/// The card that makes the vectors.
pub(crate) const EMBEDDINGS: Input = Input::wire("embeddings", "Embeddings", WireType::Embeddings);
/// How many chunks are returned.
pub(crate) const TOP_K_INPUT: Input =
    Input::whole("topK", "Top K", 1.0, 100.0).additional().help("How many chunks are returned. Empty: 4.");

/// How many chunks the card is set to return.
///
/// # Errors
/// When it is no number within its range.
pub(crate) fn top_k(inputs: &Inputs<'_>) -> Result<usize> {
    // One card of Flowise calls it otherwise.
    let set = inputs.whole(if inputs.declares("K") { "K" } else { TOP_K_INPUT.name })?;
    Ok(set.map_or(TOP_K, |most| usize::try_from(most).unwrap_or(usize::MAX)))
}

/// What the loaders of a vector store bring, with what makes their vectors.
pub(crate) struct StoreInputs {
    label: String,
    loaders: Vec<Arc<dyn Loader>>,
    pub embeddings: Arc<dyn Embeddings>,
}

impl StoreInputs {
    #[cfg(test)]
    pub(crate) fn new(loaders: Vec<Arc<dyn Loader>>, embeddings: Arc<dyn Embeddings>) -> Self {
        Self { label: "Store".to_owned(), loaders, embeddings }
    }

    /// Reads the inputs [`DOCUMENT`] and [`EMBEDDINGS`].
    ///
    /// # Errors
    /// When nothing makes vectors, or something else is wired.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        Ok(Self {
            label: inputs.label.to_owned(),
            loaders: inputs.loaders("document")?,
            embeddings: inputs.embeddings("embeddings")?,
        })
    }

    /// The label of the card.
    #[must_use]
    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// All chunks of all loaders that say something.
    ///
    /// # Errors
    /// What a loader fails with, or when they bring more than a store takes.
    pub(crate) fn documents(&self, host: &dyn Host) -> Result<Vec<Document>> {
        let mut documents = Vec::new();
        for loader in &self.loaders {
            Error::check_cancelled(host.cancel())?;
            host.report_progress(UpsertProgress::loading(documents.len()));
            documents.extend(loader.load(host)?.into_iter().filter(says_something));
            if documents.len() > FILLING_CHUNKS_MAX {
                let what =
                    format!("the documents make more than {FILLING_CHUNKS_MAX} chunks; use longer ones");
                return Err(Error::RunFailed(format!("{}: {what}", self.label)));
            }
        }
        Ok(documents)
    }

    /// What a filling brings: all that [`Self::documents`] brings, or however much, of loaders that bring it a page at a time.
    ///
    /// # Errors
    /// As [`Self::documents`].
    pub(crate) fn chunks(&self, host: &dyn Host) -> Result<ChunkSource<'_>> {
        let paged: Option<Vec<_>> = self.loaders.iter().map(|loader| loader.pages()).collect();
        match paged {
            Some(loaders) if !loaders.is_empty() => Ok(ChunkSource::Paged(loaders)),
            _ => Ok(ChunkSource::Loaded(self.documents(host)?)),
        }
    }

    /// An error that names the card.
    #[must_use]
    pub(crate) fn card_error(&self, what: impl std::fmt::Display) -> Error {
        Error::RunFailed(format!("{}: {what}", self.label))
    }
}

/// Rows as the chunks they were made from.
///
/// # Errors
/// When a row holds something else.
pub(crate) fn scored_chunks(hits: Vec<SearchHit>) -> Result<Vec<ScoredChunk>> {
    let chunk = |hit: SearchHit| {
        let chunk = serde_json::from_str(&hit.text).map_err(Error::internal)?;
        Ok(ScoredChunk { chunk, score: hit.score })
    };
    hits.into_iter().map(chunk).collect()
}

/// Whether the chunk in a row has this metadata: each key of the filter with the same value, or one of a list.
#[must_use]
pub(crate) fn matches_filter(filter: &Value, row: &str) -> bool {
    let Some(wanted) = filter.as_object().filter(|wanted| !wanted.is_empty()) else { return true };
    let Ok(chunk) = serde_json::from_str::<Document>(row) else { return false };
    wanted.iter().all(|(key, wanted)| match (chunk.metadata.get(key), wanted) {
        (Some(found), Value::Array(any)) => any.contains(found) || found == wanted,
        (Some(found), wanted) => found == wanted,
        (None, wanted) => wanted.is_null(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_filter_names_the_metadata_a_chunk_must_have() {
        let row = json!({"pageContent": "x", "metadata": {"year": 2024, "tags": ["a"]}}).to_string();
        for (filter, expected) in [
            (json!({}), true),
            (json!({"year": 2024}), true),
            (json!({"year": "2024"}), false),
            (json!({"year": [2023, 2024]}), true),
            (json!({"year": 2024, "city": "Oslo"}), false),
            (json!({"tags": ["a"]}), true),
            (json!({"city": null}), true),
        ] {
            assert_eq!(matches_filter(&filter, &row), expected, "{filter}");
        }
    }
}
