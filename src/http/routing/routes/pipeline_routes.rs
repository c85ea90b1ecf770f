//! Routes of pipelines.

use super::params;
use super::permissions::{PIPELINE_RUN, PIPELINE_VIEW};
use crate::http::api::pipelines;
use crate::http::openapi::spec::ContentSpec;
use crate::http::routing::guard::any_of;
use crate::http::routing::router::{Route, delete, get, post};

/// Runs of pipelines (manual 10.13).
#[rustfmt::skip]
pub(super) fn pipeline_routes() -> Vec<Route> { vec![
    post  ("/etl/:id/runs",             any_of(PIPELINE_RUN),  pipelines::start).summary("Starts a run of a pipeline.")
        .id("startPipeline").refuses(&[409]),
    get   ("/etl/:id/runs",             any_of(PIPELINE_VIEW), pipelines::list) .summary("Lists the runs of a pipeline, newest first.")
        .id("listPipelineRuns").query(params::PIPELINE_RUNS),
    get   ("/etl/:id/runs/:run",        any_of(PIPELINE_VIEW), pipelines::read) .summary("A run of a pipeline, as far as it came.")
        .id("getPipelineRun"),
    get   ("/etl/:id/runs/:run/events", any_of(PIPELINE_VIEW), pipelines::watch).summary("How far a run of a pipeline comes, as events.")
        .id("watchPipelineRun").answers(200, ContentSpec::Events),
    delete("/etl/:id/runs/:run",        any_of(PIPELINE_RUN),  pipelines::stop) .summary("Stops a run of a pipeline for good.")
        .id("stopPipelineRun"),
    get   ("/etl/:id/files",            any_of(PIPELINE_VIEW), pipelines::list_files).summary("Lists the files that a pipeline wrote.")
        .id("listPipelineFiles"),
    get   ("/etl/:id/files/:file",      any_of(PIPELINE_VIEW), pipelines::read_file).summary("Reads a file that a pipeline wrote: a document as JSON on each line.")
        .id("getPipelineFile").answers(200, ContentSpec::File),
    delete("/etl/:id/files/:file",      any_of(PIPELINE_RUN),  pipelines::delete_file).summary("Deletes a file that a pipeline wrote.")
        .id("deletePipelineFile").refuses(&[409]),
] }
