//! Runs that the end of the process cut off go on with the next start.

use super::background::{self, BackgroundRun};
use super::{compile, seen, targets};
use crate::app::App;
use crate::domain::error::Result;
use crate::domain::ids::{FlowId, WorkspaceId};
use crate::domain::pipelines::run::{PipelinePosition, PipelineState};
use crate::store::queries::pipelines;
use crate::store::tables::{CANVASES, FLOWS, PIPELINES_UNDER_WAY, WORKSPACES};

/// A run that holds the place of its flow's next one.
pub(crate) struct CutOffRun {
    workspace: WorkspaceId,
    flow: FlowId,
    /// Which run of the flow it is.
    number: u64,
}

/// Those that the process before this one did not end.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn list_cut_off(app: &App) -> Result<Vec<CutOffRun>> {
    app.store.read(|tx| {
        let mut found = Vec::new();
        for workspace in WORKSPACES.list(tx)? {
            let here = PIPELINES_UNDER_WAY.entries(tx, &workspace.id)?;
            let run = |(flow, number)| CutOffRun { workspace: workspace.id, flow, number };
            found.extend(here.into_iter().map(run));
        }
        Ok(found)
    })
}

/// Goes on with these; those that could not, which can start none until they do.
pub(crate) fn resume_each(app: &App, mut runs: Vec<CutOffRun>) -> Vec<CutOffRun> {
    runs.retain(|run| {
        if app.state.pipelines.find(&run.flow).is_some() {
            return false;
        }
        resume(app, &run.workspace, &run.flow, run.number)
            .inspect_err(|error| {
                tracing::warn!(error = error.for_log(), flow = %run.flow, "a pipeline could not go on");
            })
            .is_err()
    });
    runs
}

fn resume(app: &App, workspace: &WorkspaceId, id: &FlowId, number: u64) -> Result<()> {
    let (flow, run, text) = app.store.read(|tx| {
        let flow = FLOWS.get(tx, workspace, id)?;
        let run = pipelines::get(tx, id, number)?;
        let text: String = CANVASES.get(tx, workspace, id)?.unwrap_or_default();
        Ok((flow, run, text))
    })?;
    let (Some(flow), Some(mut run)) = (flow, run) else {
        return app.store.write(|tx| PIPELINES_UNDER_WAY.remove(tx, workspace, id).map(drop));
    };
    if run.state != PipelineState::Running {
        return background::leave_later(app, run);
    }
    // Places of another canvas mean nothing in this one, and some sources have none.
    let goes_on = run.digest == flow.digest && !run.position.is_lost && !run.dry_run;
    if goes_on {
        run.resumed = run.position != PipelinePosition::default();
        app.store.write(|tx| pipelines::put(tx, &run))?;
    } else {
        // Before anything says that it begins anew: who then goes on must not take for seen what was given up.
        seen::forget_run(app, &run)?;
        let cut_off = run.clone();
        run.restart();
        run.digest = flow.digest;
        run.flow_version = flow.live_version.and_then(|version| version.short());
        run = app.store.write(|tx| {
            let mut run = run.clone();
            targets::discard(tx, &cut_off, &mut run.remains)?;
            pipelines::put(tx, &run)?;
            Ok(run)
        })?;
    }
    match compile(&text) {
        Ok(mut plan) => {
            plan.restore_params(&run.params);
            tracing::info!(flow = %id, run = %run.id, resumed = run.resumed, "a pipeline goes on");
            BackgroundRun { app: app.clone(), flow, plan }.start(run)
        }
        Err(fault) => background::fail(app, run, fault.to_string()),
    }
}
