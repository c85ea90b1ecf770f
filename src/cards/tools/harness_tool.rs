//! Harness Tool: a team of the workspace that a model can ask.

use super::search::{name_and_description, one_argument, text_argument};
use crate::domain::error::Result;
use crate::domain::predictions::prediction::RunOutput;
use crate::harness::asked::{AskedHarness, HARNESS, team_fields};
use crate::kit::{
    CallError, Capability, Card, Category, Factory, Input, Inputs, Need, NullSink, Picker, Risk, RunContext,
    Tool,
};
use crate::llm::ToolSpec;
use serde_json::Value;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "harnessTool",
    label: "Harness Tool",
    version: 1.0,
    category: Category::Tools,
    description: "A team of this workspace that the model can ask.",
    base_classes: &["HarnessTool", "Tool"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Flows)],
    inputs: &[
        Input::pick(HARNESS, "Harness", Picker::Harness).help("A harness of this workspace, by its name."),
        Input::text("name", "Tool Name").optional().help("Empty: the label of this card."),
        Input::lines("description", "Tool Description").optional().help("Tells the model when to use it."),
        Input::switch("returnDirect", "Return Direct")
            .optional()
            .help("What the team answers is the answer; the model does not read it."),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| Ok(vec![Arc::new(HarnessTool::from_inputs(inputs)?)])),
};

struct HarnessTool {
    team: AskedHarness,
    spec: ToolSpec,
    returns_directly: bool,
}

impl HarnessTool {
    fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let (name, description) = name_and_description(inputs, "Asks");
        Ok(Self {
            team: AskedHarness::from_inputs(inputs)?,
            spec: one_argument(&name, &description, "input", "What to ask."),
            returns_directly: inputs.switch("returnDirect"),
        })
    }

    fn ask(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<RunOutput, CallError> {
        let question = text_argument(arguments, "input")?;
        self.team.ask(question, turn.host, &mut NullSink).map_err(CallError::from)
    }
}

impl Tool for HarnessTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    /// What the specialists did stands beside the text: what a tool returned is all that is kept of its call.
    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        let answer = self.ask(arguments, turn)?;
        if self.returns_directly {
            return Ok(answer.text);
        }
        let Some(team) = &answer.team else { return Ok(answer.text) };
        let mut told = team_fields(team).map_err(CallError::from)?;
        told.insert("text".to_owned(), answer.text.into());
        Ok(Value::Object(told).to_string())
    }

    fn returns_directly(&self) -> bool {
        self.returns_directly
    }
}
