//! Document stores (manual 10.9).

use super::progress_reply;
use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChunkId, DocumentStoreId, LoaderId};
use crate::domain::paging::PageRequest;
use crate::http::api::flows::has_flag;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::http::request::json;
use crate::http::routing::handler::Json;
use crate::ops::knowledge::stores;
use crate::wire::deleted::DeletedCount;
use crate::wire::knowledge::chunks::{ChunkEdit, ChunkMatchesView, ChunkPageView};
use crate::wire::knowledge::loaders::{
    LoaderConfigView, LoaderPreviewView, LoaderRun, LoaderView, StoreLoaderEdit,
};
use crate::wire::knowledge::store_upserts::{DocumentUpsert, DocumentUpsertView, Refresh, RefreshView};
use crate::wire::knowledge::stores::{
    DescribeStore, DocumentStoreEdit, DocumentStoreView, NewDocumentStore, StoreDescriptionView,
};
use crate::wire::page::ListOrPage;
use crate::wire::service::cards::CardView;
use serde_json::{Map, Value};

/// Longest text that chunks are searched for (manual 14.14).
const SEARCHED_CHUNK_TEXT_MAX_CHARS: usize = 500;

/// `GET /document-store/store`.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn list(
    app: &App,
    caller: Caller,
    request: &Request,
) -> Result<Json<ListOrPage<DocumentStoreView>>> {
    let paging = PageRequest::parse(request.query("page"), request.query("limit"))?;
    let found = stores::list(app, &caller)?;
    Ok(Json(ListOrPage::of(paging, found.into_iter().map(DocumentStoreView::from).collect())))
}

/// `POST /document-store/store`.
///
/// # Errors
/// 400.
pub(crate) fn create(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<NewDocumentStore>,
) -> Result<Json<DocumentStoreView>> {
    Ok(Json(stores::create(app, &caller, body.into())?.into()))
}

/// `GET /document-store/store/:id`.
///
/// # Errors
/// 404.
pub(crate) fn read(app: &App, caller: Caller, request: &Request) -> Result<Json<DocumentStoreView>> {
    Ok(Json(stores::read(app, &caller, &store_id(request.param("id"))?)?.into()))
}

/// `PUT /document-store/store/:id`.
///
/// # Errors
/// 400, 404.
pub(crate) fn update(app: &App, caller: Caller, request: &Request) -> Result<Json<DocumentStoreView>> {
    let id = store_id(request.param("id"))?;
    let edit: DocumentStoreEdit = request.json()?;
    Ok(Json(stores::update(app, &caller, &id, edit.into())?.into()))
}

/// `DELETE /document-store/store/:id`.
///
/// # Errors
/// 404.
pub(crate) fn delete(app: &App, caller: Caller, request: &Request) -> Result<Json<DeletedCount>> {
    stores::delete(app, &caller, &store_id(request.param("id"))?, has_flag(request, "force")?)?;
    Ok(Json(DeletedCount::new(1)))
}

/// `GET /document-store/components/:group`.
///
/// # Errors
/// 404.
pub(crate) fn components(_: &App, _: Caller, request: &Request) -> Result<Json<Vec<CardView>>> {
    Ok(Json(stores::components(request.param("group"))?.into_iter().map(CardView::from).collect()))
}

/// `GET /document-store/store-configs/:id/:loader`.
///
/// # Errors
/// 404.
pub(crate) fn config(app: &App, caller: Caller, request: &Request) -> Result<Json<LoaderConfigView>> {
    let (id, loader) = (store_id(request.param("id"))?, loader_id(request.param("loader"))?);
    let (name, found) = stores::config(app, &caller, &id, &loader)?;
    Ok(Json(LoaderConfigView::new(id, name, found)))
}

/// `POST /document-store/loader/preview`.
///
/// # Errors
/// 400, 404.
pub(crate) fn preview(
    app: &App,
    caller: Caller,
    request: &Request,
    Json(body): Json<StoreLoaderEdit>,
) -> Result<Json<LoaderPreviewView>> {
    let store = body.store_id.as_deref().map(named_store).transpose()?;
    let shown = body.preview_chunk_count;
    let found = stores::preview(app, &caller, store, &body.into(), shown, request.cancel())?;
    Ok(Json(found.into()))
}

/// `POST /document-store/loader/save`.
///
/// # Errors
/// 400, 404.
pub(crate) fn save(
    app: &App,
    caller: Caller,
    _: &Request,
    Json(body): Json<StoreLoaderEdit>,
) -> Result<Json<LoaderView>> {
    let id = named_store(body.store_id.as_deref().unwrap_or_default())?;
    Ok(Json(stores::save(app, &caller, &id, &body.into())?.into()))
}

/// The store that the body about a loader names.
fn named_store(text: &str) -> Result<DocumentStoreId> {
    DocumentStoreId::parse(text).ok_or_else(|| Error::invalid("Invalid storeId: name a document store."))
}

/// `POST /document-store/loader/process/:loader`.
///
/// # Errors
/// 400, 404.
pub(crate) fn process(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let loader = loader_id(request.param("loader"))?;
    let id = store_id(&request.json::<LoaderRun>()?.store_id)?;
    // What is not there is refused before the first byte.
    stores::config(app, &caller, &id, &loader)?;
    progress_reply::reply_with_progress(app, request, move |app, tell, cancel| {
        stores::process(app, &caller, &id, &loader, tell, cancel)?;
        stores::chunk_page(app, &caller, &id, Some(&loader), 1).map(ChunkPageView::from)
    })
}

/// `DELETE /document-store/loader/:id/:loader`.
///
/// # Errors
/// 404.
pub(crate) fn remove_loader(app: &App, caller: Caller, request: &Request) -> Result<Json<DocumentStoreView>> {
    let (id, loader) = (store_id(request.param("id"))?, loader_id(request.param("loader"))?);
    Ok(Json(stores::remove_loader(app, &caller, &id, &loader)?.into()))
}

/// `GET /document-store/chunks/:id/:loader/:page`, where the loader may be `all`.
///
/// # Errors
/// 400 for a page that is no number, 404.
pub(crate) fn chunks(app: &App, caller: Caller, request: &Request) -> Result<Json<ChunkPageView>> {
    let id = store_id(request.param("id"))?;
    let wanted = loader_or_all(request.param("loader"))?;
    let number = request.param("page").parse();
    let number = number.map_err(|_| Error::invalid("The page must be a whole number from 1 up."))?;
    Ok(Json(stores::chunk_page(app, &caller, &id, wanted.as_ref(), number)?.into()))
}

/// `GET /document-store/chunk-search/:id/:loader`, where the loader may be `all`.
///
/// # Errors
/// 400 for a text that is empty or too long and a place that is no number, 404.
pub(crate) fn search_chunks(app: &App, caller: Caller, request: &Request) -> Result<Json<ChunkMatchesView>> {
    let (id, wanted) = (store_id(request.param("id"))?, loader_or_all(request.param("loader"))?);
    let text = request.query("text").unwrap_or_default().trim();
    if text.is_empty() || text.chars().count() > SEARCHED_CHUNK_TEXT_MAX_CHARS {
        return Err(Error::Invalid(format!(
            "Invalid text: it must have 1 to {SEARCHED_CHUNK_TEXT_MAX_CHARS} characters."
        )));
    }
    let from = request.query("from").filter(|from| !from.is_empty()).map_or(Ok(1), str::parse);
    let from = from.map_err(|_| Error::invalid("Invalid from: it must be a whole number from 1 up."))?;
    Ok(Json(stores::find_chunks(app, &caller, (&id, wanted.as_ref()), text, from)?.into()))
}

fn loader_or_all(text: &str) -> Result<Option<LoaderId>> {
    if text == "all" { Ok(None) } else { loader_id(text).map(Some) }
}

/// `PUT /document-store/chunks/:id/:loader/:chunk`.
///
/// # Errors
/// 400, 404.
pub(crate) fn edit_chunk(app: &App, caller: Caller, request: &Request) -> Result<Json<ChunkPageView>> {
    let (id, loader) = (store_id(request.param("id"))?, loader_id(request.param("loader"))?);
    let chunk = chunk_id(request.param("chunk"))?;
    let edit: ChunkEdit = request.json()?;
    Ok(Json(stores::edit_chunk(app, &caller, (&id, &loader, &chunk), &edit.into())?.into()))
}

/// `DELETE /document-store/chunks/:id/:loader/:chunk`.
///
/// # Errors
/// 404.
pub(crate) fn remove_chunk(app: &App, caller: Caller, request: &Request) -> Result<Json<ChunkPageView>> {
    let (id, loader) = (store_id(request.param("id"))?, loader_id(request.param("loader"))?);
    let chunk = chunk_id(request.param("chunk"))?;
    Ok(Json(stores::remove_chunk(app, &caller, (&id, &loader, &chunk))?.into()))
}

/// `POST /document-store/upsert/:id`, as JSON or as a form with files.
///
/// # Errors
/// 400, 403, 404.
pub(crate) fn upsert(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let id = store_id(request.param("id"))?;
    let (body, files) = match request.take_form() {
        Some(form) => {
            let fields = form.fields.into_iter().map(|(name, text)| (name, text.into()));
            (fields.collect(), form.files)
        }
        None => (request.json()?, Vec::new()),
    };
    let sent: DocumentUpsert =
        json::parse_object(Value::Object(parse_form_fields(body)?).to_string().as_bytes())?;
    let prepared = stores::prepare(app, &caller, &id, sent.into(), &files)?;
    progress_reply::reply_with_progress(app, request, move |app, tell, cancel| {
        stores::upsert(app, &caller, prepared, tell, cancel).map(DocumentUpsertView::from)
    })
}

/// `POST /document-store/generate-tool-desc/:id` with `{selectedChatModel}`.
///
/// # Errors
/// 400 for what is no chat model or a store without chunks, 404 without the store, 500 when the model fails.
pub(crate) fn describe(app: &App, caller: Caller, request: &Request) -> Result<Json<StoreDescriptionView>> {
    let id = store_id(request.param("id"))?;
    let model = request.json::<DescribeStore>()?.into_card().ok_or_else(stores::no_chat_model)?;
    let content = stores::describe(app, &caller, &id, &model, request.cancel())?;
    Ok(Json(StoreDescriptionView { content }))
}

/// A body with its texts read as what they stand for.
fn parse_form_fields(mut body: Map<String, Value>) -> Result<Map<String, Value>> {
    body.retain(|_, value| !value.is_null());
    for (name, value) in &mut body {
        let Value::String(text) = value else { continue };
        if DocumentUpsert::OBJECTS.contains(&name.as_str()) {
            *value = json::parse(text.as_bytes())?;
        } else if DocumentUpsert::FLAGS.contains(&name.as_str()) {
            *value = Value::Bool(text == "true");
        }
    }
    Ok(body)
}

/// `POST /document-store/refresh/:id`.
///
/// # Errors
/// 400, 404.
pub(crate) fn refresh(app: &App, caller: Caller, request: &Request) -> Result<Json<Vec<RefreshView>>> {
    let id = store_id(request.param("id"))?;
    let named = if request.body().is_empty() { None } else { request.json::<Refresh>()?.into_loaders() };
    let outcomes = stores::refresh(app, &caller, &id, named.as_deref(), request.cancel())?;
    Ok(Json(outcomes.into_iter().map(RefreshView::from).collect()))
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
    let unknown = || Error::NotFound("The document store has no such chunk.".to_owned());
    ChunkId::parse(text).ok_or_else(unknown)
}
