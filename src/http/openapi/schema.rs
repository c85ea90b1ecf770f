//! Shapes as JSON Schema 2020-12, with the named ones gathered aside.

use super::shape::{Shape, ShapeField, Text};
use serde_json::{Map, Value, json};

/// The named shapes that were met, by name.
#[derive(Default)]
pub(super) struct Components(Map<String, Value>);

impl Components {
    /// The schema of a shape; what it names is remembered.
    ///
    /// # Panics
    /// When two shapes have one name: shapes are written in code, and a test describes all of them.
    pub(super) fn schema(&mut self, shape: &Shape) -> Value {
        match shape {
            Shape::Anything => json!({}),
            Shape::Null => json!({"type": "null"}),
            Shape::Text(text) => text_schema(text),
            Shape::Whole(least) => json!({"type": "integer", "minimum": least}),
            Shape::Number => json!({"type": "number"}),
            Shape::Flag => json!({"type": "boolean"}),
            Shape::Words(words) => json!({"type": "string", "enum": words}),
            Shape::File => json!({"type": "string", "format": "binary"}),
            Shape::Object(fields) => self.object(fields),
            Shape::Map(values) => {
                json!({"type": "object", "additionalProperties": self.schema(values)})
            }
            Shape::List(items) => json!({"type": "array", "items": self.schema(items)}),
            Shape::Maybe(shape) => self.or_null(shape),
            Shape::AnyOf(shapes) => {
                json!({"anyOf": shapes.iter().map(|shape| self.schema(shape)).collect::<Vec<_>>()})
            }
            Shape::Named(named) => {
                if !self.0.contains_key(named.name) {
                    // Its own name first, so that a shape may hold itself.
                    self.0.insert(named.name.to_owned(), Value::Null);
                    let mut schema = self.schema(&named.shape);
                    schema["description"] = named.about.into();
                    self.0.insert(named.name.to_owned(), schema);
                }
                json!({"$ref": format!("#/components/schemas/{}", named.name)})
            }
        }
    }

    fn object(&mut self, fields: &[ShapeField]) -> Value {
        let mut properties = Map::new();
        for field in fields {
            let mut schema = self.schema(&field.shape);
            if !field.about.is_empty() {
                schema["description"] = field.about.into();
            }
            properties.insert(field.name.to_owned(), schema);
        }
        let required: Vec<&str> =
            fields.iter().filter(|field| field.required).map(|field| field.name).collect();
        let mut object = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            object["required"] = required.into();
        }
        object
    }

    fn or_null(&mut self, shape: &Shape) -> Value {
        let mut schema = self.schema(shape);
        match schema.get("type") {
            Some(Value::String(kind)) if schema.get("enum").is_none() => {
                schema["type"] = json!([kind, "null"]);
                schema
            }
            _ => json!({"anyOf": [schema, {"type": "null"}]}),
        }
    }

    /// All of them, by name.
    pub(super) fn finish(self) -> Value {
        let mut named: Vec<(String, Value)> = self.0.into_iter().collect();
        named.sort_by(|(one, _), (other, _)| one.cmp(other));
        Value::Object(named.into_iter().collect())
    }
}

fn text_schema(text: &Text) -> Value {
    let mut schema = json!({"type": "string"});
    let words = [("format", text.format), ("pattern", text.pattern)];
    for (name, word) in words {
        if let Some(word) = word {
            schema[name] = word.into();
        }
    }
    for (name, number) in [("minLength", text.min), ("maxLength", text.max)] {
        if let Some(number) = number {
            schema[name] = number.into();
        }
    }
    schema
}
