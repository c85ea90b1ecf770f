//! How the chunks of a document store become vectors, and where these lie.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The cards a document store's vectors are made and kept with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VectorConfig {
    pub embedding: VectorCardConfig,
    /// Where they lie; `None` for a collection of this server that holds the store's chunks and nothing else.
    pub vector_store: Option<VectorCardConfig>,
    /// What remembers which chunks are there, for stores that do not know themselves.
    pub record_manager: Option<VectorCardConfig>,
    /// When they last had all of the store's chunks.
    #[serde(default)]
    pub filled: Option<Timestamp>,
}

impl VectorConfig {
    /// True when the same cards make and keep the vectors: what was filled with the one is filled for the other.
    pub fn has_cards_of(&self, other: &Self) -> bool {
        let Self { embedding, vector_store, record_manager, filled: _ } = self;
        (embedding, vector_store, record_manager)
            == (&other.embedding, &other.vector_store, &other.record_manager)
    }
}

/// A card that stands on no canvas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VectorCardConfig {
    pub name: String,
    /// Its settings, by input name.
    pub config: Map<String, Value>,
    pub credential: Option<String>,
}

/// The longest name of a card.
const NAME_CHARS_MAX: usize = 100;

impl VectorCardConfig {
    /// A card as editors send it: its credential comes among the settings. `None` without a name.
    #[must_use]
    pub fn from_request(name: Option<String>, config: Option<Map<String, Value>>) -> Option<Self> {
        let name = name.filter(|name| !name.is_empty() && name.chars().count() <= NAME_CHARS_MAX)?;
        let mut config = config.unwrap_or_default();
        let places = ["credential", "FLOWISE_CREDENTIAL_ID"];
        let sent: Vec<Value> = places.iter().filter_map(|place| config.remove(*place)).collect();
        let credential = sent.iter().filter_map(Value::as_str).find(|id| !id.is_empty()).map(str::to_owned);
        Some(Self { name, config, credential })
    }
}
