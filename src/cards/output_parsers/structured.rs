//! Structured Output Parser: an object whose fields are listed in rows.

use super::csv::AUTOFIX;
use crate::domain::error::Result as Done;
use crate::kit::build::output_schema::{SchemaField, ValueSchema};
use crate::kit::{Card, Category, Factory, Input, Inputs, JsonShape, OutputParser, Risk};
use serde_json::{Map, Value};
use std::sync::Arc;

const ROWS: &str = "jsonStructure";
/// Rows a card may have.
const ROWS_MAX: usize = 100;

pub(crate) const CARD: Card = Card {
    name: "structuredOutputParser",
    label: "Structured Output Parser",
    version: 1.0,
    category: Category::OutputParsers,
    description: "Reads the answer into an object with the fields you list.",
    base_classes: &["StructuredOutputParser", "BaseLLMOutputParser", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        AUTOFIX,
        Input::json(ROWS, "JSON Structure")
            .shape(JsonShape::Rows(&["property", "type", "description"]))
            .lists()
            .or(r#"[{"property":"answer","type":"string","description":"The answer to the question"}]"#)
            .additional()
            .help("Rows of property, type (string, number or boolean) and description."),
    ],
    outputs: &[],
    make: Factory::OutputParser(|inputs| {
        Ok(Arc::new(Structured {
            shape: ValueSchema::Object(fields(inputs)?),
            asks_again: inputs.switch(AUTOFIX.name),
        }))
    }),
};

fn fields(inputs: &Inputs<'_>) -> Done<Vec<SchemaField>> {
    read_rows(inputs.json(ROWS)?).map_err(|why| inputs.input_error(ROWS, &why))
}

/// The form that a card with these settings reads.
pub(super) fn declared_shape(values: &Map<String, Value>) -> Option<ValueSchema> {
    let rows = match values.get(ROWS) {
        Some(Value::String(text)) if text.trim().is_empty() => None,
        Some(Value::String(text)) => Some(serde_json::from_str(text).ok()?),
        other => other.cloned().filter(|rows| !rows.is_null()),
    };
    read_rows(rows).ok().map(ValueSchema::Object)
}

fn read_rows(rows: Option<Value>) -> Result<Vec<SchemaField>, String> {
    let default = CARD.input(ROWS).and_then(|input| input.default).unwrap_or_default();
    let rows = match rows {
        None => serde_json::from_str(default).unwrap_or_default(),
        Some(Value::Array(rows)) if rows.len() <= ROWS_MAX => rows,
        Some(_) => return Err(format!("this must be a list of at most {ROWS_MAX} rows")),
    };
    let mut fields: Vec<SchemaField> = Vec::new();
    for row in &rows {
        let text = |name: &str| row[name].as_str().unwrap_or_default().trim();
        let name = text("property");
        if name.is_empty() {
            continue;
        }
        if fields.iter().any(|field| field.name == name) {
            return Err(format!("'{name}' is there twice"));
        }
        let shape = match text("type") {
            "number" => ValueSchema::Number,
            "boolean" => ValueSchema::Switch,
            _ => ValueSchema::Text,
        };
        let (name, description) = (name.to_owned(), text("description").to_owned());
        fields.push(SchemaField { name, shape, description, optional: false });
    }
    if fields.is_empty() {
        return Err("list at least one property".to_owned());
    }
    Ok(fields)
}

/// A parser over a schema of any kind.
pub(super) struct Structured {
    pub(super) shape: ValueSchema,
    pub(super) asks_again: bool,
}

impl OutputParser for Structured {
    fn instructions(&self) -> String {
        self.shape.instructions()
    }

    fn parse(&self, text: &str) -> Result<Value, String> {
        self.shape.parse(text)
    }

    fn asks_again(&self) -> bool {
        self.asks_again
    }
}
