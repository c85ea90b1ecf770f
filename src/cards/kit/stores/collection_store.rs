//! A collection of this server behind a vector store card.

use super::chunk_source::ChunkSource;
use super::collections::{CollectionEdit, Collections, NewRows};
use super::known_rows::KnownRows;
use super::records::{self, ChunkDiff, Cleanup, RecordManager, RecordManagerConfig, chunk_key};
use super::row_writer::RowWriter;
use super::store_inputs;
use crate::domain::conversations::conversation::Conversation;
use crate::domain::conversations::uploads::ChunkUsage;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CollectionId;
use crate::domain::knowledge::collection::Collection;
use crate::domain::knowledge::upsert::{UpsertProgress, shown_of};
use crate::domain::predictions::prediction::Document;
use crate::kit::build::component::{Embeddings, RunContext};
use crate::kit::capabilities::Grant;
use crate::kit::capabilities::host::Host;
use crate::kit::capabilities::knowledge::Knowledge;
use crate::kit::knowledge::conversation_scope;
use crate::kit::knowledge::embedding::{embed_chunks, embed_query};
use crate::kit::knowledge::{Loader, ScoredChunk, UpsertReport, VectorQuery, VectorStore};
use crate::limits::COLLECTION_ROWS_MAX;
use crate::vectors::RowId;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Chunks kept with their vectors, as one card sees them.
pub struct CollectionStore {
    pub label: String,
    pub id: CollectionId,
    pub name: String,
    pub embeddings: Arc<dyn Embeddings>,
    pub uploads: bool,
    pub knowledge: Grant<dyn Knowledge>,
    /// What is there, for who fills it batch by batch.
    pub known: KnownRows,
}

impl CollectionStore {
    fn card_error(&self, what: impl std::fmt::Display) -> Error {
        Error::RunFailed(format!("{}: {what}", self.label))
    }

    fn collections<'h>(&self, host: &'h dyn Host) -> Result<&'h dyn Collections> {
        Ok(self.knowledge.of(host)?.collections())
    }

    /// The chunks nearest to a text, of those that are there for everybody and of those of the conversation that asks.
    ///
    /// # Errors
    /// When nothing was stored yet, or with other embeddings.
    pub(crate) fn nearest(&self, query: &VectorQuery<'_>, host: &dyn Host) -> Result<Vec<ScoredChunk>> {
        let library = self.collections(host)?;
        let shared = match library.collection(&self.id)? {
            Some(head) if head.rows == 0 => None,
            Some(head) => self.same_space(&head).map(|()| Some(self.id))?,
            // What people send can be all there is.
            None if self.uploads => None,
            None => {
                let what = format!("nothing is stored under '{}' yet; fill the store first", self.name);
                return Err(self.card_error(what));
            }
        };
        let own = self.conversation_collection(host)?;
        if shared.is_none() && own.is_none() {
            return Ok(Vec::new());
        }
        let vector = embed_query(query.text, &*self.embeddings, host)?;
        let mut found = Vec::new();
        for id in [shared, own].into_iter().flatten() {
            found.extend(Self::search(library, &id, &vector, query)?);
        }
        Ok(best(found, query.most))
    }

    /// The chunks nearest to a vector, of those of the conversation that asks.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn nearest_of_conversation(
        &self,
        vector: &[f32],
        query: &VectorQuery<'_>,
        host: &dyn Host,
    ) -> Result<Vec<ScoredChunk>> {
        match self.conversation_collection(host)? {
            Some(own) => Self::search(self.collections(host)?, &own, vector, query),
            None => Ok(Vec::new()),
        }
    }

    /// The collection of the conversation that asks, where it has chunks in it.
    fn conversation_collection(&self, host: &dyn Host) -> Result<Option<CollectionId>> {
        let Some(conversation) = host.conversation().filter(|_| self.uploads) else { return Ok(None) };
        let id = self.id.for_conversation(&conversation);
        let head = self.collections(host)?.collection(&id)?;
        // Files that were sent before the owner chose other embeddings cannot be compared; they are sent again or left.
        Ok(head.filter(|head| head.rows > 0 && head.space == self.embeddings.space()).map(|_| id))
    }

    fn search(
        library: &dyn Collections,
        id: &CollectionId,
        vector: &[f32],
        query: &VectorQuery<'_>,
    ) -> Result<Vec<ScoredChunk>> {
        let fits =
            |row: &str| query.filter.is_none_or(|filter: &Value| store_inputs::matches_filter(filter, row));
        let fits: Option<&dyn Fn(&str) -> bool> = if query.filter.is_some() { Some(&fits) } else { None };
        store_inputs::scored_chunks(library.nearest(id, vector, query.most, fits)?)
    }

    /// Adds the chunks of files that somebody sent in a conversation. What it has already stays, and so does
    /// everything that is not its own; no record manager is asked, since nothing ever goes for something else.
    ///
    /// # Errors
    /// When embedding or storing fails, and 413 or 507 when there is no room for it.
    pub(crate) fn add_for_conversation(
        &self,
        documents: Vec<Document>,
        conversation: &Conversation,
        host: &dyn Host,
    ) -> Result<UpsertReport> {
        let (library, id) = (self.collections(host)?, self.id.for_conversation(conversation));
        let documents = conversation_scope::tag_with_conversation(documents, conversation)?;
        let head = library.collection(&id)?.filter(|head| head.space == self.embeddings.space());
        let mut known = if head.is_some() { library.row_ids(&id)? } else { HashSet::new() };
        let named = documents.iter().map(|document| (chunk_key(document), document));
        let named: Vec<(RowId, &Document)> = named.filter(|(name, _)| known.insert(*name)).collect();
        let mut total = head.map_or(0, |head| head.rows);
        if !named.is_empty() {
            let leave = library.reserve(conversation, ChunkUsage::default())?;
            let (rows, nothing) = (embed_chunks(&named, &*self.embeddings, host)?, HashSet::new());
            let edit = CollectionEdit {
                add: NewRows::Held(&rows),
                conversation: Some(leave),
                ..self.edit(&nothing)
            };
            total = library.change(&id, &edit)?.rows;
        }
        Ok(UpsertReport {
            added: named.len(),
            skipped: documents.len() - named.len(),
            total,
            shown: shown_of(named.into_iter().map(|(_, document)| document)),
            ..UpsertReport::default()
        })
    }

    /// Adds documents to what everybody finds, or puts them in place of it. A chunk that is there already stays as it is.
    ///
    /// # Errors
    /// When embedding or storing fails, or what is there was stored with other embeddings.
    pub(crate) fn append(
        &self,
        documents: &[Document],
        empties: bool,
        records: Option<&dyn RecordManager>,
        host: &dyn Host,
    ) -> Result<usize> {
        let library = self.collections(host)?;
        if let Some(head) = library.collection(&self.id)?.filter(|head| !empties && head.rows > 0) {
            self.same_space(&head)?;
        }
        let mut seen = HashSet::new();
        let named = documents.iter().map(|document| (chunk_key(document), document));
        let named: Vec<(RowId, &Document)> = named.filter(|(name, _)| seen.insert(*name)).collect();
        let (missing, absent_at) =
            if empties { (seen, None) } else { self.known.missing(library, &self.id, &seen)? };
        let new = named.iter().filter(|(name, _)| missing.contains(name)).copied();
        let rows = embed_chunks(&new.collect::<Vec<_>>(), &*self.embeddings, host)?;
        if empties || !rows.is_empty() {
            let nothing = HashSet::new();
            let add = NewRows::Held(&rows);
            let edit = CollectionEdit { clear: empties, add, absent_at, ..self.edit(&nothing) };
            let stamp = library.change(&self.id, &edit)?.stamp;
            let ids = rows.iter().map(|row| row.id);
            if empties { self.known.replace(stamp, ids) } else { self.known.add(absent_at, stamp, ids) }
        }
        if let Some(records) = records {
            records::remember(records, &self.name, &named, empties, host)?;
        }
        Ok(named.len())
    }

    fn same_space(&self, head: &Collection) -> Result<()> {
        if head.space == self.embeddings.space() {
            return Ok(());
        }
        Err(self.card_error(format!("'{}' was filled with other embeddings; fill it again", self.name)))
    }

    /// Stores chunks in place of what was there; with records, only what changed.
    ///
    /// # Errors
    /// When embedding or storing fails; then what was there stays.
    pub(crate) fn upsert(
        &self,
        chunks: ChunkSource<'_>,
        records: Option<&dyn RecordManager>,
        host: &dyn Host,
    ) -> Result<UpsertReport> {
        match records {
            None => self.replace_all(chunks, host),
            Some(records) => self.sync_with_records(chunks, records, host),
        }
    }

    fn edit<'e>(&'e self, remove: &'e HashSet<RowId>) -> CollectionEdit<'e> {
        let space = self.embeddings.space();
        let (clear, conversation, absent_at) = (false, None, None);
        CollectionEdit { name: &self.name, space, clear, add: NewRows::NONE, absent_at, remove, conversation }
    }

    /// Refuses what a collection cannot hold before anything of it is embedded.
    fn check_room(&self, rows: usize) -> Result<()> {
        if rows <= COLLECTION_ROWS_MAX {
            return Ok(());
        }
        Err(self.card_error(format!(
            "a collection holds at most {COLLECTION_ROWS_MAX} chunks, and these would be {rows}"
        )))
    }

    fn replace_all(&self, chunks: ChunkSource<'_>, host: &dyn Host) -> Result<UpsertReport> {
        let nothing = || self.card_error("Document: there is nothing to store; what was stored before stays");
        let mut count = 0;
        chunks.look(host, &mut |_| {
            count += 1;
            Ok(())
        })?;
        if count == 0 {
            return Err(nothing());
        }
        self.check_room(count)?;
        let library = self.collections(host)?;
        let mut writer = RowWriter::new(library, &*self.embeddings, host, count);
        let mut number = 0;
        chunks.take(host, &mut |chunk| {
            number += 1;
            writer.push(position_id(number - 1), chunk)
        })?;
        let (rows, shown) = writer.finish()?;
        let added = rows.ids().len();
        // What was there when they were counted may be gone by now.
        if added == 0 {
            return Err(nothing());
        }
        host.report_progress(UpsertProgress::storing(0, added));
        let (add, nothing) = (NewRows::Spooled(&rows), HashSet::new());
        let edit = CollectionEdit { clear: true, add, ..self.edit(&nothing) };
        let total = library.change(&self.id, &edit)?.rows;
        Ok(UpsertReport { added, total, shown, ..UpsertReport::default() })
    }

    fn sync_with_records(
        &self,
        chunks: ChunkSource<'_>,
        records: &dyn RecordManager,
        host: &dyn Host,
    ) -> Result<UpsertReport> {
        let (library, keeping) = (self.collections(host)?, records.config());
        let namespace = keeping.namespace_of(&self.name, host);
        let recorded = records.records(&namespace, host)?;
        let is_same_space =
            library.collection(&self.id)?.is_some_and(|head| head.space == self.embeddings.space());
        // What is recorded and not there was left behind by a crash: it counts as new.
        let present = if is_same_space { library.row_ids(&self.id)? } else { HashSet::new() };
        let is_known = |name: &RowId| present.contains(name) && recorded.contains_key(name);
        let mut difference = ChunkDiff::default();
        chunks.look(host, &mut |chunk| difference.note(chunk, Some(keeping), is_known))?;
        let known = || recorded.iter().filter(|(name, _)| present.contains(*name));
        let gone: HashSet<RowId> = difference.removed(known(), keeping).into_iter().collect();
        let known_count = known().count();
        self.check_room(known_count - gone.len() + difference.new.len())?;
        let ChunkDiff { new: mut wanted, skipped, .. } = difference;
        let (mut stored, mut updated) = (Vec::new(), 0);
        let mut writer = RowWriter::new(library, &*self.embeddings, host, wanted.len());
        chunks.take(host, &mut |chunk| {
            let name = chunk_key(&chunk);
            let Some(source) = wanted.remove(&name) else { return Ok(()) };
            updated += usize::from(recorded.contains_key(&name));
            stored.push((name, source));
            writer.push(name, chunk)
        })?;
        let (rows, shown) = writer.finish()?;
        let unnamed: Vec<RowId> = present.iter().copied().filter(is_position_id).collect();
        let remove: HashSet<RowId> = gone.iter().chain(&unnamed).copied().collect();
        if !stored.is_empty() || !remove.is_empty() || !is_same_space {
            host.report_progress(UpsertProgress::storing(0, stored.len()));
            let add = NewRows::Spooled(&rows);
            // Vectors of another space go with the change: they cannot be compared with these.
            library.change(&self.id, &CollectionEdit { clear: !is_same_space, add, ..self.edit(&remove) })?;
        }
        let is_forgotten =
            |name: &&RowId| (!present.contains(*name) || gone.contains(*name)) && !rows.ids().contains(*name);
        let forgotten: Vec<RowId> = recorded.keys().filter(is_forgotten).copied().collect();
        records::settle(records, &namespace, &stored, &forgotten, host)?;
        Ok(UpsertReport {
            added: stored.len() - updated,
            deleted: forgotten.len() + unnamed.len(),
            updated,
            skipped,
            total: known_count + stored.len() - gone.len(),
            shown,
        })
    }
}

/// The best of what was found in several places.
#[must_use]
pub(crate) fn best(mut found: Vec<ScoredChunk>, most: usize) -> Vec<ScoredChunk> {
    found.sort_by(|one, other| other.score.total_cmp(&one.score));
    found.truncate(most);
    found
}

/// The id of a row that was stored without records: its position, since the next upsert replaces all rows.
fn position_id(number: usize) -> RowId {
    (number as u128).to_be_bytes()
}

/// True for such an id. Nobody keeps records of it, so it goes with the next upsert that keeps records.
fn is_position_id(name: &RowId) -> bool {
    name[..8] == [0; 8]
}

/// A vector store over a collection that holds what one loader brings, and nothing else: the ids of its rows tell what is
/// there, so it is its own record manager.
pub struct UnrecordedStore {
    pub collection: CollectionStore,
    pub loader: Arc<dyn Loader>,
    pub most: usize,
}

impl UnrecordedStore {
    fn config(&self) -> RecordManagerConfig {
        RecordManagerConfig {
            label: self.collection.label.clone(),
            namespace: None,
            cleanup: Cleanup::Full,
            // Nobody asks where they are from.
            source_key: String::new(),
        }
    }
}

/// The ids of a collection's rows as records.
struct RowNames<'s> {
    collection: &'s CollectionStore,
    config: RecordManagerConfig,
}

impl RecordManager for RowNames<'_> {
    fn config(&self) -> &RecordManagerConfig {
        &self.config
    }

    fn records(&self, _namespace: &str, host: &dyn Host) -> Result<HashMap<RowId, String>> {
        let names = self.collection.collections(host)?.row_ids(&self.collection.id)?;
        Ok(names.into_iter().map(|name| (name, String::new())).collect())
    }

    fn change(&self, _: &str, _: &[(RowId, String)], _: &[RowId], _: &dyn Host) -> Result<()> {
        Ok(())
    }
}

impl VectorStore for UnrecordedStore {
    fn upsert(&self, host: &dyn Host) -> Result<UpsertReport> {
        let chunks = ChunkSource::of_loader(&*self.loader, host)?;
        let names = RowNames { collection: &self.collection, config: self.config() };
        self.collection.upsert(chunks, Some(&names), host)
    }

    fn nearest(&self, query: &VectorQuery<'_>, turn: &RunContext<'_>) -> Result<Vec<ScoredChunk>> {
        self.collection.nearest(query, turn.host)
    }

    fn top_k(&self) -> usize {
        self.most
    }
}
