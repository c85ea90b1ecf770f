//! Searchable vectors in memory, shared by all who ask. An index is made once, though many wait for it, each as long as its own
//! run wants it, and each owner has a quota, which no package for caches knows. The memory all of them take is fixed.

use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result};
use crate::domain::ids::WorkspaceId;
use crate::vectors::VectorIndex;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Stores of one flow or collection whose vectors are kept in memory (manual 14.8).
const INDEXES_PER_OWNER_MAX: usize = 16;
/// Vectors of all stores that are kept in memory; those not asked for longest go first (manual 14.8).
const INDEXES_BYTES_MAX: usize = 512 * 1024 * 1024;
/// Room an index takes beside its rows, roughly.
const ENTRY_BYTES: usize = 4 * 1024;
/// How often one who waits looks whether its run goes on, should the wake-up be missed.
const RECHECK_EVERY: Duration = Duration::from_secs(1);

/// Whose index, of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IndexKey {
    pub workspace: WorkspaceId,
    /// The flow or the collection it belongs to.
    pub owner: [u8; 16],
    /// Tells apart what an owner has had: with another content it is another index.
    pub content: [u8; 32],
}

impl IndexKey {
    fn is_of_owner(&self, other: &Self) -> bool {
        self.workspace == other.workspace && self.owner == other.owner
    }
}

/// The indexes of all flows and collections.
pub struct VectorIndexCache(Arc<SharedEntries>);

struct SharedEntries {
    entries: Mutex<IndexEntries>,
    changed: Condvar,
}

struct IndexEntries {
    indexes: HashMap<IndexKey, CachedIndex>,
    building: HashSet<IndexKey>,
    bytes: usize,
    /// Bytes that all of them may take.
    room: usize,
    uses: u64,
}

struct CachedIndex {
    index: Arc<VectorIndex>,
    bytes: usize,
    used: u64,
}

impl SharedEntries {
    fn lock(&self) -> MutexGuard<'_, IndexEntries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to make an index, which ends with it: also when making it fails.
struct BuildGuard<'a> {
    shared: &'a SharedEntries,
    key: IndexKey,
}

impl Drop for BuildGuard<'_> {
    fn drop(&mut self) {
        self.shared.lock().building.remove(&self.key);
        self.shared.changed.notify_all();
    }
}

impl Default for VectorIndexCache {
    fn default() -> Self {
        Self::with_room(INDEXES_BYTES_MAX)
    }
}

impl VectorIndexCache {
    /// One whose indexes take this many bytes together at most.
    #[must_use]
    pub fn with_room(room: usize) -> Self {
        let (indexes, building) = (HashMap::new(), HashSet::new());
        let entries = IndexEntries { indexes, building, bytes: 0, room, uses: 0 };
        Self(Arc::new(SharedEntries { entries: Mutex::new(entries), changed: Condvar::new() }))
    }

    /// The index of this key where there is one, for who leaves everything as it is: not even that it was asked for is noted.
    #[must_use]
    pub fn peek(&self, key: &IndexKey) -> Option<Arc<VectorIndex>> {
        self.0.lock().indexes.get(key).map(|kept| kept.index.clone())
    }

    /// The index of this key, or the one `make` gives: whoever asks meanwhile waits for it.
    ///
    /// # Errors
    /// What `make` returns, which is not kept; [`Error::Cancelled`] for one who waits and whose run ends.
    pub fn get_or_build(
        &self,
        key: IndexKey,
        cancel: &CancelToken,
        make: impl FnOnce() -> Result<VectorIndex>,
    ) -> Result<Arc<VectorIndex>> {
        let room = self.0.clone();
        let _wake = cancel.on_cancel(move || room.changed.notify_all());
        let mut kept = self.0.lock();
        loop {
            if let Some(index) = kept.find(&key) {
                return Ok(index);
            }
            Error::check_cancelled(cancel)?;
            if kept.building.insert(key) {
                break;
            }
            kept = self.0.changed.wait_timeout(kept, RECHECK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(kept);
        let making = BuildGuard { shared: &self.0, key };
        let index = Arc::new(make()?);
        self.0.lock().insert(key, index.clone());
        drop(making);
        Ok(index)
    }

    /// Drops all indexes of a flow or a collection.
    pub fn evict(&self, workspace: &WorkspaceId, owner: &[u8; 16]) {
        self.0.lock().evict_where(|key| key.workspace == *workspace && key.owner == *owner);
    }

    /// Frees what belongs to a workspace.
    pub fn evict_workspace(&self, workspace: &WorkspaceId) {
        self.0.lock().evict_where(|key| key.workspace == *workspace);
    }

    /// Memory that all of them take together, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.lock().bytes
    }
}

impl IndexEntries {
    fn find(&mut self, key: &IndexKey) -> Option<Arc<VectorIndex>> {
        self.uses += 1;
        let entry = self.indexes.get_mut(key)?;
        entry.used = self.uses;
        Some(entry.index.clone())
    }

    /// Keeps an index if it fits at all; what was not asked for longest makes room.
    fn insert(&mut self, key: IndexKey, index: Arc<VectorIndex>) {
        let bytes = index.bytes() + ENTRY_BYTES;
        if bytes > self.room {
            return;
        }
        // First its owner's own: requests that bring other documents each time push out nobody else's.
        while self.indexes.keys().filter(|other| other.is_of_owner(&key)).count() >= INDEXES_PER_OWNER_MAX {
            self.evict_oldest(|other| other.is_of_owner(&key));
        }
        while self.bytes + bytes > self.room && !self.indexes.is_empty() {
            self.evict_oldest(|_| true);
        }
        self.uses += 1;
        let entry = CachedIndex { index, bytes, used: self.uses };
        self.bytes += bytes;
        if let Some(gone) = self.indexes.insert(key, entry) {
            self.bytes -= gone.bytes;
        }
    }

    /// Drops the one not asked for longest, of those that `may` go.
    fn evict_oldest(&mut self, may: impl Fn(&IndexKey) -> bool) {
        let some = self.indexes.iter().filter(|(key, _)| may(key));
        if let Some(oldest) = some.min_by_key(|(_, entry)| entry.used).map(|(key, _)| *key) {
            self.evict_where(|key| *key == oldest);
        }
    }

    fn evict_where(&mut self, unwanted: impl Fn(&IndexKey) -> bool) {
        let bytes = &mut self.bytes;
        self.indexes.retain(|key, entry| {
            let stays = !unwanted(key);
            if !stays {
                *bytes -= entry.bytes;
            }
            stays
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cancel::CancelReason;
    use crate::vectors::VectorRow;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn key(number: u8) -> IndexKey {
        IndexKey { workspace: WorkspaceId::from_bytes([1; 16]), owner: [2; 16], content: [number; 32] }
    }

    fn index(text_bytes: usize) -> VectorIndex {
        VectorIndex::from_rows(&[VectorRow { id: [0; 16], vector: vec![1.0], text: "x".repeat(text_bytes) }])
            .unwrap()
    }

    #[test]
    fn many_who_ask_at_once_share_one_making() {
        let (indexes, made) = (VectorIndexCache::default(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let cancel = CancelToken::new(None);
                    let index = indexes.get_or_build(key(1), &cancel, || {
                        made.fetch_add(1, Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(30));
                        Ok(index(3))
                    });
                    assert_eq!(index.unwrap().len(), 1);
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn what_fails_is_not_kept_and_the_next_one_tries_again() {
        let (indexes, cancel) = (VectorIndexCache::default(), CancelToken::new(None));
        assert!(indexes.get_or_build(key(1), &cancel, || Err(Error::Cancelled)).is_err());
        assert!(indexes.get_or_build(key(1), &cancel, || Ok(index(3))).is_ok());
    }

    #[test]
    fn one_who_waits_ends_with_its_run() {
        let (indexes, cancel) = (VectorIndexCache::default(), CancelToken::new(None));
        indexes.0.lock().building.insert(key(1));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| indexes.get_or_build(key(1), &cancel, || Ok(index(3))));
            cancel.cancel(CancelReason::CallerLeft);
            assert!(matches!(waiting.join().unwrap(), Err(Error::Cancelled)));
        });
    }

    #[test]
    fn the_bytes_of_all_are_bounded_and_what_is_in_use_stays() {
        let (indexes, cancel) = (VectorIndexCache::default(), CancelToken::new(None));
        let size = INDEXES_BYTES_MAX / 4;
        for number in 0..20 {
            indexes.get_or_build(key(number), &cancel, || Ok(index(size))).unwrap();
            indexes.get_or_build(key(0), &cancel, || Err(Error::Cancelled)).expect("the one in use is kept");
        }
        assert!(indexes.bytes() <= INDEXES_BYTES_MAX);
        assert!(indexes.get_or_build(key(1), &cancel, || Err(Error::Cancelled)).is_err());
        indexes.evict(&key(0).workspace, &[2; 16]);
        assert_eq!(indexes.bytes(), 0);
    }

    #[test]
    fn who_only_looks_keeps_nothing_alive() {
        let (indexes, cancel) = (VectorIndexCache::with_room(2 * (ENTRY_BYTES + 64)), CancelToken::new(None));
        assert!(indexes.peek(&key(1)).is_none());
        indexes.get_or_build(key(1), &cancel, || Ok(index(3))).unwrap();
        indexes.get_or_build(key(2), &cancel, || Ok(index(3))).unwrap();
        assert!(indexes.peek(&key(1)).is_some());
        indexes.get_or_build(key(3), &cancel, || Ok(index(3))).unwrap();
        assert!(indexes.peek(&key(1)).is_none(), "it was not asked for longest");
    }

    #[test]
    fn what_one_owner_has_pushes_out_its_own_first() {
        let (indexes, cancel) = (VectorIndexCache::default(), CancelToken::new(None));
        let other = IndexKey { owner: [3; 16], ..key(0) };
        indexes.get_or_build(other, &cancel, || Ok(index(3))).unwrap();
        for number in 0..100 {
            indexes.get_or_build(key(number), &cancel, || Ok(index(3))).unwrap();
        }
        assert_eq!(indexes.0.lock().indexes.len(), INDEXES_PER_OWNER_MAX + 1);
        indexes.get_or_build(other, &cancel, || Err(Error::Cancelled)).expect("another owner's stays");
    }

    #[test]
    fn an_index_that_would_push_out_all_others_is_not_kept() {
        let (indexes, cancel) = (VectorIndexCache::default(), CancelToken::new(None));
        indexes.get_or_build(key(1), &cancel, || Ok(index(INDEXES_BYTES_MAX))).unwrap();
        assert_eq!(indexes.bytes(), 0);
    }
}
