//! A step of an agentflow in a test: a card, what is set on it, and what came before it.

use super::context::{StartValues, StepContext, StepResume};
use super::outcome::StepOutcome;
use crate::domain::conversations::conversation::MessageFile;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::{HistoryMessage, ImageUpload, MessageRole};
use crate::kit::build::component::{Component, RunContext};
use crate::kit::build::inputs::{InputValue, InputValues, Inputs, PickedCard, WiredComponent};
use crate::kit::capabilities::host::Host;
use crate::kit::capabilities::test_host::TestHost;
use crate::kit::models::test_model::TestModel;
use crate::kit::models::token_sink::{StreamClosed, TokenSink};
use crate::kit::schema::card::{Card, Factory};
use crate::kit::schema::input::InputKind;
use serde_json::{Map, Value};

/// The step.
pub(crate) struct TestStep {
    pub(crate) card: &'static Card,
    pub(crate) label: &'static str,
    pub(crate) values: InputValues,
    pub(crate) credential: Option<Map<String, Value>>,
    pub(crate) question: String,
    pub(crate) uploads: Vec<ImageUpload>,
    /// What the request brought along.
    pub(crate) history: Vec<HistoryMessage>,
    pub(crate) past: Vec<HistoryMessage>,
    pub(crate) said: Vec<HistoryMessage>,
    pub(crate) start: StartValues,
    pub(crate) state: Map<String, Value>,
    pub(crate) is_last: bool,
    pub(crate) resume: Option<StepResume>,
}

/// What a step let hear while it ran.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct StepEvents {
    pub(crate) text: String,
    pub(crate) thinking: String,
}

impl TokenSink for StepEvents {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.text.push_str(text);
        Ok(())
    }

    fn thinking(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.thinking.push_str(text);
        Ok(())
    }
}

impl TestStep {
    /// A step that nothing came before, and that others follow.
    pub(crate) fn new(card: &'static Card) -> Self {
        Self {
            card,
            label: card.label,
            values: InputValues::new(),
            credential: None,
            question: String::new(),
            uploads: Vec::new(),
            history: Vec::new(),
            past: Vec::new(),
            said: Vec::new(),
            start: StartValues::default(),
            state: Map::new(),
            is_last: false,
            resume: None,
        }
    }

    /// A last step that is asked `Hi?`, with this model in an input.
    pub(crate) fn asking(card: &'static Card, input: &'static str, model: &TestModel) -> Self {
        let step = Self { label: "Mine", is_last: true, ..Self::new(card).asked("Hi?") };
        step.with_picked(input, Component::ChatModel(model.model.clone()))
    }

    /// With this in an input; a list becomes rows where the input holds rows, and an address stands there as plain text.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        let input = self.card.input(name).unwrap();
        let value = match InputValue::from_json(input, value.into()) {
            InputValue::Value(value) if input.kind == InputKind::Address => InputValue::WrittenOut(value),
            value => value,
        };
        self.values.insert(input.name, value);
        self
    }

    /// With these rows, whose values may be components.
    pub(crate) fn with_rows(mut self, input: &'static str, rows: Vec<InputValues>) -> Self {
        self.values.insert(input, InputValue::Rows(rows));
        self
    }

    /// With a component that is picked in an input.
    pub(crate) fn with_picked(mut self, input: &'static str, component: Component) -> Self {
        self.values.insert(input, picked(component));
        self
    }

    pub(crate) fn with_credential(mut self, fields: &Value) -> Self {
        self.credential = fields.as_object().cloned();
        self
    }

    pub(crate) fn asked(mut self, question: &str) -> Self {
        question.clone_into(&mut self.question);
        self
    }

    pub(crate) fn run(&self) -> Result<StepOutcome> {
        self.run_heard().0
    }

    pub(crate) fn run_on(&self, host: &dyn Host) -> Result<StepOutcome> {
        self.run_into(host, &mut StepEvents::default())
    }

    /// Runs it; what was heard meanwhile.
    pub(crate) fn run_heard(&self) -> (Result<StepOutcome>, StepEvents) {
        let mut heard = StepEvents::default();
        (self.run_into(&TestHost::default(), &mut heard), heard)
    }

    fn run_into(&self, host: &dyn Host, sink: &mut dyn TokenSink) -> Result<StepOutcome> {
        let Factory::Step(step) = self.card.make else { panic!("{} is no step", self.card.name) };
        let inputs = Inputs {
            card: self.card,
            fields: self.card.inputs,
            row: None,
            label: self.label,
            node: None,
            host,
            values: self.values.clone(),
            credential: self.credential.clone(),
            credential_id: None,
        };
        let turn = RunContext {
            question: &self.question,
            documents: "",
            uploads: &self.uploads,
            history: &self.history,
            host,
        };
        let context = StepContext {
            node: "node_0",
            turn: &turn,
            start: &self.start,
            said: &self.said,
            past: &self.past,
            state: &self.state,
            is_last: self.is_last,
            resume: self.resume.as_ref(),
        };
        step(&inputs, &context, sink)
    }
}

/// A component that is picked in an input.
pub(crate) fn picked(component: Component) -> InputValue {
    let label = "Picked".to_owned();
    InputValue::Components(vec![WiredComponent {
        label,
        picked: Some(PickedCard { name: "pickedCard", label: "Card" }),
        component,
    }])
}

/// A message of the person.
pub(crate) fn asked(text: &str) -> HistoryMessage {
    HistoryMessage::from_user(text)
}

/// A picture that is stored with the conversation.
pub(crate) fn picture(name: &str) -> MessageFile {
    MessageFile::stored(name, "image/png", name)
}

/// A message of the flow.
pub(crate) fn answered(text: &str) -> HistoryMessage {
    HistoryMessage::new(MessageRole::Api, text)
}
