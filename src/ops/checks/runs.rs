//! The runs of a check beside people's questions: on threads of their own, and behind them.

use super::sides::{CheckRun, Sides};
use super::silence;
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::checks::check::CheckStatus;
use crate::domain::error::{Error, Result, UnavailableReason};
use crate::domain::flows::flow::Flow;
use crate::state::checks::CheckEntry;
use crate::store::tables::FLOWS;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tracing::dispatcher;

/// Questions of people that are being answered while a check still begins its next run at once (manual 14.4).
const PEOPLE_RUNNING_MAX: usize = 8;
/// Longest time for which one run of a check lets people's questions go first, in seconds (manual 14.4).
const MAKE_WAY_SECONDS: u64 = 10;
/// How often it looks whether they are answered.
const MAKE_WAY_TICK: Duration = Duration::from_millis(50);

/// A check that is to run.
pub(super) struct BackgroundCheck {
    pub(super) app: App,
    pub(super) entry: Arc<CheckEntry>,
    pub(super) flow: Flow,
    pub(super) sides: Sides<'static>,
    /// Its canvases may have cards that do something to the world.
    pub(super) has_effects: bool,
}

impl BackgroundCheck {
    /// Runs it on a thread of its own, of which nobody hears: neither log nor spans tell of what it asks.
    ///
    /// # Errors
    /// 503 when the system gives no thread; there is no check then.
    pub(super) fn start(self) -> Result<()> {
        let (app, key) = (self.app.clone(), self.entry.check().key());
        let work = move || dispatcher::with_default(&silence::listener(), || self.run_to_end());
        match thread::Builder::new().name("check".to_owned()).spawn(work) {
            Ok(_) => Ok(()),
            Err(_) => {
                app.state.checks.remove(&key);
                Err(Error::Unavailable(UnavailableReason::Busy))
            }
        }
    }

    fn run_to_end(self) {
        let (app, entry) = (self.app.clone(), self.entry.clone());
        let ran = catch_unwind(AssertUnwindSafe(|| self.run()));
        let failure = match ran {
            Ok(Ok(())) => None,
            Ok(Err(fault)) => Some(fault.to_string()),
            Err(_) => Some(Error::internal("a panic").to_string()),
        };
        if let Some(failure) = failure {
            entry.check().end(CheckStatus::Failed(failure), app.clock.now());
        }
        app.state.checks.tell_ended();
    }

    /// # Errors
    /// Why the new side cannot run: there is nothing to compare then.
    fn run(self) -> Result<()> {
        let Self { app, entry, flow, sides, has_effects } = self;
        let make_way = |cancel: &CancelToken| {
            stop_without_flow(&app, cancel, &flow);
            let end = Instant::now() + Duration::from_secs(MAKE_WAY_SECONDS);
            while app.state.active_runs.count() > PEOPLE_RUNNING_MAX && Instant::now() < end {
                if !cancel.sleep(MAKE_WAY_TICK) {
                    return;
                }
            }
        };
        sides.ask(&CheckRun { entry: &entry, has_effects, make_way: &make_way, clock: &app.clock })
    }
}

/// A flow that was deleted is asked nothing more: nobody could read the answers.
fn stop_without_flow(app: &App, cancel: &CancelToken, flow: &Flow) {
    if !app.store.read(|tx| FLOWS.has(tx, &flow.workspace, &flow.id)).unwrap_or(true) {
        cancel.cancel(CancelReason::Aborted);
    }
}
