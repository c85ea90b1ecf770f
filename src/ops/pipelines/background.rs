//! A run of a pipeline beside the requests, on a thread of its own.

use super::recorder::Recorder;
use super::{seen, targets};
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::cards::kit::RunContext;
use crate::domain::error::{Error, Result, UnavailableReason};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, DocumentStoreId, MessageId};
use crate::domain::pipelines::run::{DocumentFailure, PipelineCounts, PipelineRun, PipelineState};
use crate::domain::pipelines::target::{Remains, UnfinishedOutput};
use crate::domain::predictions::consumption::ModelCalls;
use crate::domain::predictions::prediction::RunIds;
use crate::engine::Overrides;
use crate::engine::pipeline::{self, PipelinePlan, RunLimits};
use crate::ops::knowledge::vectors;
use crate::ops::predictions::RunHost;
use crate::ops::predictions::consumption;
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
            fail(&app, run, busy.to_string())?;
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
        let app = &self.app;
        let reason = active.cancel.reason();
        // The next start goes on with what a stop of the service cut off.
        if ran.is_err() && reason == Some(CancelReason::Shutdown) {
            return;
        }
        let run = active.snapshot();
        let (state, error) = outcome(&run, ran, reason);
        let filled = self.plan.stores().iter().map(|(store, label)| (*store, label.clone())).collect();
        let ended = end(app, run.clone(), (state, error), filled).or_else(|fault| {
            if !fault.is_refusal() {
                return Err(fault);
            }
            // What it wrote cannot count: a store has no room for another loader, or the workspace none for so many chunks.
            end(app, run, (PipelineState::Failed, Some(fault.to_string())), Vec::new())
        });
        settle(app, active, ended);
    }

    fn run(&self, active: &Arc<ActivePipeline>) -> Result<()> {
        let (app, flow) = (&self.app, &self.flow);
        let (chat, answer, question) = (ChatId::random(), MessageId::random(), MessageId::random());
        let (ids, overrides) = (RunIds { flow: flow.id, chat, answer, question }, Overrides::default());
        let calls = ModelCalls::default();
        let host =
            RunHost::for_flow(app, flow, ids, &overrides, "", active.cancel.clone())?.with_calls(&calls);
        let turn = RunContext { question: "", documents: "", uploads: &[], history: &[], host: &host };
        let run = active.snapshot();
        let limits = RunLimits { is_dry: run.dry_run, position: run.position };
        let ran = pipeline::run(&self.plan, &turn, &host, limits, &Recorder::new(app, active));
        consumption::store_calls(app, flow, &calls);
        ran
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

/// Stores the end of a run, with what it leaves to do; that the `filled` stores get vectors, where it is finished.
///
/// # Errors
/// When the database cannot be written; 400 or 507 where what it wrote cannot count.
fn end(
    app: &App,
    mut run: PipelineRun,
    (state, error): (PipelineState, Option<String>),
    filled: Vec<(DocumentStoreId, String)>,
) -> Result<PipelineRun> {
    let now = app.clock.monotonic_now();
    let is_finished = state == PipelineState::Finished && !run.dry_run;
    run.end(state, error, now);
    app.store.write(|tx| {
        let mut ended = PipelineRun { unfinished: UnfinishedOutput::default(), ..run.clone() };
        let Some(flow) = FLOWS.get(tx, &run.workspace, &run.flow)? else { return Ok(ended) };
        if is_finished {
            targets::publish(tx, &run, &mut ended.remains, (&flow.name, now))?;
            ended.remains.filled.clone_from(&filled);
        } else {
            targets::discard(tx, &run, &mut ended.remains)?;
        }
        pipelines::put(tx, &ended)?;
        Ok(ended)
    })
}

/// Ends a run that could not begin or go on.
///
/// # Errors
/// When the database cannot be written.
pub(super) fn fail(app: &App, run: PipelineRun, why: String) -> Result<()> {
    let ended = end(app, run, (PipelineState::Failed, Some(why)), Vec::new())?;
    leave(app, ended, &CancelToken::new(None)).map(drop)
}

/// Leaves a run, and says so to those who wait for it.
fn settle(app: &App, active: &ActivePipeline, ended: Result<PipelineRun>) {
    match ended.and_then(|ended| leave(app, ended, &active.cancel)) {
        Ok(run) => active.change(|now| *now = run),
        // The service stops, and its next start does what is left.
        Err(Error::Cancelled) => {}
        Err(fault) => {
            let flow = active.snapshot().flow;
            tracing::error!(error = fault.for_log(), %flow, "the end of a pipeline was not stored");
        }
    }
}

/// Does what is left to do of a run whose end is stored. Until then it holds the place of the flow's next one, which must know what this
/// one saw, and the next start does it again.
///
/// # Errors
/// When the database cannot be written, and [`Error::Cancelled`] when the service stops.
fn leave(app: &App, mut run: PipelineRun, cancel: &CancelToken) -> Result<PipelineRun> {
    targets::clear(app, &run)?;
    seen::settle(app, &run)?;
    make_vectors(app, &mut run, cancel)?;
    run.remains = Remains::default();
    let is_there = app.store.write(|tx| {
        let is_there = FLOWS.has(tx, &run.workspace, &run.flow)?;
        if is_there {
            pipelines::put(tx, &run)?;
        }
        PIPELINES_UNDER_WAY.remove(tx, &run.workspace, &run.flow)?;
        Ok(is_there)
    })?;
    if !is_there {
        // A flow that was deleted meanwhile leaves nothing behind.
        app.pipeline_files.remove_flow(&run.workspace, &run.flow);
    }
    Ok(run)
}

/// Does what the end of the process kept from being done of a run whose end is stored, on a thread of its own.
///
/// # Errors
/// When there is no place or no thread for it: the next start tries again.
pub(super) fn leave_later(app: &App, run: PipelineRun) -> Result<()> {
    let busy = || Error::Unavailable(UnavailableReason::Busy);
    let flow = run.flow;
    let active = app.state.pipelines.begin(run).ok_or_else(busy)?;
    let own = app.clone();
    let work = move || {
        if catch_unwind(AssertUnwindSafe(|| settle(&own, &active, Ok(active.snapshot())))).is_err() {
            tracing::error!(%flow, "the end of a pipeline panicked");
        }
        own.state.pipelines.end(&flow);
    };
    if thread::Builder::new().name("pipeline".to_owned()).spawn(work).is_err() {
        app.state.pipelines.end(&flow);
        return Err(busy());
    }
    Ok(())
}

/// Makes the vectors of the document stores that were filled, where they have embeddings. The chunks are there whatever becomes of
/// it, so a failure is told among those of the run, which stays finished.
fn make_vectors(app: &App, run: &mut PipelineRun, cancel: &CancelToken) -> Result<()> {
    let mut failures = Vec::new();
    for (store, label) in &run.remains.filled {
        let is_embedded = app.store.read(|tx| VECTOR_CONFIGS.has(tx, &run.workspace, store));
        let made = match is_embedded {
            Ok(false) => continue,
            Ok(true) => vectors::upsert(app, &run.workspace, store, &|_| {}, cancel).map(drop),
            Err(fault) => Err(fault),
        };
        let Err(fault) = made else { continue };
        if cancel.reason() == Some(CancelReason::Shutdown) {
            return Err(Error::Cancelled);
        }
        tracing::warn!(error = fault.for_log(), flow = %run.flow, %store, "the vectors of a store were not made");
        failures.push(DocumentFailure {
            document: format!("vectors of document store {store}"),
            source: label.clone(),
            message: fault.to_string(),
        });
    }
    run.add(PipelineCounts::default(), failures);
    Ok(())
}
