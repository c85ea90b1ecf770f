//! One question through one plan.

use super::credential;
use super::overrides::Overrides;
use super::plan::{Plan, Step, StepKind};
use super::resolve::Resolver;
use super::source::Source;
use crate::cards::kit::retrieving;
use crate::cards::kit::{
    Bound, Host, InputKind, Inputs, Kept, Make, Memory, Part, Quiet, Sink, Turn, Upserted, VARIABLE_NAME,
};
use crate::cards::refused;
use crate::domain::error::{Error, Result};
use crate::domain::prediction::Outcome;
use crate::domain::secrets::tree;
use serde_json::{Map, Value};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

/// What came of a question.
pub struct Ran {
    /// The answer, and what goes out with it.
    pub outcome: Outcome,
    memories: Vec<Arc<dyn Memory>>,
}

impl Ran {
    /// Lets the memories of the flow that keep what was said outside of this service keep it: the question as it was asked,
    /// and the answer as it stands now.
    ///
    /// # Errors
    /// The first one that cannot, naming its card.
    pub fn keep(&self, host: &dyn Host) -> Result<()> {
        self.memories.iter().try_for_each(|memory| memory.keep(host.question(), &self.outcome.text, host))
    }
}

/// Builds the cards in order and lets the last one answer. Tokens of the answer go to `sink`; when the plan
/// cannot stream, the whole answer goes there as one token, so that a stream always carries it (manual 2.8).
/// `overrides` is what the request may change.
///
/// # Errors
/// The first card that fails ends the run; the message names it.
pub fn run(plan: &Plan, overrides: &Overrides, turn: &Turn<'_>, sink: &mut dyn Sink) -> Result<Ran> {
    let Last { part, card, label, kept, memories } = last(plan, overrides, turn)?;
    let Part::Chain(chain) = part else {
        return Err(Error::Failed(format!(
            "{label}: this card cannot answer; end the flow in a chain or an agent"
        )));
    };
    let _span = span(card, label).entered();
    let outcome = if plan.streams {
        chain.run(turn, sink)?
    } else {
        let outcome = chain.run(turn, &mut Quiet)?;
        sink.token(&outcome.text).map_err(|_| Error::Cancelled)?;
        outcome
    };
    Ok(Ran { outcome: Outcome { flow_variables: kept.shown, ..outcome }, memories })
}

/// True for the card of a memory that keeps what was said outside of this service: one that signs in somewhere.
fn is_outside_memory(step: &Step) -> bool {
    let StepKind::Known { card, .. } = &step.kind else { return false };
    matches!(card.make, Make::Memory(_)) && !card.credential_types().is_empty()
}

/// True when a memory of the plan keeps what was said outside of this service.
#[must_use]
pub fn remembers_outside(plan: &Plan) -> bool {
    plan.steps.iter().any(is_outside_memory)
}

/// The memories of a plan that keep what was said outside of this service. Nothing else of the flow is built.
///
/// # Errors
/// The first card that cannot be built; the message names it.
pub fn outside_memories(plan: &Plan, turn: &Turn<'_>) -> Result<Vec<Arc<dyn Memory>>> {
    let chat_history = OnceCell::new();
    let resolver = Resolver { turn, parts: &[], plan, chat_history: &chat_history };
    let mut memories = Vec::new();
    for step in plan.steps.iter().filter(|step| is_outside_memory(step)) {
        if let Part::Memory(memory) =
            build(step, &resolver, &mut Variables::default(), std::iter::empty())?.part
        {
            memories.push(memory);
        }
    }
    Ok(memories)
}

/// Builds the cards in order and lets the vector store at the end take in what is wired into it.
///
/// # Errors
/// The first card that fails ends it; the message names it.
pub fn fill(plan: &Plan, overrides: &Overrides, turn: &Turn<'_>) -> Result<Upserted> {
    let Last { part, label, .. } = last(plan, overrides, turn)?;
    match part {
        Part::VectorStore(store) => store.upsert(turn.host),
        _ => Err(Error::Failed(format!("{label}: this card is no vector store"))),
    }
}

/// The part at the end of a plan.
struct Last<'a> {
    part: Part,
    card: &'a str,
    label: &'a str,
    kept: Variables,
    memories: Vec<Arc<dyn Memory>>,
}

/// Builds the cards in order, to the last one that is reached.
fn last<'a>(plan: &'a Plan, overrides: &Overrides, turn: &Turn<'_>) -> Result<Last<'a>> {
    let chat_history = OnceCell::new();
    let mut parts: Vec<Option<Part>> = Vec::with_capacity(plan.steps.len());
    let mut left_behind = vec![false; plan.steps.len()];
    let mut kept = Variables::default();
    for (at, step) in plan.steps.iter().enumerate() {
        if turn.host.cancel().reason().is_some() {
            return Err(Error::Cancelled);
        }
        kept.cards_were_skipped |= left_behind[at];
        if left_behind[at] || plan.endings.contains(&at) {
            parts.push(None);
            continue;
        }
        let resolver = Resolver { turn, parts: &parts, plan, chat_history: &chat_history };
        let built = build(step, &resolver, &mut kept, overrides.of_step(at))?;
        if let Some(output) = built.goes_on_from {
            plan.left_behind(at, output).into_iter().for_each(|step| left_behind[step] = true);
        }
        parts.push(Some(built.part));
    }
    let at = plan.endings.iter().rev().copied().find(|&at| !left_behind[at]).ok_or_else(|| {
        Error::Failed("The branch that was taken leads to no card that can answer.".to_owned())
    })?;
    let ending = &plan.steps[at];
    let resolver = Resolver { turn, parts: &parts, plan, chat_history: &chat_history };
    let part = build(ending, &resolver, &mut kept, overrides.of_step(at))?.part;
    let memories = parts.into_iter().flatten().filter_map(|part| match part {
        Part::Memory(memory) => Some(memory),
        _ => None,
    });
    Ok(Last { part, card: name(ending), label: &ending.label, kept, memories: memories.collect() })
}

/// The time a card takes, for whoever watches the service.
fn span(card: &str, label: &str) -> tracing::Span {
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

/// What cards of this run keep for others.
#[derive(Default)]
struct Variables {
    values: HashMap<String, Value>,
    /// Those that go out with the answer.
    shown: Map<String, Value>,
    cards_were_skipped: bool,
}

impl Variables {
    fn keep(&mut self, kept: Kept) -> Value {
        if kept.shown {
            self.shown.insert(kept.name.clone(), kept.value.clone());
        }
        self.values.insert(kept.name, kept.value.clone());
        kept.value
    }

    /// A value that would have been kept on a branch that was not taken reads as empty.
    fn recall(&self, name: &str) -> Option<Value> {
        let empty = || self.cards_were_skipped.then(|| Value::String(String::new()));
        self.values.get(name).cloned().or_else(empty)
    }
}

/// A restored version may hold the placeholder where a secret stood: it must never be sent anywhere as if it were
/// one (manual 6.8 r5). In running text a person may have written it.
fn refuse_hidden(inputs: &Inputs<'_>) -> Result<()> {
    for (name, bound) in &inputs.values {
        let (Bound::Value(value) | Bound::Made(value)) = bound else { continue };
        let is_text = matches!(inputs.card.input(name).map(|input| input.kind), Some(InputKind::Text { .. }));
        let alone = value.as_str().is_some_and(tree::is_placeholder);
        if alone || (!is_text && tree::count_in(value) > 0) {
            return Err(inputs.wrong(name, "a secret was hidden here by the version history; enter it again"));
        }
    }
    Ok(())
}

/// What became of a step.
struct Built {
    part: Part,
    /// The output a branching card goes on from.
    goes_on_from: Option<&'static str>,
}

impl From<Part> for Built {
    fn from(part: Part) -> Self {
        Self { part, goes_on_from: None }
    }
}

fn build<'v>(
    step: &Step,
    resolver: &Resolver<'_>,
    kept: &mut Variables,
    overrides: impl Iterator<Item = (&'static str, &'v Value)>,
) -> Result<Built> {
    let (card, inputs, credential, predicts) = match &step.kind {
        StepKind::Known { card, inputs, credential, predicts } => (card, inputs, credential, predicts),
        StepKind::Unknown { name } => {
            let unknown = || format!("{}: this server does not know the card '{name}'", step.label);
            return Err(Error::Failed(refused::why(name).map_or_else(unknown, str::to_owned)));
        }
    };
    if matches!(card.make, Make::Nothing) {
        return Ok(Part::Value(Value::Null).into());
    }
    let _span = span(card.name, &step.label).entered();
    let host = resolver.turn.host;
    let credential_id = credential.as_deref();
    let credential = credential::fields(card, &step.label, credential_id, host)?;
    let mut values: HashMap<_, _> =
        inputs.iter().map(|(name, source)| (*name, resolver.bind(source))).collect();
    for (name, value) in overrides {
        let saved = inputs.iter().find(|(known, _)| *known == name).map(|(_, source)| source);
        let Some(declared) = card.input(name) else { continue };
        let source = Source::overridden(saved, declared.kind, value).of_input(declared);
        values.insert(name, resolver.bind(&source));
    }
    let inputs = Inputs { card, label: &step.label, host, values, credential, credential_id };
    refuse_hidden(&inputs)?;
    if let Make::Branch(decide) = card.make {
        let taken = decide(&inputs)?;
        return Ok(Built { part: Part::Value(taken.value), goes_on_from: Some(taken.output) });
    }
    match card.make {
        Make::Keep(make) => return Ok(Part::Value(kept.keep(make(&inputs)?)).into()),
        Make::Recall(make) => {
            let name = make(&inputs)?;
            let unset = || inputs.wrong(VARIABLE_NAME, &format!("no card sets '{name}' before this one"));
            return Ok(Part::Value(kept.recall(&name).ok_or_else(unset)?).into());
        }
        _ => {}
    }
    let part = card.make.part(&inputs)?;
    let Some(output) = *predicts else { return Ok(part.into()) };
    match part {
        Part::Chain(chain) => {
            let outcome = chain.run(resolver.turn, &mut Quiet)?;
            Ok(Part::Value(outcome.json.unwrap_or(Value::String(outcome.text))).into())
        }
        Part::Retriever(retriever) => {
            let query = inputs.maybe_text(retrieving::QUERY.name);
            let query = query.as_deref().filter(|query| !query.trim().is_empty());
            let found = retriever.retrieve(query.unwrap_or(resolver.turn.question), resolver.turn)?;
            Ok(Part::Value(retrieving::result(&found, output)).into())
        }
        Part::Loader(loader) => Ok(Part::Value(retrieving::result(&loader.load(host)?, output)).into()),
        part => Ok(part.into()),
    }
}
