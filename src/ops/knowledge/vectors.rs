//! The vectors of document stores (manual 10.10): which cards make and keep them, upserting
//! them from the store's chunks, and searching them.

use super::progress::{OnProgress, ProgressReporter};
use super::{collections, upsert};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::stores::collection_store::{CollectionStore, UnrecordedStore};
use crate::cards::kit::stores::known_rows::KnownRows;
use crate::cards::kit::stores::store_inputs;
use crate::cards::kit::{
    Card, Category, Component, DocumentPages, Grant, Host, InputKind, Knowledge, Loader, PageVisitor,
    RunContext, ScoredChunk, UpsertObserver as _, VectorQuery, VectorStore,
};
use crate::cards::registry;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CollectionId, DocumentStoreId, WorkspaceId};
use crate::domain::knowledge::document_store::DocumentStore;
use crate::domain::knowledge::upsert::{UpsertOutcome, UpsertProgress};
use crate::domain::knowledge::vector_config::{VectorCardConfig, VectorConfig};
use crate::domain::knowledge::vector_search::{ScoredDocument, VectorSearch};
use crate::domain::predictions::prediction::Document;
use crate::domain::resource::ResourceId as _;
use crate::engine::{self, EngineHost, StandaloneCard};
use crate::ops::predictions::host::workspace_host::WorkspaceHost;
use crate::ops::workspace::credential_destinations;
use crate::state::active_upserts::StoreActivity;
use crate::store::WriteTx;
use crate::store::tables::{DOCUMENT_STORES, VECTOR_CONFIGS};
use serde_json::{Map, Value};
use std::sync::{Arc, PoisonError};
use std::time::Instant;

/// A store that stands for another one would lead in a circle.
const STORE_CARD: &str = "documentStoreVS";
/// The input that names a collection of this server.
const COLLECTION: &str = "basePath";
/// What messages call the vectors of a store.
const LABEL: &str = "Document Store (Vector)";

/// The chunks of a document store, for the vector store they go to.
struct StoreChunkLoader(DocumentStoreId);

impl Loader for StoreChunkLoader {
    fn load(&self, host: &dyn Host) -> Result<Vec<Document>> {
        Grant::<dyn Knowledge>::for_service()
            .of(host)?
            .document_store_chunks(&self.0)?
            .ok_or_else(|| self.0.not_found())
    }

    fn pages(&self) -> Option<&dyn DocumentPages> {
        Some(self)
    }
}

impl DocumentPages for StoreChunkLoader {
    fn visit(&self, host: &dyn Host, visit: PageVisitor<'_>) -> Result<()> {
        let is_there =
            Grant::<dyn Knowledge>::for_service().of(host)?.visit_document_store(&self.0, visit)?;
        if is_there { Ok(()) } else { Err(self.0.not_found()) }
    }
}

fn card(set: &VectorCardConfig, category: Category, what: &str) -> Result<&'static Card> {
    let found = registry::find(&set.name).filter(|card| card.category == category && card.name != STORE_CARD);
    found.ok_or_else(|| Error::Invalid(format!("Invalid {what}: this server has no such card.")))
}

/// Who may say with which cards and credentials vectors are made and kept.
pub(in crate::ops) const CONFIGURE_PERMISSION: &str = "documentStores:upsert-config";

/// Refuses cards a store cannot have, and secrets that belong into a credential.
pub(in crate::ops) fn check(vectors: &VectorConfig) -> Result<()> {
    let embedding = card(&vectors.embedding, Category::Embeddings, "embeddingName")?;
    let mut cards = vec![(embedding, &vectors.embedding)];
    if let Some(set) = &vectors.vector_store {
        cards.push((card(set, Category::VectorStores, "vectorStoreName")?, set));
    }
    if let Some(set) = &vectors.record_manager {
        cards.push((card(set, Category::RecordManager, "recordManagerName")?, set));
    }
    for (card, set) in cards {
        let is_filled =
            |name: &str| set.config.get(name).is_some_and(|value| !value.is_null() && value != "");
        let secret = card.inputs.iter().find(|input| {
            matches!(input.kind, InputKind::Secret | InputKind::Headers) && is_filled(input.name)
        });
        if let Some(input) = secret {
            return Err(Error::Invalid(format!(
                "Invalid setting '{}' of {}: store it as a credential.",
                input.name, card.label
            )));
        }
    }
    Ok(())
}

/// Sets the cards of a store. Its vectors lack all of its chunks then, unless they are the cards that it had.
///
/// # Errors
/// 400 for cards a store cannot have, 403 for a credential that would be sent elsewhere, 404 without the store.
pub(crate) fn save(app: &App, caller: &Caller, id: &DocumentStoreId, vectors: &VectorConfig) -> Result<()> {
    check(vectors)?;
    app.store.write(|tx| {
        if !DOCUMENT_STORES.has(tx, &caller.workspace, id)? {
            return Err(id.not_found());
        }
        let saved = VECTOR_CONFIGS.get(tx, &caller.workspace, id)?;
        credential_destinations::check_and_remember(
            tx,
            caller,
            &credential_destinations::of_vectors(vectors),
            || Ok(saved.as_ref().map(credential_destinations::of_vectors).unwrap_or_default()),
        )?;
        if saved.is_some_and(|saved| saved.has_cards_of(vectors)) {
            return Ok(());
        }
        VECTOR_CONFIGS.put(tx, &caller.workspace, id, vectors)
    })
}

/// Where the vectors of a store lie that chose nothing else.
fn own_collection(id: &DocumentStoreId) -> CollectionId {
    CollectionId::from_name(STORE_CARD, &id.to_string())
}

/// The vector store of a document store; `None` when there is no such store, or no embeddings were chosen in it.
///
/// # Errors
/// When a card is set wrongly or its credential is gone.
pub(crate) fn build_store(
    app: &App,
    workspace: &WorkspaceId,
    id: &DocumentStoreId,
    host: &dyn EngineHost,
) -> Result<Option<Arc<dyn VectorStore>>> {
    let found = find_config(app, workspace, id)?;
    found.map(|(vectors, store)| build(&vectors, store, host)).transpose()
}

/// The cards of a document store, with the store; `None` where either is missing.
fn find_config(
    app: &App,
    workspace: &WorkspaceId,
    id: &DocumentStoreId,
) -> Result<Option<(VectorConfig, DocumentStore)>> {
    app.store
        .read(|tx| Ok(VECTOR_CONFIGS.get(tx, workspace, id)?.zip(DOCUMENT_STORES.get(tx, workspace, id)?)))
}

fn build(
    vectors: &VectorConfig,
    DocumentStore { id, name, .. }: DocumentStore,
    host: &dyn EngineHost,
) -> Result<Arc<dyn VectorStore>> {
    let made = |set: &VectorCardConfig, category, what| {
        let card = card(set, category, what)?;
        let lone = StandaloneCard {
            card,
            label: card.label,
            settings: &set.config,
            credential: set.credential.as_deref(),
        };
        lone.build(Vec::new(), host)
    };
    let embedding = made(&vectors.embedding, Category::Embeddings, "embeddingName")?;
    let loader: Arc<dyn Loader> = Arc::new(StoreChunkLoader(id));
    let Some(set) = &vectors.vector_store else {
        let Component::Embeddings(embeddings) = embedding else {
            return Err(Error::RunFailed(format!("{LABEL}: its embeddings are something else")));
        };
        let knowledge = Grant::for_service();
        let stored = CollectionStore {
            label: LABEL.to_owned(),
            id: own_collection(&id),
            name,
            embeddings,
            uploads: false,
            knowledge,
            known: KnownRows::default(),
        };
        return Ok(Arc::new(UnrecordedStore { collection: stored, loader, most: store_inputs::TOP_K }));
    };
    let mut wired = vec![("embeddings", embedding), ("document", Component::Loader(loader))];
    if let Some(records) = &vectors.record_manager {
        let mut records = records.clone();
        // No flow gives them a namespace, and those of flows are not for a store to name.
        name_within(&id, &mut records.config, "namespace");
        wired.push(("recordManager", made(&records, Category::RecordManager, "recordManagerName")?));
    }
    let card = card(set, Category::VectorStores, "vectorStoreName")?;
    let mut set = set.clone();
    if card.input(COLLECTION).is_some() {
        name_within(&id, &mut set.config, COLLECTION);
    }
    let lone = StandaloneCard {
        card,
        label: card.label,
        settings: &set.config,
        credential: set.credential.as_deref(),
    };
    engine::build_vector_store(&lone, wired, host)
}

/// Makes a name one of the store's own, so that it never means what a flow named so.
fn name_within(id: &DocumentStoreId, config: &mut Map<String, Value>, input: &str) {
    let own = config.get(input).and_then(Value::as_str).unwrap_or_default();
    let name = format!("{id}_{own}");
    config.insert(input.to_owned(), name.into());
}

fn not_configured() -> Error {
    Error::invalid("No embeddings were chosen in this document store: save its configuration first.")
}

/// Refuses a store that is not there or has no embeddings, before anything runs.
///
/// # Errors
/// 404 without the store, 400 when no embeddings were chosen.
pub(crate) fn require_config(app: &App, workspace: &WorkspaceId, id: &DocumentStoreId) -> Result<()> {
    app.store.read(|tx| {
        if !DOCUMENT_STORES.has(tx, workspace, id)? {
            return Err(id.not_found());
        }
        if VECTOR_CONFIGS.has(tx, workspace, id)? { Ok(()) } else { Err(not_configured()) }
    })
}

fn build_or_refuse(
    app: &App,
    workspace: &WorkspaceId,
    id: &DocumentStoreId,
    host: &dyn EngineHost,
) -> Result<(VectorConfig, Arc<dyn VectorStore>)> {
    require_config(app, workspace, id)?;
    let (vectors, store) = find_config(app, workspace, id)?.ok_or_else(not_configured)?;
    let built = build(&vectors, store, host)?;
    Ok((vectors, built))
}

/// Embeds the chunks of a store that are new and stores their vectors; those of chunks that are gone go.
///
/// # Errors
/// 404 without the store, 400 when no embeddings were chosen, 500 when a card fails.
pub(crate) fn upsert(
    app: &App,
    workspace: &WorkspaceId,
    id: &DocumentStoreId,
    tell: OnProgress<'_>,
    cancel: &CancelToken,
) -> Result<UpsertOutcome> {
    let watch = ProgressReporter::new(app, tell);
    watch.track_store(*id, StoreActivity::Upserting);
    watch.report(UpsertProgress::STARTED);
    let host = WorkspaceHost::new(app, *workspace, cancel.clone()).with_progress(&watch);
    let (used, store) = build_or_refuse(app, workspace, id, &host)?;
    // Chunks that come while it works are not among those it has, and cards that are chosen meanwhile have none of them.
    let began = app.clock.now();
    let done = store.upsert(&host)?;
    let is_there = app.store.write(|tx| {
        let there = DOCUMENT_STORES.has(tx, workspace, id)?;
        let chosen = VECTOR_CONFIGS.get(tx, workspace, id)?.filter(|_| there);
        if let Some(vectors) = chosen
            && used.has_cards_of(&vectors)
        {
            VECTOR_CONFIGS.put(tx, workspace, id, &VectorConfig { filled: Some(began), ..vectors })?;
        }
        Ok(there)
    })?;
    // A store that was deleted meanwhile leaves no vectors behind.
    if !is_there {
        delete_now(app, workspace, id)?;
        return Err(id.not_found());
    }
    Ok(upsert::outcome(done))
}

/// Searches the vectors of a store.
///
/// # Errors
/// As [`upsert()`].
pub(crate) fn search(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    text: &str,
    cancel: &CancelToken,
) -> Result<VectorSearch> {
    let started = Instant::now();
    let host = WorkspaceHost::new(app, caller.workspace, cancel.clone());
    let (_, store) = build_or_refuse(app, &caller.workspace, id, &host)?;
    let turn = RunContext { question: text, documents: "", uploads: &[], history: &[], host: &host };
    let found = store.nearest(&VectorQuery { text, most: store.top_k(), filter: None }, &turn)?;
    let found =
        found.into_iter().map(|ScoredChunk { chunk, score }| ScoredDocument { document: chunk, score });
    Ok(VectorSearch { found: found.collect(), elapsed: started.elapsed() })
}

/// Removes the vectors of a store that lie in a collection of their own, and forgets its cards.
///
/// # Errors
/// 404 without the store.
pub(crate) fn remove(app: &App, caller: &Caller, id: &DocumentStoreId) -> Result<()> {
    if !app.store.read(|tx| DOCUMENT_STORES.has(tx, &caller.workspace, id))? {
        return Err(id.not_found());
    }
    delete_now(app, &caller.workspace, id)
}

fn delete_now(app: &App, workspace: &WorkspaceId, id: &DocumentStoreId) -> Result<()> {
    let turn = app.state.collection_writes.lock().unwrap_or_else(PoisonError::into_inner);
    app.store.write(|tx| delete_in(tx, workspace, id))?;
    drop(turn);
    evict_index(app, workspace, id);
    Ok(())
}

/// Removes cards and vectors with their store, in its transaction; [`evict_index`] frees their memory.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn delete_in(tx: &WriteTx, workspace: &WorkspaceId, id: &DocumentStoreId) -> Result<()> {
    VECTOR_CONFIGS.remove(tx, workspace, id)?;
    collections::unlink(tx, workspace, &own_collection(id))
}

/// Frees the memory of a store's vectors.
pub(crate) fn evict_index(app: &App, workspace: &WorkspaceId, id: &DocumentStoreId) {
    collections::release(app, workspace, &own_collection(id));
}
