//! Document stores, the loaders that fill them, and the passages in them.

use super::ids::{ChunkId, DocumentStoreId, LoaderId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A named collection of passages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentStore {
    /// Id.
    pub id: DocumentStoreId,
    /// The workspace it belongs to.
    pub workspace: WorkspaceId,
    /// Display name.
    pub name: String,
    /// What it holds.
    pub description: String,
    /// What fills it, oldest first.
    #[serde(default)]
    pub loaders: Vec<DocumentLoader>,
    /// How many passages.
    pub chunks: usize,
    /// How many characters in all of them.
    pub characters: usize,
    /// When it was made.
    pub created: Timestamp,
    /// When it last changed.
    pub updated: Timestamp,
}

/// A loader of a store, with what it brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentLoader {
    /// Id.
    pub id: LoaderId,
    /// How it is set.
    pub plan: LoaderConfig,
    /// What it brought is in the store, as it is set now.
    pub synced: bool,
    /// How many passages it brought.
    pub chunks: usize,
    /// How many characters in all of them.
    pub characters: usize,
}

/// How a loader of a store is set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoaderConfig {
    /// Display name.
    pub name: String,
    /// The loader.
    pub loader: CardConfig,
    /// What cuts its documents, if something does.
    pub splitter: Option<CardConfig>,
    /// Metadata of the request that brought it, over those of its documents.
    #[serde(default)]
    pub metadata: Map<String, Value>,
}

/// A card that stands on no canvas.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CardConfig {
    /// The card's name.
    pub card: String,
    /// Its settings, by input name.
    pub config: Map<String, Value>,
    /// The stored credential it uses.
    #[serde(default)]
    pub credential: Option<String>,
}

/// One passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChunk {
    /// Id: later ones of a loader are greater.
    pub id: ChunkId,
    /// What it says.
    pub text: String,
    /// Where it is from.
    pub metadata: Map<String, Value>,
}

impl DocumentStore {
    /// The loader of this id.
    #[must_use]
    pub fn loader(&self, id: &LoaderId) -> Option<&DocumentLoader> {
        self.loaders.iter().find(|loader| loader.id == *id)
    }

    /// Counts the passages of all loaders again.
    pub fn recount(&mut self) {
        self.chunks = self.loaders.iter().map(|loader| loader.chunks).sum();
        self.characters = self.loaders.iter().map(|loader| loader.characters).sum();
    }

    /// Its state in the family's words.
    #[must_use]
    pub fn status(&self) -> &'static str {
        if self.loaders.is_empty() {
            "EMPTY"
        } else if self.loaders.iter().all(|loader| loader.synced) {
            "SYNC"
        } else {
            "STALE"
        }
    }
}

impl DocumentLoader {
    /// Its state in the family's words.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        if self.synced { "SYNC" } else { "STALE" }
    }

    /// Where its documents are said to be from, for requests that replace them by that name.
    #[must_use]
    pub fn source(&self) -> Option<&Value> {
        self.plan.metadata.get("source")
    }
}
