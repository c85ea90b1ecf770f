//! A run of a pipeline, as it is kept (manual 10.13).

use crate::domain::error::count_phrase;
use crate::domain::flows::flow::CanvasDigest;
use crate::domain::ids::{FlowId, PipelineRunId, WorkspaceId};
use crate::domain::pipelines::target::{Remains, UnfinishedOutput};
use crate::domain::predictions::prediction::Document;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Documents that failed and are named; those beyond are counted (manual 14.8).
const ERRORS_KEPT_MAX: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum PipelineState {
    Running,
    Finished,
    Failed,
    Stopped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum PipelinePhase {
    Reading,
    Writing,
    Finishing,
}

/// What started a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum PipelineTrigger {
    Api,
    /// Somebody asked the flow.
    Question,
    /// A card of another flow.
    Flow,
    Schedule,
    Webhook,
}

/// How many documents became what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PipelineCounts {
    /// Documents that sources brought.
    pub read: u64,
    /// Documents that targets took.
    pub written: u64,
    /// Documents that a filter or a code left out, or that were there before.
    pub skipped: u64,
    pub failed: u64,
    /// Bytes of text that were read.
    pub bytes_read: u64,
}

/// A document that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct DocumentFailure {
    /// Where it is from by its metadata, or its number.
    pub document: String,
    /// The label of the card that brought it.
    pub source: String,
    pub message: String,
}

/// How far a run came with its sources: what lies behind is read, passed and written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PipelinePosition {
    /// Sources that are read to their end.
    pub sources: usize,
    /// The piece of the next one that was read last; `None` before the first, and where a source has no places.
    pub place: Option<String>,
    /// Documents of this piece.
    pub documents: usize,
    /// Documents of a source without places that are written already: such a run begins anew.
    pub is_lost: bool,
    /// Targets that were emptied, by their cards.
    pub emptied: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PipelineRun {
    pub id: PipelineRunId,
    pub workspace: WorkspaceId,
    pub flow: FlowId,
    /// Its place among the runs of the flow.
    pub number: u64,
    pub state: PipelineState,
    pub phase: PipelinePhase,
    pub trigger: PipelineTrigger,
    pub dry_run: bool,
    /// What it was started with.
    #[serde(default)]
    pub params: BTreeMap<String, String>,
    pub started: Timestamp,
    pub finished: Option<Timestamp>,
    pub counts: PipelineCounts,
    pub errors: Vec<DocumentFailure>,
    /// Why it failed.
    pub error: Option<String>,
    /// It went on after the process had ended.
    pub resumed: bool,
    /// The first documents that a dry run would have written.
    pub results: Option<Vec<Document>>,
    /// The version of Live that ran.
    pub flow_version: Option<String>,
    /// The canvas that ran.
    pub digest: CanvasDigest,
    pub position: PipelinePosition,
    #[serde(default)]
    pub unfinished: UnfinishedOutput,
    /// What its end leaves to do.
    #[serde(default)]
    pub remains: Remains,
}

impl PipelineRun {
    /// Adds what one batch came to.
    pub fn add(&mut self, counts: PipelineCounts, errors: Vec<DocumentFailure>) {
        self.counts.read += counts.read;
        self.counts.written += counts.written;
        self.counts.skipped += counts.skipped;
        self.counts.failed += counts.failed;
        self.counts.bytes_read += counts.bytes_read;
        let room = ERRORS_KEPT_MAX.saturating_sub(self.errors.len());
        self.errors.extend(errors.into_iter().take(room));
    }

    /// Forgets how far it came, because it has to begin anew.
    pub fn restart(&mut self) {
        self.counts = PipelineCounts::default();
        self.errors.clear();
        self.position = PipelinePosition::default();
        self.unfinished = UnfinishedOutput::default();
        self.phase = PipelinePhase::Reading;
    }

    /// What it came to, or how far it is, in words.
    pub fn summary(&self) -> String {
        let PipelineCounts { read, written, skipped, failed, .. } = self.counts;
        let documents = count_phrase(usize::try_from(read).unwrap_or(usize::MAX), "document", "documents");
        let counts = format!("{documents} read, {written} written, {skipped} left out, {failed} failed.");
        match self.state {
            PipelineState::Running => format!("The pipeline goes on as run {}. So far: {counts}", self.id),
            PipelineState::Finished => format!("The pipeline has finished: {counts}"),
            PipelineState::Stopped => format!("The pipeline was stopped: {counts}"),
            PipelineState::Failed => {
                let why = self.error.as_deref().unwrap_or("Nobody knows why.");
                format!("The pipeline failed: {why} Until then: {counts}")
            }
        }
    }

    pub fn end(&mut self, state: PipelineState, error: Option<String>, now: Timestamp) {
        self.state = state;
        self.error = error;
        self.finished = Some(now);
        self.phase = PipelinePhase::Finishing;
    }
}
