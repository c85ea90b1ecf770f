//! The runs of a check beside people's questions: on threads of their own, and behind them.

use super::canvases::FlowCanvases;
use super::drive::{CheckDrive, Respondent};
use super::respondent::{BrokenCanvas, CanvasRespondent};
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::checks::check::CheckStatus;
use crate::domain::error::{Error, Result, UnavailableReason};
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::state::checks::CheckEntry;
use crate::store::tables::FLOWS;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tracing::{Dispatch, dispatcher};

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
    pub(super) canvases: FlowCanvases,
    /// Its canvases may have cards that do something to the world.
    pub(super) has_effects: bool,
}

impl BackgroundCheck {
    /// Runs it on a thread of its own, of which nobody hears: neither log nor spans tell of what it asks.
    ///
    /// # Errors
    /// 503 when the system gives no thread; there is no check then.
    pub(super) fn start(self) -> Result<()> {
        let (app, flow) = (self.app.clone(), self.canvases.flow.id);
        let work = move || dispatcher::with_default(&Dispatch::none(), || self.run_to_end());
        match thread::Builder::new().name("check".to_owned()).spawn(work) {
            Ok(_) => Ok(()),
            Err(_) => {
                app.state.checks.remove(&flow);
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
    /// Why the draft cannot run: there is nothing to compare then.
    fn run(self) -> Result<()> {
        let Self { app, entry, canvases, has_effects } = self;
        let is_live_empty = canvases.is_live_empty();
        let FlowCanvases { flow, live, draft_canvas, .. } = canvases;
        let draft = CanvasRespondent::new(&app, &flow, draft_canvas.unwrap_or_default(), has_effects)?;
        // Live may be broken: that the draft mends it is what the check finds.
        let live: Option<Box<dyn Respondent + '_>> = if is_live_empty {
            None
        } else {
            Some(match CanvasRespondent::new(&app, &flow, live, has_effects) {
                Ok(live) => Box::new(live),
                Err(fault) => Box::new(BrokenCanvas(fault.to_string())),
            })
        };
        let make_way = |cancel: &CancelToken| {
            stop_without_flow(&app, cancel, (&flow.workspace, &flow.id));
            let end = Instant::now() + Duration::from_secs(MAKE_WAY_SECONDS);
            while app.state.active_runs.count() > PEOPLE_RUNNING_MAX && Instant::now() < end {
                if !cancel.sleep(MAKE_WAY_TICK) {
                    return;
                }
            }
        };
        let drive = CheckDrive {
            entry: &entry,
            live: live.as_deref(),
            draft: &draft,
            make_way: &make_way,
            clock: &app.clock,
        };
        drive.run();
        Ok(())
    }
}

/// A flow that was deleted is asked nothing more: nobody could read the answers.
fn stop_without_flow(app: &App, cancel: &CancelToken, (workspace, flow): (&WorkspaceId, &FlowId)) {
    if !app.store.read(|tx| FLOWS.has(tx, workspace, flow)).unwrap_or(true) {
        cancel.cancel(CancelReason::Aborted);
    }
}
