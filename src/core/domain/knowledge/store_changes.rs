//! What callers ask to be made or changed in document stores. What is left out of a change stays as it is.

use crate::domain::ids::LoaderId;
use serde_json::{Map, Value};

/// A store to make.
#[derive(Debug, Clone, Default)]
pub struct NewStore {
    pub name: String,
    pub description: String,
}

#[derive(Debug, Clone, Default)]
pub struct StoreChange {
    pub name: Option<String>,
    pub description: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct LoaderChange {
    /// That of a loader that is there; else a new one is meant.
    pub id: Option<LoaderId>,
    pub card: Option<String>,
    pub name: Option<String>,
    /// All of its settings.
    pub config: Option<Map<String, Value>>,
    /// The card of its splitter; an empty name is none.
    pub splitter: Option<String>,
    pub splitter_config: Option<Map<String, Value>>,
    pub credential: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct ChunkChange {
    pub text: Option<String>,
    pub metadata: Option<Map<String, Value>>,
}

/// Documents to add to a store.
#[derive(Debug, Clone, Default)]
pub struct StoreUpsertRequest {
    /// The loader to run anew, as its caller calls it: what is no id is no loader of the store either.
    pub loader_id: Option<String>,
    /// Metadata over those of the documents.
    pub metadata: Option<Map<String, Value>>,
    pub replace_existing: bool,
    pub create_new_store: bool,
    /// The store to make, where one is to be made.
    pub new_store: Option<NewStore>,
    pub loader_name: Option<String>,
    pub loader: Option<CardChoice>,
    pub splitter: Option<CardChoice>,
    pub embedding: Option<CardChoice>,
    pub vector_store: Option<CardChoice>,
    pub record_manager: Option<CardChoice>,
}

/// A card that a caller chooses, and settings for it.
#[derive(Debug, Clone, Default)]
pub struct CardChoice {
    pub name: Option<String>,
    pub config: Option<Map<String, Value>>,
}
