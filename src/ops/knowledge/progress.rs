//! Who learns how far an upsert is: the caller that waits for it, and whoever reads the document store meanwhile.

use crate::app::App;
use crate::cards::kit::UpsertObserver;
use crate::domain::ids::DocumentStoreId;
use crate::domain::knowledge::upsert::{UpsertPhase, UpsertProgress};
use crate::state::active_upserts::{StoreActivity, UpsertGuard};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Hands the progress of an upsert to its caller.
pub(crate) type OnProgress<'a> = &'a (dyn Fn(UpsertProgress) + Sync);

/// A caller hears of progress no more often than that within a phase: small batches would fill its connection with numbers.
const PAUSE: Duration = Duration::from_millis(100);

/// The watchers of one upsert.
pub(in crate::ops) struct ProgressReporter<'a> {
    app: &'a App,
    on_progress: OnProgress<'a>,
    state: Mutex<ReporterState>,
}

#[derive(Default)]
struct ReporterState {
    last_report: Option<(UpsertPhase, Instant)>,
    tracked_stores: Vec<(DocumentStoreId, UpsertGuard)>,
}

impl<'a> ProgressReporter<'a> {
    pub(in crate::ops) fn new(app: &'a App, tell: OnProgress<'a>) -> Self {
        Self { app, on_progress: tell, state: Mutex::default() }
    }

    /// Shows in this store's status from now on how far it is.
    pub(in crate::ops) fn track_store(&self, store: DocumentStoreId, work: StoreActivity) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.tracked_stores.iter().all(|(shown, _)| *shown != store) {
            state.tracked_stores.push((store, self.app.state.active_upserts.register(store, work)));
        }
    }
}

impl UpsertObserver for ProgressReporter<'_> {
    fn report(&self, at: UpsertProgress) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.tracked_stores.iter().for_each(|(_, entry)| entry.report(at));
        let is_soon = |(phase, when): (UpsertPhase, Instant)| phase == at.phase && when.elapsed() < PAUSE;
        if at.total == Some(at.done) || !state.last_report.is_some_and(is_soon) {
            state.last_report = Some((at.phase, Instant::now()));
            drop(state);
            (self.on_progress)(at);
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
        let tell = |at: UpsertProgress| told.lock().unwrap().push(at);
        let watch = ProgressReporter::new(&app, &tell);
        let store = DocumentStoreId::random();
        watch.track_store(store, StoreActivity::Upserting);
        watch.report(UpsertProgress::STARTED);
        for done in 0..=50 {
            watch.report(UpsertProgress::embedding(done, 50));
            let shown = app.state.active_upserts.find(&store);
            assert_eq!(shown, Some((StoreActivity::Upserting, UpsertProgress::embedding(done, 50))));
        }
        drop(watch);
        assert_eq!(app.state.active_upserts.find(&store), None);
        let told = told.into_inner().unwrap();
        assert_eq!(told[..2], [UpsertProgress::STARTED, UpsertProgress::embedding(0, 50)]);
        assert_eq!(told.last(), Some(&UpsertProgress::embedding(50, 50)));
        assert!(told.len() < 20, "{told:?}");
    }
}
