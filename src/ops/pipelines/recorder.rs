//! What a run came to is kept after each batch: documents, counts and position in one commit.

use super::seen;
use super::targets::OpenTargets;
use crate::app::App;
use crate::cards::kit::{DedupeScope, DocumentDigest, SeenDocuments};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{FlowId, PipelineRunId, WorkspaceId};
use crate::domain::pipelines::run::PipelinePhase;
use crate::domain::predictions::prediction::Document;
use crate::engine::pipeline::{Batch, BatchRecorder, TargetCard};
use crate::state::pipelines::ActivePipeline;
use crate::store::queries::pipelines::{self, PipelineScope};
use crate::store::tables::FLOWS;
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keeps what a run came to.
pub(super) struct Recorder<'a> {
    app: &'a App,
    active: &'a ActivePipeline,
    workspace: WorkspaceId,
    flow: FlowId,
    run: PipelineRunId,
    /// What the run saw for all later ones.
    provisional: PipelineScope,
    /// Documents of this batch that cards saw. They count when the batch does.
    fresh: Mutex<HashSet<(PipelineScope, [u8; 16])>>,
    targets: Mutex<OpenTargets>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(app: &'a App, active: &'a ActivePipeline) -> Self {
        let run = active.snapshot();
        Self {
            app,
            active,
            workspace: run.workspace,
            flow: run.flow,
            run: run.id,
            provisional: seen::provisional(&run.id),
            fresh: Mutex::default(),
            targets: Mutex::default(),
        }
    }

    fn targets(&self) -> MutexGuard<'_, OpenTargets> {
        self.targets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a document within a scope; true when it is the first of its kind.
    fn remember_in(&self, scope: PipelineScope, digest: &DocumentDigest) -> Result<bool> {
        if self.fresh().contains(&(scope, *digest)) || self.was_seen(&scope, digest)? {
            return Ok(false);
        }
        self.fresh().insert((scope, *digest));
        Ok(true)
    }

    fn was_seen(&self, scope: &PipelineScope, digest: &DocumentDigest) -> Result<bool> {
        self.app.store.read(|tx| pipelines::was_seen(tx, &self.flow, scope, digest))
    }

    fn fresh(&self) -> MutexGuard<'_, HashSet<(PipelineScope, [u8; 16])>> {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SeenDocuments for Recorder<'_> {
    fn remember(&self, node: &str, scope: DedupeScope, digest: &DocumentDigest) -> Result<bool> {
        // What one card saw another one did not.
        let hash = Sha256::new().chain_update(node).chain_update([0]).chain_update(digest).finalize();
        let mut own = DocumentDigest::default();
        own.copy_from_slice(&hash[..16]);
        match scope {
            DedupeScope::Run => self.remember_in(*seen::own(&self.run), &own),
            DedupeScope::Flow if self.was_seen(&seen::ALL_RUNS, &own)? => Ok(false),
            DedupeScope::Flow => self.remember_in(self.provisional, &own),
        }
    }
}

impl BatchRecorder for Recorder<'_> {
    fn enter(&self, phase: PipelinePhase) {
        self.active.change(|run| run.phase = phase);
    }

    fn open(&self, card: &TargetCard<'_>) -> Result<()> {
        let run = self.active.snapshot();
        let mut targets = self.targets();
        targets.open(self.app, &run, card)?;
        // Where the run ends before its first batch, what was opened goes.
        let files = targets.unfinished_files();
        self.active.change(|run| run.unfinished.files.extend(files));
        Ok(())
    }

    fn write(&self, node: &str, documents: &[Document]) -> Result<usize> {
        let place = (self.app, &self.workspace);
        self.targets().write(place, node, documents, &|scope, digest| self.remember_in(scope, digest))
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
            let (mut targets, mut fresh) = (self.targets(), self.fresh());
            targets.flush_files()?;
            run.unfinished.files = targets.unfinished_files();
            let now = self.app.clock.monotonic_now();
            let (noted, written, so_far) = (&*fresh, &*targets, &run);
            run = self.app.store.write(|tx| {
                let mut run = so_far.clone();
                let flow = FLOWS.get(tx, &run.workspace, &run.flow)?.ok_or(Error::Cancelled)?;
                written.store_chunks(tx, &mut run, (&flow.name, now))?;
                pipelines::note_seen(tx, &run.flow, noted.iter())?;
                pipelines::put(tx, &run)?;
                Ok(run)
            })?;
            targets.begin_batch();
            fresh.clear();
        }
        self.active.change(|now| *now = run);
        Ok(())
    }
}
