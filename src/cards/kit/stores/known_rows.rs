//! What a run knows of a collection that it fills batch by batch, so that no batch reads all of the collection again.

use super::collections::Collections;
use crate::domain::error::Result;
use crate::domain::ids::CollectionId;
use crate::vectors::RowId;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use uuid::Uuid;

/// The rows of a collection as they were at one of its changes.
#[derive(Debug, Default)]
pub struct KnownRows(Mutex<Option<Snapshot>>);

#[derive(Debug, Clone)]
struct Snapshot {
    /// That of the change.
    stamp: Uuid,
    rows: HashSet<RowId>,
}

impl KnownRows {
    /// Those of `wanted` that are not in the collection, and the stamp of the change at which that was so; `None` where it
    /// changed while it was read, and all of them count as new.
    ///
    /// # Errors
    /// When the collection cannot be read.
    pub(crate) fn missing(
        &self,
        collections: &dyn Collections,
        id: &CollectionId,
        wanted: &HashSet<RowId>,
    ) -> Result<(HashSet<RowId>, Option<Uuid>)> {
        let stamp = collections.collection(id)?.map(|head| head.stamp);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(stamp) = stamp else { return Ok((wanted.clone(), None)) };
        if known.as_ref().is_none_or(|known| known.stamp != stamp) {
            let rows = collections.row_ids(id)?;
            let is_same = collections.collection(id)?.is_some_and(|head| head.stamp == stamp);
            *known = is_same.then_some(Snapshot { stamp, rows });
        }
        Ok(match &*known {
            Some(known) => (wanted.difference(&known.rows).copied().collect(), Some(stamp)),
            None => (wanted.clone(), None),
        })
    }

    /// Notes that these rows were added to what was known at `before`, by the change of the stamp `after`.
    pub(crate) fn add(&self, before: Option<Uuid>, after: Uuid, rows: impl IntoIterator<Item = RowId>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *known {
            Some(known) if Some(known.stamp) == before => {
                known.stamp = after;
                known.rows.extend(rows);
            }
            other => *other = None,
        }
    }

    /// Notes that these rows are all that is there since the change of this stamp.
    pub(crate) fn replace(&self, stamp: Uuid, rows: impl IntoIterator<Item = RowId>) {
        let rows = rows.into_iter().collect();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Snapshot { stamp, rows });
    }
}
