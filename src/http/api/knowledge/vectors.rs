//! The vectors of document stores (manual 10.10).

use super::progress_reply;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::DocumentStoreId;
use crate::domain::knowledge::vector_config::{VectorCardConfig, VectorConfig};
use crate::http::api::flows::deleted_reply;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::knowledge::vectors;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The cards of a store as clients send them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VectorConfigBody {
    store_id: String,
    #[serde(default)]
    embedding_name: Option<String>,
    #[serde(default)]
    embedding_config: Option<Map<String, Value>>,
    #[serde(default)]
    vector_store_name: Option<String>,
    #[serde(default)]
    vector_store_config: Option<Map<String, Value>>,
    #[serde(default)]
    record_manager_name: Option<String>,
    #[serde(default)]
    record_manager_config: Option<Map<String, Value>>,
}

impl VectorConfigBody {
    fn id(&self) -> Result<DocumentStoreId> {
        store_id(&self.store_id)
    }

    fn into_config(self) -> Option<VectorConfig> {
        Some(VectorConfig {
            embedding: VectorCardConfig::from_request(self.embedding_name, self.embedding_config)?,
            vector_store: VectorCardConfig::from_request(self.vector_store_name, self.vector_store_config),
            record_manager: VectorCardConfig::from_request(
                self.record_manager_name,
                self.record_manager_config,
            ),
            filled: None,
        })
    }
}

fn store_id(text: &str) -> Result<DocumentStoreId> {
    let unknown = || Error::NotFound("There is no such document store.".to_owned());
    DocumentStoreId::parse(text).ok_or_else(unknown)
}

/// `POST /document-store/vectorstore/save`.
///
/// # Errors
/// 400 without embeddings or for cards a store cannot have, 404 without the store.
pub fn save(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let body: VectorConfigBody = request.json()?;
    let id = body.id()?;
    let unnamed = || Error::invalid("'embeddingName' is required: name the card that makes the vectors.");
    Reply::json(&vectors::save(app, &caller, &id, &body.into_config().ok_or_else(unnamed)?)?)
}

/// `POST /document-store/vectorstore/insert`: with the cards of the request, else with those that were saved.
///
/// # Errors
/// As [`save`], and 500 when a card fails.
pub fn insert(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let body: VectorConfigBody = request.json()?;
    let id = body.id()?;
    if let Some(vectors) = body.into_config() {
        vectors::save(app, &caller, &id, &vectors)?;
    }
    vectors::require_config(app, &caller, &id)?;
    progress_reply::reply_with_progress(app, request, move |app, tell, cancel| {
        vectors::upsert(app, &caller, &id, tell, cancel)
    })
}

/// `POST /document-store/vectorstore/query` with `{storeId, query}`.
///
/// # Errors
/// 400 without a query or embeddings, 404 without the store, 500 when a card fails.
pub fn query(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct VectorQueryBody {
        store_id: String,
        query: String,
    }
    let sent: VectorQueryBody = request.json()?;
    let id = store_id(&sent.store_id)?;
    if sent.query.trim().is_empty() {
        return Err(Error::invalid("'query' is empty: send the text to look for."));
    }
    Reply::json(&vectors::search(app, &caller, &id, &sent.query, request.cancel())?)
}

/// `DELETE /document-store/vectorstore/:id`.
///
/// # Errors
/// 404 without the store.
pub fn remove(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    vectors::remove(app, &caller, &store_id(request.param("id"))?)?;
    deleted_reply(1)
}
