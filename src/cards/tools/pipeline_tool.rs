//! Run Pipeline Tool: a pipeline of the workspace that a model can start.

use super::search::name_and_description;
use crate::domain::error::Result;
use crate::kit::{
    CallError, Capability, Card, Category, Factory, Input, Inputs, Need, Risk, RunContext, Tool,
};
use crate::llm::ToolSpec;
use crate::pipelines::picked::{PIPELINE, PickedPipeline};
use serde_json::{Map, Value, json};
use std::sync::Arc;

const PARAMS: &str = "pipelineParams";

pub(crate) const CARD: Card = Card {
    name: "runPipelineTool",
    label: "Run Pipeline Tool",
    version: 1.0,
    category: Category::Tools,
    description: "A pipeline of this workspace that the model can start.",
    base_classes: &["RunPipelineTool", "Tool"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Pipelines)],
    inputs: &[
        PIPELINE,
        Input::text("name", "Tool Name").optional().help("Empty: the label of this card."),
        Input::lines("description", "Tool Description").optional().help("Tells the model when to use it."),
        Input::rows(
            PARAMS,
            "Params",
            &[
                Input::text("name", "Name").help("As the pipeline declares it."),
                Input::text("value", "Value").optional().variables().help("Empty: the model fills it in."),
                Input::text("description", "Description").optional().help("Tells the model what it is."),
            ],
        )
        .optional()
        .variables()
        .help("What a run is started with. The model fills in those alone that stand here without a value."),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| Ok(vec![Arc::new(PipelineTool::from_inputs(inputs)?)])),
};

struct PipelineTool {
    pipeline: PickedPipeline,
    spec: ToolSpec,
    /// What the owner says.
    fixed: Map<String, Value>,
    /// What the model is asked for.
    asked: Vec<String>,
}

impl PipelineTool {
    fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let (name, description) = name_and_description(inputs, "Starts the pipeline");
        let (mut fixed, mut properties) = (Map::new(), Map::new());
        for row in inputs.rows(PARAMS) {
            let text = |name: &str| row.optional_text(name).filter(|text| !text.trim().is_empty());
            let Some(name) = text("name").map(|name| name.trim().to_owned()) else { continue };
            if let Some(value) = text("value") {
                fixed.insert(name, value.into());
            } else {
                let told = text("description").unwrap_or_else(|| name.clone());
                properties.insert(name, json!({"type": "string", "description": told}));
            }
        }
        let asked: Vec<String> = properties.keys().cloned().collect();
        let schema = json!({"type": "object", "properties": properties, "required": asked});
        let pipeline = PickedPipeline::from_inputs(inputs)?;
        Ok(Self { pipeline, spec: ToolSpec { name, description, schema }, fixed, asked })
    }
}

impl Tool for PipelineTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    /// A run that fails is told as any other: the model reads why.
    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        let mut params = self.fixed.clone();
        let given = self.asked.iter().filter_map(|name| Some((name.clone(), arguments.get(name)?.clone())));
        params.extend(given);
        let report = self.pipeline.run(&params, turn.host).map_err(CallError::from)?;
        Ok(report.summary)
    }
}
