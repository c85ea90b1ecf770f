//! Pipelines that run: how far each is, and the token that ends it.

use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::ids::FlowId;
use crate::domain::pipelines::run::PipelineRun;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Pipelines that run at once (manual 14.4).
const PIPELINES_RUNNING_MAX: usize = 8;

/// The pipelines that run, one run of a flow at most.
#[derive(Default)]
pub struct Pipelines {
    running: Mutex<HashMap<FlowId, Arc<ActivePipeline>>>,
    ended: Condvar,
}

/// A run that is under way.
pub struct ActivePipeline {
    pub cancel: CancelToken,
    seen: Mutex<LatestRun>,
    changed: Condvar,
}

struct LatestRun {
    run: PipelineRun,
    /// How often it changed.
    changes: u64,
    /// Nothing of it changes any more.
    is_over: bool,
}

impl ActivePipeline {
    fn lock(&self) -> MutexGuard<'_, LatestRun> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn snapshot(&self) -> PipelineRun {
        self.lock().run.clone()
    }

    pub fn change(&self, edit: impl FnOnce(&mut PipelineRun)) {
        let mut seen = self.lock();
        edit(&mut seen.run);
        seen.changes += 1;
        self.changed.notify_all();
    }

    /// Waits until it changed more than `changes` times, but no longer than `most`: the run, how often it changed, and whether
    /// this is its end.
    pub fn wait(&self, changes: u64, most: Duration) -> (PipelineRun, u64, bool) {
        let same = |seen: &mut LatestRun| seen.changes <= changes && !seen.is_over;
        let waited = self.changed.wait_timeout_while(self.lock(), most, same);
        let seen = waited.unwrap_or_else(PoisonError::into_inner).0;
        (seen.run.clone(), seen.changes, seen.is_over)
    }
}

impl Pipelines {
    fn lock(&self) -> MutexGuard<'_, HashMap<FlowId, Arc<ActivePipeline>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a run; `None` while as many run as may, or another one of its flow does.
    pub fn begin(&self, run: PipelineRun) -> Option<Arc<ActivePipeline>> {
        let mut running = self.lock();
        if running.len() >= PIPELINES_RUNNING_MAX || running.contains_key(&run.flow) {
            return None;
        }
        let flow = run.flow;
        let entry = Arc::new(ActivePipeline {
            cancel: CancelToken::new(None),
            seen: Mutex::new(LatestRun { run, changes: 0, is_over: false }),
            changed: Condvar::new(),
        });
        running.insert(flow, entry.clone());
        Some(entry)
    }

    /// True while another run would find no place.
    pub fn is_full(&self) -> bool {
        self.lock().len() >= PIPELINES_RUNNING_MAX
    }

    /// True while none runs.
    pub fn is_idle(&self) -> bool {
        self.lock().is_empty()
    }

    pub fn find(&self, flow: &FlowId) -> Option<Arc<ActivePipeline>> {
        self.lock().get(flow).cloned()
    }

    /// Takes out a run that is over.
    pub fn end(&self, flow: &FlowId) {
        let gone = self.lock().remove(flow);
        self.ended.notify_all();
        if let Some(entry) = gone {
            entry.lock().is_over = true;
            entry.changed.notify_all();
        }
    }

    /// Stops the run of a flow that is gone.
    pub fn stop_flow(&self, flow: &FlowId) {
        if let Some(entry) = self.find(flow) {
            entry.cancel.cancel(CancelReason::Aborted);
        }
    }

    /// Ends all that run, because the service stops, and waits for them, but no longer than `most`.
    pub fn stop_all(&self, most: Duration) {
        let end = Instant::now() + most;
        let mut running = self.lock();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if running.is_empty() || left.is_zero() {
                return;
            }
            running.values().for_each(|entry| entry.cancel.cancel(CancelReason::Shutdown));
            running = self.ended.wait_timeout(running, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
