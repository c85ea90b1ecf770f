//! QueryEngine Tool: an engine that another engine, or a model, can ask.

use super::search::{one_argument, text_argument};
use crate::domain::workspace::tool::model_name;
use crate::kit::{
    CallError, Card, Category, Chain, Factory, Input, NullSink, Observation, Risk, RunContext, Tool, WireType,
};
use crate::llm::ToolSpec;
use serde_json::Value;
use std::sync::Arc;

/// The argument of such a tool.
pub(crate) const QUESTION: &str = "question";

pub(crate) const CARD: Card = Card {
    name: "queryEngineToolLlamaIndex",
    label: "QueryEngine Tool",
    version: 2.0,
    category: Category::Tools,
    description: "An engine that can be asked by another one.",
    base_classes: &["QueryEngineTool", "Tool_LlamaIndex"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::wire("baseQueryEngine", "Base QueryEngine", WireType::Engine),
        Input::text("toolName", "Tool Name").optional().help("Empty: the label of this card."),
        Input::lines("toolDesc", "Tool Description").optional().help("Tells what the engine knows."),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let written = |name: &str| inputs.optional_text(name).filter(|text| !text.trim().is_empty());
        let name = written("toolName").unwrap_or_else(|| inputs.label.to_owned());
        let description = written("toolDesc").unwrap_or_else(|| format!("Asks '{}'.", name.trim()));
        Ok(vec![Arc::new(QueryEngineTool {
            spec: one_argument(&model_name(&name), &description, QUESTION, "What to ask."),
            engine: inputs.chain("baseQueryEngine")?,
        })])
    }),
};

struct QueryEngineTool {
    spec: ToolSpec,
    engine: Arc<dyn Chain>,
}

impl Tool for QueryEngineTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        self.observe(arguments, turn).map(|seen| seen.text)
    }

    fn observe(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<Observation, CallError> {
        let question = text_argument(arguments, QUESTION)?;
        let asked = RunContext { question, documents: "", uploads: &[], history: &[], host: turn.host };
        let outcome = self.engine.run(&asked, &mut NullSink)?;
        Ok(Observation { text: outcome.text, sources: outcome.source_documents, ..Observation::default() })
    }
}
