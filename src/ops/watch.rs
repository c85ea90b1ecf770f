//! Who is told how far a filling is: the caller that waits for it, and whoever reads the document store meanwhile.

use crate::app::App;
use crate::boards::fillings::{UnderWay, Work};
use crate::domain::filling::{Phase, Progress};
use crate::domain::ids::DocumentStoreId;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a caller is told with.
pub type Tell<'a> = &'a (dyn Fn(Progress) + Sync);

/// A caller is told no more often than that within a phase: small batches would fill its connection with numbers.
const PAUSE: Duration = Duration::from_millis(100);

/// The watchers of one filling.
pub(super) struct Watch<'a> {
    app: &'a App,
    tell: Tell<'a>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    told: Option<(Phase, Instant)>,
    shown: Vec<(DocumentStoreId, UnderWay)>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(app: &'a App, tell: Tell<'a>) -> Self {
        Self { app, tell, state: Mutex::default() }
    }

    /// Shows in this store's status from now on how far it is.
    pub(super) fn shows(&self, store: DocumentStoreId, work: Work) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.shown.iter().all(|(shown, _)| *shown != store) {
            state.shown.push((store, self.app.boards.fillings.enter(store, work)));
        }
    }

    /// Tells all of them.
    pub(super) fn note(&self, at: Progress) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.shown.iter().for_each(|(_, entry)| entry.note(at));
        let is_soon = |(phase, when): (Phase, Instant)| phase == at.phase && when.elapsed() < PAUSE;
        if at.total == Some(at.done) || !state.told.is_some_and(is_soon) {
            state.told = Some((at.phase, Instant::now()));
            drop(state);
            (self.tell)(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_is_told_of_phases_and_ends_and_not_of_every_batch() {
        let (_folder, app) = App::temporary();
        let told = Mutex::new(Vec::new());
        let tell = |at: Progress| told.lock().unwrap().push(at);
        let watch = Watch::new(&app, &tell);
        let store = DocumentStoreId::random();
        watch.shows(store, Work::Upserting);
        watch.note(Progress::BEGUN);
        for done in 0..=50 {
            watch.note(Progress::embedding(done, 50));
            let shown = app.boards.fillings.of(&store);
            assert_eq!(shown, Some((Work::Upserting, Progress::embedding(done, 50))));
        }
        drop(watch);
        assert_eq!(app.boards.fillings.of(&store), None);
        let told = told.into_inner().unwrap();
        assert_eq!(told[..2], [Progress::BEGUN, Progress::embedding(0, 50)]);
        assert_eq!(told.last(), Some(&Progress::embedding(50, 50)));
        assert!(told.len() < 20, "{told:?}");
    }
}
