//! A run of a pipeline beside the requests, on a thread of its own.

use super::recorder::Recorder;
use super::{seen, targets};
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::cards::kit::RunContext;
use crate::domain::error::{Error, Result, UnavailableReason};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, MessageId};
use crate::domain::pipelines::run::{DocumentFailure, PipelineCounts, PipelineRun, PipelineState};
use crate::domain::pipelines::target::UnfinishedOutput;
use crate::domain::predictions::prediction::RunIds;
use crate::engine::Overrides;
use crate::engine::pipeline::{self, PipelinePlan, RunLimits};
use crate::ops::knowledge::vectors;
use crate::ops::predictions::RunHost;
use crate::state::pipelines::ActivePipeline;
use crate::store::queries::pipelines;
use crate::store::tables::{FLOWS, PIPELINES_UNDER_WAY, VECTOR_CONFIGS};
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
        let ended = catch_unwind(AssertUnwindSafe(|| self.end(active, ran)));
        if ended.is_err() {
            tracing::error!(flow = %self.flow.id, "the end of a pipeline panicked");
        }
        self.app.state.pipelines.end(&self.flow.id);
    }

    /// Stores what a run came to, and does what is left to do then.
    fn end(&self, active: &Arc<ActivePipeline>, ran: Result<()>) {
        let (app, flow) = (&self.app, self.flow.id);
        let reason = active.cancel.reason();
        // The next start goes on with what a stop of the service cut off.
        if ran.is_err() && reason == Some(CancelReason::Shutdown) {
            return;
        }
        let run = active.snapshot();
        let (state, error) = outcome(&run, ran, reason);
        let ended = end(app, run.clone(), state, error).or_else(|fault| match fault {
            // What it wrote cannot count: a store has no room for another loader.
            Error::Invalid(why) => end(app, run, PipelineState::Failed, Some(why)),
            other => Err(other),
        });
        match ended {
            Ok(mut run) => {
                if run.state == PipelineState::Finished && !run.dry_run {
                    self.refresh_vectors(&mut run, &active.cancel);
                }
                active.change(|now| *now = run);
            }
            Err(fault) => {
                tracing::error!(error = fault.for_log(), %flow, "the end of a pipeline was not stored");
            }
        }
    }

    /// Makes the vectors of the document stores that were filled, where they have embeddings. The chunks are there whatever
    /// becomes of it, so a failure is told among those of the run, which stays finished.
    fn refresh_vectors(&self, run: &mut PipelineRun, cancel: &CancelToken) {
        let (app, workspace) = (&self.app, &self.flow.workspace);
        let mut failures = Vec::new();
        for (store, label) in self.plan.stores() {
            let is_embedded = app.store.read(|tx| VECTOR_CONFIGS.has(tx, workspace, store));
            let made = match is_embedded {
                Ok(false) => continue,
                Ok(true) => vectors::upsert(app, workspace, store, &|_| {}, cancel).map(drop),
                Err(fault) => Err(fault),
            };
            if let Err(fault) = made {
                tracing::warn!(error = fault.for_log(), flow = %run.flow, %store, "the vectors of a store were not made");
                let document = format!("vectors of document store {store}");
                failures.push(DocumentFailure {
                    document,
                    source: label.clone(),
                    message: fault.to_string(),
                });
            }
        }
        if failures.is_empty() {
            return;
        }
        run.add(PipelineCounts::default(), failures);
        let stored = app.store.write(|tx| {
            let is_there = FLOWS.has(tx, &run.workspace, &run.flow)?;
            if is_there { pipelines::put(tx, run) } else { Ok(()) }
        });
        if let Err(fault) = stored {
            tracing::error!(error = fault.for_log(), flow = %run.flow, "what a pipeline could not do was not stored");
        }
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
    let now = app.clock.monotonic_now();
    let is_finished = state == PipelineState::Finished && !run.dry_run;
    run.end(state, error, now);
    let ended = PipelineRun { unfinished: UnfinishedOutput::default(), ..run.clone() };
    let remains = app.store.write(|tx| {
        let Some(flow) = FLOWS.get(tx, &run.workspace, &run.flow)? else { return Ok(None) };
        let remains = if is_finished {
            targets::publish(tx, &run, (&flow.name, now))?
        } else {
            targets::discard(tx, &run)?
        };
        pipelines::put(tx, &ended)?;
        Ok(Some(remains))
    })?;
    match remains {
        Some(remains) => remains.remove(app, &run)?,
        // A flow that was deleted meanwhile leaves nothing behind.
        None => app.pipeline_files.remove_flow(&run.workspace, &run.flow),
    }
    leave(app, &ended)?;
    Ok(ended)
}

/// Does what is left to do of a run whose end is stored. Until then it holds the place of the flow's next one, which must know what this
/// one saw.
///
/// # Errors
/// When the database cannot be written.
pub(super) fn leave(app: &App, ended: &PipelineRun) -> Result<()> {
    seen::settle(app, ended)?;
    app.store.write(|tx| PIPELINES_UNDER_WAY.remove(tx, &ended.workspace, &ended.flow).map(drop))
}
