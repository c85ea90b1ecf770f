//! Retriever Tool: a retriever that a model can ask.

use super::search::{NOTHING_FOUND, name_and_description, one_argument, text_argument};
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::chunk_markup;
use crate::kit::{
    CallError, Card, Category, Factory, Host, Input, Observation, Retriever, Risk, RunContext, Tool, WireType,
};
use crate::llm::ToolSpec;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A value of a filter that is a fact of the run.
const FACT: &str = "$flow.";

pub(crate) const CARD: Card = Card {
    name: "retrieverTool",
    label: "Retriever Tool",
    version: 3.0,
    category: Category::Tools,
    description: "A retriever that the model can search.",
    base_classes: &["RetrieverTool", "DynamicTool", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::text("name", "Retriever Name").optional().help("Empty: the label of this card."),
        Input::lines("description", "Retriever Description").optional().help("Tells the model when to use it."),
        Input::wire("retriever", "Retriever", WireType::Retriever),
        Input::switch("returnSourceDocuments", "Return Source Documents").optional(),
        Input::json("retrieverToolMetadataFilter", "Additional Metadata Filter")
            .optional()
            .variables()
            .help("Only chunks whose metadata have these values are used; a value may be $flow.chatId and the like."),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let (name, description) = name_and_description(inputs, "Searches");
        Ok(vec![Arc::new(RetrieverTool {
            spec: one_argument(&name, &description, "input", "What to look for."),
            retriever: inputs.retriever("retriever")?,
            filter: with_run_facts(inputs.object("retrieverToolMetadataFilter")?, inputs.host),
            returns_sources: inputs.switch("returnSourceDocuments"),
        })])
    }),
};

/// A tool that searches `retriever`.
#[must_use]
pub(crate) fn searching(
    name: &str,
    description: &str,
    retriever: Arc<dyn Retriever>,
    returns_sources: bool,
) -> Arc<dyn Tool> {
    let spec = one_argument(name, description, "input", "What to look for.");
    Arc::new(RetrieverTool { spec, retriever, filter: Map::new(), returns_sources })
}

struct RetrieverTool {
    spec: ToolSpec,
    retriever: Arc<dyn Retriever>,
    filter: Map<String, Value>,
    returns_sources: bool,
}

impl Tool for RetrieverTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        self.observe(arguments, turn).map(|seen| seen.text)
    }

    fn observe(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<Observation, CallError> {
        let query = text_argument(arguments, "input")?;
        let mut found = self.retriever.retrieve(query, turn)?;
        found.retain(|document| fits(document, &self.filter));
        let text = if found.is_empty() { NOTHING_FOUND.to_owned() } else { chunk_markup::render(&found) };
        let sources = if self.returns_sources { found } else { Vec::new() };
        Ok(Observation { text, sources, ..Observation::default() })
    }
}

/// The filter with facts of the run in place of their names.
fn with_run_facts(filter: Map<String, Value>, host: &dyn Host) -> Map<String, Value> {
    let fact = |value: &Value| host.fact(value.as_str()?.strip_prefix(FACT)?).map(Value::from);
    filter.into_iter().map(|(name, value)| (name, fact(&value).unwrap_or(value))).collect()
}

fn fits(document: &Document, filter: &Map<String, Value>) -> bool {
    filter.iter().all(|(name, value)| document.metadata.get(name) == Some(value))
}
