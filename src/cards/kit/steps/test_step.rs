//! A step of a test: a card with a few inputs, in a run that nothing came before.

use super::context::{ConversationPast, StartValues, StepContext};
use super::outcome::StepOutcome;
use crate::cards::kit::build::component::Component;
use crate::cards::kit::build::component::RunContext;
use crate::cards::kit::build::inputs::{InputValue, InputValues, Inputs, WiredComponent};
use crate::cards::kit::capabilities::host::Host;
use crate::cards::kit::capabilities::test_host::TestHost;
use crate::cards::kit::models::token_sink::NullSink;
use crate::cards::kit::schema::card::{Card, Factory};
use crate::cards::kit::schema::input::{Input, InputKind};
use crate::domain::error::Result;
use crate::domain::predictions::prediction::HistoryMessage;
use serde_json::{Map, Value};

pub(in crate::cards) struct TestStep {
    card: &'static Card,
    values: InputValues,
    credential: Option<Map<String, Value>>,
    question: String,
    pub(in crate::cards) start: StartValues,
    pub(in crate::cards) state: Map<String, Value>,
}

impl TestStep {
    pub(in crate::cards) fn new(card: &'static Card) -> Self {
        Self {
            card,
            values: InputValues::new(),
            credential: None,
            question: String::new(),
            start: StartValues::default(),
            state: Map::new(),
        }
    }

    /// With this in an input; a list becomes rows where the input holds rows.
    pub(in crate::cards) fn with(mut self, name: &str, value: Value) -> Self {
        let input = self.card.input(name).unwrap();
        self.values.insert(input.name, bound(input, value));
        self
    }

    /// With these components in an input.
    pub(in crate::cards) fn with_component(mut self, name: &str, label: &str, component: Component) -> Self {
        let wired = WiredComponent { label: label.to_owned(), picked: None, component };
        self.values.insert(self.card.input(name).unwrap().name, InputValue::Components(vec![wired]));
        self
    }

    pub(in crate::cards) fn with_credential(mut self, fields: &Value) -> Self {
        self.credential = fields.as_object().cloned();
        self
    }

    pub(in crate::cards) fn asked(mut self, question: &str) -> Self {
        question.clone_into(&mut self.question);
        self
    }

    pub(in crate::cards) fn run(self) -> Result<StepOutcome> {
        self.run_on(&TestHost::default())
    }

    pub(in crate::cards) fn run_on(self, host: &dyn Host) -> Result<StepOutcome> {
        let Factory::Step(step) = self.card.make else { panic!("{} is no step", self.card.name) };
        let inputs = Inputs {
            card: self.card,
            fields: self.card.inputs,
            label: self.card.label,
            host,
            values: self.values,
            credential: self.credential,
            credential_id: None,
        };
        let turn = RunContext { question: &self.question, documents: "", uploads: &[], history: &[], host };
        let context = StepContext {
            node: "node_0",
            turn: &turn,
            start: &self.start,
            said: &[],
            past: &NoPast,
            state: &self.state,
            is_last: false,
            resume: None,
        };
        step(&inputs, &context, &mut NullSink)
    }
}

fn bound(input: &'static Input, value: Value) -> InputValue {
    let fields = input.row_fields();
    match value {
        Value::Array(rows)
            if matches!(input.variant_for(&Value::from(rows.clone())).kind, InputKind::Rows(_)) =>
        {
            let row = |row: Value| {
                let row = row.as_object().cloned().unwrap_or_default();
                let field =
                    |field: &'static Input| Some((field.name, bound(field, row.get(field.name)?.clone())));
                fields.iter().filter_map(field).collect()
            };
            InputValue::Rows(rows.into_iter().map(row).collect())
        }
        value => InputValue::Value(value),
    }
}

struct NoPast;

impl ConversationPast for NoPast {
    fn messages(&self) -> Result<Vec<HistoryMessage>> {
        Ok(Vec::new())
    }
}
