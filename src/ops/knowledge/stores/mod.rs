//! Document stores: named collections of chunks that loaders bring and retrievers search (manual 10.9).

mod chunks;
mod describe;
mod files;
pub(crate) mod loader_config;
mod loaders;
mod moved;
pub(in crate::ops) mod pipeline_chunks;
mod secrets;
mod upsert;

pub(crate) use self::chunks::{chunk_page, edit_chunk, find_chunks, remove_chunk};
pub(crate) use self::describe::{ask_chosen_model, describe, no_chat_model};
pub(crate) use self::files::read as stored_file;
pub(crate) use self::loaders::{config, preview, process, refresh, remove_loader, save};
pub(in crate::ops) use self::moved::{MovedLoader, adopt_loader, check_loader};
pub(crate) use self::upsert::{add_text, prepare, upsert};
use super::vectors;
use crate::app::App;
use crate::cards::kit::{Category, PageVisitor};
use crate::cards::registry;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result};
use crate::domain::flows::usage::UsingFlow;
use crate::domain::ids::{DocumentStoreId, WorkspaceId};
use crate::domain::knowledge::document_store::{
    CardConfig, DocumentLoader, DocumentStore, LoaderConfig, StoredChunk,
};
use crate::domain::knowledge::store_changes::{NewStore, StoreChange};
use crate::domain::knowledge::store_overview::{LoaderOverview, StoreOverview, StoreStatus};
use crate::domain::predictions::prediction::Document;
use crate::domain::resource::ResourceId as _;
use crate::domain::service::card_definition::CardDefinition;
use crate::limits;
use crate::ops::accounts::membership;
use crate::ops::flows::usage::{self, ResourceKind};
use crate::ops::service::catalogue;
use crate::store::Tx;
use crate::store::queries::chunks as rows;
use crate::store::tables::{DOCUMENT_STORES, VECTOR_CONFIGS};

/// Chunks that are read at once where nobody needs all of them together, and bytes of their texts.
const PAGE_CHUNKS: usize = 256;
const PAGE_BYTES: usize = 1024 * 1024;
const NAME_CHARS_MAX: usize = 255;
const DESCRIPTION_CHARS_MAX: usize = 10_000;

fn check_name(name: &str) -> Result<String> {
    let name = name.trim();
    if (1..=NAME_CHARS_MAX).contains(&name.chars().count()) {
        return Ok(name.to_owned());
    }
    Err(Error::Invalid(format!("Invalid name: it must have 1 to {NAME_CHARS_MAX} characters.")))
}

fn check_description(description: String) -> Result<String> {
    if description.chars().count() <= DESCRIPTION_CHARS_MAX {
        return Ok(description);
    }
    Err(Error::Invalid(format!("Invalid description: it can have {DESCRIPTION_CHARS_MAX} characters.")))
}

/// A store with the cards of its vectors and what is under way in it.
fn overview(app: &App, tx: &impl Tx, store: DocumentStore) -> Result<StoreOverview> {
    let vectors = VECTOR_CONFIGS.get(tx, &store.workspace, &store.id)?;
    let is_filled = vectors.as_ref().and_then(|vectors| vectors.filled).is_some_and(|at| at >= store.updated);
    let under_way = app.state.active_upserts.find(&store.id);
    let status = match under_way {
        Some((work, _)) => work.status(),
        None if is_filled => StoreStatus::Upserted,
        None => store.status(),
    };
    Ok(StoreOverview {
        id: store.id,
        workspace: store.workspace,
        name: store.name,
        description: store.description,
        loaders: store.loaders.into_iter().map(loader_overview).collect(),
        used_by: Vec::new(),
        vectors,
        status,
        progress: under_way.map(|(_, at)| at),
        chunks: store.chunks,
        characters: store.characters,
        created: store.created,
        updated: store.updated,
    })
}

fn loader_overview(loader: DocumentLoader) -> LoaderOverview {
    let (status, source) = (loader.status(), loader.source().cloned());
    let pipeline = loader.pipeline.map(|card| card.flow);
    let LoaderConfig { name, loader: card, splitter, .. } = loader.plan;
    let label = |plan: &CardConfig| {
        registry::find(&plan.card).map_or(plan.card.as_str(), |card| card.label).to_owned()
    };
    LoaderOverview {
        id: loader.id,
        name,
        loader: CardConfig { config: secrets::redacted_config(&card), ..card },
        splitter: splitter.map(|splitter| (label(&splitter), splitter)),
        chunks: loader.chunks,
        characters: loader.characters,
        status,
        source,
        pipeline,
    }
}

fn require_store(tx: &impl Tx, workspace: &WorkspaceId, id: &DocumentStoreId) -> Result<DocumentStore> {
    DOCUMENT_STORES.get(tx, workspace, id)?.ok_or_else(|| id.not_found())
}

/// Makes a store.
///
/// # Errors
/// 400 for a bad name.
pub(crate) fn create(app: &App, caller: &Caller, new: NewStore) -> Result<StoreOverview> {
    let store = insert_new(app, caller, new)?;
    read_overview(app, store)
}

fn read_overview(app: &App, store: DocumentStore) -> Result<StoreOverview> {
    app.store.read(|tx| overview(app, tx, store))
}

fn insert_new(app: &App, caller: &Caller, new: NewStore) -> Result<DocumentStore> {
    insert(app, caller, DocumentStoreId::random(), new)
}

/// Makes a store under an id that a file brought along.
///
/// # Errors
/// As [`create`]; 409 when the id is in use.
pub(crate) fn create_as(
    app: &App,
    caller: &Caller,
    id: DocumentStoreId,
    new: NewStore,
) -> Result<StoreOverview> {
    let store = insert(app, caller, id, new)?;
    read_overview(app, store)
}

fn insert(app: &App, caller: &Caller, id: DocumentStoreId, new: NewStore) -> Result<DocumentStore> {
    let now = app.clock.monotonic_now();
    let store = DocumentStore {
        id,
        workspace: caller.workspace,
        name: check_name(&new.name)?,
        description: check_description(new.description)?,
        loaders: Vec::new(),
        chunks: 0,
        characters: 0,
        created: now,
        updated: now,
    };
    app.store.write(|tx| {
        membership::require_workspace(tx, &caller.workspace)?;
        if DOCUMENT_STORES.has(tx, &caller.workspace, &store.id)? {
            return Err(Conflict::IdTaken.into());
        }
        DOCUMENT_STORES.put(tx, &caller.workspace, &store.id, &store)
    })?;
    Ok(store)
}

/// The stores of the workspace, by name.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn list(app: &App, caller: &Caller) -> Result<Vec<StoreOverview>> {
    let mut stores = app.store.read(|tx| DOCUMENT_STORES.list(tx, &caller.workspace))?;
    stores.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.id.cmp(&b.id)));
    app.store.read(|tx| stores.into_iter().map(|store| overview(app, tx, store)).collect())
}

/// The flows that use the store, as far as the caller may read them. It reads every canvas of the workspace, so a list of
/// stores goes without.
fn flows_using(tx: &impl Tx, caller: &Caller, id: &DocumentStoreId) -> Result<Vec<UsingFlow>> {
    usage::flows_using(tx, caller, ResourceKind::Stores, &id.to_string(), |kind| usage::is_seen(caller, kind))
}

/// One store.
///
/// # Errors
/// 404.
pub(crate) fn read(app: &App, caller: &Caller, id: &DocumentStoreId) -> Result<StoreOverview> {
    app.store.read(|tx| {
        let store = overview(app, tx, require_store(tx, &caller.workspace, id)?)?;
        Ok(StoreOverview { used_by: flows_using(tx, caller, id)?, ..store })
    })
}

/// Changes name and description.
///
/// # Errors
/// 404, and 400 for a bad name.
pub(crate) fn update(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    change: StoreChange,
) -> Result<StoreOverview> {
    let name = change.name.as_deref().map(check_name).transpose()?;
    let description = change.description.map(check_description).transpose()?;
    let now = app.clock.monotonic_now();
    let store = app.store.write(|tx| {
        let mut store = require_store(tx, &caller.workspace, id)?;
        store.name = name.clone().unwrap_or(store.name);
        store.description = description.clone().unwrap_or(store.description);
        store.updated = now;
        DOCUMENT_STORES.put(tx, &caller.workspace, id, &store)?;
        Ok(store)
    })?;
    read_overview(app, store)
}

/// Deletes a store with its chunks and files.
///
/// # Errors
/// 404; 409 while flows use it, unless `force`.
pub(crate) fn delete(app: &App, caller: &Caller, id: &DocumentStoreId, force: bool) -> Result<()> {
    app.store.write(|tx| {
        require_store(tx, &caller.workspace, id)?;
        usage::require_unused(tx, caller, ResourceKind::Stores, &id.to_string(), force)?;
        rows::clear(tx, id, None)?;
        vectors::delete_in(tx, &caller.workspace, id)?;
        DOCUMENT_STORES.remove(tx, &caller.workspace, id).map(drop)
    })?;
    vectors::evict_index(app, &caller.workspace, id);
    files::remove_all(app, &caller.workspace, id);
    Ok(())
}

/// The cards a store can be built from, by Flowise's name for the group.
///
/// # Errors
/// 404 for another name.
pub(crate) fn components(group: &str) -> Result<Vec<CardDefinition>> {
    let category = match group {
        "loaders" => Category::DocumentLoaders,
        "embeddings" => Category::Embeddings,
        "vectorstore" => Category::VectorStores,
        "recordmanager" => Category::RecordManager,
        _ => return Err(Error::NotFound("There is no such group of cards.".to_owned())),
    };
    let mut cards = catalogue::cards_of_category(category.as_str());
    cards.retain(|card| group != "loaders" || loader_config::is_for_stores(card.name));
    Ok(cards)
}

/// The chunks of a store, for retrievers; `None` when the workspace has no such store.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn stored_chunks(
    tx: &impl Tx,
    workspace: &WorkspaceId,
    id: &DocumentStoreId,
) -> Result<Option<Vec<Document>>> {
    let Some(store) = DOCUMENT_STORES.get(tx, workspace, id)? else { return Ok(None) };
    let found = rows::page(tx, id, &store.loader_ids(), 0, limits::STORE_CHUNKS_MAX)?;
    Ok(Some(found.into_iter().map(|(_, chunk)| document(chunk)).collect()))
}

fn document(chunk: StoredChunk) -> Document {
    Document { page_content: chunk.text, metadata: chunk.metadata }
}

/// Hands over the chunks of a store, in the order of [`stored_chunks`], a page at a time; false when there is no such store.
/// Nothing of the database is held while `visit` works.
///
/// # Errors
/// When the database cannot be read, and what `visit` returns.
pub(crate) fn visit_chunks(
    app: &App,
    workspace: &WorkspaceId,
    id: &DocumentStoreId,
    visit: PageVisitor<'_>,
) -> Result<bool> {
    let Some(store) = app.store.read(|tx| DOCUMENT_STORES.get(tx, workspace, id))? else { return Ok(false) };
    let most = (PAGE_CHUNKS, PAGE_BYTES);
    for loader in store.loader_ids() {
        // Whoever puts what it reads into the same store would never come to an end.
        let end = app.store.read(|tx| rows::last(tx, id, &loader))?;
        let mut last = None;
        while last < end {
            let mut page = app.store.read(|tx| rows::page_after(tx, id, &loader, last.as_ref(), most))?;
            page.retain(|chunk| Some(chunk.id) <= end);
            let Some(newest) = page.last() else { break };
            last = Some(newest.id);
            visit(page.into_iter().map(document).collect())?;
        }
    }
    Ok(true)
}
