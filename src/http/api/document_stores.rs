//! Document stores (reference 1.9): the routes that need no provider.

use super::flows::deleted;
use crate::app::App;
use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::DocumentStoreId;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::document_stores::{self, StoreEdit, TextToAdd};
use serde::Deserialize;
use serde_json::{Map, Value};

/// `GET /document-store/store`.
///
/// # Errors
/// When the database cannot be read.
pub fn list(app: &App, caller: Caller, _: &Request) -> Result<Reply> {
    Reply::json(&document_stores::list(app, &caller)?)
}

/// `POST /document-store/store`.
///
/// # Errors
/// 400.
pub fn create(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let edit: StoreEdit = request.json()?;
    Reply::json(&document_stores::create(app, &caller, &edit)?)
}

/// `GET /document-store/store/:id`.
///
/// # Errors
/// 404.
pub fn read(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&document_stores::read(app, &caller, &id(request)?)?)
}

/// `DELETE /document-store/store/:id`.
///
/// # Errors
/// 404.
pub fn delete(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    document_stores::delete(app, &caller, &id(request)?)?;
    deleted(1)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Upsert {
    loader: Loader,
    #[serde(default)]
    splitter: Option<Splitter>,
    #[serde(default)]
    metadata: Map<String, Value>,
    #[serde(default)]
    replace_existing: bool,
}

#[derive(Deserialize)]
struct Loader {
    name: String,
    config: LoaderConfig,
}

#[derive(Deserialize)]
struct LoaderConfig {
    text: String,
}

#[derive(Deserialize)]
struct Splitter {
    config: SplitterConfig,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SplitterConfig {
    chunk_size: usize,
}

/// `POST /document-store/upsert/:id` with `loader: {name: "plainText", config: {text}}`.
///
/// # Errors
/// 400, 404.
pub fn upsert(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let id = id(request)?;
    let sent: Upsert = request.json()?;
    if sent.loader.name != "plainText" {
        return Err(Error::invalid("Invalid loader: this server takes the loader 'plainText'."));
    }
    let text = TextToAdd {
        text: sent.loader.config.text,
        metadata: sent.metadata,
        chunk_characters: sent.splitter.map(|splitter| splitter.config.chunk_size),
        replace_existing: sent.replace_existing,
    };
    Reply::json(&document_stores::add(app, &caller, &id, &text)?)
}

fn id(request: &Request) -> Result<DocumentStoreId> {
    let unknown = || Error::NotFound("There is no such document store.".to_owned());
    DocumentStoreId::parse(request.param("id")).ok_or_else(unknown)
}
