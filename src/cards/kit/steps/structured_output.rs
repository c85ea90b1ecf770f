//! Answers with fixed keys: the owner lists them, the model gives them as the arguments of a function.

use crate::cards::kit::build::inputs::Inputs;
use crate::cards::kit::build::json_schema;
use crate::cards::kit::build::output_schema::{SchemaField, ValueSchema};
use crate::cards::kit::capabilities::host::Host;
use crate::cards::kit::models::model::Model;
use crate::cards::kit::models::model_tally::ModelTally;
use crate::cards::kit::models::token_sink::TokenSink;
use crate::cards::kit::schema::input::{Choice, Input};
use crate::cards::kit::steps::made_files::keep_files;
use crate::domain::error::Result;
use crate::llm::{ChatMessage, ChatRequest, Completion, ToolCall, ToolSpec};
use serde_json::{Map, Value};

/// Keys an answer may have.
const KEYS_MAX: usize = 100;
/// The function that the model calls with its answer.
const FUNCTION: &str = "give_answer";
const INSTRUCTION: &str =
    "Give your answer by calling the function give_answer once. Write nothing beside that call.";

/// The fields of a key.
const KEY_ROW: &[Input] = &[
    Input::text("key", "Key"),
    Input::choice(
        "type",
        "Type",
        &[
            Choice::new("string", "Text"),
            Choice::new("stringArray", "List of Texts"),
            Choice::new("number", "Number"),
            Choice::new("boolean", "Yes or No"),
            Choice::new("enum", "One of a List"),
            Choice::new("jsonArray", "List of Objects"),
        ],
    ),
    Input::text("enumValues", "Values").optional().when("type", "enum").help("Divided by commas."),
    Input::code("jsonSchema", "JSON Schema")
        .optional()
        .when("type", "jsonArray")
        .help("The properties of one object of the list, each with its type and description."),
    Input::text("description", "Description").optional(),
];

/// The keys of the answer.
#[must_use]
pub(crate) const fn keys_input(name: &'static str) -> Input {
    Input::rows(name, "JSON Structured Output", KEY_ROW).optional().variables().help(
        "The keys that the answer must have. A key named like an entry that every step has, such as content, stays in \
         the JSON of the answer alone.",
    )
}

/// The entries by which steps describe themselves: no key of an answer takes their place.
const OWN_ENTRIES: &[&str] = &[
    "content",
    "error",
    "attempts",
    "timeMetadata",
    "usageMetadata",
    "responseMetadata",
    "reasonContent",
    "calledTools",
    "usedTools",
    "availableTools",
    "sourceDocuments",
    "artifacts",
    "fileAnnotations",
    "isWaitingForHumanInput",
    "humanInputAction",
];

/// The keys that an answer must have.
pub(crate) struct StructuredOutput<'a> {
    inputs: &'a Inputs<'a>,
    input: &'static str,
    schema: ValueSchema,
}

impl<'a> StructuredOutput<'a> {
    /// What the card says; `None` for an answer that is a text.
    ///
    /// # Errors
    /// When a row says what no key can be.
    pub(crate) fn from_inputs(inputs: &'a Inputs<'a>, input: &'static str) -> Result<Option<Self>> {
        let mut fields: Vec<SchemaField> = Vec::new();
        let rows = inputs.rows(input);
        if rows.len() > KEYS_MAX {
            return Err(inputs.input_error(input, &format!("there can be at most {KEYS_MAX} keys")));
        }
        for row in rows {
            let Some(name) = row.optional_text("key").map(|key| key.trim().to_owned()) else { continue };
            if name.is_empty() {
                continue;
            }
            if fields.iter().any(|field| field.name == name) {
                return Err(inputs.input_error(input, &format!("'{name}' is there twice")));
            }
            let shape = shape(&row)?;
            let description = row.optional_text("description").unwrap_or_default();
            fields.push(SchemaField { name, shape, description, optional: false });
        }
        Ok((!fields.is_empty()).then(|| Self { inputs, input, schema: ValueSchema::Object(fields) }))
    }

    /// Asks until the answer has the keys: after one that does not fit the model is told why, once.
    ///
    /// # Errors
    /// When the model fails, or the second answer does not fit either.
    pub(crate) fn ask(
        &self,
        model: &Model,
        mut messages: Vec<ChatMessage>,
        tally: &mut ModelTally,
        host: &dyn Host,
        sink: &mut dyn TokenSink,
    ) -> Result<Map<String, Value>> {
        let calls_functions = model.takes_tools();
        let form = if calls_functions { INSTRUCTION.to_owned() } else { self.schema.instructions() };
        let instructions = messages.iter().take_while(|message| matches!(message, ChatMessage::System(_)));
        messages.insert(instructions.count(), ChatMessage::System(form));
        let tools = if calls_functions { vec![self.function()] } else { Vec::new() };
        let request = ChatRequest { messages, tools, ..ChatRequest::default() };
        let first = tally.ask(model, &request, host, sink)?;
        keep_files(self.inputs, model, &first.files, tally)?;
        let fault = match self.read(&first) {
            Ok(answer) => return Ok(answer),
            Err(fault) => fault,
        };
        let mut messages = request.messages;
        messages.extend(correction(first, &fault));
        let second = tally.ask(model, &ChatRequest { messages, ..request }, host, sink)?;
        keep_files(self.inputs, model, &second.files, tally)?;
        self.read(&second).map_err(|fault| {
            let wrong = format!("{} gave no answer with these keys: {fault}", model.label());
            self.inputs.input_error(self.input, &wrong)
        })
    }

    fn function(&self) -> ToolSpec {
        ToolSpec {
            name: FUNCTION.to_owned(),
            description: "Gives your answer. Fill in every argument.".to_owned(),
            schema: self.schema.schema(),
        }
    }

    /// The answer in a reply: the arguments of the call, or the JSON of a model that wrote it down all the same.
    fn read(&self, reply: &Completion) -> Result<Map<String, Value>, String> {
        let answer = match reply.calls.first() {
            Some(call) => self.schema.fit(&call.arguments, "the answer")?,
            None => self.schema.parse(&reply.text)?,
        };
        match answer {
            Value::Object(answer) => Ok(answer),
            _ => Err("the answer must be an object".to_owned()),
        }
    }
}

/// What the model is told about an answer that does not fit.
fn correction(reply: Completion, fault: &str) -> Vec<ChatMessage> {
    let told =
        format!("That does not fit: {fault}. Give the answer again, with everything that is asked for.");
    let answered = reply.calls.clone();
    let mut messages = Vec::new();
    if !reply.text.trim().is_empty() || !reply.calls.is_empty() {
        messages.push(reply.into_message());
    }
    if answered.is_empty() {
        messages.push(ChatMessage::user(told));
    } else {
        let result = |call: ToolCall| ChatMessage::result(call.id, call.name, told.as_str());
        messages.extend(answered.into_iter().map(result));
    }
    messages
}

/// Puts an answer into what a step made: each key beside the whole as text.
pub(crate) fn write_answer(answer: &Map<String, Value>, output: &mut Map<String, Value>) {
    for (key, value) in answer {
        if !OWN_ENTRIES.contains(&key.as_str()) {
            output.insert(key.clone(), value.clone());
        }
    }
}

/// An answer as text.
#[must_use]
pub(crate) fn answer_text(answer: &Map<String, Value>) -> String {
    serde_json::to_string_pretty(answer).unwrap_or_default()
}

/// What the value of a key must be.
fn shape(row: &Inputs<'_>) -> Result<ValueSchema> {
    Ok(match row.optional_text("type").as_deref() {
        Some("stringArray") => ValueSchema::List(Box::new(ValueSchema::Text)),
        Some("number") => ValueSchema::Number,
        Some("boolean") => ValueSchema::Switch,
        Some("enum") => {
            let values = row.comma_list("enumValues");
            if values.is_empty() {
                return Err(row.input_error("enumValues", "list at least one value"));
            }
            ValueSchema::OneOf(values.into_iter().map(Value::from).collect())
        }
        Some("jsonArray") => {
            let text = row.text("jsonSchema")?;
            let of = json_schema::parse_object(&text);
            ValueSchema::List(Box::new(of.map_err(|fault| row.input_error("jsonSchema", &fault))?))
        }
        _ => ValueSchema::Text,
    })
}
