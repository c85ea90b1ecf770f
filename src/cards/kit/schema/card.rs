//! A kind of box, declared in code: its schema and how it is made.

use super::input::{Input, InputKind};
use crate::domain::error::{Error, Result};
use crate::domain::pipelines::target::PipelineTarget;
use crate::kit::build::component::{
    Cache, Chain, Component, Embeddings, Memory, Moderation, OutputParser, Retriever, Toolkit,
};
use crate::kit::build::inputs::Inputs;
use crate::kit::build::prompt::Prompt;
use crate::kit::capabilities::Need;
use crate::kit::knowledge::embedding::CheckedEmbeddings;
use crate::kit::knowledge::transform::Transform;
use crate::kit::knowledge::{Loader, Splitter, VectorStore};
use crate::kit::members::Member;
use crate::kit::models::model::Model;
use crate::kit::models::router::Route;
use crate::kit::models::synthesis::Synthesis;
use crate::kit::models::token_sink::TokenSink;
use crate::kit::steps::context::StepContext;
use crate::kit::steps::outcome::StepOutcome;
use crate::kit::stores::records::RecordManager;
use crate::llm::ChatModel;
use std::sync::Arc;

/// A card. The schema has four readers: the palette, the override rules, the secret rules and the risk rule.
#[derive(Debug)]
pub struct Card {
    /// The name canvases use; never changes once released.
    pub name: &'static str,
    /// The label in the palette.
    pub label: &'static str,
    /// The version of the schema, as canvases carry it.
    pub version: f64,
    pub category: Category,
    pub description: &'static str,
    /// The types it can be wired into; the first is the node's own type.
    pub base_classes: &'static [&'static str],
    /// What a check may do with it.
    pub risk: Risk,
    /// What it uses of the service, beside what every card may.
    pub needs: &'static [Need],
    /// Its inputs, in the order the editor shows them.
    pub inputs: &'static [Input],
    /// Its outputs, when it has more than the one.
    pub outputs: &'static [Output],
    pub make: Factory,
}

/// A card's group in the palette. The names are Flowise's, because canvases and rules name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Category {
    AgentFlows,
    Agents,
    Cache,
    Chains,
    ChatModels,
    DocumentLoaders,
    Embeddings,
    Engine,
    Harness,
    Llms,
    McpTools,
    Memory,
    Moderation,
    MultiAgents,
    OutputParsers,
    Pipelines,
    Prompts,
    RecordManager,
    ResponseSynthesizer,
    Retrievers,
    SequentialAgents,
    TextSplitters,
    Tools,
    Utilities,
    VectorStores,
}

impl Category {
    /// The text in canvases.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AgentFlows => "Agent Flows",
            Self::Agents => "Agents",
            Self::Cache => "Cache",
            Self::Chains => "Chains",
            Self::ChatModels => "Chat Models",
            Self::DocumentLoaders => "Document Loaders",
            Self::Embeddings => "Embeddings",
            Self::Engine => "Engine",
            Self::Harness => "Harness",
            Self::Llms => "LLMs",
            Self::McpTools => "Tools (MCP)",
            Self::Memory => "Memory",
            Self::Moderation => "Moderation",
            Self::MultiAgents => "Multi Agents",
            Self::OutputParsers => "Output Parsers",
            Self::Pipelines => "ETL",
            Self::Prompts => "Prompts",
            Self::RecordManager => "Record Manager",
            Self::ResponseSynthesizer => "Response Synthesizer",
            Self::Retrievers => "Retrievers",
            Self::SequentialAgents => "Sequential Agents",
            Self::TextSplitters => "Text Splitters",
            Self::Tools => "Tools",
            Self::Utilities => "Utilities",
            Self::VectorStores => "Vector Stores",
        }
    }
}

/// Whether replaying a question through the card can do something to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Risk {
    Safe,
    /// Writes, spends or runs code: a check asks first.
    Risky,
    /// Does nothing but what the tool does that is picked in it.
    AsPicked,
}

/// One of several outputs a card can be set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Output {
    /// The name in `outputs.output`.
    pub name: &'static str,
    /// The label in the editor.
    pub label: &'static str,
    /// What it can be wired into.
    pub base_classes: &'static [&'static str],
    /// True when choosing it runs the card while the flow is built and hands its text on.
    pub predicts: bool,
}

/// How a card becomes a component of a run.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub enum Factory {
    ChatModel(fn(&Inputs<'_>) -> Result<Box<dyn ChatModel>>),
    Cache(fn(&Inputs<'_>) -> Result<Arc<dyn Cache>>),
    Memory(fn(&Inputs<'_>) -> Result<Arc<dyn Memory>>),
    Prompt(fn(&Inputs<'_>) -> Result<Prompt>),
    Chain(fn(&Inputs<'_>) -> Result<Arc<dyn Chain>>),
    Tools(fn(&Inputs<'_>) -> Result<Toolkit>),
    Retriever(fn(&Inputs<'_>) -> Result<Arc<dyn Retriever>>),
    Embeddings(fn(&Inputs<'_>) -> Result<Arc<dyn Embeddings>>),
    Loader(fn(&Inputs<'_>) -> Result<Arc<dyn Loader>>),
    Splitter(fn(&Inputs<'_>) -> Result<Arc<dyn Splitter>>),
    VectorStore(fn(&Inputs<'_>) -> Result<Arc<dyn VectorStore>>),
    Records(fn(&Inputs<'_>) -> Result<Arc<dyn RecordManager>>),
    OutputParser(fn(&Inputs<'_>) -> Result<Arc<dyn OutputParser>>),
    Moderation(fn(&Inputs<'_>) -> Result<Arc<dyn Moderation>>),
    Synthesis(fn(&Inputs<'_>) -> Synthesis),
    /// One of the ways a router chooses from.
    Route(fn(&Inputs<'_>) -> Result<Arc<Route>>),
    /// Decides which of its outputs the flow goes on from.
    Branch(fn(&Inputs<'_>) -> Result<BranchChoice>),
    /// Sets a variable for the rest of the run, and hands its value on.
    SetVariable(fn(&Inputs<'_>) -> Result<FlowVariable>),
    /// Gets the value of the variable of this name, which a card of the run set.
    GetVariable(fn(&Inputs<'_>) -> Result<String>),
    /// Makes other documents of those that pass a pipeline.
    Transform(fn(&Inputs<'_>) -> Result<Arc<dyn Transform>>),
    /// Takes the documents of a pipeline, which the service keeps where the card says.
    Target(fn(&Inputs<'_>) -> Result<PipelineTarget>),
    /// A member of a Multi-Agent or Sequential Agent flow.
    Member(fn(&Inputs<'_>) -> Result<Member>),
    /// Does the work of a step of an agentflow.
    Step(StepFn),
    /// Belongs to a team, whose run reads its inputs.
    Team,
    /// A note: it is never built.
    Nothing,
}

/// What a step of an agentflow does, with its inputs, what came before it, and where its text goes while it works.
pub type StepFn = fn(&Inputs<'_>, &StepContext<'_>, &mut dyn TokenSink) -> Result<StepOutcome>;

/// The input that names the variable a card sets or gets. The engine orders cards by it: setting comes before getting.
pub const VARIABLE_NAME: &str = "variableName";

/// A variable that a card sets for the rest of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowVariable {
    pub name: String,
    pub value: serde_json::Value,
    /// True when it goes out with the answer.
    pub in_answer: bool,
}

/// What a branching card decided.
#[derive(Debug, Clone, PartialEq)]
pub struct BranchChoice {
    /// The output the flow goes on from.
    pub output: &'static str,
    /// What the cards downstream of it read.
    pub value: serde_json::Value,
}

impl Factory {
    /// Builds the component.
    ///
    /// # Errors
    /// Whatever is wrong with the inputs, naming card and input.
    pub fn build(self, inputs: &Inputs<'_>) -> Result<Component> {
        Ok(match self {
            Self::ChatModel(make) => Component::ChatModel(Arc::new(Model::new(inputs, make(inputs)?)?)),
            Self::Cache(make) => Component::Cache(make(inputs)?),
            Self::Memory(make) => Component::Memory(make(inputs)?),
            Self::Prompt(make) => Component::Prompt(Arc::new(make(inputs)?)),
            Self::Chain(make) => Component::Chain(make(inputs)?),
            Self::Tools(make) => Component::Tools(make(inputs)?),
            Self::Retriever(make) => Component::Retriever(make(inputs)?),
            Self::Embeddings(make) => {
                Component::Embeddings(Arc::new(CheckedEmbeddings::new(inputs, make(inputs)?)))
            }
            Self::Loader(make) => Component::Loader(make(inputs)?),
            Self::Splitter(make) => Component::Splitter(make(inputs)?),
            Self::VectorStore(make) => Component::VectorStore(make(inputs)?),
            Self::Records(make) => Component::Records(make(inputs)?),
            Self::OutputParser(make) => Component::OutputParser(make(inputs)?),
            Self::Moderation(make) => Component::Moderation(make(inputs)?),
            Self::Synthesis(make) => Component::Synthesis(Arc::new(make(inputs))),
            Self::Route(make) => Component::Route(make(inputs)?),
            Self::Member(make) => Component::Member(Arc::new(make(inputs)?)),
            Self::Branch(make) => Component::Value(make(inputs)?.value),
            Self::SetVariable(make) => Component::Value(make(inputs)?.value),
            // Only a run knows the values of variables.
            Self::GetVariable(_) | Self::Nothing => Component::Value(serde_json::Value::Null),
            Self::Transform(make) => Component::Transform(make(inputs)?),
            Self::Target(make) => Component::Target(make(inputs)?),
            Self::Team => {
                return Err(Error::RunFailed(format!("{}: this card belongs into a harness", inputs.label)));
            }
            Self::Step(_) => {
                return Err(Error::RunFailed(format!(
                    "{}: this card is a step of an agentflow",
                    inputs.label
                )));
            }
        })
    }
}

impl Card {
    /// The declaration of an input.
    #[must_use]
    pub fn input(&self, name: &str) -> Option<&'static Input> {
        self.inputs.iter().find(|input| input.name == name)
    }

    /// The credential types it takes; empty for a card without credentials.
    #[must_use]
    pub fn credential_types(&self) -> &'static [&'static str] {
        let found = self.inputs.iter().find_map(|input| match input.kind {
            InputKind::Credential(names) => Some(names),
            _ => None,
        });
        found.unwrap_or_default()
    }

    /// True when a flow may end in it (manual 9.6 r2).
    #[must_use]
    pub const fn can_end(&self) -> bool {
        matches!(self.category, Category::Chains | Category::Agents | Category::Engine)
    }
}
