//! Chain Tool: a chain that a model can call.

use super::search::{name_and_description, one_argument, text_argument};
use crate::kit::{
    CallError, Card, Category, Chain, Factory, Input, NullSink, Risk, RunContext, Tool, WireType,
};
use crate::llm::ToolSpec;
use serde_json::Value;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "chainTool",
    label: "Chain Tool",
    version: 1.0,
    category: Category::Tools,
    description: "A chain that the model can ask.",
    base_classes: &["ChainTool", "DynamicTool", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::text("name", "Chain Name").optional().help("Empty: the label of this card."),
        Input::lines("description", "Chain Description").optional().help("Tells the model when to use it."),
        Input::switch("returnDirect", "Return Direct")
            .optional()
            .help("What the chain answers is the answer; the model does not read it."),
        Input::wire("baseChain", "Base Chain", WireType::Chain),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let (name, description) = name_and_description(inputs, "Asks");
        Ok(vec![Arc::new(ChainTool {
            spec: one_argument(&name, &description, "input", "What to ask."),
            chain: inputs.chain("baseChain")?,
            returns_directly: inputs.switch("returnDirect"),
        })])
    }),
};

struct ChainTool {
    spec: ToolSpec,
    chain: Arc<dyn Chain>,
    returns_directly: bool,
}

impl Tool for ChainTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        let question = text_argument(arguments, "input")?;
        // The agent's messages, images and files are not the chain's.
        let asked = RunContext { question, documents: "", uploads: &[], history: &[], host: turn.host };
        let outcome = self.chain.run(&asked, &mut NullSink)?;
        Ok(outcome.text)
    }

    fn returns_directly(&self) -> bool {
        self.returns_directly
    }
}
