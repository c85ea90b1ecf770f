//! Run Pipeline as a step: what a run of a pipeline came to is the text of the step.

use crate::domain::error::{Error, Result};
use crate::kit::steps::on_error;
use crate::kit::{
    Capability, Card, Category, Factory, Input, Inputs, Need, Risk, StepContext, StepOutcome, TokenSink,
    input_lists,
};
use crate::pipelines::picked::{self, PARAMS, PIPELINE, PickedPipeline};
use serde_json::json;

pub(crate) const CARD: Card = Card {
    name: "runPipelineAgentflow",
    label: "Run Pipeline",
    version: 1.0,
    category: Category::AgentFlows,
    description: "Starts a pipeline of this workspace, and waits for what its run comes to.",
    base_classes: &["RunPipeline"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Pipelines)],
    inputs: input_lists![
        &[PIPELINE, PARAMS, Input::state_updates("runPipelineUpdateState")],
        on_error::INPUTS,
    ],
    outputs: &[],
    make: Factory::Step(run),
};

fn run(inputs: &Inputs<'_>, context: &StepContext<'_>, _: &mut dyn TokenSink) -> Result<StepOutcome> {
    let params = picked::params(inputs);
    let report = PickedPipeline::from_inputs(inputs)?.run(&params, context.turn.host)?;
    // What follows a step may lean on what was brought in.
    if report.has_failed {
        return Err(Error::RunFailed(format!("{}: {}", inputs.label, report.summary)));
    }
    let mut outcome = StepOutcome::from_text(report.summary);
    let run = json!({"id": report.run, "read": report.read, "written": report.written});
    outcome.output.insert("run".to_owned(), run);
    Ok(outcome.with_input("params", params))
}
