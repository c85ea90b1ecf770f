//! Loaders of a store: tried, saved, run, run again, and removed.

use super::pipeline_chunks::require_room;
use super::{files, loader_config, loader_overview, read_overview, require_store, secrets};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::UpsertObserver as _;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{DocumentStoreId, LoaderId};
use crate::domain::knowledge::document_store::{
    CardConfig, DocumentLoader, DocumentStore, LoaderConfig, StoredChunk,
};
use crate::domain::knowledge::store_changes::LoaderChange;
use crate::domain::knowledge::store_overview::{LoaderOverview, LoaderPreview, StoreOverview};
use crate::domain::knowledge::upsert::{LoaderRunOutcome, StoreUpsertOutcome, UpsertCounts, UpsertProgress};
use crate::ops::knowledge::progress::{OnProgress, ProgressReporter};
use crate::ops::predictions::host::workspace_host::WorkspaceHost;
use crate::ops::workspace::credential_destinations;
use crate::ops::workspace::quota::{self, StoreContent};
use crate::state::active_upserts::StoreActivity;
use crate::store::WriteTx;
use crate::store::queries::chunks;
use crate::store::tables::DOCUMENT_STORES;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Loaders of one document store (manual 14.14).
const STORE_LOADERS_MAX: usize = 1_000;

/// Chunks of a preview, when nobody says how many.
const PREVIEW_DEFAULT: usize = 20;
/// The most chunks of a preview.
const PREVIEW_MAX: usize = 500;

/// The config that a change makes of a loader, over the one it has.
pub(super) fn change_config(
    change: &LoaderChange,
    saved: Option<&LoaderConfig>,
    caller: &Caller,
) -> Result<LoaderConfig> {
    let mut plan = saved.cloned().unwrap_or_default();
    if let Some(card) = change.card.as_ref().filter(|card| !card.is_empty()) {
        plan.loader.card.clone_from(card);
    }
    if plan.loader.card.is_empty() {
        return Err(Error::invalid("Invalid loaderId: name a document loader."));
    }
    if let Some(config) = &change.config {
        plan.loader.config.clone_from(config);
    }
    let chosen = change.credential.as_deref().or_else(|| credential(&plan.loader.config));
    if let Some(credential) = chosen.map(str::to_owned) {
        plan.loader.credential = Some(credential).filter(|id| !id.is_empty());
    }
    secrets::merge_saved(saved.map(|saved| &saved.loader), &mut plan.loader, caller)?;
    if let Some(card) = &change.splitter {
        let config = change.splitter_config.clone().unwrap_or_default();
        let splitter = CardConfig { card: card.clone(), config, credential: None };
        plan.splitter = Some(splitter).filter(|splitter| !splitter.card.is_empty());
    }
    let name = change.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    if let Some(name) = name {
        plan.name = name.chars().take(super::NAME_CHARS_MAX).collect();
    }
    loader_config::check(&plan)?;
    Ok(plan)
}

/// The credential that an editor wrote among the settings.
pub(super) fn credential(config: &Map<String, Value>) -> Option<&str> {
    ["credential", "FLOWISE_CREDENTIAL_ID"].iter().find_map(|name| config.get(*name)?.as_str())
}

/// What a loader would bring, some of it or as many as `shown` says; nothing is stored.
///
/// # Errors
/// 400 for a loader that is set wrongly or brings nothing, 404 without the store it names.
pub(crate) fn preview(
    app: &App,
    caller: &Caller,
    store: Option<DocumentStoreId>,
    change: &LoaderChange,
    shown: Option<usize>,
    cancel: &CancelToken,
) -> Result<LoaderPreview> {
    let saved = match &store {
        None => None,
        Some(id) => Some(app.store.read(|tx| require_store(tx, &caller.workspace, id))?),
    };
    let loader = saved.as_ref().zip(change.id).and_then(|(store, id)| store.loader(&id));
    let plan = change_config(change, loader.map(|loader| &loader.plan), caller)?;
    // What is only tried is remembered by nobody.
    let known = saved.as_ref().map(credential_destinations::of_loaders).unwrap_or_default();
    let sends: Vec<_> = credential_destinations::of_loader(&plan.loader).into_iter().collect();
    app.store.read(|tx| credential_destinations::check(tx, caller, &sends, || Ok(known)))?;
    let host = WorkspaceHost::new(app, caller.workspace, cancel.clone()).with_store_files(store);
    let mut documents = loader_config::load(&plan, &host)?;
    let total = documents.len();
    // -1 and 0 are words for all in some clients; a page of them is enough to judge a loader by.
    documents.truncate(shown.filter(|count| *count > 0).unwrap_or(PREVIEW_DEFAULT).min(PREVIEW_MAX));
    Ok(LoaderPreview { shown: documents, total })
}

/// Saves a loader without running it; answers with the loader.
///
/// # Errors
/// 400 for a loader a store cannot have, 404 without the store.
pub(crate) fn save(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    change: &LoaderChange,
) -> Result<LoaderOverview> {
    let store = app.store.read(|tx| require_store(tx, &caller.workspace, id))?;
    let saved = change.id.and_then(|id| store.loader(&id)).map(own).transpose()?.cloned();
    let mut plan = change_config(change, saved.as_ref().map(|loader| &loader.plan), caller)?;
    let sends: Vec<_> = credential_destinations::of_loader(&plan.loader).into_iter().collect();
    credential_destinations::check_ahead(app, caller, &sends, &credential_destinations::of_loaders(&store))?;
    let fresh = files::store_inline_files(app, &caller.workspace, id, &mut plan)?;
    let loader = DocumentLoader {
        id: saved.as_ref().map_or_else(LoaderId::next, |loader| loader.id),
        plan,
        synced: false,
        chunks: saved.as_ref().map_or(0, |loader| loader.chunks),
        characters: saved.as_ref().map_or(0, |loader| loader.characters),
        pipeline: None,
    };
    let written = update_store(app, caller, id, |_, store| {
        put_loader(store, loader.clone())?;
        Ok(())
    });
    match written {
        Ok((store, ())) => {
            let gone: Vec<DocumentLoader> = saved.into_iter().collect();
            files::delete_unreferenced(app, &caller.workspace, id, &gone, &store.loaders);
            Ok(loader_overview(loader))
        }
        Err(error) => {
            files::roll_back(app, &caller.workspace, id, &fresh, &error);
            Err(error)
        }
    }
}

/// Changes a store in one transaction, and counts its chunks again.
pub(super) fn update_store<T>(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    edit: impl Fn(&WriteTx, &mut DocumentStore) -> Result<T>,
) -> Result<(DocumentStore, T)> {
    let now = app.clock.monotonic_now();
    app.store.write(|tx| {
        let mut store = require_store(tx, &caller.workspace, id)?;
        let before = content(&store);
        let made = edit(tx, &mut store)?;
        store.recount();
        quota::admit_store(tx, &caller.workspace, id, before, content(&store))?;
        store.updated = now;
        DOCUMENT_STORES.put(tx, &caller.workspace, id, &store)?;
        Ok((store, made))
    })
}

/// What the quota of a workspace counts of a store.
pub(super) const fn content(store: &DocumentStore) -> StoreContent {
    StoreContent { chunks: store.chunks, characters: store.characters }
}

/// Puts a loader into a store, in the place of one with its id.
pub(super) fn put_loader(store: &mut DocumentStore, loader: DocumentLoader) -> Result<()> {
    match store.loaders.iter().position(|known| known.id == loader.id) {
        Some(at) => store.loaders[at] = loader,
        None if store.loaders.len() >= STORE_LOADERS_MAX => {
            return Err(Error::invalid("The document store has as many loaders as it can have."));
        }
        None => store.loaders.push(loader),
    }
    Ok(())
}

/// Runs a loader of a store, whose chunks take the place of those it brought before.
///
/// # Errors
/// 404 without store or loader, 400 when it brings nothing.
pub(crate) fn process(
    app: &App,
    caller: &Caller,
    store: &DocumentStoreId,
    loader: &LoaderId,
    tell: OnProgress<'_>,
    cancel: &CancelToken,
) -> Result<StoreUpsertOutcome> {
    let found = app.store.read(|tx| require_store(tx, &caller.workspace, store))?;
    let plan = own(found.loader(loader).ok_or_else(no_loader)?)?.plan.clone();
    let watch = ProgressReporter::new(app, tell);
    watch.track_store(*store, StoreActivity::Syncing);
    let chunks = load_chunks(app, caller, store, &plan, &watch, cancel)?;
    let loader = DocumentLoader { id: *loader, plan, synced: true, chunks: 0, characters: 0, pipeline: None };
    let filled = replace_chunks(app, caller, store, loader, &chunks, &|_| false)?;
    watch.report(UpsertProgress::storing(chunks.len(), chunks.len()));
    Ok(filled)
}

/// What a loader brings, as chunks on their way into the store.
pub(super) fn load_chunks(
    app: &App,
    caller: &Caller,
    store: &DocumentStoreId,
    plan: &LoaderConfig,
    watch: &ProgressReporter<'_>,
    cancel: &CancelToken,
) -> Result<Vec<StoredChunk>> {
    watch.report(UpsertProgress::STARTED);
    let host = WorkspaceHost::new(app, caller.workspace, cancel.clone())
        .with_store_files(Some(*store))
        .with_progress(watch);
    let chunks = loader_config::to_chunks(loader_config::load(plan, &host)?);
    watch.report(UpsertProgress::storing(0, chunks.len()));
    Ok(chunks)
}

/// Writes what a loader brought, and removes the loaders it takes the place of.
pub(super) fn replace_chunks(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    mut loader: DocumentLoader,
    chunks: &[StoredChunk],
    replaces: &dyn Fn(&DocumentLoader) -> bool,
) -> Result<StoreUpsertOutcome> {
    loader.chunks = chunks.len();
    loader.characters = chunks.iter().map(|chunk| chunk.text.chars().count()).sum();
    let (store, (deleted, gone)) = update_store(app, caller, id, |tx, store| {
        let mut deleted = chunks::clear(tx, id, Some(&loader.id))?;
        let (mut gone, left): (Vec<_>, Vec<_>) = std::mem::take(&mut store.loaders)
            .into_iter()
            .partition(|known| known.id != loader.id && replaces(known));
        for known in &gone {
            deleted += chunks::clear(tx, id, Some(&known.id))?;
        }
        store.loaders = left;
        // Its old form may have had other files.
        gone.extend(store.loader(&loader.id).cloned());
        put_loader(store, loader.clone())?;
        let total: usize = store.loaders.iter().map(|loader| loader.chunks).sum();
        require_room(total)?;
        chunks::put(tx, id, &loader.id, chunks)?;
        Ok((deleted, gone))
    })?;
    files::delete_unreferenced(app, &caller.workspace, id, &gone, &store.loaders);
    let counts = UpsertCounts {
        num_added: chunks.len(),
        num_deleted: deleted,
        total_keys: store.chunks,
        ..UpsertCounts::default()
    };
    Ok(StoreUpsertOutcome { counts, loader: loader.id, new_store: None })
}

/// A loader that is set and run here: that of a pipeline is neither.
pub(super) fn own(loader: &DocumentLoader) -> Result<&DocumentLoader> {
    match &loader.pipeline {
        None => Ok(loader),
        Some(card) => Err(Error::Invalid(format!(
            "Pipeline {} brings what is in this loader: run the pipeline.",
            card.flow
        ))),
    }
}

pub(super) fn no_loader() -> Error {
    Error::NotFound("The document store has no such loader.".to_owned())
}

/// Removes a loader with what it brought; answers with the store.
///
/// # Errors
/// 404.
pub(crate) fn remove_loader(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    loader: &LoaderId,
) -> Result<StoreOverview> {
    let (store, gone) = update_store(app, caller, id, |tx, store| {
        let at = store.loaders.iter().position(|known| known.id == *loader).ok_or_else(no_loader)?;
        chunks::clear(tx, id, Some(loader))?;
        Ok(store.loaders.remove(at))
    })?;
    files::delete_unreferenced(app, &caller.workspace, id, &[gone], &store.loaders);
    read_overview(app, store)
}

/// How a loader of a store is set, and the name of the store.
///
/// # Errors
/// 404.
pub(crate) fn config(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    loader: &LoaderId,
) -> Result<(String, LoaderOverview)> {
    let store = app.store.read(|tx| require_store(tx, &caller.workspace, id))?;
    let loader = store.loader(loader).cloned().ok_or_else(no_loader)?;
    Ok((store.name, loader_overview(loader)))
}

/// Runs loaders of a store again: those that are named, or all. What one cannot do does not keep the others.
///
/// # Errors
/// 404 without the store or a named loader.
pub(crate) fn refresh(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    named: Option<&[String]>,
    cancel: &CancelToken,
) -> Result<Vec<LoaderRunOutcome>> {
    let store = app.store.read(|tx| require_store(tx, &caller.workspace, id))?;
    let loaders: Vec<LoaderId> = match named {
        // What pipelines bring, their runs refresh.
        None => {
            store.loaders.iter().filter(|loader| loader.pipeline.is_none()).map(|loader| loader.id).collect()
        }
        Some(named) => {
            let known = |name: &String| LoaderId::parse(name).filter(|id| store.loader(id).is_some());
            let mut found: Vec<LoaderId> =
                named.iter().map(|name| known(name).ok_or_else(no_loader)).collect::<Result<_>>()?;
            // Each once, however often it is named.
            let mut seen = HashSet::new();
            found.retain(|loader| seen.insert(*loader));
            found
        }
    };
    let mut outcomes = Vec::new();
    for loader in loaders {
        outcomes.push(match process(app, caller, id, &loader, &|_| {}, cancel) {
            Ok(done) => LoaderRunOutcome::Done(done),
            Err(Error::Invalid(why)) => LoaderRunOutcome::Refused { loader, why },
            Err(Error::QuotaExceeded(full)) => LoaderRunOutcome::Refused { loader, why: full.to_string() },
            Err(other) => return Err(other),
        });
    }
    Ok(outcomes)
}
