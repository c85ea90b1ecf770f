//! Runs of pipelines (manual 10.13).

use crate::domain::ids::PipelineRunId;
use crate::domain::pipelines::run::{
    DocumentFailure, PipelinePhase, PipelineRun, PipelineState, PipelineTrigger,
};
use crate::domain::pipelines::target::{PipelineFile, PipelineFileName};
use crate::predictions::run_facts::DocumentView;
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What a run is started with.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct PipelineStart {
    /// Reads and transforms the first 100 documents, shows 20 of them, and writes none.
    #[serde(default)]
    pub dry_run: Option<bool>,
    /// Values for params that the pipeline declares.
    #[serde(default)]
    pub params: Option<Map<String, Value>>,
}

/// A run of a pipeline.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "PipelineRun"))]
pub struct PipelineRunView {
    id: PipelineRunId,
    state: PipelineState,
    trigger: PipelineTrigger,
    dry_run: bool,
    started: IsoTime,
    /// Null while it goes on.
    finished: Option<IsoTime>,
    /// Documents that sources brought.
    read: u64,
    /// Documents that targets took.
    written: u64,
    /// Documents that were left out.
    skipped: u64,
    failed: u64,
    /// Bytes of text that were read.
    bytes_read: u64,
    phase: PipelinePhase,
    /// The first 100 documents that failed.
    errors: Vec<DocumentFailure>,
    /// Why it failed.
    error: Option<String>,
    /// What it was started with: every param that the pipeline declares.
    params: BTreeMap<String, String>,
    /// It went on after the service had ended in its midst.
    resumed: bool,
    /// What a dry run would have written.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<DocumentView>>,
    /// The version of Live that ran; null where there is no history.
    flow_version: Option<String>,
}

/// A file that a pipeline wrote.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "PipelineFile"))]
pub struct PipelineFileView {
    name: PipelineFileName,
    bytes: u64,
    /// The run that wrote it last.
    run_id: PipelineRunId,
    /// When that run was finished.
    date: IsoTime,
}

impl From<PipelineFile> for PipelineFileView {
    fn from(file: PipelineFile) -> Self {
        Self { name: file.name, bytes: file.bytes, run_id: file.run, date: file.date.into() }
    }
}

impl From<PipelineRun> for PipelineRunView {
    fn from(run: PipelineRun) -> Self {
        Self {
            id: run.id,
            state: run.state,
            trigger: run.trigger,
            dry_run: run.dry_run,
            started: run.started.into(),
            finished: run.finished.map(IsoTime::from),
            read: run.counts.read,
            written: run.counts.written,
            skipped: run.counts.skipped,
            failed: run.counts.failed,
            bytes_read: run.counts.bytes_read,
            phase: run.phase,
            errors: run.errors,
            error: run.error,
            params: run.params,
            resumed: run.resumed,
            results: run.results.map(|shown| shown.into_iter().map(DocumentView::from).collect()),
            flow_version: run.flow_version,
        }
    }
}
