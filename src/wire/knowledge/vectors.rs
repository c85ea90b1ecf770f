//! The cards that make and keep the vectors of document stores, and searching them (manual 10.10).

use crate::domain::ids::DocumentStoreId;
use crate::domain::knowledge::vector_config::{VectorCardConfig, VectorConfig};
use crate::domain::knowledge::vector_search::{ScoredDocument, VectorSearch};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A card and how it is set.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub(crate) struct SetCard {
    name: String,
    config: Map<String, Value>,
}

impl From<VectorCardConfig> for SetCard {
    /// Editors look for the credential among the settings.
    fn from(VectorCardConfig { name, mut config, credential }: VectorCardConfig) -> Self {
        if let Some(credential) = credential {
            config.insert("credential".to_owned(), credential.into());
        }
        Self { name, config }
    }
}

/// Which cards make and keep the vectors of a document store.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct StoreVectorCards {
    pub store_id: String,
    embedding_name: Option<String>,
    embedding_config: Option<Map<String, Value>>,
    vector_store_name: Option<String>,
    vector_store_config: Option<Map<String, Value>>,
    record_manager_name: Option<String>,
    record_manager_config: Option<Map<String, Value>>,
}

impl StoreVectorCards {
    /// The cards; `None` when no embeddings are named.
    #[must_use]
    pub fn into_config(self) -> Option<VectorConfig> {
        let card = VectorCardConfig::from_request;
        Some(VectorConfig {
            embedding: card(self.embedding_name, self.embedding_config)?,
            vector_store: card(self.vector_store_name, self.vector_store_config),
            record_manager: card(self.record_manager_name, self.record_manager_config),
            filled: None,
        })
    }
}

/// The cards that make and keep the vectors of a document store.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "StoreVectorConfig"))]
pub struct VectorConfigView {
    store_id: DocumentStoreId,
    embedding_config: SetCard,
    vector_store_config: Option<SetCard>,
    record_manager_config: Option<SetCard>,
}

impl VectorConfigView {
    /// The cards of this store.
    #[must_use]
    pub fn new(store_id: DocumentStoreId, vectors: VectorConfig) -> Self {
        Self {
            store_id,
            embedding_config: vectors.embedding.into(),
            vector_store_config: vectors.vector_store.map(SetCard::from),
            record_manager_config: vectors.record_manager.map(SetCard::from),
        }
    }
}

/// What to look for in a document store.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct StoreQuery {
    pub store_id: String,
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 1_000_000)))]
    pub query: String,
}

/// What is nearest.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "StoreQueryResult"))]
pub struct VectorSearchView {
    /// In milliseconds.
    time_taken: u64,
    docs: Vec<ScoredDocumentView>,
}

/// A chunk and how near it is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "ScoredChunk"))]
pub(crate) struct ScoredDocumentView {
    page_content: String,
    metadata: Map<String, Value>,
    score: f64,
}

impl From<VectorSearch> for VectorSearchView {
    fn from(VectorSearch { elapsed, found }: VectorSearch) -> Self {
        let view = |ScoredDocument { document, score }: ScoredDocument| ScoredDocumentView {
            page_content: document.page_content,
            metadata: document.metadata,
            score: f64::from(score),
        };
        Self {
            time_taken: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            docs: found.into_iter().map(view).collect(),
        }
    }
}
