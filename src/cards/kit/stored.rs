//! A collection of this server behind a vector store card.

use super::embedding::{of_question, rows};
use super::host::Host;
use super::knowledge::{Loader, Query, Scored, Upserted, VectorStore};
use super::library::{Edit, Library};
use super::part::{Embeddings, Turn};
use super::records::{Cleanup, Difference, Keeping, RecordManager};
use super::shelf;
use crate::domain::collection::Collection;
use crate::domain::error::{Error, Result};
use crate::domain::filling::Progress;
use crate::domain::ids::CollectionId;
use crate::domain::prediction::SourceDocument;
use crate::vectors::RowId;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Passages kept with their vectors, as one card sees them.
pub struct Stored {
    /// The label of the card.
    pub label: String,
    /// The collection.
    pub id: CollectionId,
    /// What its owner calls it.
    pub name: String,
    /// Makes the vectors.
    pub embeddings: Arc<dyn Embeddings>,
}

impl Stored {
    fn wrong(&self, what: impl std::fmt::Display) -> Error {
        Error::Failed(format!("{}: {what}", self.label))
    }

    fn library<'h>(&self, host: &'h dyn Host) -> Result<&'h dyn Library> {
        host.library().ok_or_else(|| self.wrong("a run without a server has no stored passages"))
    }

    /// The passages nearest to a text.
    ///
    /// # Errors
    /// When nothing was stored yet, or with other embeddings.
    pub fn nearest(&self, query: &Query<'_>, host: &dyn Host) -> Result<Vec<Scored>> {
        let library = self.library(host)?;
        let head = library.collection(&self.id)?.ok_or_else(|| {
            self.wrong(format!("nothing is stored under '{}' yet; fill the store first", self.name))
        })?;
        if head.rows == 0 {
            return Ok(Vec::new());
        }
        self.same_space(&head)?;
        let question = of_question(query.text, &*self.embeddings, host)?;
        let fits = |row: &str| query.filter.is_none_or(|filter: &Value| shelf::fits(filter, row));
        let fits: Option<&dyn Fn(&str) -> bool> = if query.filter.is_some() { Some(&fits) } else { None };
        shelf::passages(library.nearest(&self.id, &question, query.most, fits)?)
    }

    fn same_space(&self, head: &Collection) -> Result<()> {
        if head.space == self.embeddings.space() {
            return Ok(());
        }
        Err(self.wrong(format!("'{}' was filled with other embeddings; fill it again", self.name)))
    }

    /// Stores documents in place of what was there; with records, only what changed.
    ///
    /// # Errors
    /// When embedding or storing fails; then what was there stays.
    pub fn fill(
        &self,
        documents: Vec<SourceDocument>,
        records: Option<&dyn RecordManager>,
        host: &dyn Host,
    ) -> Result<Upserted> {
        match records {
            None => self.replace(documents, host),
            Some(records) => self.follow(documents, records, host),
        }
    }

    fn edit<'e>(&'e self, remove: &'e HashSet<RowId>) -> Edit<'e> {
        Edit { name: &self.name, space: self.embeddings.space(), clear: false, add: &[], remove }
    }

    fn replace(&self, documents: Vec<SourceDocument>, host: &dyn Host) -> Result<Upserted> {
        if documents.is_empty() {
            return Err(self.wrong("Document: there is nothing to store; what was stored before stays"));
        }
        let library = self.library(host)?;
        let named: Vec<(RowId, &SourceDocument)> =
            documents.iter().enumerate().map(|(number, document)| (place(number), document)).collect();
        let rows = rows(&named, &*self.embeddings, host)?;
        host.progressed(Progress::storing(0, rows.len()));
        let head =
            library.change(&self.id, &Edit { clear: true, add: &rows, ..self.edit(&HashSet::new()) })?;
        Ok(Upserted { added: rows.len(), total: head.rows, documents, ..Upserted::default() })
    }

    fn follow(
        &self,
        documents: Vec<SourceDocument>,
        records: &dyn RecordManager,
        host: &dyn Host,
    ) -> Result<Upserted> {
        let (library, keeping) = (self.library(host)?, records.keeping());
        let namespace = keeping.namespace_of(&self.name, host);
        let recorded = records.known(&namespace, host)?;
        let is_same_space =
            library.collection(&self.id)?.is_some_and(|head| head.space == self.embeddings.space());
        // What is recorded and not there, a crash left behind: it counts as new.
        let present = if is_same_space { library.names(&self.id)? } else { HashSet::new() };
        let mut known = recorded.clone();
        known.retain(|name, _| present.contains(name));
        let difference = Difference::of(&documents, &known, keeping)?;
        let rows = rows(&difference.named(), &*self.embeddings, host)?;
        let gone: HashSet<RowId> = difference.gone.iter().copied().collect();
        let unnamed: Vec<RowId> = present.into_iter().filter(is_place).collect();
        let remove: HashSet<RowId> = gone.iter().chain(&unnamed).copied().collect();
        let changes = !rows.is_empty() || !remove.is_empty() || !is_same_space;
        if changes {
            host.progressed(Progress::storing(0, rows.len()));
            // Vectors of another space go with the change: they cannot be compared with these.
            library.change(&self.id, &Edit { clear: !is_same_space, add: &rows, ..self.edit(&remove) })?;
        }
        let unrecorded = |name: &&RowId| !known.contains_key(*name) || gone.contains(*name);
        let added: HashSet<RowId> = difference.new.iter().map(|(name, _, _)| *name).collect();
        let forgotten: Vec<RowId> =
            recorded.keys().filter(unrecorded).filter(|name| !added.contains(*name)).copied().collect();
        records.change(&namespace, &difference.records(), &forgotten, host)?;
        let updated = difference.new.iter().filter(|(name, _, _)| recorded.contains_key(name)).count();
        Ok(Upserted {
            added: difference.new.len() - updated,
            deleted: forgotten.len() + unnamed.len(),
            updated,
            skipped: difference.skipped,
            total: known.len() + difference.new.len() - gone.len(),
            documents: difference.new.iter().map(|(_, document, _)| (*document).clone()).collect(),
        })
    }
}

/// The name of a row that was stored without records: its place, since the next filling takes the place of all.
fn place(number: usize) -> RowId {
    (number as u128).to_be_bytes()
}

/// True for such a name. Nobody keeps records of it, so it goes when the collection is filled with records.
fn is_place(name: &RowId) -> bool {
    name[..8] == [0; 8]
}

/// A vector store over a collection that holds what one loader brings, and nothing else: the names of its rows tell what
/// is there, so it is its own record manager.
pub struct ByNames {
    /// The collection.
    pub stored: Stored,
    /// What is loaded.
    pub loader: Arc<dyn Loader>,
    /// How many passages are returned.
    pub most: usize,
}

impl ByNames {
    fn keeping(&self) -> Keeping {
        Keeping {
            label: self.stored.label.clone(),
            namespace: None,
            cleanup: Cleanup::Full,
            source_key: "source".to_owned(),
        }
    }
}

/// The names of a collection's rows as records.
struct Names<'s> {
    stored: &'s Stored,
    keeping: Keeping,
}

impl RecordManager for Names<'_> {
    fn keeping(&self) -> &Keeping {
        &self.keeping
    }

    fn known(&self, _namespace: &str, host: &dyn Host) -> Result<HashMap<RowId, String>> {
        let names = self.stored.library(host)?.names(&self.stored.id)?;
        Ok(names.into_iter().map(|name| (name, String::new())).collect())
    }

    fn change(&self, _: &str, _: &[(RowId, String)], _: &[RowId], _: &dyn Host) -> Result<()> {
        Ok(())
    }
}

impl VectorStore for ByNames {
    fn upsert(&self, host: &dyn Host) -> Result<Upserted> {
        let says_something = |document: &SourceDocument| !document.page_content.trim().is_empty();
        let documents = self.loader.load(host)?.into_iter().filter(says_something).collect();
        self.stored.fill(documents, Some(&Names { stored: &self.stored, keeping: self.keeping() }), host)
    }

    fn nearest(&self, query: &Query<'_>, turn: &Turn<'_>) -> Result<Vec<Scored>> {
        self.stored.nearest(query, turn.host)
    }

    fn top_k(&self) -> usize {
        self.most
    }
}
