//! Document stores that are being loaded or upserted, and how far that is (manual 10.6). As many as there are requests
//! under way; nothing of it is worth a write.

use crate::domain::ids::DocumentStoreId;
use crate::domain::knowledge::store_overview::StoreStatus;
use crate::domain::knowledge::upsert::UpsertProgress;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is under way in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreActivity {
    Syncing,
    Upserting,
}

impl StoreActivity {
    /// The status of the store meanwhile.
    #[must_use]
    pub const fn status(self) -> StoreStatus {
        match self {
            Self::Syncing => StoreStatus::Syncing,
            Self::Upserting => StoreStatus::Upserting,
        }
    }
}

/// The work under way, by store.
#[derive(Clone, Default)]
pub struct ActiveUpserts(Arc<Mutex<UpsertsByStore>>);

#[derive(Default)]
struct UpsertsByStore {
    next: u64,
    by_store: HashMap<DocumentStoreId, Vec<(u64, StoreActivity, UpsertProgress)>>,
}

/// Registered work, until this is dropped.
pub struct UpsertGuard {
    upserts: ActiveUpserts,
    store: DocumentStoreId,
    number: u64,
}

impl ActiveUpserts {
    fn lock(&self) -> MutexGuard<'_, UpsertsByStore> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers work on a store for as long as the answer lives.
    #[must_use]
    pub fn register(&self, store: DocumentStoreId, work: StoreActivity) -> UpsertGuard {
        let mut listed = self.lock();
        let number = listed.next;
        listed.next += 1;
        listed.by_store.entry(store).or_default().push((number, work, UpsertProgress::STARTED));
        UpsertGuard { upserts: self.clone(), store, number }
    }

    /// True while nothing is under way in any store.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.lock().by_store.is_empty()
    }

    /// What is under way in a store; the newest, where several are.
    #[must_use]
    pub fn find(&self, store: &DocumentStoreId) -> Option<(StoreActivity, UpsertProgress)> {
        let newest = *self.lock().by_store.get(store)?.last()?;
        Some((newest.1, newest.2))
    }
}

impl UpsertGuard {
    /// Notes how far it is.
    pub fn report(&self, at: UpsertProgress) {
        let mut listed = self.upserts.lock();
        let runs = listed.by_store.get_mut(&self.store).into_iter().flatten();
        runs.filter(|(number, ..)| *number == self.number).for_each(|run| run.2 = at);
    }
}

impl Drop for UpsertGuard {
    fn drop(&mut self) {
        let mut listed = self.upserts.lock();
        if let Some(runs) = listed.by_store.get_mut(&self.store) {
            runs.retain(|(number, ..)| *number != self.number);
            if runs.is_empty() {
                listed.by_store.remove(&self.store);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_shows_its_newest_filling_and_nothing_when_all_ended() {
        let board = ActiveUpserts::default();
        let store = DocumentStoreId::random();
        assert_eq!(board.find(&store), None);
        let first = board.register(store, StoreActivity::Syncing);
        first.report(UpsertProgress::loading(3));
        assert_eq!(board.find(&store), Some((StoreActivity::Syncing, UpsertProgress::loading(3))));
        let second = board.register(store, StoreActivity::Upserting);
        second.report(UpsertProgress::embedding(1, 2));
        first.report(UpsertProgress::storing(0, 9));
        assert_eq!(board.find(&store), Some((StoreActivity::Upserting, UpsertProgress::embedding(1, 2))));
        drop(second);
        assert_eq!(board.find(&store), Some((StoreActivity::Syncing, UpsertProgress::storing(0, 9))));
        drop(first);
        assert!(board.lock().by_store.is_empty());
    }
}
