//! What runs of a pipeline remember of documents. What a run saw for all later ones counts for them when it is finished: whatever
//! came of a run that failed or was stopped, the next one lets its documents pass again.

use crate::app::App;
use crate::domain::error::Result;
use crate::domain::ids::{FlowId, PipelineRunId};
use crate::domain::pipelines::run::{PipelineRun, PipelineState};
use crate::store::queries::pipelines::{self, PipelineScope};
use sha2::{Digest as _, Sha256};

/// What finished runs of a flow saw for all later ones.
pub(super) const ALL_RUNS: PipelineScope = [0; 16];

/// What a run saw for itself.
pub(super) const fn own(run: &PipelineRunId) -> &PipelineScope {
    run.bytes()
}

/// What a run that is under way saw for all later ones.
pub(super) fn provisional(run: &PipelineRunId) -> PipelineScope {
    let hash = Sha256::new().chain_update(run.bytes()).chain_update(b"all runs").finalize();
    let mut scope = PipelineScope::default();
    scope.copy_from_slice(&hash[..16]);
    scope
}

/// Hands what a run saw to later runs where it is finished, and forgets the rest. What the end of the process cuts off may be done again.
///
/// # Errors
/// When the database cannot be written.
pub(super) fn settle(app: &App, run: &PipelineRun) -> Result<()> {
    if run.state == PipelineState::Finished {
        let provisional = provisional(&run.id);
        while app.store.write(|tx| pipelines::move_seen(tx, &run.flow, (&provisional, &ALL_RUNS)))? {}
    }
    forget_run(app, run)
}

/// Forgets all that a run saw.
///
/// # Errors
/// When the database cannot be written.
pub(super) fn forget_run(app: &App, run: &PipelineRun) -> Result<()> {
    forget(app, &run.flow, &provisional(&run.id))?;
    forget(app, &run.flow, own(&run.id))
}

/// Forgets what was seen within a scope.
///
/// # Errors
/// When the database cannot be written.
pub(super) fn forget(app: &App, flow: &FlowId, scope: &PipelineScope) -> Result<()> {
    while app.store.write(|tx| pipelines::forget_seen(tx, flow, scope))? {}
    Ok(())
}
