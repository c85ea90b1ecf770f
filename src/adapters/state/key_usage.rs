//! Uses of API keys, counted here and stored now and then: a commit for each request would cost more than the
//! request. A kill loses the counts of the last interval, which are statistics.

use crate::domain::ids::{KeyId, WorkspaceId};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts since the last [`Self::drain`]. Only keys that exist are counted, so their number bounds it.
#[derive(Default)]
pub struct KeyUsageCounter(Mutex<HashMap<(WorkspaceId, KeyId), u64>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyUses {
    pub workspace: WorkspaceId,
    pub key: KeyId,
    pub count: u64,
}

impl KeyUsageCounter {
    fn counts(&self) -> MutexGuard<'_, HashMap<(WorkspaceId, KeyId), u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn increment(&self, workspace: WorkspaceId, key: KeyId) {
        self.add(KeyUses { workspace, key, count: 1 });
    }

    /// Adds uses; also puts back what could not be stored.
    pub fn add(&self, uses: KeyUses) {
        *self.counts().entry((uses.workspace, uses.key)).or_default() += uses.count;
    }

    /// Uses of a key that are not stored yet.
    #[must_use]
    pub fn pending(&self, workspace: WorkspaceId, key: KeyId) -> u64 {
        self.counts().get(&(workspace, key)).copied().unwrap_or(0)
    }

    /// Takes all counts away.
    #[must_use]
    pub fn drain(&self) -> Vec<KeyUses> {
        let counts = std::mem::take(&mut *self.counts());
        counts.into_iter().map(|((workspace, key), count)| KeyUses { workspace, key, count }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_taken_once() {
        let board = KeyUsageCounter::default();
        let (workspace, key) = (WorkspaceId::random(), KeyId::random());
        board.increment(workspace, key);
        board.increment(workspace, key);
        assert_eq!((board.pending(workspace, key), board.pending(workspace, KeyId::random())), (2, 0));
        let taken = board.drain();
        assert_eq!(taken, [KeyUses { workspace, key, count: 2 }]);
        assert!(board.drain().is_empty());
        board.add(taken[0]);
        assert_eq!(board.pending(workspace, key), 2);
    }
}
