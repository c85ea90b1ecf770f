//! One card of a run: its inputs are bound, and it becomes what others use.

use super::span;
use super::watch::{answer_output, documents_output, query_input, question_input, value_output};
use crate::cards::kit::knowledge::retrieving;
use crate::cards::kit::{
    BranchChoice, Card, CardWork, Component, Factory, FlowVariable, InputKind, InputValue, Inputs, NullSink,
    RunContext, VARIABLE_NAME, WatchedNode, require_needs,
};
use crate::cards::unsupported;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use crate::domain::secrets::tree;
use crate::engine::credential::{self, Credentials};
use crate::engine::plan::{Step, StepKind};
use crate::engine::resolve::Resolver;
use crate::engine::source::InputSource;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The variables that cards of this run set for others.
#[derive(Default)]
pub(super) struct RunVariables {
    values: HashMap<String, Value>,
    /// Those that go out with the answer.
    pub(super) in_answer: Map<String, Value>,
    pub(super) cards_were_skipped: bool,
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
pub(in crate::engine) fn refuse_redacted(inputs: &Inputs<'_>) -> Result<()> {
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
pub(super) struct StepResult {
    pub(super) component: Component,
    /// The output a branching card goes on from.
    pub(super) branch_output: Option<&'static str>,
    /// Where somebody watches the card.
    pub(super) node: Option<WatchedNode>,
}

/// Builds the card of a step. One whose output is what it answers, finds or loads does so now.
///
/// # Errors
/// When it cannot be built, or fails, naming the card.
pub(super) fn build<'v>(
    step: &Step,
    resolver: &Resolver<'_>,
    credentials: &dyn Credentials,
    kept: &mut RunVariables,
    overrides: impl Iterator<Item = (&'static str, &'v Value)>,
) -> Result<StepResult> {
    let (card, sources, credential, predicts) = match &step.kind {
        StepKind::Known { card, inputs, credential, predicts } => (*card, inputs, credential, *predicts),
        StepKind::Unknown { name } => {
            let unknown = || format!("{}: this server does not know the card '{name}'", step.label);
            return Err(Error::RunFailed(unsupported::reason(name).map_or_else(unknown, str::to_owned)));
        }
    };
    if matches!(card.make, Factory::Nothing) {
        return Ok(StepResult { component: Component::Value(Value::Null), branch_output: None, node: None });
    }
    let _span = span(card.name, &step.label).entered();
    let mut inputs = Inputs {
        card,
        fields: card.inputs,
        row: None,
        label: &step.label,
        node: Some(&step.node),
        host: resolver.turn.host,
        values: bind_all(card, sources, resolver, overrides),
        credential: None,
        credential_id: credential.as_deref(),
    };
    let (host, node) = (inputs.host, WatchedNode::from_inputs(&inputs));
    let made = make(&mut inputs, credentials, kept);
    if let (Err(fault), Some(node)) = (&made, &node) {
        node.report_unmade(host, fault);
    }
    let made = made?;
    if let Factory::Branch(decide) = card.make {
        let output = |taken: &BranchChoice| value_output(&taken.value);
        let taken = CardWork::perform(node.as_ref(), host, Map::new, || decide(&inputs), output)?;
        let component = Component::Value(taken.value);
        return Ok(StepResult { component, branch_output: Some(taken.output), node });
    }
    let component = match predicts {
        Some(output) => predict(made, output, &inputs, resolver.turn, node.as_ref())?,
        None => made,
    };
    Ok(StepResult { component, branch_output: None, node })
}

/// What the card becomes by itself.
fn make(
    inputs: &mut Inputs<'_>,
    credentials: &dyn Credentials,
    kept: &mut RunVariables,
) -> Result<Component> {
    let (card, label) = (inputs.card, inputs.label);
    require_needs(card, label, inputs.host)?;
    inputs.credential = credential::fields(card, label, inputs.credential_id, credentials)?;
    refuse_redacted(inputs)?;
    match card.make {
        // What it decides is its value.
        Factory::Branch(_) => Ok(Component::Value(Value::Null)),
        Factory::SetVariable(make) => Ok(Component::Value(kept.set(make(inputs)?))),
        Factory::GetVariable(make) => {
            let name = make(inputs)?;
            let unset =
                || inputs.input_error(VARIABLE_NAME, &format!("no card sets '{name}' before this one"));
            Ok(Component::Value(kept.get(&name).ok_or_else(unset)?))
        }
        _ => card.make.build(inputs),
    }
}

/// Lets a component answer, find or load what is the output of its card; any other stays what it is.
fn predict(
    part: Component,
    output: &str,
    inputs: &Inputs<'_>,
    turn: &RunContext<'_>,
    node: Option<&WatchedNode>,
) -> Result<Component> {
    let host = turn.host;
    Ok(Component::Value(match part {
        Component::Chain(chain) => {
            let answer = || chain.run(turn, &mut NullSink);
            let outcome = CardWork::perform(node, host, || question_input(turn), answer, answer_output)?;
            outcome.json.unwrap_or(Value::String(outcome.text))
        }
        Component::Retriever(retriever) => {
            let query = inputs.optional_text(retrieving::QUERY.name);
            let query = query.as_deref().filter(|query| !query.trim().is_empty());
            let query = query.unwrap_or(turn.question);
            let search = || retriever.retrieve(query, turn);
            let found = CardWork::perform(
                node,
                host,
                || query_input(query),
                search,
                |found: &Vec<Document>| documents_output(found),
            )?;
            retrieving::result(&found, output)
        }
        Component::Loader(loader) => {
            let load = || loader.load(host);
            let loaded = CardWork::perform(node, host, Map::new, load, |loaded: &Vec<Document>| {
                documents_output(loaded)
            })?;
            retrieving::result(&loaded, output)
        }
        part => return Ok(part),
    }))
}
