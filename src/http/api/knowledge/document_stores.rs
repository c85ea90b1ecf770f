//! Document stores (manual 10.9).

use super::progress_reply;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChunkId, DocumentStoreId, LoaderId};
use crate::domain::paging::PageRequest;
use crate::http::api::flows::{deleted_reply, has_flag};
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::request::json;
use crate::ops::knowledge::stores::{self, DocumentStoreChange, NewDocumentStore, StoreUpsertRequest};
use crate::wire::page::ListOrPage;
use serde::Deserialize;
use serde_json::{Map, Value};

/// `GET /document-store/store`.
///
/// # Errors
/// When the database cannot be read.
pub fn list(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let paging = PageRequest::parse(request.query("page"), request.query("limit"))?;
    Reply::json(&ListOrPage::of(paging, stores::list(app, &caller)?))
}

/// `POST /document-store/store`.
///
/// # Errors
/// 400.
pub fn create(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let edit: NewDocumentStore = request.json()?;
    Reply::json(&stores::create(app, &caller, edit)?)
}

/// `GET /document-store/store/:id`.
///
/// # Errors
/// 404.
pub fn read(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&stores::read(app, &caller, &store_id(request.param("id"))?)?)
}

/// `PUT /document-store/store/:id`.
///
/// # Errors
/// 400, 404.
pub fn update(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let id = store_id(request.param("id"))?;
    let change: DocumentStoreChange = request.json()?;
    Reply::json(&stores::update(app, &caller, &id, change)?)
}

/// `DELETE /document-store/store/:id`.
///
/// # Errors
/// 404.
pub fn delete(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    stores::delete(app, &caller, &store_id(request.param("id"))?, has_flag(request, "force")?)?;
    deleted_reply(1)
}

/// `GET /document-store/components/:group`.
///
/// # Errors
/// 404.
pub fn components(_: &App, _: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&stores::components(request.param("group"))?)
}

/// `GET /document-store/store-configs/:id/:loader`.
///
/// # Errors
/// 404.
pub fn config(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let (id, loader) = (store_id(request.param("id"))?, loader_id(request.param("loader"))?);
    Reply::json(&stores::config(app, &caller, &id, &loader)?)
}

/// `POST /document-store/loader/preview`.
///
/// # Errors
/// 400, 404.
pub fn preview(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&stores::preview(app, &caller, &request.json()?, request.cancel())?)
}

/// `POST /document-store/loader/save`.
///
/// # Errors
/// 400, 404.
pub fn save(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    Reply::json(&stores::save(app, &caller, &request.json()?)?)
}

/// The body of a run of a loader.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProcessLoaderBody {
    store_id: String,
}

/// `POST /document-store/loader/process/:loader`.
///
/// # Errors
/// 400, 404.
pub fn process(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let loader = loader_id(request.param("loader"))?;
    let id = store_id(&request.json::<ProcessLoaderBody>()?.store_id)?;
    // What is not there is refused before the first byte.
    stores::config(app, &caller, &id, &loader)?;
    progress_reply::reply_with_progress(app, request, move |app, tell, cancel| {
        stores::process(app, &caller, &id, &loader, tell, cancel)?;
        stores::chunk_page(app, &caller, &id, Some(&loader), 1)
    })
}

/// `DELETE /document-store/loader/:id/:loader`.
///
/// # Errors
/// 404.
pub fn remove_loader(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let (id, loader) = (store_id(request.param("id"))?, loader_id(request.param("loader"))?);
    Reply::json(&stores::remove_loader(app, &caller, &id, &loader)?)
}

/// `GET /document-store/chunks/:id/:loader/:page`, where the loader may be `all`.
///
/// # Errors
/// 400 for a page that is no number, 404.
pub fn chunks(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let id = store_id(request.param("id"))?;
    let wanted = match request.param("loader") {
        "all" => None,
        text => Some(loader_id(text)?),
    };
    let number = request.param("page").parse();
    let number = number.map_err(|_| Error::invalid("The page must be a whole number from 1 up."))?;
    Reply::json(&stores::chunk_page(app, &caller, &id, wanted.as_ref(), number)?)
}

/// `PUT /document-store/chunks/:id/:loader/:chunk`.
///
/// # Errors
/// 400, 404.
pub fn edit_chunk(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let (id, loader) = (store_id(request.param("id"))?, loader_id(request.param("loader"))?);
    let chunk = chunk_id(request.param("chunk"))?;
    let edit = request.json()?;
    Reply::json(&stores::edit_chunk(app, &caller, (&id, &loader, &chunk), &edit)?)
}

/// `DELETE /document-store/chunks/:id/:loader/:chunk`.
///
/// # Errors
/// 404.
pub fn remove_chunk(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let (id, loader) = (store_id(request.param("id"))?, loader_id(request.param("loader"))?);
    let chunk = chunk_id(request.param("chunk"))?;
    Reply::json(&stores::remove_chunk(app, &caller, (&id, &loader, &chunk))?)
}

/// `POST /document-store/upsert/:id`, as JSON or as a form with files.
///
/// # Errors
/// 400, 403, 404.
pub fn upsert(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let id = store_id(request.param("id"))?;
    let (body, files) = match request.take_form() {
        Some(form) => {
            let fields = form.fields.into_iter().map(|(name, text)| (name, text.into()));
            (fields.collect(), form.files)
        }
        None => (request.json()?, Vec::new()),
    };
    let sent: StoreUpsertRequest =
        json::parse_object(Value::Object(parse_form_fields(body)?).to_string().as_bytes())?;
    let prepared = stores::prepare(app, &caller, &id, sent, &files)?;
    progress_reply::reply_with_progress(app, request, move |app, tell, cancel| {
        stores::upsert(app, &caller, prepared, tell, cancel)
    })
}

/// `POST /document-store/generate-tool-desc/:id` with `{selectedChatModel}`.
///
/// # Errors
/// 400 for what is no chat model or a store without chunks, 404 without the store, 500 when the model fails.
pub fn describe(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let id = store_id(request.param("id"))?;
    Reply::json(&stores::describe(app, &caller, &id, request.json()?, request.cancel())?)
}

/// Fields of an upsert that are objects; a form can send them only as JSON text.
const OBJECT_FIELDS: &[&str] =
    &["metadata", "docStore", "loader", "splitter", "vectorStore", "embedding", "recordManager"];
const BOOLEAN_FIELDS: &[&str] = &["replaceExisting", "createNewDocStore"];

/// A body with its texts read as what they stand for.
fn parse_form_fields(mut body: Map<String, Value>) -> Result<Map<String, Value>> {
    body.retain(|_, value| !value.is_null());
    for (name, value) in &mut body {
        let Value::String(text) = value else { continue };
        if OBJECT_FIELDS.contains(&name.as_str()) {
            *value = json::parse(text.as_bytes())?;
        } else if BOOLEAN_FIELDS.contains(&name.as_str()) {
            *value = Value::Bool(text == "true");
        }
    }
    Ok(body)
}

/// The body of a refresh; it may be missing.
#[derive(Default, Deserialize)]
struct RefreshBody {
    #[serde(default)]
    items: Option<Vec<RefreshItem>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RefreshItem {
    doc_id: String,
}

/// `POST /document-store/refresh/:id`.
///
/// # Errors
/// 400, 404.
pub fn refresh(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let id = store_id(request.param("id"))?;
    let sent: RefreshBody =
        if request.body().is_empty() { RefreshBody::default() } else { request.json()? };
    let named = sent.items.map(|items| items.into_iter().map(|item| item.doc_id).collect::<Vec<_>>());
    Reply::json(&stores::refresh(app, &caller, &id, named.as_deref(), request.cancel())?)
}

fn store_id(text: &str) -> Result<DocumentStoreId> {
    let unknown = || Error::NotFound("There is no such document store.".to_owned());
    DocumentStoreId::parse(text).ok_or_else(unknown)
}

fn loader_id(text: &str) -> Result<LoaderId> {
    let unknown = || Error::NotFound("The document store has no such loader.".to_owned());
    LoaderId::parse(text).ok_or_else(unknown)
}

fn chunk_id(text: &str) -> Result<ChunkId> {
    let unknown = || Error::NotFound("The document store has no such passage.".to_owned());
    ChunkId::parse(text).ok_or_else(unknown)
}
