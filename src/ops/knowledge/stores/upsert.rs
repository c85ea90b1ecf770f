//! Documents that callers send to a store (manual 10.9 r4).

use super::loaders::{credential, load_chunks, no_loader, own, replace_chunks};
use super::{files, insert_new, loader_config, require_store, secrets};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::canvas::files::{InlineFile, to_data_uris};
use crate::cards::kit::UpsertObserver as _;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{DocumentStoreId, LoaderId};
use crate::domain::knowledge::document_store::{CardConfig, DocumentLoader, LoaderConfig};
use crate::domain::knowledge::store_changes::{CardChoice, NewStore, StoreUpsertRequest};
use crate::domain::knowledge::upsert::{StoreUpsertOutcome, UpsertProgress};
use crate::domain::knowledge::vector_config::{VectorCardConfig, VectorConfig};
use crate::domain::predictions::prediction::UploadFile;
use crate::ops::knowledge::progress::{OnProgress, ProgressReporter};
use crate::ops::knowledge::vectors;
use crate::ops::workspace::credential_destinations::{self, Destination};
use crate::state::active_upserts::StoreActivity;
use crate::store::tables::VECTOR_CONFIGS;
use serde_json::{Value, json};

/// What cuts documents when nobody chose a splitter.
const SPLITTER: &str = "recursiveCharacterTextSplitter";
/// What reads files when nobody chose a loader.
const FILE_LOADER: &str = "fileLoader";
/// The size of chunks when nobody chose one: about as much as a person quotes.
const CHUNK_DEFAULT: usize = 800;

/// The cards of the store's vectors, as far as the request names some: over those that are saved, each as a whole, and
/// judged as those are.
fn merge_vectors(
    sent: &mut StoreUpsertRequest,
    saved: Option<VectorConfig>,
    caller: &Caller,
) -> Result<Option<VectorConfig>> {
    let sent = [&mut sent.embedding, &mut sent.vector_store, &mut sent.record_manager].map(Option::take);
    if sent.iter().all(Option::is_none) {
        return Ok(None);
    }
    if !caller.permissions.has(vectors::CONFIGURE_PERMISSION) {
        let needed = vectors::CONFIGURE_PERMISSION;
        return Err(Error::Forbidden(format!("Choosing cards for vectors needs the permission {needed}.")));
    }
    let set = |sent: Option<CardChoice>, what: &str| {
        let Some(CardChoice { name, config }) = sent else { return Ok(None) };
        let unnamed = || Error::Invalid(format!("Invalid {what}: send {{name, config}}."));
        VectorCardConfig::from_request(name, config).ok_or_else(unnamed).map(Some)
    };
    let [embedding, vector_store, record_manager] = sent;
    let (embedding, vector_store, record_manager) = (
        set(embedding, "embedding")?,
        set(vector_store, "vectorStore")?,
        set(record_manager, "recordManager")?,
    );
    let unset = || Error::invalid("'embedding' is required: name the card that makes the vectors.");
    let (of_store, of_records) = match &saved {
        Some(saved) => (saved.vector_store.clone(), saved.record_manager.clone()),
        None => (None, None),
    };
    let vectors = VectorConfig {
        embedding: embedding.or(saved.map(|saved| saved.embedding)).ok_or_else(unset)?,
        vector_store: vector_store.or(of_store),
        record_manager: record_manager.or(of_records),
        filled: None,
    };
    vectors::check(&vectors)?;
    Ok(Some(vectors))
}

/// The loader that a request describes, over the one it names.
fn merge_loader(
    sent: &StoreUpsertRequest,
    saved: Option<&DocumentLoader>,
    files: &[UploadFile],
    caller: &Caller,
) -> Result<LoaderConfig> {
    let mut plan = saved.map(|loader| loader.plan.clone()).unwrap_or_default();
    let loader = sent.loader.as_ref();
    if let Some(name) = loader.and_then(|loader| loader.name.clone()) {
        plan.loader.card = name;
    } else if plan.loader.card.is_empty() && !files.is_empty() {
        plan.loader.card = FILE_LOADER.to_owned();
    }
    if plan.loader.card.is_empty() {
        return Err(Error::invalid("Invalid loader: send {name, config}, or files."));
    }
    let config = loader.and_then(|loader| loader.config.clone()).unwrap_or_default();
    plan.loader.config.extend(config);
    if let Some(id) = credential(&plan.loader.config).map(str::to_owned) {
        plan.loader.credential = Some(id).filter(|id| !id.is_empty());
    }
    secrets::merge_saved(saved.map(|saved| &saved.plan.loader), &mut plan.loader, caller)?;
    if !files.is_empty() {
        let input = loader_config::file_input(&plan.loader);
        let input = input.ok_or_else(|| Error::invalid("Invalid loader: it takes no files."))?;
        plan.loader.config.insert(input.to_owned(), to_data_uris(&to_inline_files(files)?).into());
    }
    match &sent.splitter {
        Some(splitter) => {
            plan.splitter = Some(CardConfig {
                card: splitter.name.clone().unwrap_or_else(|| SPLITTER.to_owned()),
                config: splitter.config.clone().unwrap_or_default(),
                credential: None,
            });
        }
        None if saved.is_none() => {
            let config = json!({"chunkSize": CHUNK_DEFAULT, "chunkOverlap": 0});
            let config = config.as_object().cloned().unwrap_or_default();
            plan.splitter = Some(CardConfig { card: SPLITTER.to_owned(), config, credential: None });
        }
        None => {}
    }
    plan.metadata.extend(sent.metadata.clone().unwrap_or_default());
    if let Some(name) = sent.loader_name.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        plan.name = name.chars().take(super::NAME_CHARS_MAX).collect();
    }
    if plan.name.is_empty() {
        let card = crate::cards::registry::find(&plan.loader.card);
        plan.name = card.map_or_else(|| plan.loader.card.clone(), |card| card.label.to_owned());
    }
    loader_config::check(&plan)?;
    Ok(plan)
}

/// Files of a form, for a setting that holds them themselves.
fn to_inline_files(sent: &[UploadFile]) -> Result<Vec<InlineFile>> {
    let file = |file: &UploadFile| {
        Ok(InlineFile { name: file.name.clone(), bytes: file.content.read_all().map_err(Error::internal)? })
    };
    sent.iter().map(file).collect()
}

/// An upsert of which everything is known but what it brings.
pub(crate) struct StoreUpsertJob {
    target: UpsertTarget,
    loader_config: LoaderConfig,
    /// The cards with which its chunks become vectors, when the request names some.
    vectors: Option<VectorConfig>,
}

/// Where chunks go.
enum UpsertTarget {
    /// Into a store that is made for them.
    NewStore(NewStore),
    Store {
        id: DocumentStoreId,
        /// The loader that is run anew.
        in_place: Option<LoaderId>,
        /// Loaders that brought what is from the same place go.
        replaces_source: bool,
    },
}

/// Settles all that can be refused before something is loaded.
///
/// # Errors
/// 400 for a loader that is set wrongly, 403 for a new store without the permission for it, 404 without the store or the
/// loader it names.
pub(crate) fn prepare(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    mut sent: StoreUpsertRequest,
    sent_files: &[UploadFile],
) -> Result<StoreUpsertJob> {
    let new_store = sent.new_store.take().filter(|_| sent.create_new_store);
    if sent.create_new_store {
        let new = new_store.ok_or_else(|| Error::invalid("Invalid docStore: send {name, description}."))?;
        if !caller.permissions.has("documentStores:create") {
            return Err(Error::Forbidden("This needs the permission documentStores:create.".to_owned()));
        }
        let vectors = merge_vectors(&mut sent, None, caller)?;
        let plan = merge_loader(&sent, None, sent_files, caller)?;
        check_destinations(app, caller, &plan, vectors.as_ref(), &[])?;
        return Ok(StoreUpsertJob { target: UpsertTarget::NewStore(new), loader_config: plan, vectors });
    }
    let (store, set) = app.store.read(|tx| {
        Ok((require_store(tx, &caller.workspace, id)?, VECTOR_CONFIGS.get(tx, &caller.workspace, id)?))
    })?;
    let mut known = credential_destinations::of_loaders(&store);
    known.extend(set.iter().flat_map(credential_destinations::of_vectors));
    let vectors = merge_vectors(&mut sent, set, caller)?;
    let named = sent.loader_id.as_deref().filter(|text| !text.is_empty());
    let saved = match named {
        None => None,
        Some(text) => {
            let known = LoaderId::parse(text).and_then(|id| store.loader(&id)).ok_or_else(no_loader)?;
            Some(own(known)?.clone())
        }
    };
    let plan = merge_loader(&sent, saved.as_ref(), sent_files, caller)?;
    check_destinations(app, caller, &plan, vectors.as_ref(), &known)?;
    let in_place = saved.filter(|_| sent.replace_existing).map(|loader| loader.id);
    // Without a loader's id, what is from the same place is meant.
    let replaces_source = sent.replace_existing && named.is_none();
    Ok(StoreUpsertJob {
        target: UpsertTarget::Store { id: *id, in_place, replaces_source },
        loader_config: plan,
        vectors,
    })
}

/// Settles where the credentials of a request are sent, before anything is loaded.
fn check_destinations(
    app: &App,
    caller: &Caller,
    plan: &LoaderConfig,
    vectors: Option<&VectorConfig>,
    known: &[Destination],
) -> Result<()> {
    let loader = credential_destinations::of_loader(&plan.loader).into_iter();
    let sends: Vec<_> =
        loader.chain(vectors.into_iter().flat_map(credential_destinations::of_vectors)).collect();
    credential_destinations::check_ahead(app, caller, &sends, known)
}

/// Loads what a request brings into a store; what became of it.
///
/// # Errors
/// 400 for a loader that brings nothing, 404 when the store is gone.
pub(crate) fn upsert(
    app: &App,
    caller: &Caller,
    prepared: StoreUpsertJob,
    tell: OnProgress<'_>,
    cancel: &CancelToken,
) -> Result<StoreUpsertOutcome> {
    let StoreUpsertJob { target: into, loader_config: plan, vectors } = prepared;
    let embedded = |id: &DocumentStoreId, done: StoreUpsertOutcome| match &vectors {
        None => Ok(done),
        Some(vectors) => {
            vectors::save(app, caller, id, vectors)?;
            // The counts are those of the vectors; which chunks they are is asked for by the page.
            let counts = vectors::upsert(app, &caller.workspace, id, tell, cancel)?.counts;
            Ok(StoreUpsertOutcome { counts, ..done })
        }
    };
    let watch = ProgressReporter::new(app, tell);
    match into {
        UpsertTarget::NewStore(new) => {
            let store = insert_new(app, caller, new)?;
            let filled = load_and_store(app, caller, &store.id, None, plan, &|_| false, &watch, cancel);
            let filled = filled.and_then(|done| embedded(&store.id, done));
            if filled.is_err() {
                super::delete(app, caller, &store.id, true)?;
            }
            Ok(StoreUpsertOutcome { new_store: Some(store.id), ..filled? })
        }
        UpsertTarget::Store { id, in_place, replaces_source } => {
            let source = plan.metadata.get("source").cloned();
            let same_source = |known: &DocumentLoader| {
                replaces_source && source.is_some() && known.source() == source.as_ref()
            };
            let done = load_and_store(app, caller, &id, in_place, plan, &same_source, &watch, cancel)?;
            embedded(&id, done)
        }
    }
}

/// Loads, then stores; files that were kept for a loader that brought nothing go away again.
#[allow(clippy::too_many_arguments, reason = "each is said once, in two places")]
fn load_and_store(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    in_place: Option<LoaderId>,
    mut plan: LoaderConfig,
    replaces: &dyn Fn(&DocumentLoader) -> bool,
    watch: &ProgressReporter<'_>,
    cancel: &CancelToken,
) -> Result<StoreUpsertOutcome> {
    watch.track_store(*id, StoreActivity::Syncing);
    let chunks = load_chunks(app, caller, id, &plan, watch, cancel)?;
    let fresh = files::store_inline_files(app, &caller.workspace, id, &mut plan)?;
    let loader = DocumentLoader {
        id: in_place.unwrap_or_else(LoaderId::next),
        plan,
        synced: true,
        chunks: 0,
        characters: 0,
        pipeline: None,
    };
    let filled = replace_chunks(app, caller, id, loader, &chunks, replaces)
        .inspect_err(|error| files::roll_back(app, &caller.workspace, id, &fresh, error))?;
    watch.report(UpsertProgress::storing(chunks.len(), chunks.len()));
    Ok(filled)
}

/// Adds a text that the service itself brings.
///
/// # Errors
/// As [`upsert`].
pub(crate) fn add_text(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    text: &str,
    source: &str,
    characters: usize,
) -> Result<()> {
    let object = |value: Value| value.as_object().cloned();
    let card = |name: &str, config: Value| CardChoice { name: Some(name.to_owned()), config: object(config) };
    let sent = StoreUpsertRequest {
        loader: Some(card("plainText", json!({ "text": text }))),
        splitter: Some(card(SPLITTER, json!({"chunkSize": characters, "chunkOverlap": 0}))),
        metadata: object(json!({ "source": source })),
        ..StoreUpsertRequest::default()
    };
    let prepared = prepare(app, caller, id, sent, &[])?;
    upsert(app, caller, prepared, &|_| {}, &CancelToken::new(None)).map(drop)
}
