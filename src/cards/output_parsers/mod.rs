//! Output parsers: components that read a model's text into a value.

pub(crate) mod advanced_structured;
pub(crate) mod csv;
pub(crate) mod custom_list;
pub(crate) mod structured;

use crate::kit::build::output_schema::{SchemaField, ValueSchema};
use serde_json::{Map, Value};

/// What stands around a list where an object is wanted.
pub(crate) const ITEMS: &str = "items";

/// The schema of what a parser with these settings reads, a list as the items of an object. `None` for other cards, and for
/// settings that say nothing of the kind.
#[must_use]
pub fn declared_schema(card: &str, values: &Map<String, Value>) -> Option<Value> {
    let shape = match card {
        "csvOutputParser" | "customListOutputParser" => ValueSchema::List(Box::new(ValueSchema::Text)),
        "structuredOutputParser" => structured::declared_shape(values)?,
        "advancedStructuredOutputParser" => advanced_structured::declared_shape(values)?,
        _ => return None,
    };
    match shape {
        ValueSchema::Object(_) => Some(shape.schema()),
        ValueSchema::List(_) => {
            let (name, description) = (ITEMS.to_owned(), String::new());
            let items = SchemaField { name, shape, description, optional: false };
            Some(ValueSchema::Object(vec![items]).schema())
        }
        _ => None,
    }
}
