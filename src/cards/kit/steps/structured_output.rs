//! Answers with fixed keys: the owner lists them, the model gives them as the arguments of a function.

use crate::domain::error::Result;
use crate::domain::service::answer_schema::{AnswerForm, AnswerSchema, KeyFault};
use crate::kit::build::inputs::Inputs;
use crate::kit::build::json_schema;
use crate::kit::build::output_schema::{SchemaField, ValueSchema};
use crate::kit::capabilities::host::Host;
use crate::kit::models::model::Model;
use crate::kit::models::model_tally::ModelTally;
use crate::kit::models::token_sink::TokenSink;
use crate::kit::schema::card::Card;
use crate::kit::schema::input::{Choice, Input};
use crate::kit::steps::made_files::keep_files;
use crate::llm::{ChatMessage, ChatRequest, Completion, ToolCall, ToolSpec};
use serde_json::{Map, Value};

/// Keys an answer may have.
const KEYS_MAX: usize = 100;
/// The function that the model calls with its answer.
const FUNCTION: &str = "give_answer";
const PURPOSE: &str = "Gives your answer. Fill in every argument.";
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
        let rows = inputs.rows(input);
        let keys: Vec<KeyRow> = rows.iter().map(KeyRow::from_inputs).collect();
        let (fields, faults) = read_rows(&keys);
        if let Some(fault) = faults.first() {
            return Err(rows[fault.row].input_error(fault.field, &fault.message));
        }
        Ok((!fields.is_empty()).then(|| Self { inputs, input, schema: ValueSchema::Object(fields) }))
    }

    /// An answer of a shape that the card itself settles; `input` is named when there is none.
    #[must_use]
    pub(crate) const fn of(inputs: &'a Inputs<'a>, input: &'static str, schema: ValueSchema) -> Self {
        Self { inputs, input, schema }
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
        let form =
            FormCall { function: FUNCTION, purpose: PURPOSE, instruction: INSTRUCTION, schema: &self.schema };
        let answer = form.ask(model, std::mem::take(&mut messages), &mut |request| {
            let reply = tally.ask(model, request, host, sink)?;
            keep_files(self.inputs, model, &reply.files, tally)?;
            Ok(reply)
        })?;
        answer.map_err(|fault| {
            let wrong = format!("{} gave no answer with these keys: {fault}", model.label());
            self.inputs.input_error(self.input, &wrong)
        })
    }
}

/// A form that a model fills in by calling a function.
pub(crate) struct FormCall<'a> {
    /// The name of the function.
    pub(crate) function: &'a str,
    /// What the model reads about it.
    pub(crate) purpose: &'a str,
    /// What the model is told to do.
    pub(crate) instruction: &'a str,
    pub(crate) schema: &'a ValueSchema,
}

impl FormCall<'_> {
    /// Asks until the answer fits: after one that does not the model is told why, once. What is wrong with the second answer
    /// is the inner error.
    ///
    /// # Errors
    /// When the model fails.
    pub(crate) fn ask(
        &self,
        model: &Model,
        mut messages: Vec<ChatMessage>,
        ask: &mut dyn FnMut(&ChatRequest) -> Result<Completion>,
    ) -> Result<Result<Map<String, Value>, String>> {
        let calls_functions = model.takes_tools();
        let form = if calls_functions { self.instruction.to_owned() } else { self.schema.instructions() };
        let instructions = messages.iter().take_while(|message| matches!(message, ChatMessage::System(_)));
        messages.insert(instructions.count(), ChatMessage::System(form));
        let tools = if calls_functions { vec![self.function()] } else { Vec::new() };
        let request = ChatRequest { messages, tools, ..ChatRequest::default() };
        let first = ask(&request)?;
        let fault = match self.read(&first) {
            Ok(answer) => return Ok(Ok(answer)),
            Err(fault) => fault,
        };
        let mut messages = request.messages;
        messages.extend(correction(first, &fault));
        let second = ask(&ChatRequest { messages, ..request })?;
        Ok(self.read(&second))
    }

    fn function(&self) -> ToolSpec {
        ToolSpec {
            name: self.function.to_owned(),
            description: self.purpose.to_owned(),
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

#[must_use]
pub(crate) fn answer_text(answer: &Map<String, Value>) -> String {
    serde_json::to_string_pretty(answer).unwrap_or_default()
}

/// A key as its owner wrote it.
struct KeyRow {
    key: String,
    kind: String,
    values: String,
    schema: String,
    description: String,
}

impl KeyRow {
    fn new(text: impl Fn(&str) -> String) -> Self {
        Self {
            key: text("key"),
            kind: text("type"),
            values: text("enumValues"),
            schema: text("jsonSchema"),
            description: text("description"),
        }
    }

    fn from_inputs(row: &Inputs<'_>) -> Self {
        Self::new(|name| row.optional_text(name).unwrap_or_default())
    }

    /// Of a canvas, where values are as they were saved.
    fn from_json(row: &Value) -> Self {
        Self::new(|name| match row.get(name) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        })
    }

    /// What the value must be, or which input of the row is wrong and why.
    fn shape(&self) -> Result<ValueSchema, (&'static str, String)> {
        Ok(match self.kind.as_str() {
            "stringArray" => ValueSchema::List(Box::new(ValueSchema::Text)),
            "number" => ValueSchema::Number,
            "boolean" => ValueSchema::Switch,
            "enum" => {
                let values = self.values.split(',').map(str::trim).filter(|value| !value.is_empty());
                let values: Vec<Value> = values.map(Value::from).collect();
                if values.is_empty() {
                    return Err(("enumValues", "list at least one value".to_owned()));
                }
                ValueSchema::OneOf(values)
            }
            "jsonArray" if self.schema.is_empty() => {
                return Err(("jsonSchema", "fill this in".to_owned()));
            }
            // No JSON has two such braces in a row but in a text: what the reference stands for is known when the flow runs.
            "jsonArray" if self.schema.contains("{{") => ValueSchema::List(Box::new(ValueSchema::Anything)),
            "jsonArray" => {
                let of = json_schema::parse_object(&self.schema).map_err(|fault| ("jsonSchema", fault))?;
                ValueSchema::List(Box::new(of))
            }
            _ => ValueSchema::Text,
        })
    }
}

/// The keys of these rows, and what is wrong with them. A row without a key is none.
fn read_rows(rows: &[KeyRow]) -> (Vec<SchemaField>, Vec<KeyFault>) {
    let (mut fields, mut faults) = (Vec::<SchemaField>::new(), Vec::new());
    let fault = |row: usize, field: &'static str, message: String| {
        let label = KEY_ROW.iter().find(|input| input.name == field).map_or(field, |input| input.label);
        KeyFault { row, field, label, message }
    };
    for (at, row) in rows.iter().enumerate() {
        let name = row.key.trim();
        if at == KEYS_MAX {
            faults.push(fault(at, "key", format!("there can be at most {KEYS_MAX} keys")));
            break;
        }
        if name.is_empty() {
            continue;
        }
        if fields.iter().any(|field| field.name == name) {
            faults.push(fault(at, "key", format!("'{name}' is there twice")));
        }
        let shape = row.shape().unwrap_or_else(|(field, message)| {
            faults.push(fault(at, field, message));
            ValueSchema::Anything
        });
        let description = row.description.clone();
        fields.push(SchemaField { name: name.to_owned(), shape, description, optional: false });
    }
    (fields, faults)
}

/// What a model is sent for the rows of a canvas, with an answer that fits it; or what is wrong with them.
#[must_use]
pub fn describe_rows(rows: &[Value]) -> AnswerSchema {
    let rows: Vec<KeyRow> = rows.iter().map(KeyRow::from_json).collect();
    let (fields, faults) = read_rows(&rows);
    let form = (faults.is_empty() && !fields.is_empty()).then(|| {
        let schema = ValueSchema::Object(fields);
        AnswerForm { schema: schema.schema(), example: schema.example() }
    });
    AnswerSchema { form, faults }
}

/// What is wrong with the keys that the card of a canvas lists for its answer.
pub fn key_faults(
    card: &'static Card,
    values: &Map<String, Value>,
) -> impl Iterator<Item = (&'static Input, KeyFault)> {
    let faults = |input: &'static Input| {
        describe_rows(rows_of(input, values)).faults.into_iter().map(move |fault| (input, fault))
    };
    keys_inputs(card).flat_map(faults)
}

/// The inputs of a card that list keys of its answer.
fn keys_inputs(card: &'static Card) -> impl Iterator<Item = &'static Input> {
    let is_keys = |input: &&Input| {
        input.row_fields().iter().map(|field| field.name).eq(KEY_ROW.iter().map(|field| field.name))
    };
    card.inputs.iter().filter(is_keys)
}

fn rows_of<'a>(input: &Input, values: &'a Map<String, Value>) -> &'a [Value] {
    values.get(input.name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A card with these inputs says which keys its answer has.
#[must_use]
pub fn declares_keys(card: &'static Card, values: &Map<String, Value>) -> bool {
    keys_inputs(card).any(|input| !rows_of(input, values).is_empty())
}

/// The schema of the answer of a card with these inputs, where it says one.
#[must_use]
pub fn declared_schema(card: &'static Card, values: &Map<String, Value>) -> Option<Value> {
    keys_inputs(card).find_map(|input| Some(describe_rows(rows_of(input, values)).form?.schema))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn faults(rows: &Value) -> Vec<String> {
        describe_rows(rows.as_array().unwrap()).faults.iter().map(KeyFault::phrase).collect()
    }

    #[test]
    fn the_example_fits_the_schema_that_the_model_is_sent() {
        let inner =
            r#"{"name": {"type": "string"}, "sizes": {"type": "array", "items": {"type": "integer"}}}"#;
        let rows = json!([
            {"key": "mood", "type": "enum", "enumValues": "good, bad", "description": "How it sounds"},
            {"key": "tags", "type": "stringArray"},
            {"key": "score", "type": "number"},
            {"key": "sure", "type": "boolean"},
            {"key": "people", "type": "jsonArray", "jsonSchema": inner},
            {"key": "text"},
        ]);
        let form = describe_rows(rows.as_array().unwrap()).form.unwrap();
        let properties = &form.schema["properties"];
        assert_eq!(properties["mood"], json!({"enum": ["good", "bad"], "description": "How it sounds"}));
        assert_eq!(form.example["people"], json!([{"name": "text", "sizes": [1]}]));
        let (fields, _) =
            read_rows(&rows.as_array().unwrap().iter().map(KeyRow::from_json).collect::<Vec<_>>());
        assert_eq!(ValueSchema::Object(fields).fit(&form.example, "it"), Ok(form.example));
    }

    #[test]
    fn each_fault_is_told_at_its_row_and_no_schema_is_given() {
        let rows = json!([
            {"key": "a"},
            {"key": " a "},
            {"key": "b", "type": "enum", "enumValues": " , "},
            {"key": "c", "type": "jsonArray", "jsonSchema": "{"},
            {"key": "", "type": "enum"},
        ]);
        let told = faults(&rows);
        assert_eq!(told[0], "row 2: Key: 'a' is there twice");
        assert_eq!(told[1], "row 3: Values: list at least one value");
        assert!(told[2].starts_with("row 4: JSON Schema: the schema is not valid JSON"), "{told:?}");
        assert_eq!((told.len(), describe_rows(rows.as_array().unwrap()).form), (3, None));
    }

    #[test]
    fn a_schema_with_a_reference_is_not_judged_before_the_flow_runs() {
        assert!(
            faults(&json!([{"key": "a", "type": "jsonArray", "jsonSchema": "{{ $vars.schema }}"}]))
                .is_empty()
        );
    }

    #[test]
    fn keys_are_bounded() {
        let rows: Vec<Value> = (0..=KEYS_MAX).map(|at| json!({"key": format!("k{at}")})).collect();
        assert_eq!(faults(&rows.into()), ["row 101: Key: there can be at most 100 keys"]);
    }

    #[test]
    fn no_keys_are_no_schema() {
        assert_eq!(describe_rows(&[json!({"key": " "})]), AnswerSchema { form: None, faults: Vec::new() });
    }
}
