//! Agent as Tool: an agent flow of the workspace that a model can ask.

use super::chatflow_tool::{FlowTool, inputs};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Picker, Risk};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "agentAsTool",
    label: "Agent as Tool",
    version: 1.0,
    category: Category::Tools,
    description: "An agent flow of this workspace that the model can ask.",
    base_classes: &["AgentAsTool", "Tool"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Flows)],
    inputs: &inputs(
        Input::credential(&["agentflowApi"]),
        Input::pick("selectedAgentflow", "Select Agent", Picker::Flow)
            .help("The id of an agent flow of this workspace."),
    ),
    outputs: &[],
    make: Factory::Tools(|inputs| {
        Ok(vec![Arc::new(FlowTool::from_inputs(inputs, "selectedAgentflow", "agentflowApiKey")?)])
    }),
};
