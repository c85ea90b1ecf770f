//! A run of a pipeline beside the requests, on a thread of its own.

use super::recorder::Recorder;
use crate::app::App;
use crate::base::cancel::CancelReason;
use crate::cards::kit::RunContext;
use crate::domain::error::{Error, Result, UnavailableReason};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, MessageId};
use crate::domain::pipelines::run::{PipelineRun, PipelineState};
use crate::domain::predictions::prediction::RunIds;
use crate::engine::Overrides;
use crate::engine::pipeline::{self, PipelinePlan, RunLimits};
use crate::ops::predictions::RunHost;
use crate::state::pipelines::ActivePipeline;
use crate::store::queries::pipelines;
use crate::store::tables::{FLOWS, PIPELINES_UNDER_WAY};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

/// A pipeline that is to run.
pub(super) struct BackgroundRun {
    pub(super) app: App,
    pub(super) flow: Flow,
    pub(super) plan: PipelinePlan,
}

impl BackgroundRun {
    /// Runs it on a thread of its own.
    ///
    /// # Errors
    /// 503 when there is no place or no thread for it: the run failed then.
    pub(super) fn start(self, run: PipelineRun) -> Result<()> {
        let app = self.app.clone();
        let busy = |run: PipelineRun| {
            let busy = Error::Unavailable(UnavailableReason::Busy);
            end(&app, run, PipelineState::Failed, Some(busy.to_string()))?;
            Err(busy)
        };
        let Some(active) = app.state.pipelines.begin(run.clone()) else { return busy(run) };
        let work = move || self.run_to_end(&active);
        if thread::Builder::new().name("pipeline".to_owned()).spawn(work).is_ok() {
            return Ok(());
        }
        app.state.pipelines.end(&run.flow);
        busy(run)
    }

    fn run_to_end(self, active: &Arc<ActivePipeline>) {
        let ran = catch_unwind(AssertUnwindSafe(|| self.run(active)));
        let ran = ran.unwrap_or_else(|_| Err(Error::internal("a panic")));
        let (app, flow) = (&self.app, self.flow.id);
        let reason = active.cancel.reason();
        // The next start goes on with what a stop of the service cut off.
        if ran.is_ok() || reason != Some(CancelReason::Shutdown) {
            let run = active.snapshot();
            let (state, error) = outcome(&run, ran, reason);
            match end(app, run, state, error) {
                Ok(run) => active.change(|now| *now = run),
                Err(fault) => {
                    tracing::error!(error = fault.for_log(), %flow, "the end of a pipeline was not stored");
                }
            }
        }
        app.state.pipelines.end(&flow);
    }

    fn run(&self, active: &Arc<ActivePipeline>) -> Result<()> {
        let (app, flow) = (&self.app, &self.flow);
        let (chat, answer, question) = (ChatId::random(), MessageId::random(), MessageId::random());
        let (ids, overrides) = (RunIds { flow: flow.id, chat, answer, question }, Overrides::default());
        let host = RunHost::for_flow(app, flow, ids, &overrides, "", active.cancel.clone())?;
        let turn = RunContext { question: "", documents: "", uploads: &[], history: &[], host: &host };
        let run = active.snapshot();
        let limits = RunLimits { is_dry: run.dry_run, position: run.position };
        pipeline::run(&self.plan, &turn, &host, limits, &Recorder::new(app, active))
    }
}

/// What a run came to.
fn outcome(
    run: &PipelineRun,
    ran: Result<()>,
    reason: Option<CancelReason>,
) -> (PipelineState, Option<String>) {
    let counts = &run.counts;
    match ran {
        Ok(()) if counts.failed > 0 && counts.failed >= counts.read => {
            (PipelineState::Failed, Some("Every document failed.".to_owned()))
        }
        Ok(()) => (PipelineState::Finished, None),
        Err(Error::Cancelled) if reason.is_some() => (PipelineState::Stopped, None),
        Err(_) if reason == Some(CancelReason::Aborted) => (PipelineState::Stopped, None),
        Err(fault) => {
            tracing::warn!(error = fault.for_log(), flow = %run.flow, run = %run.id, "a pipeline failed");
            (PipelineState::Failed, Some(fault.to_string()))
        }
    }
}

/// Stores the end of a run, and forgets what only it needed to know.
pub(super) fn end(
    app: &App,
    mut run: PipelineRun,
    state: PipelineState,
    error: Option<String>,
) -> Result<PipelineRun> {
    run.end(state, error, app.clock.monotonic_now());
    app.store.write(|tx| {
        // A flow that was deleted meanwhile leaves nothing behind.
        if FLOWS.has(tx, &run.workspace, &run.flow)? {
            pipelines::put(tx, &run)?;
            PIPELINES_UNDER_WAY.remove(tx, &run.workspace, &run.flow)?;
        }
        Ok(())
    })?;
    while app.store.write(|tx| pipelines::forget_seen(tx, &run.flow, run.id.bytes()))? {}
    Ok(run)
}
