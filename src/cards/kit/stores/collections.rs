//! Where chunks stay between runs, with their vectors and with the records of what is there.

use super::row_spool::SpooledRows;
use crate::domain::conversations::conversation::Conversation;
use crate::domain::conversations::uploads::{ChunkUsage, StoragePermit};
use crate::domain::error::Result;
use crate::domain::ids::{CollectionId, NamespaceId};
use crate::domain::knowledge::collection::Collection;
use crate::kit::build::component::Space;
use crate::vectors::{RowId, SearchHit, VectorRow};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use uuid::Uuid;

/// The collections and records of one workspace.
pub trait Collections: Send + Sync {
    /// What a collection knows of itself; `None` before its first upsert.
    ///
    /// # Errors
    /// When it cannot be read.
    fn collection(&self, id: &CollectionId) -> Result<Option<Collection>>;

    /// The ids of all rows of a collection.
    ///
    /// # Errors
    /// When it cannot be read.
    fn row_ids(&self, id: &CollectionId) -> Result<HashSet<RowId>>;

    /// The rows nearest to `query`, best first, of those whose text `fits`.
    ///
    /// # Errors
    /// When they cannot be read, or the vectors have another length.
    fn nearest(
        &self,
        id: &CollectionId,
        query: &[f32],
        most: usize,
        fits: Option<&dyn Fn(&str) -> bool>,
    ) -> Result<Vec<SearchHit>>;

    /// The permit to store files that a conversation sends, asked for before any of them is embedded; `elsewhere` of them
    /// goes to a database on another server.
    ///
    /// # Errors
    /// 404 when its flow is gone, 413 and 507 when there is no room for it.
    fn reserve(&self, conversation: &Conversation, elsewhere: ChunkUsage) -> Result<StoragePermit>;

    /// Called before each part of the files goes to a database on another server, where nothing is removed with the
    /// conversation.
    ///
    /// # Errors
    /// When the conversation was deleted since.
    fn require_valid(&self, leave: &StoragePermit) -> Result<()>;

    /// A file without a name for rows that wait for a change.
    ///
    /// # Errors
    /// When the disk is nearly full, or it cannot be made.
    fn spool(&self) -> io::Result<File>;

    /// Asked while such a file grows.
    ///
    /// # Errors
    /// When the disk is nearly full.
    fn check_disk(&self) -> Result<()>;

    /// Changes a collection, or makes it. Others see all of the change or nothing of it.
    ///
    /// # Errors
    /// When it cannot be stored, is larger than a collection may be, or its conversation was deleted meanwhile.
    fn change(&self, id: &CollectionId, edit: &CollectionEdit<'_>) -> Result<Collection>;

    /// Everything a record manager remembers of a namespace: the source of each chunk.
    ///
    /// # Errors
    /// When it cannot be read.
    fn records(&self, namespace: &NamespaceId) -> Result<HashMap<RowId, String>>;

    /// Changes what it remembers.
    ///
    /// # Errors
    /// When it cannot be stored.
    fn change_records(
        &self,
        namespace: &NamespaceId,
        put: &[(RowId, String)],
        remove: &[RowId],
    ) -> Result<()>;
}

/// A change of a collection.
#[derive(Debug, Clone)]
pub struct CollectionEdit<'a> {
    pub name: &'a str,
    /// The space of the new vectors. Rows of another one go.
    pub space: Space,
    pub clear: bool,
    /// New rows, in place of those of the same id.
    pub add: NewRows<'a>,
    /// The stamp of the collection at which none of them was in it: then nothing has to be read to find out.
    pub absent_at: Option<Uuid>,
    /// The conversation whose files the rows are: such a collection goes with it.
    pub conversation: Option<StoragePermit>,
    pub remove: &'a HashSet<RowId>,
}

/// Rows that a change brings.
#[derive(Debug, Clone, Copy)]
pub enum NewRows<'a> {
    /// Few enough to be held.
    Held(&'a [VectorRow]),
    /// However many.
    Spooled(&'a SpooledRows),
}

impl NewRows<'_> {
    pub const NONE: Self = Self::Held(&[]);

    /// The ids of all of them.
    #[must_use]
    pub fn ids(&self) -> HashSet<RowId> {
        match self {
            Self::Held(rows) => rows.iter().map(|row| row.id).collect(),
            Self::Spooled(rows) => rows.ids().clone(),
        }
    }
}
