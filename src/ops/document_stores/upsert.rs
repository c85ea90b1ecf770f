//! Documents that callers send to a store (manual 10.9 r4).

use super::loaders::{Counts, credential, fill, load, no_loader};
use super::{StoreEdit, existing, files, made, plan, secrets};
use crate::app::App;
use crate::boards::fillings::Work;
use crate::canvas::files::{InlineFile, inline_value};
use crate::domain::caller::Caller;
use crate::domain::cancel::Cancel;
use crate::domain::document::{CardPlan, LoaderPlan, StoreLoader};
use crate::domain::error::{Error, Result};
use crate::domain::filling::Progress;
use crate::domain::ids::{DocumentStoreId, LoaderId};
use crate::domain::prediction::SentFile;
use crate::domain::store_vectors::{SetCard, StoreVectors};
use crate::ops::destinations::{self, Destination};
use crate::ops::store_vectors;
use crate::ops::watch::{Tell, Watch};
use crate::store::tables::STORE_VECTORS;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What cuts documents when nobody chose a splitter.
const SPLITTER: &str = "recursiveCharacterTextSplitter";
/// What reads files when nobody chose a loader.
const FILE_LOADER: &str = "fileLoader";
/// The size of passages when nobody chose one: about as much as a person quotes.
const CHUNK_DEFAULT: usize = 800;

/// The request.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Upsert {
    doc_id: Option<String>,
    metadata: Option<Map<String, Value>>,
    replace_existing: bool,
    create_new_doc_store: bool,
    doc_store: Option<StoreEdit>,
    loader_name: Option<String>,
    loader: Option<SentCard>,
    splitter: Option<SentCard>,
    vector_store: Option<SentCard>,
    embedding: Option<SentCard>,
    record_manager: Option<SentCard>,
}

/// A card of a request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SentCard {
    name: Option<String>,
    config: Option<Map<String, Value>>,
}

impl Upsert {
    /// The cards of the store's vectors, as far as the request names some: over those that are saved, each as a whole, and
    /// judged as those are.
    fn vectors(&mut self, saved: Option<StoreVectors>, caller: &Caller) -> Result<Option<StoreVectors>> {
        let sent = [&mut self.embedding, &mut self.vector_store, &mut self.record_manager].map(Option::take);
        if sent.iter().all(Option::is_none) {
            return Ok(None);
        }
        if !caller.grants.allow(store_vectors::MAY_SET) {
            let needed = store_vectors::MAY_SET;
            return Err(Error::Forbidden(format!(
                "Choosing cards for vectors needs the permission {needed}."
            )));
        }
        let set = |sent: Option<SentCard>, what: &str| {
            let Some(SentCard { name, config }) = sent else { return Ok(None) };
            let unnamed = || Error::Invalid(format!("Invalid {what}: send {{name, config}}."));
            SetCard::sent(name, config).ok_or_else(unnamed).map(Some)
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
        let vectors = StoreVectors {
            embedding: embedding.or(saved.map(|saved| saved.embedding)).ok_or_else(unset)?,
            vector_store: vector_store.or(of_store),
            record_manager: record_manager.or(of_records),
            filled: None,
        };
        store_vectors::check(&vectors)?;
        Ok(Some(vectors))
    }

    /// The loader it describes, over the one it names.
    fn plan(&self, saved: Option<&StoreLoader>, sent: &[SentFile], caller: &Caller) -> Result<LoaderPlan> {
        let mut plan = saved.map(|loader| loader.plan.clone()).unwrap_or_default();
        let loader = self.loader.as_ref();
        if let Some(name) = loader.and_then(|loader| loader.name.clone()) {
            plan.loader.card = name;
        } else if plan.loader.card.is_empty() && !sent.is_empty() {
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
        secrets::settle(saved.map(|saved| &saved.plan.loader), &mut plan.loader, caller)?;
        if !sent.is_empty() {
            let input = plan::file_input(&plan.loader);
            let input = input.ok_or_else(|| Error::invalid("Invalid loader: it takes no files."))?;
            plan.loader.config.insert(input.to_owned(), inline_value(&inline(sent)?).into());
        }
        match &self.splitter {
            Some(splitter) => {
                plan.splitter = Some(CardPlan {
                    card: splitter.name.clone().unwrap_or_else(|| SPLITTER.to_owned()),
                    config: splitter.config.clone().unwrap_or_default(),
                    credential: None,
                });
            }
            None if saved.is_none() => {
                let config = json!({"chunkSize": CHUNK_DEFAULT, "chunkOverlap": 0});
                let config = config.as_object().cloned().unwrap_or_default();
                plan.splitter = Some(CardPlan { card: SPLITTER.to_owned(), config, credential: None });
            }
            None => {}
        }
        plan.metadata.extend(self.metadata.clone().unwrap_or_default());
        if let Some(name) = self.loader_name.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
            plan.name = name.chars().take(super::NAME_CHARS_MAX).collect();
        }
        if plan.name.is_empty() {
            let card = crate::cards::registry::find(&plan.loader.card);
            plan.name = card.map_or_else(|| plan.loader.card.clone(), |card| card.label.to_owned());
        }
        plan::check(&plan)?;
        Ok(plan)
    }
}

/// Files of a form, for a setting that holds them themselves.
fn inline(sent: &[SentFile]) -> Result<Vec<InlineFile>> {
    let file = |file: &SentFile| {
        Ok(InlineFile { name: file.name.clone(), bytes: file.content.bytes().map_err(Error::internal)? })
    };
    sent.iter().map(file).collect()
}

/// An upsert of which everything is known but what it brings.
pub struct Prepared {
    into: Into,
    plan: LoaderPlan,
    /// The cards with which its passages become vectors, when the request names some.
    vectors: Option<StoreVectors>,
}

/// Where passages go.
enum Into {
    /// Into a store that is made for them.
    NewStore(StoreEdit),
    /// Into one that is there.
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
pub fn prepare(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    mut sent: Upsert,
    sent_files: &[SentFile],
) -> Result<Prepared> {
    let new_store = sent.doc_store.take().filter(|_| sent.create_new_doc_store);
    if sent.create_new_doc_store {
        let edit = new_store.ok_or_else(|| Error::invalid("Invalid docStore: send {name, description}."))?;
        if !caller.grants.allow("documentStores:create") {
            return Err(Error::Forbidden("This needs the permission documentStores:create.".to_owned()));
        }
        let vectors = sent.vectors(None, caller)?;
        let plan = sent.plan(None, sent_files, caller)?;
        settle_destinations(app, caller, &plan, vectors.as_ref(), &[])?;
        return Ok(Prepared { into: Into::NewStore(edit), plan, vectors });
    }
    let (store, set) = app.store.read(|tx| {
        Ok((existing(tx, &caller.workspace, id)?, STORE_VECTORS.get(tx, &caller.workspace, id)?))
    })?;
    let mut known = destinations::of_loaders(&store);
    known.extend(set.iter().flat_map(destinations::of_vectors));
    let vectors = sent.vectors(set, caller)?;
    let named = sent.doc_id.as_deref().filter(|text| !text.is_empty());
    let saved = match named {
        None => None,
        Some(text) => {
            let known = LoaderId::parse(text).and_then(|id| store.loader(&id).cloned());
            Some(known.ok_or_else(no_loader)?)
        }
    };
    let plan = sent.plan(saved.as_ref(), sent_files, caller)?;
    settle_destinations(app, caller, &plan, vectors.as_ref(), &known)?;
    let in_place = saved.filter(|_| sent.replace_existing).map(|loader| loader.id);
    // Without a loader's id, what is from the same place is meant.
    let replaces_source = sent.replace_existing && named.is_none();
    Ok(Prepared { into: Into::Store { id: *id, in_place, replaces_source }, plan, vectors })
}

/// Settles where the credentials of a request are sent, before anything is loaded.
fn settle_destinations(
    app: &App,
    caller: &Caller,
    plan: &LoaderPlan,
    vectors: Option<&StoreVectors>,
    known: &[Destination],
) -> Result<()> {
    let loader = destinations::of_plan(&plan.loader).into_iter();
    let sends: Vec<_> = loader.chain(vectors.into_iter().flat_map(destinations::of_vectors)).collect();
    destinations::settle_ahead(app, caller, &sends, known)
}

/// Loads what a request brings into a store; answers with the indexing counts of the family.
///
/// # Errors
/// 400 for a loader that brings nothing, 404 when the store is gone.
pub fn upsert(
    app: &App,
    caller: &Caller,
    prepared: Prepared,
    tell: Tell<'_>,
    cancel: &Cancel,
) -> Result<Value> {
    let Prepared { into, plan, vectors } = prepared;
    let embedded = |id: &DocumentStoreId, counts: Counts| match &vectors {
        None => Ok(counts.wire()),
        Some(vectors) => {
            store_vectors::save(app, caller, id, vectors)?;
            let mut answer = store_vectors::fill(app, caller, id, tell, cancel)?;
            // The counts are those of the vectors; which passages they are is asked for by the page.
            answer.as_object_mut().map(|answer| answer.remove("addedDocs"));
            answer["docId"] = json!(counts.loader);
            Ok(answer)
        }
    };
    let watch = Watch::new(app, tell);
    match into {
        Into::NewStore(edit) => {
            let store = made(app, caller, edit)?;
            let filled = bring(app, caller, &store.id, None, plan, &|_| false, &watch, cancel);
            let filled = filled.and_then(|counts| embedded(&store.id, counts));
            if filled.is_err() {
                super::delete(app, caller, &store.id, true)?;
            }
            let mut answer = filled?;
            answer["storeId"] = json!(store.id);
            Ok(answer)
        }
        Into::Store { id, in_place, replaces_source } => {
            let source = plan.metadata.get("source").cloned();
            let same_source = |known: &StoreLoader| {
                replaces_source && source.is_some() && known.source() == source.as_ref()
            };
            let counts = bring(app, caller, &id, in_place, plan, &same_source, &watch, cancel)?;
            embedded(&id, counts)
        }
    }
}

/// Loads, then stores; files that were kept for a loader that brought nothing go away again.
#[allow(clippy::too_many_arguments, reason = "each is said once, in two places")]
fn bring(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    in_place: Option<LoaderId>,
    mut plan: LoaderPlan,
    replaces: &dyn Fn(&StoreLoader) -> bool,
    watch: &Watch<'_>,
    cancel: &Cancel,
) -> Result<Counts> {
    watch.shows(*id, Work::Syncing);
    let chunks = load(app, caller, id, &plan, watch, cancel)?;
    let fresh = files::keep(app, &caller.workspace, id, &mut plan)?;
    let loader = StoreLoader {
        id: in_place.unwrap_or_else(LoaderId::next),
        plan,
        synced: true,
        chunks: 0,
        characters: 0,
    };
    let filled = fill(app, caller, id, loader, &chunks, replaces)
        .inspect_err(|error| files::undo(app, &caller.workspace, id, &fresh, error))?;
    watch.note(Progress::storing(chunks.len(), chunks.len()));
    Ok(filled)
}

/// Adds a text that the service itself brings.
///
/// # Errors
/// As [`upsert`].
pub fn add_text(
    app: &App,
    caller: &Caller,
    id: &DocumentStoreId,
    text: &str,
    source: &str,
    characters: usize,
) -> Result<()> {
    let object = |value: Value| value.as_object().cloned();
    let card = |name: &str, config: Value| SentCard { name: Some(name.to_owned()), config: object(config) };
    let sent = Upsert {
        loader: Some(card("plainText", json!({ "text": text }))),
        splitter: Some(card(SPLITTER, json!({"chunkSize": characters, "chunkOverlap": 0}))),
        metadata: object(json!({ "source": source })),
        ..Upsert::default()
    };
    let prepared = prepare(app, caller, id, sent, &[])?;
    upsert(app, caller, prepared, &|_| {}, &Cancel::new(None)).map(drop)
}
