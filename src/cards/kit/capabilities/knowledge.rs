//! Chunks and vectors that this server keeps.

use crate::domain::error::Result;
use crate::domain::ids::DocumentStoreId;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::VectorStore;
use crate::kit::knowledge::pieces::PageVisitor;
use crate::kit::stores::collections::Collections;
use crate::vectors::VectorIndex;
use std::sync::Arc;

pub trait Knowledge: Send + Sync {
    /// The chunks of a document store of the flow's workspace; `None` when there is no such store.
    ///
    /// # Errors
    /// When they cannot be read.
    fn document_store_chunks(&self, store: &DocumentStoreId) -> Result<Option<Vec<Document>>>;

    /// Hands over these chunks a page at a time, so that nobody holds all of them; false when there is no such store. A chunk
    /// that comes or goes meanwhile may be among them or not.
    ///
    /// # Errors
    /// When they cannot be read, and what `visit` returns.
    fn visit_document_store(&self, store: &DocumentStoreId, visit: PageVisitor<'_>) -> Result<bool>;

    /// The vectors of a document store of the workspace; `None` when there is no such store, or it has none.
    ///
    /// # Errors
    /// When they cannot be opened.
    fn store_vectors(&self, store: &DocumentStoreId) -> Result<Option<Arc<dyn VectorStore>>>;

    /// Where chunks stay between runs.
    fn collections(&self) -> &dyn Collections;
}

pub trait VectorIndexes: Send + Sync {
    /// Vectors made from what `content` is the hash of: those an earlier question left behind, or what `make` gives, which
    /// others who ask at the same time may wait for.
    ///
    /// # Errors
    /// What `make` returns.
    fn index(
        &self,
        content: &[u8; 32],
        make: &mut dyn FnMut() -> Result<VectorIndex>,
    ) -> Result<Arc<VectorIndex>>;
}
