//! Pipelines: their runs, as people start, watch and stop them (manual 10.13).

mod background;
mod files;
mod questions;
mod recorder;
mod resume;
mod seen;
mod targets;

pub(crate) use self::files::{delete_file, list_files, open_file, sweep_files};
pub(crate) use self::questions::{AskedPipeline, ask, ask_by_caller, ask_by_webhook};
pub(in crate::ops) use self::questions::{run_for_flow, run_scheduled};
pub(crate) use self::resume::{list_cut_off, resume_each};

use self::background::BackgroundRun;
use crate::app::App;
use crate::base::cancel::CancelReason;
use crate::canvas::Canvas;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Conflict, Error, Result, UnavailableReason};
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::ids::{FlowId, PipelineRunId, WorkspaceId};
use crate::domain::paging::PageRequest;
use crate::domain::pipelines::run::{
    PipelineCounts, PipelinePhase, PipelinePosition, PipelineRun, PipelineState, PipelineTrigger,
};
use crate::domain::pipelines::target::{Remains, UnfinishedOutput};
use crate::engine::pipeline::{PipelinePlan, filled_stores};
use crate::ops::flows::access::{self, FlowAction};
use crate::state::pipelines::ActivePipeline;
use crate::store::queries::pipelines;
use crate::store::tables::{CANVASES, FLOWS, PIPELINE_FILES, PIPELINES_UNDER_WAY};
use crate::store::{Tx, WriteTx};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// Runs of a pipeline that are kept; older ones go (manual 14.8).
const PIPELINE_RUNS_KEPT_MAX: u64 = 1_000;
/// What it takes to let a pipeline fill a document store.
const STORE_PERMISSION: &str = "documentStores:update";
/// How long a stop of the service waits for pipelines to reach the end of a batch (manual 14.4).
const PIPELINE_STOP_SECONDS: u64 = 5;

/// A flow of the caller's that is a pipeline.
fn pipeline(tx: &impl Tx, caller: &Caller, id: &FlowId, action: FlowAction) -> Result<Flow> {
    require_pipeline(access::flow(tx, caller, id, action)?)
}

fn require_pipeline(flow: Flow) -> Result<Flow> {
    if flow.kind == FlowKind::Etl {
        return Ok(flow);
    }
    Err(Error::Invalid(format!("Flow {} is of type {}, and no pipeline.", flow.id, flow.kind)))
}

/// Who starts a run.
#[derive(Debug, Clone, Copy)]
enum Starter<'a> {
    /// Somebody who may change the flow.
    Caller(&'a Caller),
    /// Whatever the owner of a flow lets start pipelines of this workspace.
    Workspace(WorkspaceId),
}

impl Starter<'_> {
    /// The pipeline, which this starter may start.
    fn admit(self, tx: &impl Tx, id: &FlowId) -> Result<Flow> {
        match self {
            Self::Caller(caller) => pipeline(tx, caller, id, FlowAction::Update),
            Self::Workspace(workspace) => {
                require_pipeline(FLOWS.get(tx, &workspace, id)?.ok_or_else(|| Error::no_flow(id))?)
            }
        }
    }
}

/// What a run is started with.
#[derive(Debug)]
struct RunOrder {
    trigger: PipelineTrigger,
    is_dry: bool,
    /// Values for what the pipeline declares.
    params: Map<String, Value>,
}

/// Starts a run of Live, which goes on in the background.
///
/// # Errors
/// 404, 403; 400 when the flow is no pipeline, its canvas none that can run, or it declares no such param; 409 while a run of it is under way; 503 while as
/// many run as may.
pub(crate) fn start(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    is_dry: bool,
    params: Map<String, Value>,
) -> Result<PipelineRun> {
    let order = RunOrder { trigger: PipelineTrigger::Api, is_dry, params };
    let run = begin(app, Starter::Caller(caller), id, order)?;
    tracing::info!(flow = %id, run = %run.id, by = %caller.principal, "a pipeline was started");
    Ok(run)
}

/// Enters a run of Live, and lets it go on in the background.
fn begin(app: &App, starter: Starter<'_>, id: &FlowId, mut order: RunOrder) -> Result<PipelineRun> {
    let (flow, text) = app.store.read(|tx| {
        let flow = starter.admit(tx, id)?;
        let text = CANVASES.get(tx, &flow.workspace, id)?.unwrap_or_default();
        Ok((flow, text))
    })?;
    let mut plan = compile(&text)?;
    if order.trigger == PipelineTrigger::Webhook {
        // A call may bring along what only proves who sent it, or is for nobody.
        order.params.retain(|name, _| plan.params().contains_key(name));
    }
    plan.set_params(&order.params)?;
    // Its record is over before the last of its work is.
    if app.state.pipelines.find(id).is_some() {
        return Err(Conflict::PipelineUnderWay.into());
    }
    if app.state.pipelines.is_full() {
        return Err(Error::Unavailable(UnavailableReason::Busy));
    }
    let run = new_run(app, &flow, order, &plan);
    let run = app.store.write(|tx| {
        // The flow may have been deleted meanwhile.
        starter.admit(tx, id)?;
        enter(tx, run.clone())
    })?;
    BackgroundRun { app: app.clone(), flow, plan }.start(run.clone())?;
    Ok(run)
}

fn compile(text: &str) -> Result<PipelinePlan> {
    let canvas = Canvas::parse(text).map_err(|fault| Error::Invalid(fault.to_string()))?;
    Ok(PipelinePlan::compile(&canvas)?)
}

fn new_run(app: &App, flow: &Flow, order: RunOrder, plan: &PipelinePlan) -> PipelineRun {
    let RunOrder { trigger, is_dry: dry_run, .. } = order;
    PipelineRun {
        id: PipelineRunId::random(),
        workspace: flow.workspace,
        flow: flow.id,
        number: 0,
        state: PipelineState::Running,
        phase: PipelinePhase::Reading,
        trigger,
        dry_run,
        params: plan.params().clone(),
        started: app.clock.monotonic_now(),
        finished: None,
        counts: PipelineCounts::default(),
        errors: Vec::new(),
        error: None,
        resumed: false,
        results: dry_run.then(Vec::new),
        flow_version: flow.live_version.and_then(|version| version.short()),
        digest: flow.digest,
        position: PipelinePosition::default(),
        unfinished: UnfinishedOutput::default(),
        remains: Remains::default(),
    }
}

/// Stores a run as the one of its flow that is under way.
fn enter(tx: &WriteTx, run: PipelineRun) -> Result<PipelineRun> {
    if PIPELINES_UNDER_WAY.has(tx, &run.workspace, &run.flow)? {
        return Err(Conflict::PipelineUnderWay.into());
    }
    let number = pipelines::next_number(tx, &run.flow)?;
    let run = PipelineRun { number, ..run };
    pipelines::put(tx, &run)?;
    PIPELINES_UNDER_WAY.put(tx, &run.workspace, &run.flow, &number)?;
    pipelines::remove_below(tx, &run.flow, (number + 1).saturating_sub(PIPELINE_RUNS_KEPT_MAX))?;
    Ok(run)
}

/// A page of the runs of a pipeline, newest first, and how many there are.
///
/// # Errors
/// 404, 403; 400 when the flow is no pipeline.
pub(crate) fn list(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    page: PageRequest,
) -> Result<(Vec<PipelineRun>, usize)> {
    let (mut rows, total) = app.store.read(|tx| {
        pipeline(tx, caller, id, FlowAction::View)?;
        pipelines::list(tx, id, &page.range(usize::MAX))
    })?;
    // What a run counts on its way is newer than what is stored of it.
    if let Some(now) = app.state.pipelines.find(id).map(|entry| entry.snapshot()) {
        rows.iter_mut().filter(|row| row.id == now.id).for_each(|row| row.clone_from(&now));
    }
    Ok((rows, total))
}

/// A run as it stands, and where it is watched while it goes on.
pub(crate) struct WatchedRun {
    pub(crate) run: PipelineRun,
    active: Option<Arc<ActivePipeline>>,
}

impl WatchedRun {
    /// Waits for a change after the `changes` that were seen: the run, how often it changed by now, and whether this is its
    /// end.
    pub(crate) fn wait(&self, changes: u64, most: Duration) -> (PipelineRun, u64, bool) {
        match &self.active {
            Some(active) => active.wait(changes, most),
            None => (self.run.clone(), changes, true),
        }
    }
}

/// A run of a pipeline.
///
/// # Errors
/// 404, 403; 400 when the flow is no pipeline.
pub(crate) fn read(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    run: Option<PipelineRunId>,
) -> Result<WatchedRun> {
    find(app, caller, id, run, FlowAction::View)
}

fn find(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    run: Option<PipelineRunId>,
    action: FlowAction,
) -> Result<WatchedRun> {
    let missing = || Error::NotFound("That run of the pipeline was not found.".to_owned());
    let active = app.state.pipelines.find(id);
    let run = app.store.read(|tx| {
        pipeline(tx, caller, id, action)?;
        let Some(run) = run else { return Err(missing()) };
        pipelines::find(tx, id, &run)?.ok_or_else(missing)
    })?;
    let active = active.filter(|active| active.snapshot().id == run.id);
    let run = active.as_ref().map_or(run, |active| active.snapshot());
    Ok(WatchedRun { run, active })
}

/// Stops a run for good, at the end of what it is doing. One that is over stays as it is.
///
/// # Errors
/// 404, 403; 400 when the flow is no pipeline.
pub(crate) fn stop(
    app: &App,
    caller: &Caller,
    id: &FlowId,
    run: Option<PipelineRunId>,
) -> Result<PipelineRun> {
    let found = find(app, caller, id, run, FlowAction::Update)?;
    if let Some(active) = &found.active {
        active.cancel.cancel(CancelReason::Aborted);
    }
    Ok(found.run)
}

/// Refuses a canvas that fills document stores which it did not fill before, from a caller who may not change them.
///
/// # Errors
/// 403.
pub(in crate::ops) fn check_stores(
    tx: &impl Tx,
    caller: &Caller,
    before: Option<&Flow>,
    canvas: &Canvas,
) -> Result<()> {
    let wanted = filled_stores(canvas);
    if wanted.is_empty() || caller.permissions.has(STORE_PERMISSION) {
        return Ok(());
    }
    let live = before.map(|flow| CANVASES.get(tx, &flow.workspace, &flow.id)).transpose()?.flatten();
    let live = live.and_then(|text: String| Canvas::parse(&text).ok());
    let known = live.map(|live| filled_stores(&live)).unwrap_or_default();
    if wanted.keys().all(|store| known.contains_key(store)) {
        return Ok(());
    }
    Err(Error::Forbidden(format!("Filling a document store needs the permission {STORE_PERMISSION}.")))
}

/// Forgets the runs of a flow that goes away.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn delete_for_flow(tx: &WriteTx, flow: &Flow) -> Result<()> {
    if let Some(number) = PIPELINES_UNDER_WAY.get(tx, &flow.workspace, &flow.id)?
        && let Some(run) = pipelines::get(tx, &flow.id, number)?
    {
        // Its files go with the folder of the flow, and what cards saw with the rows below.
        targets::discard(tx, &run, &mut Remains::default())?;
    }
    PIPELINES_UNDER_WAY.remove(tx, &flow.workspace, &flow.id)?;
    PIPELINE_FILES.remove(tx, &flow.workspace, &flow.id)?;
    pipelines::remove_flow(tx, &flow.id)
}

/// Ends the pipelines that run, because the service stops: the next start goes on with them.
pub(crate) fn stop_all(app: &App) {
    app.state.pipelines.stop_all(Duration::from_secs(PIPELINE_STOP_SECONDS));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::flow::CanvasDigest;
    use crate::store::Store;
    use std::collections::BTreeMap;

    fn run_of(flow: FlowId) -> PipelineRun {
        PipelineRun {
            id: PipelineRunId::random(),
            workspace: WorkspaceId::random(),
            flow,
            number: 0,
            state: PipelineState::Running,
            phase: PipelinePhase::Reading,
            trigger: PipelineTrigger::Api,
            dry_run: false,
            params: BTreeMap::new(),
            started: jiff::Timestamp::UNIX_EPOCH,
            finished: None,
            counts: PipelineCounts::default(),
            errors: Vec::new(),
            error: None,
            resumed: false,
            results: None,
            flow_version: None,
            digest: CanvasDigest::compute(FlowKind::Etl, ""),
            position: PipelinePosition::default(),
            unfinished: UnfinishedOutput::default(),
            remains: Remains::default(),
        }
    }

    #[test]
    fn the_newest_thousand_runs_of_a_pipeline_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("test.redb")).unwrap();
        let (busy, other) = (run_of(FlowId::random()), run_of(FlowId::random()));
        store
            .write(|tx| {
                enter(tx, other.clone())?;
                for _ in 0..PIPELINE_RUNS_KEPT_MAX + 3 {
                    enter(tx, PipelineRun { id: PipelineRunId::random(), ..busy.clone() })?;
                    assert!(matches!(
                        enter(tx, busy.clone()),
                        Err(Error::Conflict(Conflict::PipelineUnderWay))
                    ));
                    PIPELINES_UNDER_WAY.remove(tx, &busy.workspace, &busy.flow)?;
                }
                Ok(())
            })
            .unwrap();
        let (rows, total) = store.read(|tx| pipelines::list(tx, &busy.flow, &(0..usize::MAX))).unwrap();
        assert_eq!((total as u64, rows[0].number), (PIPELINE_RUNS_KEPT_MAX, PIPELINE_RUNS_KEPT_MAX + 2));
        assert_eq!(rows.last().unwrap().number, 3);
        let (kept, _) = store.read(|tx| pipelines::list(tx, &other.flow, &(0..usize::MAX))).unwrap();
        assert_eq!(kept.len(), 1, "those of another pipeline stay");
    }
}
