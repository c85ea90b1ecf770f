//! One question through one plan.

use super::credential::{self, Credentials};
use super::overrides::Overrides;
use super::plan::{Plan, Step, StepKind};
use super::resolve::Resolver;
use super::source::InputSource;
use crate::cards::kit::knowledge::retrieving;
use crate::cards::kit::{
    Card, ChainProgress, Component, Factory, FlowVariable, Host, InputKind, InputValue, Inputs, Memory,
    NullSink, OpenCall, RunContext, TokenSink, UpsertReport, VARIABLE_NAME, require_needs,
};
use crate::cards::unsupported;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::RunOutput;
use crate::domain::secrets::tree;
use crate::llm::{Completion, ModelError, ReplyStream};
use serde_json::{Map, Value};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tracing::Span;

/// A question's outcome, and the memories that are still to save it.
pub struct CompletedRun {
    /// The answer, and what goes out with it.
    pub outcome: RunOutput,
    memories: Vec<Arc<dyn Memory>>,
}

impl CompletedRun {
    /// A run that no memory outside of this service is told of.
    #[must_use]
    pub const fn from_output(outcome: RunOutput) -> Self {
        Self { outcome, memories: Vec::new() }
    }

    /// Saves the question as it was asked, and the answer as it stands now, to those memories of the flow that keep
    /// messages outside of this service.
    ///
    /// # Errors
    /// The first one that cannot, naming its card.
    pub fn save_to_memories(&self, host: &dyn Host) -> Result<()> {
        self.memories.iter().try_for_each(|memory| memory.append(host.question(), &self.outcome.text, host))
    }
}

/// How far a run came.
pub enum RunProgress {
    Done(CompletedRun),
    /// Nothing is left to do but to read this stream, whose text is the answer.
    Stream(Box<ReplyStream>, OpenRun),
}

impl RunProgress {
    /// The whole run; what is left of it is read on this thread.
    ///
    /// # Errors
    /// As [`run`].
    pub fn complete(self, host: &dyn Host, sink: &mut dyn TokenSink) -> Result<CompletedRun> {
        match self {
            Self::Done(completed) => Ok(completed),
            Self::Stream(stream, open) => {
                let result = open.span.in_scope(|| sink.follow(*stream)).result;
                open.finish(result, host)
            }
        }
    }
}

/// A run whose last card has its answer still to come.
pub struct OpenRun {
    call: OpenCall,
    /// That of the last card.
    span: Span,
    variables: Map<String, Value>,
    memories: Vec<Arc<dyn Memory>>,
}

impl OpenRun {
    /// Ends the run with what came of its stream.
    ///
    /// # Errors
    /// What the stream ended with, naming the card.
    pub fn finish(
        self,
        result: std::result::Result<Completion, ModelError>,
        host: &dyn Host,
    ) -> Result<CompletedRun> {
        let completion = self.span.in_scope(|| self.call.finish(result, host))?;
        let outcome = RunOutput { flow_variables: self.variables, ..RunOutput::from_text(completion.text) };
        Ok(CompletedRun { outcome, memories: self.memories })
    }
}

/// Builds the cards in order and lets the last one answer. Tokens of the answer go to `sink`; when the plan
/// cannot stream, the whole answer goes there as one token, so that a stream always carries it (manual 2.8). Where nothing is
/// left to do except reading a model's stream, that is left to whoever may read it elsewhere. `overrides` is what the request
/// may change.
///
/// # Errors
/// The first card that fails ends the run; the message names it.
pub fn run(
    plan: &Plan,
    overrides: &Overrides,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
    sink: &mut dyn TokenSink,
) -> Result<RunProgress> {
    let FinalComponent { component: part, card, label, variables: kept, memories } =
        build_to_end(plan, overrides, turn, credentials)?;
    let Component::Chain(chain) = part else {
        return Err(Error::RunFailed(format!(
            "{label}: this card cannot answer; end the flow in a chain or an agent"
        )));
    };
    let span = span(card, label);
    let entered = span.enter();
    let outcome = if plan.streams {
        match chain.begin(turn, sink)? {
            ChainProgress::Done(outcome) => outcome,
            ChainProgress::Stream(stream, call) => {
                drop(entered);
                let rest = OpenRun { call, span, variables: kept.in_answer, memories };
                return Ok(RunProgress::Stream(stream, rest));
            }
        }
    } else {
        let outcome = chain.run(turn, &mut NullSink)?;
        sink.token(&outcome.text).map_err(|_| Error::Cancelled)?;
        outcome
    };
    let outcome = RunOutput { flow_variables: kept.in_answer, ..outcome };
    Ok(RunProgress::Done(CompletedRun { outcome, memories }))
}

/// True for the card of a memory that keeps messages outside of this service: one that signs in somewhere.
fn is_outside_memory(step: &Step) -> bool {
    let StepKind::Known { card, .. } = &step.kind else { return false };
    matches!(card.make, Factory::Memory(_)) && !card.credential_types().is_empty()
}

/// True when a memory of the plan keeps messages outside of this service.
#[must_use]
pub fn remembers_outside(plan: &Plan) -> bool {
    plan.steps.iter().any(is_outside_memory)
}

/// The memories of a plan that keep messages outside of this service. Nothing else of the flow is built.
///
/// # Errors
/// The first card that cannot be built; the message names it.
pub fn outside_memories(
    plan: &Plan,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
) -> Result<Vec<Arc<dyn Memory>>> {
    let chat_history = OnceCell::new();
    let resolver = Resolver {
        turn,
        components: &[],
        plan,
        request_variables: None,
        params: None,
        chat_history: &chat_history,
    };
    let mut memories = Vec::new();
    for step in plan.steps.iter().filter(|step| is_outside_memory(step)) {
        if let Component::Memory(memory) =
            build(step, &resolver, credentials, &mut RunVariables::default(), std::iter::empty())?.component
        {
            memories.push(memory);
        }
    }
    Ok(memories)
}

/// Builds the cards in order and upserts what is wired into the vector store at the end.
///
/// # Errors
/// The first card that fails ends it; the message names it.
pub fn run_upsert(
    plan: &Plan,
    overrides: &Overrides,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
) -> Result<UpsertReport> {
    let FinalComponent { component: part, label, .. } = build_to_end(plan, overrides, turn, credentials)?;
    match part {
        Component::VectorStore(store) => store.upsert(turn.host),
        _ => Err(Error::RunFailed(format!("{label}: this card is no vector store"))),
    }
}

/// The component at the end of a plan.
struct FinalComponent<'a> {
    component: Component,
    card: &'a str,
    label: &'a str,
    variables: RunVariables,
    memories: Vec<Arc<dyn Memory>>,
}

/// Builds all cards of a pipeline, in order, with what its run was started with in their texts.
///
/// # Errors
/// The first card that fails ends it; the message names it.
pub(super) fn build_all(
    plan: &Plan,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
    params: &BTreeMap<String, String>,
) -> Result<Vec<Option<Component>>> {
    let (chat_history, mut kept) = (OnceCell::new(), RunVariables::default());
    let mut parts: Vec<Option<Component>> = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        if turn.host.cancel().reason().is_some() {
            return Err(Error::Cancelled);
        }
        let resolver = Resolver {
            turn,
            components: &parts,
            plan,
            request_variables: None,
            params: Some(params),
            chat_history: &chat_history,
        };
        let built = build(step, &resolver, credentials, &mut kept, std::iter::empty())?;
        parts.push(Some(built.component));
    }
    Ok(parts)
}

/// Builds the cards in order, to the last one that is reached.
fn build_to_end<'a>(
    plan: &'a Plan,
    overrides: &Overrides,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
) -> Result<FinalComponent<'a>> {
    let chat_history = OnceCell::new();
    let CardBuild { parts, left_behind, variables: mut kept } =
        build_cards(plan, overrides, turn, credentials, None, &chat_history)?;
    let at = plan.endings.iter().rev().copied().find(|&at| !left_behind[at]).ok_or_else(|| {
        Error::RunFailed("The branch that was taken leads to no card that can answer.".to_owned())
    })?;
    let ending = &plan.steps[at];
    let resolver = Resolver {
        turn,
        components: &parts,
        plan,
        request_variables: None,
        params: None,
        chat_history: &chat_history,
    };
    let part = build(ending, &resolver, credentials, &mut kept, overrides.for_step(at))?.component;
    let memories = parts.into_iter().flatten().filter_map(|part| match part {
        Component::Memory(memory) => Some(memory),
        _ => None,
    });
    Ok(FinalComponent {
        component: part,
        card: name(ending),
        label: &ending.label,
        variables: kept,
        memories: memories.collect(),
    })
}

/// The cards of a plan that come before its end.
struct CardBuild {
    /// By step; none for one that is not reached, and for those at the end.
    parts: Vec<Option<Component>>,
    left_behind: Vec<bool>,
    variables: RunVariables,
}

/// What became of the cards of a plan of which none answers by itself.
pub(super) struct PlanParts {
    /// By step; none for one that is not reached.
    pub(super) parts: Vec<Option<Component>>,
    /// Values that go out with the answer.
    pub(super) variables: Map<String, Value>,
}

/// Builds all cards of a plan in order, with variables of the request in their texts (manual 7.4).
///
/// # Errors
/// The first card that fails; the message names it.
pub(super) fn build_parts(
    plan: &Plan,
    overrides: &Overrides,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
) -> Result<PlanParts> {
    let history = OnceCell::new();
    let built = build_cards(plan, overrides, turn, credentials, Some(overrides.variables()), &history)?;
    Ok(PlanParts { parts: built.parts, variables: built.variables.in_answer })
}

fn build_cards(
    plan: &Plan,
    overrides: &Overrides,
    turn: &RunContext<'_>,
    credentials: &dyn Credentials,
    request_variables: Option<&HashMap<String, String>>,
    chat_history: &OnceCell<String>,
) -> Result<CardBuild> {
    let mut parts: Vec<Option<Component>> = Vec::with_capacity(plan.steps.len());
    let mut left_behind = vec![false; plan.steps.len()];
    let mut kept = RunVariables::default();
    for (at, step) in plan.steps.iter().enumerate() {
        if turn.host.cancel().reason().is_some() {
            return Err(Error::Cancelled);
        }
        kept.cards_were_skipped |= left_behind[at];
        if left_behind[at] || plan.endings.contains(&at) {
            parts.push(None);
            continue;
        }
        let resolver =
            Resolver { turn, components: &parts, plan, request_variables, params: None, chat_history };
        let built = build(step, &resolver, credentials, &mut kept, overrides.for_step(at))?;
        if let Some(output) = built.branch_output {
            plan.skipped_steps(at, output).into_iter().for_each(|step| left_behind[step] = true);
        }
        parts.push(Some(built.component));
    }
    Ok(CardBuild { parts, left_behind, variables: kept })
}

/// The time a card takes, for whoever watches the service.
pub(super) fn span(card: &str, label: &str) -> tracing::Span {
    tracing::info_span!(
        target: "flowkeep::span", "card", otel.name = %format_args!("card {card}"), flowkeep.card.name = card,
        flowkeep.card.label = label,
    )
}

fn name(step: &Step) -> &str {
    match &step.kind {
        StepKind::Known { card, .. } => card.name,
        StepKind::Unknown { name } => name,
    }
}

/// The variables that cards of this run set for others.
#[derive(Default)]
struct RunVariables {
    values: HashMap<String, Value>,
    /// Those that go out with the answer.
    in_answer: Map<String, Value>,
    cards_were_skipped: bool,
}

impl RunVariables {
    fn set(&mut self, kept: FlowVariable) -> Value {
        if kept.in_answer {
            self.in_answer.insert(kept.name.clone(), kept.value.clone());
        }
        self.values.insert(kept.name, kept.value.clone());
        kept.value
    }

    /// A variable that would have been set on a branch that was not taken reads as empty.
    fn get(&self, name: &str) -> Option<Value> {
        let empty = || self.cards_were_skipped.then(|| Value::String(String::new()));
        self.values.get(name).cloned().or_else(empty)
    }
}

/// A restored version may hold the placeholder where a secret stood: it must never be sent anywhere as if it were
/// one (manual 6.8 r5). In running text a person may have written it.
pub(super) fn refuse_redacted(inputs: &Inputs<'_>) -> Result<()> {
    for (name, bound) in &inputs.values {
        let (InputValue::Value(value) | InputValue::WrittenOut(value) | InputValue::Computed(value)) = bound
        else {
            continue;
        };
        let is_text = matches!(inputs.card.input(name).map(|input| input.kind), Some(InputKind::Text { .. }));
        let alone = value.as_str().is_some_and(tree::is_placeholder);
        if alone || (!is_text && tree::count_placeholders_in(value) > 0) {
            return Err(
                inputs.input_error(name, "a secret was hidden here by the version history; enter it again")
            );
        }
    }
    Ok(())
}

/// The inputs of a step, with what the request changes of them.
fn bind_all<'v>(
    card: &Card,
    inputs: &[(&'static str, InputSource)],
    resolver: &Resolver<'_>,
    overrides: impl Iterator<Item = (&'static str, &'v Value)>,
) -> HashMap<&'static str, InputValue> {
    let bind = |name: &str, source: &InputSource| match (card.input(name), resolver.bind(source)) {
        (Some(input), InputValue::Value(value)) => InputValue::from_json(input, value),
        (_, bound) => bound,
    };
    let mut values: HashMap<_, _> = inputs.iter().map(|(name, source)| (*name, bind(name, source))).collect();
    for (name, value) in overrides {
        let saved = inputs.iter().find(|(known, _)| *known == name).map(|(_, source)| source);
        let Some(declared) = card.input(name) else { continue };
        let source = InputSource::with_override(saved, declared.kind, value).for_input(declared);
        values.insert(name, resolver.bind(&source));
    }
    values
}

/// What became of a step.
struct StepResult {
    component: Component,
    /// The output a branching card goes on from.
    branch_output: Option<&'static str>,
}

impl From<Component> for StepResult {
    fn from(part: Component) -> Self {
        Self { component: part, branch_output: None }
    }
}

fn build<'v>(
    step: &Step,
    resolver: &Resolver<'_>,
    credentials: &dyn Credentials,
    kept: &mut RunVariables,
    overrides: impl Iterator<Item = (&'static str, &'v Value)>,
) -> Result<StepResult> {
    let (card, inputs, credential, predicts) = match &step.kind {
        StepKind::Known { card, inputs, credential, predicts } => (card, inputs, credential, predicts),
        StepKind::Unknown { name } => {
            let unknown = || format!("{}: this server does not know the card '{name}'", step.label);
            return Err(Error::RunFailed(unsupported::reason(name).map_or_else(unknown, str::to_owned)));
        }
    };
    if matches!(card.make, Factory::Nothing) {
        return Ok(Component::Value(Value::Null).into());
    }
    let _span = span(card.name, &step.label).entered();
    let host = resolver.turn.host;
    let credential_id = credential.as_deref();
    require_needs(card, &step.label, host)?;
    let credential = credential::fields(card, &step.label, credential_id, credentials)?;
    let values = bind_all(card, inputs, resolver, overrides);
    let inputs = Inputs {
        card,
        fields: card.inputs,
        row: None,
        label: &step.label,
        host,
        values,
        credential,
        credential_id,
    };
    refuse_redacted(&inputs)?;
    if let Factory::Branch(decide) = card.make {
        let taken = decide(&inputs)?;
        return Ok(StepResult {
            component: Component::Value(taken.value),
            branch_output: Some(taken.output),
        });
    }
    match card.make {
        Factory::SetVariable(make) => return Ok(Component::Value(kept.set(make(&inputs)?)).into()),
        Factory::GetVariable(make) => {
            let name = make(&inputs)?;
            let unset =
                || inputs.input_error(VARIABLE_NAME, &format!("no card sets '{name}' before this one"));
            return Ok(Component::Value(kept.get(&name).ok_or_else(unset)?).into());
        }
        _ => {}
    }
    let part = card.make.build(&inputs)?;
    let Some(output) = *predicts else { return Ok(part.into()) };
    match part {
        Component::Chain(chain) => {
            let outcome = chain.run(resolver.turn, &mut NullSink)?;
            Ok(Component::Value(outcome.json.unwrap_or(Value::String(outcome.text))).into())
        }
        Component::Retriever(retriever) => {
            let query = inputs.optional_text(retrieving::QUERY.name);
            let query = query.as_deref().filter(|query| !query.trim().is_empty());
            let found = retriever.retrieve(query.unwrap_or(resolver.turn.question), resolver.turn)?;
            Ok(Component::Value(retrieving::result(&found, output)).into())
        }
        Component::Loader(loader) => {
            Ok(Component::Value(retrieving::result(&loader.load(host)?, output)).into())
        }
        part => Ok(part.into()),
    }
}
