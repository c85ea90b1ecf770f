//! The handle of redb's database, whose pages may make no sense, and how many still read it.

use super::recovery::OpenError;
use crate::domain::error::Result;
use crate::store::transaction::{ReadTx, database_error};
use redb::{Database, ReadableDatabase as _};
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The database. What a disk changed in its pages may be a panic there, also while it is closed.
pub(in crate::store) struct GuardedDatabase {
    database: Option<Database>,
    /// Shared with every snapshot of it that is still read.
    readers: Arc<()>,
}

impl GuardedDatabase {
    pub(in crate::store) fn new(database: Database) -> Self {
        Self { database: Some(database), readers: Arc::default() }
    }

    /// Begins a snapshot, which counts as a reader until it is dropped.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(in crate::store) fn begin_counted_read(&self) -> Result<ReadTx> {
        let tx = self.begin_read().map_err(database_error)?;
        Ok(ReadTx::new(tx).counted_by(self.readers.clone()))
    }

    /// True while somebody reads a snapshot of it, which its end would break off.
    pub(in crate::store) fn has_readers(&self) -> bool {
        Arc::strong_count(&self.readers) > 1
    }
}

impl Deref for GuardedDatabase {
    type Target = Database;
    fn deref(&self) -> &Database {
        self.database.as_ref().expect("it is taken by its end alone")
    }
}

impl Drop for GuardedDatabase {
    fn drop(&mut self) {
        let database = self.database.take();
        if catch_unwind(AssertUnwindSafe(|| drop(database))).is_err() {
            tracing::warn!(
                target: "flowkeep::store::engine::guarded_database",
                "the database could not be closed in order; the next start looks through it"
            );
        }
    }
}

/// Does something with a database whose pages may make no sense.
pub(in crate::store) fn catch_panic<T>(work: impl FnOnce() -> Result<T, OpenError>) -> Result<T, OpenError> {
    let senseless = |_| Err(OpenError::Damaged("its pages make no sense".to_owned()));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(senseless)
}
