//! A step of an agentflow that asks a model, in a test: a card, what is set on it, and what came before it.

use super::context::{ConversationPast, StartValues, StepContext, StepResume};
use super::outcome::StepOutcome;
use crate::cards::kit::build::component::{Component, RunContext};
use crate::cards::kit::build::inputs::{InputValue, InputValues, Inputs, WiredComponent};
use crate::cards::kit::capabilities::test_host::TestHost;
use crate::cards::kit::models::test_model::TestModel;
use crate::cards::kit::models::token_sink::{StreamClosed, TokenSink};
use crate::cards::kit::schema::card::{Card, Factory};
use crate::cards::kit::schema::input::InputKind;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::{HistoryMessage, ImageUpload, MessageRole};
use serde_json::{Map, Value};

/// The step.
pub(in crate::cards) struct ModelStep {
    pub(in crate::cards) card: &'static Card,
    pub(in crate::cards) values: InputValues,
    pub(in crate::cards) question: &'static str,
    pub(in crate::cards) uploads: Vec<ImageUpload>,
    /// What the request brought along.
    pub(in crate::cards) history: Vec<HistoryMessage>,
    pub(in crate::cards) past: Vec<HistoryMessage>,
    pub(in crate::cards) said: Vec<HistoryMessage>,
    pub(in crate::cards) is_last: bool,
    pub(in crate::cards) resume: Option<StepResume>,
    pub(in crate::cards) host: TestHost,
}

/// What a step let hear while it ran.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::cards) struct Heard {
    pub(in crate::cards) text: String,
    pub(in crate::cards) thinking: String,
}

impl TokenSink for Heard {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.text.push_str(text);
        Ok(())
    }

    fn thinking(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.thinking.push_str(text);
        Ok(())
    }
}

impl ConversationPast for Vec<HistoryMessage> {
    fn messages(&self) -> Result<Vec<HistoryMessage>> {
        Ok(self.clone())
    }
}

impl ModelStep {
    /// A last step that is asked `Hi?`, with this model.
    pub(in crate::cards) fn new(card: &'static Card, input: &'static str, model: &TestModel) -> Self {
        let step = Self {
            card,
            values: InputValues::new(),
            question: "Hi?",
            uploads: Vec::new(),
            history: Vec::new(),
            past: Vec::new(),
            said: Vec::new(),
            is_last: true,
            resume: None,
            host: TestHost::default(),
        };
        step.with_component(input, Component::ChatModel(model.model.clone()))
    }

    pub(in crate::cards) fn with_component(mut self, input: &'static str, component: Component) -> Self {
        self.values.insert(input, picked(component));
        self
    }

    pub(in crate::cards) fn set(mut self, input: &'static str, value: impl Into<Value>) -> Self {
        self.values.insert(input, InputValue::Value(value.into()));
        self
    }

    /// Rows of plain values.
    pub(in crate::cards) fn rows(mut self, input: &'static str, rows: &Value) -> Self {
        let Some(InputKind::Rows(fields)) = self.card.input(input).map(|input| input.kind) else {
            panic!("{input} has no rows")
        };
        let value = |row: &Map<String, Value>, name: &'static str| {
            row.get(name).map(|value| (name, InputValue::Value(value.clone())))
        };
        let row = |row: &Value| {
            let row = row.as_object().unwrap();
            fields.iter().filter_map(|field| value(row, field.name)).collect()
        };
        let rows = rows.as_array().unwrap().iter().map(row).collect();
        self.values.insert(input, InputValue::Rows(rows));
        self
    }

    /// Further rows, each with what it says.
    pub(in crate::cards) fn with_rows(mut self, input: &'static str, rows: Vec<InputValues>) -> Self {
        self.values.insert(input, InputValue::Rows(rows));
        self
    }

    pub(in crate::cards) fn run(&self) -> Result<StepOutcome> {
        self.run_heard().0
    }

    /// Runs it; what was heard meanwhile.
    pub(in crate::cards) fn run_heard(&self) -> (Result<StepOutcome>, Heard) {
        let inputs = Inputs {
            card: self.card,
            fields: self.card.inputs,
            label: "Mine",
            host: &self.host,
            values: self.values.clone(),
            credential: None,
            credential_id: None,
        };
        let turn = RunContext {
            question: self.question,
            documents: "",
            uploads: &self.uploads,
            history: &self.history,
            host: &self.host,
        };
        let context = StepContext {
            node: "node_0",
            turn: &turn,
            start: &StartValues::default(),
            said: &self.said,
            past: &self.past,
            state: &Map::new(),
            is_last: self.is_last,
            resume: self.resume.as_ref(),
        };
        let Factory::Step(step) = self.card.make else { panic!("{} is no step", self.card.name) };
        let mut heard = Heard::default();
        (step(&inputs, &context, &mut heard), heard)
    }
}

/// A component that is picked in an input.
pub(in crate::cards) fn picked(component: Component) -> InputValue {
    let label = "Picked".to_owned();
    InputValue::Components(vec![WiredComponent { label, picked: Some("pickedCard"), component }])
}

/// A message of the person.
pub(in crate::cards) fn asked(text: &str) -> HistoryMessage {
    HistoryMessage { role: MessageRole::User, text: text.to_owned() }
}

/// A message of the flow.
pub(in crate::cards) fn answered(text: &str) -> HistoryMessage {
    HistoryMessage { role: MessageRole::Api, text: text.to_owned() }
}
