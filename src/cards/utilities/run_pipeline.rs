//! Run Pipeline: what a run of a pipeline came to is a value for other cards, or the answer.

use super::custom_function::RESULTS;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::RunOutput;
use crate::kit::{Capability, Card, Category, Chain, Factory, Need, Output, Risk, RunContext, TokenSink};
use crate::pipelines::picked::{self, PARAMS, PIPELINE, PickedPipeline};
use serde_json::{Map, Value};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "runPipeline",
    label: "Run Pipeline",
    version: 1.0,
    category: Category::Utilities,
    description: "Starts a pipeline of this workspace, and says what its run came to.",
    base_classes: &["RunPipeline", "Utilities"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Pipelines)],
    inputs: &[PIPELINE, PARAMS],
    outputs: &[
        Output { name: "output", label: "Output", base_classes: RESULTS, predicts: true },
        Output { name: "EndingNode", label: "Ending Node", base_classes: &["RunPipeline"], predicts: false },
    ],
    make: Factory::Chain(|inputs| {
        let pipeline = PickedPipeline::from_inputs(inputs)?;
        Ok(Arc::new(PipelineChain { pipeline, params: picked::params(inputs) }))
    }),
};

struct PipelineChain {
    pipeline: PickedPipeline,
    params: Map<String, Value>,
}

impl Chain for PipelineChain {
    fn run(&self, turn: &RunContext<'_>, _: &mut dyn TokenSink) -> Result<RunOutput> {
        Ok(RunOutput::from_text(self.pipeline.run(&self.params, turn.host)?.summary))
    }
}
