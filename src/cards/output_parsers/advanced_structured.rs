//! Advanced Structured Output Parser: an object or a list that fits a schema written as text.

use super::csv::AUTOFIX;
use super::structured::Structured;
use crate::kit::build::output_schema::ValueSchema;
use crate::kit::build::zod;
use crate::kit::{Card, Category, Factory, Input, Risk};
use serde_json::{Map, Value};
use std::sync::Arc;

const SCHEMA: &str = "exampleJson";

pub(crate) const CARD: Card = Card {
    name: "advancedStructuredOutputParser",
    label: "Advanced Structured Output Parser",
    version: 1.0,
    category: Category::OutputParsers,
    description: "Reads the answer into an object or a list whose form you write as a schema.",
    base_classes: &["AdvancedStructuredOutputParser", "BaseLLMOutputParser", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        AUTOFIX,
        Input::lines(SCHEMA, "Example JSON")
            .or("z.object({\n    title: z.string().describe(\"The title\"),\n    year: z.number().int(),\n    \
                 genres: z.array(z.enum([\"Drama\", \"Comedy\", \"Horror\"])),\n    sequel: z.string().optional()\n})")
            .help("A schema in the notation of Zod: objects, lists, texts, numbers, switches, choices."),
    ],
    outputs: &[],
    make: Factory::OutputParser(|inputs| {
        let shape = zod::parse(&inputs.text(SCHEMA)?).map_err(|why| inputs.input_error(SCHEMA, &why))?;
        if !matches!(shape, ValueSchema::Object(_) | ValueSchema::List(_) | ValueSchema::Named(_) | ValueSchema::Either(_)) {
            return Err(inputs.input_error(SCHEMA, "the schema must be a z.object or a z.array"));
        }
        Ok(Arc::new(Structured { shape, asks_again: inputs.switch(AUTOFIX.name) }))
    }),
};

/// The form that a card with these settings reads.
pub(super) fn declared_shape(values: &Map<String, Value>) -> Option<ValueSchema> {
    let written = values.get(SCHEMA).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let default = CARD.input(SCHEMA).and_then(|input| input.default);
    zod::parse(written.or(default)?).ok()
}
