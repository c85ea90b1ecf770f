//! The vectors of document stores (manual 10.10).

use super::progress_reply;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::DocumentStoreId;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::knowledge::vectors;
use crate::wire::deleted::DeletedCount;
use crate::wire::knowledge::upserts::FillView;
use crate::wire::knowledge::vectors::{StoreQuery, StoreVectorCards, VectorConfigView, VectorSearchView};

fn store_id(text: &str) -> Result<DocumentStoreId> {
    let unknown = || Error::NotFound("There is no such document store.".to_owned());
    DocumentStoreId::parse(text).ok_or_else(unknown)
}

/// `POST /document-store/vectorstore/save`.
///
/// # Errors
/// 400 without embeddings or for cards a store cannot have, 404 without the store.
pub(crate) fn save(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<StoreVectorCards>,
) -> Result<Json<VectorConfigView>> {
    let id = store_id(&body.store_id)?;
    let unnamed = || Error::invalid("'embeddingName' is required: name the card that makes the vectors.");
    let vectors = body.into_config().ok_or_else(unnamed)?;
    vectors::save(app, &caller, &id, &vectors)?;
    Ok(Json(VectorConfigView::new(id, vectors)))
}

/// `POST /document-store/vectorstore/insert`: with the cards of the request, else with those that were saved.
///
/// # Errors
/// As [`save`], and 500 when a card fails.
pub(crate) fn insert(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<StoreVectorCards>,
) -> Result<Reply> {
    let id = store_id(&body.store_id)?;
    if let Some(vectors) = body.into_config() {
        vectors::save(app, &caller, &id, &vectors)?;
    }
    vectors::require_config(app, &caller.workspace, &id)?;
    progress_reply::reply_with_progress(app, request, move |app, tell, cancel| {
        vectors::upsert(app, &caller.workspace, &id, tell, cancel).map(FillView::from)
    })
}

/// `POST /document-store/vectorstore/query` with `{storeId, query}`.
///
/// # Errors
/// 400 without a query or embeddings, 404 without the store, 500 when a card fails.
pub(crate) fn query(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(sent): Json<StoreQuery>,
) -> Result<Json<VectorSearchView>> {
    let id = store_id(&sent.store_id)?;
    if sent.query.trim().is_empty() {
        return Err(Error::invalid("'query' is empty: send the text to look for."));
    }
    Ok(Json(vectors::search(app, &caller, &id, &sent.query, request.cancel())?.into()))
}

/// `DELETE /document-store/vectorstore/:id`.
///
/// # Errors
/// 404 without the store.
pub(crate) fn remove(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    vectors::remove(app, &caller, &store_id(request.param("id"))?)?;
    Ok(Json(DeletedCount::new(1)))
}
