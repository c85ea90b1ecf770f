//! The components of knowledge: documents are loaded, cut into chunks, and kept where their vectors find them again.

pub(crate) mod chunk_markup;
pub mod conversation_scope;
pub(crate) mod embedding;
pub(crate) mod lexical;
pub(crate) mod loading;
pub(crate) mod mmr;
pub mod pieces;
pub(crate) mod rerank_retriever;
pub mod retrieving;
pub(crate) mod splitting;
pub mod transform;
pub mod untrusted_text;

use super::build::component::{Retriever, RunContext};
use super::capabilities::host::Host;
use super::models::model::Model;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use pieces::{DocumentPages, DocumentPiece, PieceVisitor};
use serde_json::Value;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A component that brings documents, cut into chunks when a splitter is wired into it.
pub trait Loader: Send + Sync {
    /// Reads them, in their own order.
    ///
    /// # Errors
    /// When the source cannot be read, naming the card.
    fn load(&self, host: &dyn Host) -> Result<Vec<Document>>;

    /// Hands the documents over a piece at a time, so that nobody holds all of them; beginning with the piece at the place
    /// `from`, where the source has places.
    ///
    /// # Errors
    /// When the source cannot be read, naming the card, and what `each` returns.
    fn stream(&self, _from: Option<&str>, host: &dyn Host, each: PieceVisitor<'_>) -> Result<()> {
        each(DocumentPiece::whole(self.load(host)?))
    }

    /// Its documents a page at a time; `None` where reading them again costs something, or brings others.
    fn pages(&self) -> Option<&dyn DocumentPages> {
        None
    }
}

/// A component that cuts texts into chunks.
pub trait Splitter: Send + Sync {
    /// The chunks of a text, in their order; an empty text has none.
    ///
    /// # Errors
    /// When it cannot be cut as the card is set.
    fn split(&self, text: &str, host: &dyn Host) -> Result<Vec<ChunkSpan>>;

    /// The chunks of documents, each with the metadata of its document; `None` when they are more than a store may hold.
    ///
    /// # Errors
    /// As [`Self::split`]; [`Error::Cancelled`] when the run ended.
    fn split_documents(&self, documents: Vec<Document>, host: &dyn Host) -> Result<Option<Vec<Document>>> {
        loading::split(self, documents, host)
    }
}

/// A chunk of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkSpan {
    pub text: String,
    /// The lines it stands on, from 1, in the text that was cut.
    pub lines: RangeInclusive<usize>,
}

/// A component that keeps chunks and finds them by their vectors.
pub trait VectorStore: Send + Sync {
    /// Loads everything wired into the card and stores it.
    ///
    /// # Errors
    /// When loading, embedding or storing fails. What was stored before the failure stays.
    fn upsert(&self, host: &dyn Host) -> Result<UpsertReport>;

    /// The chunks nearest to a text, best first.
    ///
    /// # Errors
    /// When the search fails.
    fn nearest(&self, query: &VectorQuery<'_>, turn: &RunContext<'_>) -> Result<Vec<ScoredChunk>>;

    /// How many chunks the card is set to return.
    fn top_k(&self) -> usize;

    /// Takes in documents that a pipeline brings, beside what is stored or, where it `empties` the store first, in place of
    /// it. What is there already is not stored twice. How many were taken in.
    ///
    /// # Errors
    /// When embedding or storing fails, or the store cannot be filled so.
    fn append(&self, _documents: &[Document], _empties: bool, _host: &dyn Host) -> Result<usize> {
        Err(Error::RunFailed("a pipeline cannot fill this card; choose a store that keeps its chunks".into()))
    }

    /// The model that is wired into the store, for an engine that has none of its own.
    fn model(&self) -> Option<Arc<Model>> {
        None
    }
}

/// What is looked for in a vector store.
#[derive(Debug, Clone, Copy)]
pub struct VectorQuery<'a> {
    /// The text whose vector is compared.
    pub text: &'a str,
    /// At most so many chunks.
    pub most: usize,
    /// Only chunks with this metadata, beside the filter of the card, as the store writes filters.
    pub filter: Option<&'a Value>,
}

/// A chunk and how near it is.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredChunk {
    pub chunk: Document,
    /// Nearness: larger is nearer, 1 is the same direction.
    pub score: f32,
}

/// What an upsert did, as callers read it (manual 10.5).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UpsertReport {
    pub added: usize,
    /// Chunks that are gone because their source no longer has them.
    pub deleted: usize,
    pub updated: usize,
    pub skipped: usize,
    /// Chunks the store holds now, as far as someone counts them.
    pub total: usize,
    /// The first of the new chunks.
    pub shown: Vec<Document>,
}

/// A vector store is a retriever wherever one is wanted.
pub struct StoreRetriever(pub Arc<dyn VectorStore>);

impl Retriever for StoreRetriever {
    fn retrieve(&self, query: &str, turn: &RunContext<'_>) -> Result<Vec<Document>> {
        let query = VectorQuery { text: query, most: self.0.top_k(), filter: None };
        Ok(self.0.nearest(&query, turn)?.into_iter().map(|found| found.chunk).collect())
    }

    fn top_k(&self) -> usize {
        self.0.top_k()
    }
}
