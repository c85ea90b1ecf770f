//! A pipeline that a card of another flow starts.

use crate::agentflow::execute_flow::name_card;
use crate::domain::error::Result;
use crate::domain::ids::FlowId;
use crate::kit::{Grant, Host, Input, Inputs, Picker, PipelineReport, Pipelines};
use serde_json::{Map, Value};

/// The input that picks the pipeline.
pub(crate) const PIPELINE: Input = Input::pick("selectedPipeline", "Select Pipeline", Picker::Pipeline)
    .help("A pipeline of this workspace.");
/// The input with what its run is started with.
pub(crate) const PARAMS: Input = Input::rows(
    "pipelineParams",
    "Params",
    &[
        Input::text("name", "Name").help("As the pipeline declares it."),
        Input::lines("value", "Value").optional().variables(),
    ],
)
.optional()
.variables()
.help("What the run is started with.");

/// The pipeline that a card picks.
pub(crate) struct PickedPipeline {
    pipelines: Grant<dyn Pipelines>,
    label: String,
    flow: FlowId,
}

impl PickedPipeline {
    /// # Errors
    /// When nothing that could be a pipeline is picked, or the run can start none.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let flow = FlowId::parse(inputs.text(PIPELINE.name)?.trim()).ok_or_else(|| {
            inputs.input_error(PIPELINE.name, "this must be the id of a pipeline of this workspace")
        })?;
        Ok(Self { pipelines: inputs.need()?, label: inputs.label.to_owned(), flow })
    }

    /// Runs it, and waits for a while.
    ///
    /// # Errors
    /// Why it does not run, naming the card; what may pass still may.
    pub(crate) fn run(&self, params: &Map<String, Value>, host: &dyn Host) -> Result<PipelineReport> {
        let started = self.pipelines.of(host)?.run_pipeline(&self.flow, params);
        started.map_err(|fault| name_card(&self.label, fault))
    }
}

/// What the rows of [`PARAMS`] say.
pub(crate) fn params(inputs: &Inputs<'_>) -> Map<String, Value> {
    let param = |row: Inputs<'_>| {
        let name = row.optional_text("name")?.trim().to_owned();
        Some((name, Value::from(row.optional_text("value").unwrap_or_default())))
    };
    inputs.rows(PARAMS.name).into_iter().filter_map(param).filter(|(name, _)| !name.is_empty()).collect()
}
