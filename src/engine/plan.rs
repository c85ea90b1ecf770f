//! A flow ready to run: which cards, in which order, with which inputs. Compiled once per Live.

use super::order::{self, BuildOrder, order, order_for_pipeline, order_for_upsert, order_parts};
use super::overrides::CardPlace;
use super::source::{InputSource, JsonSource, ReferenceScope};
use super::streaming::{self, TEAMS};
use super::upload_store::{LoaderFiles, UploadStore, find_upload_store};
use crate::canvas::template::TextTemplate;
use crate::canvas::{Canvas, Node};
use crate::cards::kit::knowledge::transform::DOCUMENTS;
use crate::cards::kit::stores::store_inputs::DOCUMENT;
use crate::cards::kit::{Card, Category, Factory, Input, InputKind};
use crate::cards::registry;
use crate::domain::error::Error;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fmt;

/// A compiled canvas.
#[derive(Debug)]
pub struct Plan {
    /// In building order.
    pub(super) steps: Vec<Step>,
    /// Steps that can answer: of those that are still reached, the last one does.
    pub(super) endings: Vec<usize>,
    /// Steps that choose between their outputs.
    pub(super) branches: Vec<Branch>,
    /// Node id to its place in `steps`.
    pub(super) places: HashMap<String, usize>,
    /// True when the answer can go out token by token (manual 2.12).
    pub streams: bool,
    /// A team may answer, whose work is told before the answer begins.
    pub may_be_team: bool,
    /// The label of the memory card in use, for the answer's `memoryType`.
    pub memory_type: Option<String>,
    /// True when the flow's chat offers image uploads (manual 4.1).
    pub takes_images: bool,
    /// The store that takes files of the flow's chat.
    pub upload_store: Option<UploadStore>,
}

/// One card of a plan.
#[derive(Debug)]
pub(super) struct Step {
    /// The id of its node.
    pub(super) node: String,
    pub(super) label: String,
    pub(super) kind: StepKind,
}

#[derive(Debug)]
pub(super) enum StepKind {
    Known {
        card: &'static Card,
        inputs: Vec<(&'static str, InputSource)>,
        credential: Option<String>,
        /// The chosen output, when choosing it runs the card while the flow is built.
        predicts: Option<&'static str>,
    },
    /// A card this server does not know: it fails only when it runs.
    Unknown { name: String },
}

/// A step that chooses between its outputs.
#[derive(Debug)]
pub(super) struct Branch {
    step: usize,
    /// By output: the steps downstream of it.
    downstream: Vec<(String, BTreeSet<usize>)>,
}

impl Branch {
    fn from_order(fork: &order::NodeBranch, step_of: &dyn Fn(&usize) -> Option<usize>) -> Option<Self> {
        let steps = |nodes: &BTreeSet<usize>| nodes.iter().filter_map(step_of).collect();
        let behind = fork.downstream.iter().map(|(output, nodes)| (output.clone(), steps(nodes)));
        Some(Self { step: step_of(&fork.node)?, downstream: behind.collect() })
    }
}

/// Why a canvas cannot become a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum PlanError {
    Empty,
    NoEnding { last: Option<LastCard> },
    EndsInPrediction { last: LastCard, wanted: &'static str },
    Circle { cards: [String; 2], nodes: [String; 2] },
}

/// The card in which a flow ends.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct LastCard {
    pub node: String,
    pub label: String,
}

impl PlanError {
    /// The card that is to blame; `None` for the flow as a whole.
    pub(crate) fn node(&self) -> Option<&str> {
        match self {
            Self::Empty | Self::NoEnding { last: None } => None,
            Self::NoEnding { last: Some(last) } | Self::EndsInPrediction { last, .. } => Some(&last.node),
            Self::Circle { nodes, .. } => Some(&nodes[1]),
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("The flow has no cards."),
            Self::NoEnding { last: Some(LastCard { label, .. }) } => {
                write!(
                    f,
                    "The flow ends in '{label}', which cannot answer: connect it to a chain or an agent."
                )
            }
            Self::NoEnding { last: None } => {
                f.write_str("The flow has no last card: its cards are not connected to a chain or an agent.")
            }
            Self::EndsInPrediction { last: LastCard { label, .. }, wanted } => {
                write!(f, "The flow ends in '{label}', whose output must then be set to '{wanted}'.")
            }
            Self::Circle { cards: [a, b], .. } => {
                write!(f, "The cards '{a}' and '{b}' are connected in a circle.")
            }
        }
    }
}

impl From<PlanError> for Error {
    fn from(fault: PlanError) -> Self {
        Self::RunFailed(fault.to_string())
    }
}

impl Plan {
    /// Compiles a chat canvas.
    ///
    /// # Errors
    /// When no card can answer, or cards wait for each other.
    pub fn compile(canvas: &Canvas) -> Result<Self, PlanError> {
        Ok(Self::from_order(canvas, &order(canvas)?))
    }

    /// Compiles what an upsert into a vector store of the canvas needs.
    ///
    /// # Errors
    /// When the canvas has no such card, or cards wait for each other.
    pub fn compile_for_upsert(canvas: &Canvas, store: &str) -> Result<Self, PlanError> {
        let at = canvas.nodes().iter().position(|node| node.id == store).ok_or(PlanError::Empty)?;
        Ok(Self::from_order(canvas, &order_for_upsert(canvas, at, &|_| true)?))
    }

    /// Compiles what a vector store needs to take in files of a conversation. Of what is wired into it as documents only
    /// the loaders of these files are left: documents for everybody are not a conversation's files.
    ///
    /// # Errors
    /// As [`Self::compile_for_upsert`].
    pub fn compile_for_uploads(
        canvas: &Canvas,
        store: &str,
        given: &[LoaderFiles],
    ) -> Result<Self, PlanError> {
        let at = canvas.nodes().iter().position(|node| node.id == store).ok_or(PlanError::Empty)?;
        let reads = |node: &str| given.iter().any(|given| given.node == node);
        let mut plan = Self::from_order(canvas, &order_for_upsert(canvas, at, &reads)?);
        let readers: Vec<usize> =
            given.iter().filter_map(|given| plan.places.get(&given.node)).copied().collect();
        for &ending in &plan.endings {
            let StepKind::Known { inputs, .. } = &mut plan.steps[ending].kind else { continue };
            for (name, source) in inputs {
                if let (true, InputSource::Components(parts)) = (*name == DOCUMENT.name, source) {
                    parts.retain(|part| readers.contains(part));
                }
            }
        }
        Ok(plan)
    }

    /// Compiles these cards of a pipeline. What brings documents is wired into none of them: documents come while they run.
    ///
    /// # Errors
    /// When cards wait for each other.
    pub(super) fn compile_for_pipeline(canvas: &Canvas, cards: &[usize]) -> Result<Self, PlanError> {
        let mut plan = Self::from_order(canvas, &order_for_pipeline(canvas, cards)?);
        for step in &mut plan.steps {
            if let StepKind::Known { inputs, .. } = &mut step.kind {
                inputs.retain(|(name, _)| ![DOCUMENT.name, DOCUMENTS.name].contains(name));
            }
        }
        Ok(plan)
    }

    /// Compiles these nodes of a canvas, and all they need, of which none answers by itself.
    ///
    /// # Errors
    /// When cards wait for each other.
    pub(super) fn compile_parts(canvas: &Canvas, wanted: &[usize]) -> Result<Self, PlanError> {
        Ok(Self::from_order(canvas, &order_parts(canvas, wanted)?))
    }

    fn from_order(canvas: &Canvas, order: &BuildOrder) -> Self {
        let nodes: Vec<&Node> = order.nodes.iter().map(|&index| &canvas.nodes()[index]).collect();
        let at: HashMap<&str, usize> =
            nodes.iter().enumerate().map(|(step, node)| (node.id.as_str(), step)).collect();
        let steps: HashMap<usize, usize> =
            order.nodes.iter().enumerate().map(|(step, node)| (*node, step)).collect();
        let step_of = |index: &usize| steps.get(index).copied();
        let endings: Vec<usize> = order.endings.iter().filter_map(step_of).collect();
        let memory = nodes.iter().find(|node| category(node) == Category::Memory.as_str());
        Self {
            may_be_team: endings.iter().any(|&ending| TEAMS.contains(&nodes[ending].name.as_str())),
            streams: endings.iter().all(|&ending| streaming::streams(canvas, nodes[ending])),
            memory_type: memory.map(|node| node.label().to_owned()),
            takes_images: streaming::takes_images(canvas),
            upload_store: find_upload_store(canvas),
            branches: order.branches.iter().filter_map(|fork| Branch::from_order(fork, &step_of)).collect(),
            endings,
            places: at.iter().map(|(id, step)| ((*id).to_owned(), *step)).collect(),
            steps: nodes
                .iter()
                .map(|node| Step {
                    node: node.id.clone(),
                    label: node.label().to_owned(),
                    kind: kind(node, &at),
                })
                .collect(),
        }
    }

    /// The steps that are not reached any more when `step` goes on from `output`: those only downstream of other outputs.
    pub(super) fn skipped_steps(&self, step: usize, output: &str) -> Vec<usize> {
        let Some(fork) = self.branches.iter().find(|fork| fork.step == step) else { return Vec::new() };
        let (taken, others): (Vec<_>, Vec<_>) = fork.downstream.iter().partition(|(name, _)| name == output);
        let is_reached = |step: &usize| taken.iter().any(|(_, steps)| steps.contains(step));
        others.iter().flat_map(|(_, steps)| steps).filter(|step| !is_reached(step)).copied().collect()
    }

    pub(super) fn node_of(&self, step: usize) -> Option<&str> {
        self.steps.get(step).map(|step| step.node.as_str())
    }

    /// Node, card and label of each step that has a known card, in building order.
    pub fn cards(&self) -> impl Iterator<Item = (&str, &'static str, &str)> {
        self.steps.iter().enumerate().filter_map(|(at, step)| match &step.kind {
            StepKind::Known { card, .. } => Some((self.node_of(at)?, card.name, step.label.as_str())),
            StepKind::Unknown { .. } => None,
        })
    }

    /// The cards whose settings a request may mean.
    pub fn places(&self) -> Vec<CardPlace<'_>> {
        let place = |(step, of): (usize, &'_ Step)| match of.kind {
            StepKind::Known { card, .. } => Some((step, card)),
            StepKind::Unknown { .. } => None,
        };
        let known = self.steps.iter().enumerate().filter_map(place);
        let place = |(step, card)| {
            let (node, label) = (self.node_of(step)?, self.steps[step].label.as_str());
            Some(CardPlace { step, node, label, card, within: None })
        };
        known.filter_map(place).collect()
    }

    /// The ids of all credentials it uses.
    pub fn credentials(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match &step.kind {
            StepKind::Known { credential, .. } => credential.as_deref(),
            StepKind::Unknown { .. } => None,
        })
    }
}

/// The vector stores of a canvas, which take upserts.
#[must_use]
pub fn upsertable_stores(canvas: &Canvas) -> Vec<&Node> {
    let is_store = |node: &&Node| {
        registry::find(&node.name).is_some_and(|card| matches!(card.make, Factory::VectorStore(_)))
    };
    canvas.nodes().iter().filter(is_store).collect()
}

/// A node's group: the registry's word where it has one.
pub(super) fn category(node: &Node) -> &str {
    registry::find(&node.name).map_or(node.category.as_str(), |card| card.category.as_str())
}

fn kind(node: &Node, at: &HashMap<&str, usize>) -> StepKind {
    let Some(card) = registry::find(&node.name) else {
        return StepKind::Unknown { name: node.name.clone() };
    };
    let sources = card.inputs.iter().filter_map(|input| {
        let tab = chosen_tab(node, input);
        let value = tab.as_ref().or_else(|| node.inputs.get(input.name))?;
        Some((input.name, source(node, input, value, at).for_input(input)))
    });
    let predicts =
        |output: &crate::cards::kit::Output| output.predicts && node.output.as_deref() == Some(output.name);
    StepKind::Known {
        card,
        inputs: sources.collect(),
        credential: node.credential.clone().filter(|_| !card.credential_types().is_empty()),
        predicts: card.outputs.iter().find(|output| predicts(output)).map(|output| output.name),
    }
}

fn source(node: &Node, input: &Input, value: &Value, at: &HashMap<&str, usize>) -> InputSource {
    match input.kind {
        InputKind::Wire(_) | InputKind::Wires(_) => InputSource::Components(wired_steps(value, at)),
        InputKind::Json => json_source(value, ReferenceScope::Inside),
        // A table may stand there as the text of its JSON.
        InputKind::Rows(_) => json_source(value, ReferenceScope::Inside),
        InputKind::Headers => json_source(value, ReferenceScope::Inside),
        _ => match value {
            Value::String(text) => match TextTemplate::parse(text) {
                Some(template) => InputSource::Text { template, reach: reference_scope(node, input) },
                None => InputSource::Plain(value.clone()),
            },
            other => InputSource::Plain(other.clone()),
        },
    }
}

fn reference_scope(node: &Node, input: &Input) -> ReferenceScope {
    if input.kind == InputKind::Code {
        return ReferenceScope::Code;
    }
    // What decides where a call goes, with which key, and what runs, is the owner's alone.
    let is_owners = matches!(
        input.kind,
        InputKind::Address
            | InputKind::Secret
            | InputKind::Pick(_)
            | InputKind::File(_)
            | InputKind::Choice(_)
            | InputKind::Choices(_)
            | InputKind::CardPick(_)
            | InputKind::StateUpdates
    );
    if is_owners {
        ReferenceScope::Saved
    } else if input.accepts_variables || node.accepts_variables(input.name) {
        ReferenceScope::Inside
    } else if input.braces {
        ReferenceScope::Prompt
    } else {
        ReferenceScope::Whole
    }
}

/// The choice of an input as editors with tabs note it: under another name, with the id of the node behind it, and sometimes
/// with that id behind the choice too.
fn chosen_tab(node: &Node, input: &Input) -> Option<Value> {
    if input.tab.is_empty() {
        return None;
    }
    let chosen = node.inputs.get(&format!("{}_{}", input.tab, node.id))?.as_str()?;
    let plain = chosen.strip_suffix(node.id.as_str()).and_then(|chosen| chosen.strip_suffix('_'));
    Some(plain.unwrap_or(chosen)).filter(|chosen| !chosen.is_empty()).map(Value::from)
}

/// The steps a wire input names: one reference, or a list of them.
fn wired_steps(value: &Value, at: &HashMap<&str, usize>) -> Vec<usize> {
    let mut steps = Vec::new();
    super::source::for_each_reference(value, &mut |id| steps.extend(at.get(id)));
    steps
}

/// JSON given as text is parsed here, so that a reference is replaced inside a string and never as JSON.
fn json_source(value: &Value, reach: ReferenceScope) -> InputSource {
    let parsed = match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(parsed) => parsed,
            Err(_) => return InputSource::Plain(value.clone()),
        },
        other => other.clone(),
    };
    InputSource::Json { json: JsonSource::from_value(&parsed), reach }
}
