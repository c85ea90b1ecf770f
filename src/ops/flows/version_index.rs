//! Where history keeps its list of versions: in the service's database.

use crate::domain::error::Result;
use crate::history::{IndexRow, IndexStore};
use crate::store::queries::version_index;
use crate::store::{Order, Store};
use std::sync::Arc;

/// The version index over the store.
pub(crate) struct VersionIndex(Arc<Store>);

impl VersionIndex {
    /// An index in this database.
    #[must_use]
    pub(crate) const fn new(store: Arc<Store>) -> Self {
        Self(store)
    }
}

impl IndexStore for VersionIndex {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.0.read(|tx| version_index::get(tx, key))
    }

    fn range(&self, from: &[u8], below: &[u8], descending: bool, limit: usize) -> Result<Vec<IndexRow>> {
        let order = if descending { Order::Descending } else { Order::Ascending };
        self.0.read(|tx| version_index::range(tx, from, below, order, limit))
    }

    fn put(&self, rows: &[IndexRow]) -> Result<()> {
        self.0.write(|tx| version_index::put(tx, rows))
    }

    fn clear(&self) -> Result<()> {
        self.0.write(version_index::clear)
    }
}
