//! Replies of a model with keys that its owner lists.

use crate::domain::error::Result;
use crate::kit::build::output_schema::{SchemaField, ValueSchema};
use crate::kit::members::fault;
use crate::kit::steps::structured_output::FormCall;
use crate::kit::{Choice, Input, Inputs, Model, NullSink, RunContext};
use crate::llm::ChatMessage;
use serde_json::{Map, Value};

/// Keys of one reply.
const KEYS_MAX: usize = 100;

const KEY_ROW: &[Input] = &[
    Input::text("key", "Key"),
    Input::choice(
        "type",
        "Type",
        &[
            Choice::new("String", "String"),
            Choice::new("String Array", "String Array"),
            Choice::new("Number", "Number"),
            Choice::new("Boolean", "Boolean"),
            Choice::new("Enum", "Enum"),
        ],
    )
    .or("String"),
    Input::text("enumValues", "Enum Values").optional().help("Divided by commas."),
    Input::text("description", "Description").optional(),
];

/// The keys that a reply must have.
pub(super) const fn keys_input(name: &'static str) -> Input {
    Input::rows(name, "JSON Structured Output", KEY_ROW).additional()
}

pub(super) struct ReplyForm(ValueSchema);

impl ReplyForm {
    /// `None` for a reply that is a text.
    ///
    /// # Errors
    /// When a row says what no key can be.
    pub(super) fn from_inputs(inputs: &Inputs<'_>, name: &str) -> Result<Option<Self>> {
        let mut fields: Vec<SchemaField> = Vec::new();
        for (at, row) in inputs.grid(name)?.iter().enumerate() {
            let wrong = |why: &str| Err(inputs.input_error(name, &format!("row {}: {why}", at + 1)));
            let text = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
            let key = text("key");
            if key.is_empty() {
                continue;
            }
            if at >= KEYS_MAX {
                return wrong(&format!("there can be at most {KEYS_MAX} keys"));
            }
            if fields.iter().any(|field| field.name == key) {
                return wrong(&format!("'{key}' is there twice"));
            }
            let values = text("enumValues");
            let listed: Vec<Value> =
                values.split(',').map(str::trim).filter(|value| !value.is_empty()).map(Value::from).collect();
            let shape = match text("type").as_str() {
                "" | "String" => ValueSchema::Text,
                "String Array" => ValueSchema::List(Box::new(ValueSchema::Text)),
                "Number" => ValueSchema::Number,
                "Boolean" => ValueSchema::Switch,
                "Enum" if listed.is_empty() => return wrong("list at least one value"),
                "Enum" => ValueSchema::OneOf(listed),
                other => return wrong(&format!("the type '{other}' is unknown")),
            };
            let description = match text("description") {
                // Older editors show one column for both, so a description may stand among the values of another type.
                empty if empty.is_empty() && !matches!(shape, ValueSchema::OneOf(_)) => values,
                description => description,
            };
            fields.push(SchemaField { name: key, shape, description, optional: false });
        }
        Ok((!fields.is_empty()).then(|| Self(ValueSchema::Object(fields))))
    }

    /// Asks the model until its reply has the keys.
    ///
    /// # Errors
    /// When the model fails, or its second reply does not fit either.
    pub(super) fn ask(
        &self,
        label: &str,
        model: &Model,
        messages: Vec<ChatMessage>,
        turn: &RunContext<'_>,
    ) -> Result<Map<String, Value>> {
        let form = FormCall {
            function: "give_answer",
            purpose: "Gives your answer. Fill in every argument.",
            instruction: "Give your answer by calling the function give_answer once. Write nothing beside that call.",
            schema: &self.0,
        };
        let answer =
            form.ask(model, messages, &mut |request| model.ask(request, turn.host, &mut NullSink))?;
        answer
            .map_err(|why| fault(label, &format!("{} gave no answer with these keys: {why}", model.label())))
    }
}
