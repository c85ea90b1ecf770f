//! The tools of an Agent: picked cards and knowledge, each with what its row says about it.

use crate::domain::error::{Error, Result};
use crate::domain::ids::DocumentStoreId;
use crate::domain::workspace::tool::model_name;
use crate::kit::build::component::Toolkit;
use crate::kit::build::unique_tools::with_unique_names;
use crate::kit::models::tool_loop::index_by_name;
use crate::kit::{
    Choice, Input, Inputs, Knowledge, Model, Picker, StoreRetriever, Tool, WireType, WiredComponent,
};
use crate::llm::ToolSpec;
use crate::tools::retriever_tool;
use crate::vector_stores::document_store;
use serde_json::{Value, json};
use std::sync::Arc;

const TOOL: &str = "agentSelectedTool";
const ASKS: &str = "agentSelectedToolRequiresHumanInput";
const ON_ERROR: &str = "agentSelectedToolOnError";
const STORE: &str = "documentStore";
const STORE_DESCRIPTION: &str = "docStoreDescription";
const VECTOR_STORE: &str = "vectorStore";
const EMBEDDINGS: &str = "embeddingModel";
const NAME: &str = "knowledgeName";
const DESCRIPTION: &str = "knowledgeDescription";
const SOURCES: &str = "returnSourceDocuments";

/// The fields of a tool.
pub(crate) const TOOL_ROW: &[Input] = &[
    Input::card(TOOL, "Tool", WireType::Tool),
    Input::switch(ASKS, "Require Human Input")
        .optional()
        .help("A person approves each call before the tool runs."),
    Input::choice(
        ON_ERROR,
        "When It Fails",
        &[Choice::new("tell", "Tell the model"), Choice::new("stop", "Fail the step")],
    )
    .or("tell")
    .optional(),
];

/// The fields of a document store.
pub(crate) const STORE_ROW: &[Input] = &[
    Input::pick(STORE, "Document Store", Picker::DocumentStore),
    Input::lines(STORE_DESCRIPTION, "Description").optional().help("Tells the model when to search it."),
    Input::switch(SOURCES, "Return Source Documents").optional(),
];

/// The fields of a vector store that stands in the card.
pub(crate) const VECTORS_ROW: &[Input] = &[
    Input::card(VECTOR_STORE, "Vector Store", WireType::VectorStore),
    Input::card(EMBEDDINGS, "Embedding Model", WireType::Embeddings),
    Input::text(NAME, "Knowledge Name").optional().help("What the model calls it."),
    Input::lines(DESCRIPTION, "Describe Knowledge").optional().help("Tells the model when to search it."),
    Input::switch(SOURCES, "Return Source Documents").optional(),
];

/// A tool, and what its row says about it.
pub(crate) struct AgentTool {
    pub(crate) tool: Arc<dyn Tool>,
    /// As the model is told of it.
    pub(crate) spec: ToolSpec,
    /// The place of its row: the tools of one row come from one card.
    pub(crate) row: usize,
    pub(crate) asks_person: bool,
    pub(crate) stops_on_error: bool,
    /// The card it comes from.
    node: Option<Value>,
}

impl AgentTool {
    /// As records list what a model could call.
    fn describe(&self) -> Value {
        let ToolSpec { name, description, schema } = &self.spec;
        let mut described = json!({"name": name, "description": description, "schema": schema});
        if let Some(node) = &self.node {
            described["toolNode"] = node.clone();
        }
        described
    }
}

/// The names of a card's inputs about what its model can call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolboxNames {
    pub(crate) tools: &'static str,
    pub(crate) stores: &'static str,
    /// `None` for a card that has none.
    pub(crate) vectors: Option<&'static str>,
}

pub(crate) struct Toolbox(pub(crate) Vec<AgentTool>);

impl Toolbox {
    /// The tools of all rows; those that bear one name only because nobody named them are numbered.
    ///
    /// # Errors
    /// What is wrong with a row.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>, names: ToolboxNames) -> Result<Self> {
        let mut rows: Vec<ToolRow> = Vec::new();
        for row in inputs.rows(names.tools) {
            rows.extend(ToolRow::picked(&row)?);
        }
        for row in inputs.rows(names.stores) {
            rows.extend(ToolRow::document_store(inputs, &row)?);
        }
        for row in names.vectors.map(|name| inputs.rows(name)).unwrap_or_default() {
            rows.extend(ToolRow::vector_store(&row)?);
        }
        let named = with_unique_names(rows.iter().map(|row| (row.label.as_str(), &row.tools)));
        let places = rows.iter().enumerate().flat_map(|(at, row)| row.tools.iter().map(move |_| (at, row)));
        let tool = |(tool, (at, row)): (Arc<dyn Tool>, (usize, &ToolRow))| AgentTool {
            spec: tool.spec(),
            tool,
            row: at,
            asks_person: row.asks_person,
            stops_on_error: row.stops_on_error,
            node: row.node.clone(),
        };
        Ok(Self(named.into_iter().zip(places).map(tool).collect()))
    }

    /// Refuses two tools of one name, and tools for a model that can call none.
    ///
    /// # Errors
    /// Which name it is, or which model.
    pub(crate) fn check(&self, inputs: &Inputs<'_>, model: &Model) -> Result<()> {
        if !self.0.is_empty() && !model.takes_tools() {
            let told =
                format!("{}: {} cannot call tools; choose a model that can", inputs.label, model.label());
            return Err(Error::RunFailed(told));
        }
        let tools: Vec<Arc<dyn Tool>> = self.0.iter().map(|known| known.tool.clone()).collect();
        index_by_name(inputs.label, &tools).map(|_| ())
    }

    /// The tool that models call by this name.
    pub(crate) fn find(&self, name: &str) -> Option<&AgentTool> {
        self.0.iter().find(|known| known.spec.name == name)
    }

    /// As records list what the model could call.
    pub(crate) fn describe(&self) -> Value {
        self.0.iter().map(AgentTool::describe).collect()
    }
}

/// What one row brings.
struct ToolRow {
    label: String,
    tools: Toolkit,
    asks_person: bool,
    stops_on_error: bool,
    node: Option<Value>,
}

impl ToolRow {
    /// `None` for a row in which nothing is picked.
    fn picked(row: &Inputs<'_>) -> Result<Option<Self>> {
        let Some(card) = row.picked(TOOL) else { return Ok(None) };
        Ok(Some(Self {
            label: card.label.clone(),
            tools: row.tools(TOOL)?,
            asks_person: row.switch(ASKS),
            stops_on_error: row.optional_text(ON_ERROR).as_deref() == Some("stop"),
            node: Some(described(card)),
        }))
    }

    /// A tool that searches a document store of this server. It is picked as its id, with its name behind it.
    fn document_store(inputs: &Inputs<'_>, row: &Inputs<'_>) -> Result<Option<Self>> {
        let Some(picked) = row.optional_text(STORE) else { return Ok(None) };
        let (id, name) = picked.split_once(':').unwrap_or((&picked, "document store"));
        let id = DocumentStoreId::parse(id.trim())
            .ok_or_else(|| row.input_error(STORE, "this must be the id of a document store"))?;
        let knowledge = inputs.need::<dyn Knowledge>()?.of(inputs.host)?;
        let vectors = knowledge.store_vectors(&id)?.ok_or_else(|| {
            let missing =
                "the document store does not exist in this workspace, or no embeddings were chosen in it";
            row.input_error(STORE, missing)
        })?;
        let description = row.optional_text(STORE_DESCRIPTION);
        let retriever = Arc::new(StoreRetriever(vectors));
        let node = json!({"label": name, "name": document_store::CARD.name});
        let found = Self::searching(name, description, |name, description| {
            retriever_tool::searching(name, description, retriever, row.switch(SOURCES))
        });
        Ok(Some(Self { node: Some(node), ..found }))
    }

    fn vector_store(row: &Inputs<'_>) -> Result<Option<Self>> {
        let Some(card) = row.picked(VECTOR_STORE) else { return Ok(None) };
        let node = described(card);
        let name = row.optional_text(NAME).filter(|name| !name.trim().is_empty());
        let name = name.unwrap_or_else(|| card.label.clone());
        let (retriever, description) = (row.retriever(VECTOR_STORE)?, row.optional_text(DESCRIPTION));
        let found = Self::searching(&name, description, |name, description| {
            retriever_tool::searching(name, description, retriever, row.switch(SOURCES))
        });
        Ok(Some(Self { node: Some(node), ..found }))
    }

    fn searching(
        label: &str,
        description: Option<String>,
        make: impl FnOnce(&str, &str) -> Arc<dyn Tool>,
    ) -> Self {
        let written = description.filter(|text| !text.trim().is_empty());
        let description = written.unwrap_or_else(|| format!("Searches '{}'.", label.trim()));
        Self {
            label: label.to_owned(),
            tools: vec![make(&model_name(label), &description)],
            asks_person: false,
            stops_on_error: false,
            node: None,
        }
    }
}

/// A picked card as records name it.
fn described(part: &WiredComponent) -> Value {
    let label = part.picked.map_or(part.label.as_str(), |card| card.label);
    json!({"label": label, "name": part.picked.map(|card| card.name)})
}
