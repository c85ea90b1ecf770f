//! What a run came to is kept after each batch: documents, counts and position in one commit.

use crate::app::App;
use crate::cards::kit::{DedupeScope, DocumentDigest, SeenDocuments};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{FlowId, PipelineRunId};
use crate::domain::pipelines::run::PipelinePhase;
use crate::engine::pipeline::{Batch, BatchRecorder};
use crate::state::pipelines::ActivePipeline;
use crate::store::queries::pipelines::{self, PipelineScope};
use crate::store::tables::FLOWS;
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What all runs of a flow remember.
const ALL_RUNS: PipelineScope = [0; 16];

/// Keeps what a run came to.
pub(super) struct Recorder<'a> {
    app: &'a App,
    active: &'a ActivePipeline,
    flow: FlowId,
    run: PipelineRunId,
    /// Documents of this batch that cards saw. They count when the batch does.
    fresh: Mutex<HashSet<(PipelineScope, [u8; 16])>>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(app: &'a App, active: &'a ActivePipeline) -> Self {
        let run = active.snapshot();
        Self { app, active, flow: run.flow, run: run.id, fresh: Mutex::default() }
    }

    fn fresh(&self) -> MutexGuard<'_, HashSet<(PipelineScope, [u8; 16])>> {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SeenDocuments for Recorder<'_> {
    fn remember(&self, node: &str, scope: DedupeScope, digest: &DocumentDigest) -> Result<bool> {
        let scope = match scope {
            DedupeScope::Run => *self.run.bytes(),
            DedupeScope::Flow => ALL_RUNS,
        };
        // What one card saw another one did not.
        let hash = Sha256::new().chain_update(node).chain_update([0]).chain_update(digest).finalize();
        let mut own = DocumentDigest::default();
        own.copy_from_slice(&hash[..16]);
        if self.fresh().contains(&(scope, own))
            || self.app.store.read(|tx| pipelines::was_seen(tx, &self.flow, &scope, &own))?
        {
            return Ok(false);
        }
        self.fresh().insert((scope, own));
        Ok(true)
    }
}

impl BatchRecorder for Recorder<'_> {
    fn enter(&self, phase: PipelinePhase) {
        self.active.change(|run| run.phase = phase);
    }

    fn batch_done(&self, batch: Batch) -> Result<()> {
        let mut run = self.active.snapshot();
        run.add(batch.counts, batch.failures);
        run.position = batch.position;
        if let Some(results) = &mut run.results {
            results.extend(batch.results);
        }
        // A dry run leaves nothing behind but what it came to.
        if !run.dry_run {
            let fresh = self.fresh();
            self.app.store.write(|tx| {
                if !FLOWS.has(tx, &run.workspace, &run.flow)? {
                    return Err(Error::Cancelled);
                }
                pipelines::note_seen(tx, &run.flow, fresh.iter())?;
                pipelines::put(tx, &run)
            })?;
            drop(fresh);
            self.fresh().clear();
        }
        self.active.change(|now| *now = run);
        Ok(())
    }
}
