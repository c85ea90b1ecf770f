//! Document stores that are being filled, and how far that is (manual 10.6). As many as there are requests
//! under way; nothing of it is worth a write.

use crate::domain::filling::Progress;
use crate::domain::ids::DocumentStoreId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is under way in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// A loader brings passages.
    Syncing,
    /// Passages become vectors.
    Upserting,
}

impl Work {
    /// The family's word for the status of the store.
    #[must_use]
    pub const fn status(self) -> &'static str {
        match self {
            Self::Syncing => "SYNCING",
            Self::Upserting => "UPSERTING",
        }
    }
}

/// The fillings under way, by store.
#[derive(Clone, Default)]
pub struct Fillings(Arc<Mutex<Listed>>);

#[derive(Default)]
struct Listed {
    next: u64,
    under_way: HashMap<DocumentStoreId, Vec<(u64, Work, Progress)>>,
}

/// A filling on the board; dropped when it ends.
pub struct UnderWay {
    board: Fillings,
    store: DocumentStoreId,
    number: u64,
}

impl Fillings {
    fn lock(&self) -> MutexGuard<'_, Listed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a filling on the board for as long as the answer lives.
    #[must_use]
    pub fn enter(&self, store: DocumentStoreId, work: Work) -> UnderWay {
        let mut listed = self.lock();
        let number = listed.next;
        listed.next += 1;
        listed.under_way.entry(store).or_default().push((number, work, Progress::BEGUN));
        UnderWay { board: self.clone(), store, number }
    }

    /// What is under way in a store; the newest, where several are.
    #[must_use]
    pub fn of(&self, store: &DocumentStoreId) -> Option<(Work, Progress)> {
        let newest = *self.lock().under_way.get(store)?.last()?;
        Some((newest.1, newest.2))
    }
}

impl UnderWay {
    /// Notes how far it is.
    pub fn note(&self, at: Progress) {
        let mut listed = self.board.lock();
        let runs = listed.under_way.get_mut(&self.store).into_iter().flatten();
        runs.filter(|(number, ..)| *number == self.number).for_each(|run| run.2 = at);
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut listed = self.board.lock();
        if let Some(runs) = listed.under_way.get_mut(&self.store) {
            runs.retain(|(number, ..)| *number != self.number);
            if runs.is_empty() {
                listed.under_way.remove(&self.store);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_shows_its_newest_filling_and_nothing_when_all_ended() {
        let board = Fillings::default();
        let store = DocumentStoreId::random();
        assert_eq!(board.of(&store), None);
        let first = board.enter(store, Work::Syncing);
        first.note(Progress::loading(3));
        assert_eq!(board.of(&store), Some((Work::Syncing, Progress::loading(3))));
        let second = board.enter(store, Work::Upserting);
        second.note(Progress::embedding(1, 2));
        first.note(Progress::storing(0, 9));
        assert_eq!(board.of(&store), Some((Work::Upserting, Progress::embedding(1, 2))));
        drop(second);
        assert_eq!(board.of(&store), Some((Work::Syncing, Progress::storing(0, 9))));
        drop(first);
        assert!(board.lock().under_way.is_empty());
    }
}
