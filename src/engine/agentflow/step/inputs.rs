//! The inputs of a step: compiled once with the canvas, and bound to values each time the step runs.

use crate::canvas::Node;
use crate::canvas::template::{RunText, RunValue};
use crate::cards::kit::{
    Card, Host, Input, InputKind, InputValue, InputValues, Inputs, PickedCard, WiredComponent, require_needs,
};
use crate::cards::{registry, unsupported};
use crate::domain::error::{Error, Result};
use crate::engine::agentflow::values::address::AddressSource;
use crate::engine::agentflow::values::{Scope, ValueSource};
use crate::engine::credential::{self, Credentials};
use crate::engine::overrides::Overrides;
use crate::engine::placed::CONFIG;
use crate::engine::run::refuse_redacted;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Where the value of an input comes from.
#[derive(Debug, Clone)]
pub(in crate::engine) enum StepSource {
    /// The stored value, as it is.
    Plain(Value),
    /// A value with references.
    Resolved(ValueSource),
    /// A value in which only saved variables stand for anything.
    Saved(ValueSource),
    Address {
        /// Of the input, for messages.
        input: &'static str,
        source: AddressSource,
        /// What is said in a run may stand behind the host.
        takes_values: bool,
    },
    Rows(Vec<StepSources>),
    /// A card that is picked in the input.
    Card(Box<CardSource>),
}

/// Sources by the names of their inputs.
pub(in crate::engine) type StepSources = Vec<(&'static str, StepSource)>;

/// A card that stands inside of another one.
#[derive(Debug, Clone)]
pub(in crate::engine) struct CardSource {
    /// As the canvas names it.
    name: String,
    /// The input that it is picked in.
    input: &'static str,
    /// `None` for one that this server does not know: it fails only when it is built.
    card: Option<&'static Card>,
    inputs: StepSources,
    credential: Option<String>,
}

/// The sources of a node's inputs.
pub(in crate::engine) fn compile(card: &'static Card, node: &Node) -> StepSources {
    compile_fields(card.inputs, node, &node.inputs, &|name| node.accepts_variables(name))
}

fn compile_fields(
    fields: &'static [Input],
    node: &Node,
    values: &Map<String, Value>,
    accepts_variables: &dyn Fn(&str) -> bool,
) -> StepSources {
    let source = |input: &'static Input| {
        let value = values.get(input.name)?;
        Some((input.name, compile_value(input, node, value, values, accepts_variables)?))
    };
    fields.iter().filter_map(source).collect()
}

fn compile_value(
    input: &'static Input,
    node: &Node,
    value: &Value,
    beside: &Map<String, Value>,
    accepts_variables: &dyn Fn(&str) -> bool,
) -> Option<StepSource> {
    // One name may stand for inputs of several kinds; what was saved tells which.
    let input = input.variant_for(value);
    let accepts = input.accepts_variables || accepts_variables(input.name);
    match input.kind {
        // Written by the engine once the step ended.
        InputKind::StateUpdates | InputKind::Credential(_) | InputKind::Wire(_) | InputKind::Wires(_) => None,
        InputKind::Rows(fields) => {
            let rows = value.as_array()?.iter().filter_map(Value::as_object);
            // What is said of the list counts for each of its fields.
            Some(StepSource::Rows(rows.map(|row| compile_fields(fields, node, row, &|_| accepts)).collect()))
        }
        InputKind::CardPick(_) => {
            let name = value.as_str().filter(|name| !name.is_empty())?;
            let config = beside.get(&format!("{}{CONFIG}", input.name)).and_then(Value::as_object);
            Some(StepSource::Card(Box::new(CardSource::compile(input.label, node.picked(name, config)))))
        }
        InputKind::Address => {
            let source = AddressSource::from_saved(value);
            Some(StepSource::Address { input: input.label, source, takes_values: accepts })
        }
        // What runs is the owner's alone, so only saved variables stand for anything there.
        InputKind::Code | InputKind::Secret => Some(StepSource::Saved(ValueSource::from_saved(value))),
        InputKind::Json | InputKind::Headers if accepts => {
            Some(StepSource::Resolved(ValueSource::from_saved_json(value)))
        }
        _ if accepts && input.may_be_json => {
            Some(StepSource::Resolved(ValueSource::from_saved_json_text(value)))
        }
        _ if accepts => Some(StepSource::Resolved(ValueSource::from_saved(value))),
        _ => Some(StepSource::Plain(value.clone())),
    }
}

/// The cards that are picked in inputs outside of rows.
pub(in crate::engine) fn picked_cards(
    inputs: &StepSources,
) -> impl Iterator<Item = (&'static str, &'static Card)> {
    inputs.iter().filter_map(|(name, source)| match source {
        StepSource::Card(picked) => Some((*name, picked.card?)),
        _ => None,
    })
}

impl CardSource {
    fn compile(input: &'static str, node: Node) -> Self {
        let card = registry::find(&node.name);
        let inputs = card.map(|card| compile_fields(card.inputs, &node, &node.inputs, &|_| false));
        let takes_credential = card.is_some_and(|card| !card.credential_types().is_empty());
        Self {
            inputs: inputs.unwrap_or_default(),
            credential: node.credential.filter(|_| takes_credential),
            name: node.name,
            input,
            card,
        }
    }
}

/// Saved variables and nothing else: what a request, a model or a document says never becomes code or an address.
struct SavedScope<'a>(&'a dyn Host);

impl Scope for SavedScope<'_> {
    fn text(&self, name: &RunText) -> Option<Cow<'_, str>> {
        match name {
            RunText::Variable(name) => self.0.variable(name).map(Cow::Owned),
            _ => None,
        }
    }

    fn value(&self, _name: &RunValue) -> Option<Cow<'_, Value>> {
        None
    }
}

/// What the inputs of a step are bound with.
pub(in crate::engine) struct Binder<'a> {
    pub(in crate::engine) label: &'a str,
    pub(in crate::engine) scope: &'a dyn Scope,
    pub(in crate::engine) host: &'a dyn Host,
    pub(in crate::engine) credentials: &'a dyn Credentials,
    pub(in crate::engine) overrides: &'a Overrides,
    /// The place of the node in its graph.
    pub(in crate::engine) step: usize,
}

impl Binder<'_> {
    /// The values of a card's inputs, with the cards that are picked in them built.
    ///
    /// # Errors
    /// What is wrong with a card that is picked, naming the step.
    pub(in crate::engine) fn bind(&self, card: &'static Card, sources: &StepSources) -> Result<InputValues> {
        let mut values = self.bind_picked(sources, true)?;
        values.extend(sent_values(card, self.overrides.for_step(self.step)));
        Ok(values)
    }

    /// The values of a card's inputs that hold neither rows nor other cards.
    pub(in crate::engine) fn bind_settings(&self, card: &'static Card, sources: &StepSources) -> InputValues {
        let value = |(name, source): &(&'static str, StepSource)| match source {
            StepSource::Plain(value) => Some((*name, InputValue::Value(value.clone()))),
            StepSource::Resolved(source) => Some((*name, InputValue::Value(source.resolve(self.scope)))),
            StepSource::Saved(_) | StepSource::Address { .. } | StepSource::Rows(_) | StepSource::Card(_) => {
                None
            }
        };
        let own = sources.iter().filter_map(value);
        own.chain(sent_values(card, self.overrides.for_step(self.step))).collect()
    }

    /// As [`Self::bind`]; a request changes cards that are picked in the step itself, and none inside of a row or of another.
    fn bind_picked(&self, sources: &StepSources, is_step: bool) -> Result<InputValues> {
        let mut values = InputValues::new();
        let mut picked: Vec<WiredComponent> = Vec::new();
        for (name, source) in sources {
            let value = match source {
                StepSource::Plain(value) => InputValue::Value(value.clone()),
                StepSource::Resolved(source) => InputValue::Value(source.resolve(self.scope)),
                StepSource::Saved(source) => InputValue::Value(source.resolve(&SavedScope(self.host))),
                StepSource::Address { input, source, takes_values } => {
                    let saved = SavedScope(self.host);
                    let address = source.resolve(if *takes_values { self.scope } else { &saved });
                    let address =
                        address.map_err(|why| Error::RunFailed(format!("{}: {input}: {why}", self.label)))?;
                    match source.is_written_out {
                        true => InputValue::WrittenOut(address.into()),
                        false => InputValue::Value(address.into()),
                    }
                }
                StepSource::Rows(rows) => InputValue::Rows(
                    rows.iter().map(|row| self.bind_picked(row, false)).collect::<Result<_>>()?,
                ),
                StepSource::Card(_) => continue,
            };
            values.insert(name, value);
        }
        let mut cards: Vec<(&'static str, &CardSource)> = sources
            .iter()
            .filter_map(|(name, source)| match source {
                StepSource::Card(card) => Some((*name, &**card)),
                _ => None,
            })
            .collect();
        // What one card takes from another that is picked beside it is built first.
        cards.sort_by_key(|(_, card)| card.takes_wires());
        for (name, card) in cards {
            let mut given = InputValues::new();
            if let Some(known) = card.card.filter(|_| is_step) {
                given.extend(sent_values(known, self.overrides.for_picked(self.step, name)));
            }
            let built = self.build(card, &picked, given)?;
            picked.push(built.clone());
            values.insert(name, InputValue::Components(vec![built]));
        }
        Ok(values)
    }

    fn build(
        &self,
        source: &CardSource,
        beside: &[WiredComponent],
        given: InputValues,
    ) -> Result<WiredComponent> {
        let Some(card) = source.card else {
            let unknown = || format!("this server does not know the card '{}'", source.name);
            let why = unsupported::reason(&source.name).map_or_else(unknown, str::to_owned);
            return Err(Error::RunFailed(format!("{}: {}: {why}", self.label, source.input)));
        };
        let label = format!("{} ({})", self.label, card.label);
        require_needs(card, &label, self.host)?;
        let credential_id = source.credential.as_deref();
        let credential = credential::fields(card, &label, credential_id, self.credentials)?;
        let within = Binder { label: &label, ..*self };
        let mut values = within.bind_picked(&source.inputs, false)?;
        values.extend(given);
        for input in card.inputs {
            let InputKind::Wire(kind) = input.kind else { continue };
            let fits = |part: &&WiredComponent| part.component.is_of(kind);
            if let Some(part) = beside.iter().find(fits) {
                values.insert(input.name, InputValue::Components(vec![part.clone()]));
            }
        }
        let inputs = Inputs {
            card,
            fields: card.inputs,
            row: None,
            label: &label,
            node: None,
            host: self.host,
            values,
            credential,
            credential_id,
        };
        refuse_redacted(&inputs)?;
        let component = card.make.build(&inputs)?;
        let picked = Some(PickedCard { name: card.name, label: card.label });
        Ok(WiredComponent { label, picked, component })
    }
}

/// What a request sent for a card, as its inputs take it. Nothing in it is a reference.
fn sent_values<'v>(
    card: &'static Card,
    sent: impl Iterator<Item = (&'static str, &'v Value)>,
) -> impl Iterator<Item = (&'static str, InputValue)> {
    sent.filter_map(|(name, value)| Some((name, InputValue::from_json(card.input(name)?, value.clone()))))
}

impl CardSource {
    fn takes_wires(&self) -> bool {
        self.card.is_some_and(|card| card.inputs.iter().any(Input::is_wire))
    }
}
