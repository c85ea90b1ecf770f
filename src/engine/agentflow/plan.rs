//! An agentflow ready to run. Compiled once per canvas.

use super::graph::{Graph, GraphProblem, NodeIndex, START};
use super::step::inputs::{self as step_inputs, StepSource, StepSources};
use super::values::ValueSource;
use super::webhook_start::WebhookStart;
use crate::canvas::{Canvas, Node};
use crate::cards::kit::{Card, Factory, InputKind, StepFn};
use crate::cards::registry;
use crate::domain::error::{Error, Result};
use crate::engine::overrides::{CardPlace, Overrides};
use crate::engine::validate::value_issue;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The rows of a Condition Agent, one for each of its outputs.
pub(in crate::engine) const SCENARIOS: &str = "conditionAgentScenarios";

/// The card that asks a person.
pub(in crate::engine) const HUMAN_INPUT: &str = "humanInputAgentflow";
/// The field of an agent's tool that has a person asked before each call.
pub(in crate::engine) const APPROVAL: &str = "agentSelectedToolRequiresHumanInput";

/// The input of the Start card that says what starts a run.
const START_KIND: &str = "startInputType";
/// The input of the Start card with the values that the state begins with.
const START_STATE: &str = "startState";

/// The kind of a start by a call of the webhook.
const WEBHOOK: &str = "webhookTrigger";

/// A compiled agentflow.
#[derive(Debug)]
pub struct AgentPlan {
    pub(super) graph: Arc<Graph>,
    /// By the place of their node in the graph.
    steps: Vec<StepPlan>,
    pub start: StartPlan,
    /// True when the flow's chat offers image uploads (manual 4.1).
    pub takes_images: bool,
    /// The canvas, where a run of it may wait for a person: what that person approves is what runs.
    canvas: Option<String>,
}

/// One card of an agentflow.
#[derive(Debug)]
pub(super) enum StepPlan {
    Known {
        card: &'static Card,
        run: StepFn,
        inputs: StepSources,
        credential: Option<String>,
        /// What it writes into the state of the run, key by key.
        updates: Vec<(String, ValueSource)>,
    },
    /// A card that is no step of an agentflow, or that this server does not know: it fails only when it runs.
    Unknown { name: String },
}

/// What a run begins with, as the Start card says it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StartPlan {
    pub kind: StartKind,
    /// The values that the run's state begins with.
    pub state: Map<String, Value>,
    /// A run begins with the state that the one before it in the conversation left.
    pub persists_state: bool,
    /// A run knows nothing of what was said before it.
    pub forgets: bool,
    pub fields: Vec<FormField>,
    /// What it says of calls, where a webhook starts it.
    pub webhook: Option<Box<WebhookStart>>,
}

/// What starts a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StartKind {
    #[default]
    Question,
    Form,
    Webhook,
    Schedule,
}

/// A field of the form that starts a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormField {
    pub name: String,
    pub label: String,
    pub kind: FieldKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    Text,
    Number,
    Switch,
    Choice(Vec<String>),
}

impl AgentPlan {
    /// Compiles the canvas of an agentflow.
    ///
    /// # Errors
    /// 400 naming the first card whose place in the drawing is wrong, and why.
    pub fn compile(canvas: &Canvas) -> Result<Self> {
        let graph = Graph::compile(canvas).map_err(refusal)?;
        let node = |index: NodeIndex| &canvas.nodes()[graph.node(index).place];
        let start = canvas.nodes().iter().find(|node| node.name == START);
        if let Some(why) = start.and_then(kind_issue) {
            return Err(Error::Invalid(why));
        }
        Ok(Self {
            steps: graph.nodes().map(|index| StepPlan::compile(node(index))).collect(),
            start: start.map(StartPlan::from_node).unwrap_or_default(),
            takes_images: canvas.nodes().iter().any(takes_images),
            canvas: canvas
                .nodes()
                .iter()
                .any(may_pause)
                .then(|| Value::Object(canvas.raw().clone()).to_string()),
            graph: Arc::new(graph),
        })
    }

    pub(super) fn step(&self, node: NodeIndex) -> &StepPlan {
        &self.steps[node.at()]
    }

    /// The canvas, for a run that waits.
    ///
    /// # Errors
    /// A fault of the service where no card of it can wait.
    pub fn canvas(&self) -> Result<String> {
        self.canvas.clone().ok_or_else(|| Error::internal("a step paused that cannot pause"))
    }

    /// The cards whose settings a request may mean: those of steps, and those that are picked in their inputs.
    #[must_use]
    pub fn places(&self) -> Vec<CardPlace<'_>> {
        let mut places = Vec::new();
        for index in self.graph.nodes() {
            let StepPlan::Known { card, inputs, .. } = self.step(index) else { continue };
            let node = self.graph.node(index);
            let place =
                CardPlace { step: index.at(), node: &node.id, label: &node.label, card, within: None };
            places.push(place);
            let picked = step_inputs::picked_cards(inputs);
            places.extend(picked.map(|(input, card)| CardPlace { card, within: Some(input), ..place }));
        }
        places
    }

    /// The state that a run begins with: what the Start card says, what an earlier run left, and what the request may change.
    #[must_use]
    pub fn start_state(&self, earlier: Map<String, Value>, overrides: &Overrides) -> Map<String, Value> {
        let mut state = self.start.state.clone();
        state.extend(earlier);
        let starts = self.graph.nodes().filter(|&node| self.graph.node(node).card == START);
        for start in starts {
            let given = overrides.for_step(start.at()).filter(|(name, _)| *name == START_STATE);
            state.extend(
                given.flat_map(|(_, rows)| rows.as_array().into_iter().flatten()).filter_map(state_row),
            );
        }
        state
    }

    /// The ids of all credentials that steps of it use themselves.
    pub fn credentials(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            StepPlan::Known { credential, .. } => credential.as_deref(),
            StepPlan::Unknown { .. } => None,
        })
    }
}

/// The first of the problems that keeps the flow from running.
fn refusal(problems: Vec<GraphProblem>) -> Error {
    let first = problems.into_iter().find(|problem| !problem.is_warning());
    Error::Invalid(first.map_or_else(|| "The flow cannot run.".to_owned(), |problem| problem.message))
}

impl StepPlan {
    /// The last of the outputs that a card of scenarios chooses from, where it is one.
    pub(super) fn last_output(&self) -> Option<usize> {
        let Self::Known { inputs, .. } = self else { return None };
        inputs.iter().find_map(|(name, source)| match source {
            StepSource::Rows(rows) if *name == SCENARIOS => rows.len().checked_sub(1),
            _ => None,
        })
    }

    fn compile(node: &Node) -> Self {
        let card = registry::find(&node.name);
        let Some((card, Factory::Step(run))) = card.map(|card| (card, card.make)) else {
            return Self::Unknown { name: node.name.clone() };
        };
        Self::Known {
            card,
            run,
            inputs: step_inputs::compile(card, node),
            credential: node.credential.clone().filter(|_| !card.credential_types().is_empty()),
            updates: state_updates(card, node),
        }
    }
}

fn state_updates(card: &Card, node: &Node) -> Vec<(String, ValueSource)> {
    let inputs = card.inputs.iter().filter(|input| input.kind == InputKind::StateUpdates);
    let rows = inputs.filter_map(|input| node.inputs.get(input.name)?.as_array()).flatten();
    let update = |row: &Value| {
        let key = row.get("key")?.as_str().filter(|key| !key.is_empty())?;
        Some((key.to_owned(), ValueSource::from_saved(row.get("value")?)))
    };
    rows.filter_map(update).collect()
}

/// True for a canvas whose runs begin with what a person says.
#[must_use]
pub(crate) fn starts_with_question(canvas: &Canvas) -> bool {
    start_node(canvas).is_some_and(|node| StartPlan::from_node(node).kind == StartKind::Question)
}

/// True for a canvas whose runs begin with a call of its webhook.
#[must_use]
pub(crate) fn starts_with_webhook(canvas: &Canvas) -> bool {
    start_node(canvas).is_some_and(|node| StartPlan::from_node(node).kind == StartKind::Webhook)
}

/// The card that says how runs begin.
#[must_use]
pub(crate) fn start_node(canvas: &Canvas) -> Option<&Node> {
    canvas.nodes().iter().find(|node| node.name == START)
}

impl StartPlan {
    fn from_node(node: &Node) -> Self {
        let text = |name: &str| node.inputs.get(name).and_then(Value::as_str).unwrap_or_default();
        let is_on = |name: &str| match node.inputs.get(name) {
            Some(Value::Bool(on)) => *on,
            Some(Value::String(text)) => text == "true",
            _ => false,
        };
        let rows = |name: &str| node.inputs.get(name).and_then(Value::as_array).into_iter().flatten();
        Self {
            kind: match text(START_KIND) {
                "formInput" => StartKind::Form,
                WEBHOOK => StartKind::Webhook,
                "scheduleInput" => StartKind::Schedule,
                _ => StartKind::Question,
            },
            state: rows(START_STATE).filter_map(state_row).collect(),
            persists_state: is_on("startPersistState"),
            forgets: is_on("startEphemeralMemory"),
            fields: rows("formInputTypes").filter_map(FormField::from_row).collect(),
            webhook: (text(START_KIND) == WEBHOOK).then(|| Box::new(WebhookStart::from_node(node))),
        }
    }
}

/// A key of the state and its value.
fn state_row(row: &Value) -> Option<(String, Value)> {
    let key = row.get("key")?.as_str().filter(|key| !key.is_empty())?;
    Some((key.to_owned(), row.get("value").cloned().unwrap_or_else(|| "".into())))
}

/// What is wrong with what starts the flow: it is none of the kinds there are.
fn kind_issue(start: &Node) -> Option<String> {
    let input = registry::find(START)?.input(START_KIND)?;
    let issue = value_issue(input, start.inputs.get(START_KIND))?;
    Some(format!("{}: {issue}", start.label()))
}

impl FormField {
    fn from_row(row: &Value) -> Option<Self> {
        let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
        let name = Some(text("name")).filter(|name| !name.is_empty())?;
        let choices = row.get("addOptions").and_then(Value::as_array).into_iter().flatten();
        let choice = |row: &Value| row.get("option").and_then(Value::as_str).map(str::to_owned);
        let kind = match text("type") {
            "number" => FieldKind::Number,
            "boolean" => FieldKind::Switch,
            "options" => FieldKind::Choice(choices.filter_map(choice).collect()),
            _ => FieldKind::Text,
        };
        Some(Self { name: name.to_owned(), label: text("label").to_owned(), kind })
    }
}

/// True for a step that may wait for a person.
pub(in crate::engine) fn may_pause(node: &Node) -> bool {
    let tools = node.inputs.get("agentTools").and_then(Value::as_array).into_iter().flatten();
    let asks = |row: &Value| row.get(APPROVAL).is_some_and(|on| *on == true || on == "true");
    node.name == HUMAN_INPUT || tools.into_iter().any(asks)
}

/// True for a card whose model may be sent images.
pub(in crate::engine) fn takes_images(node: &Node) -> bool {
    let configs = node.inputs.iter().filter(|(name, _)| name.ends_with("ModelConfig"));
    let mut allowed = configs.filter_map(|(_, config)| config.get("allowImageUploads"));
    allowed.any(|on| *on == true || on == "true")
}
