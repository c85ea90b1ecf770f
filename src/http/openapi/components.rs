//! Shapes as JSON Schema 2020-12, with the named ones gathered aside.

use super::shape::{BodySchema, Shape, ShapeField, Text};
use schemars::SchemaGenerator;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// The schemas that were met and have a name.
pub(super) struct Components {
    named: Map<String, Value>,
    /// What types look like when they are read, and when they are written: a field with a default may be left out by
    /// whoever sends it and is always there in an answer.
    read: SchemaGenerator,
    /// The names of forms.
    forms: HashSet<String>,
    written: SchemaGenerator,
}

impl Default for Components {
    fn default() -> Self {
        let mut settings = SchemaSettings::draft2020_12();
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
        Self {
            named: Map::new(),
            forms: HashSet::new(),
            read: settings.clone().for_deserialize().into_generator(),
            written: settings.for_serialize().into_generator(),
        }
    }
}

impl Components {
    /// The schema of a body that the service reads or writes.
    pub(super) fn body(&mut self, schema: &BodySchema, contract: Contract) -> Value {
        match schema {
            BodySchema::Shape(shape) => self.schema(shape),
            BodySchema::Type(of_type) => {
                let generator = if contract.is_serialize() { &mut self.written } else { &mut self.read };
                simplify((of_type.make)(generator).to_value())
            }
        }
    }

    /// The schema of a form that the service reads. What a form has not is left out of it: nothing in it is null.
    pub(super) fn form(&mut self, schema: &BodySchema) -> Value {
        let schema = self.body(schema, Contract::Deserialize);
        let name = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next());
        self.forms.extend(name.map(str::to_owned));
        schema
    }

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
                if !self.named.contains_key(named.name) {
                    // Its own name first, so that a shape may hold itself.
                    self.named.insert(named.name.to_owned(), Value::Null);
                    let mut schema = self.schema(&named.shape);
                    schema["description"] = named.about.into();
                    self.named.insert(named.name.to_owned(), schema);
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
    ///
    /// # Panics
    /// When one name stands for two schemas.
    pub(super) fn finish(mut self) -> Value {
        for generator in [&mut self.read, &mut self.written] {
            for (name, schema) in generator.take_definitions(true) {
                let mut schema = simplify(schema);
                if self.forms.contains(&name) {
                    let fields = schema["properties"].as_object_mut().into_iter().flatten();
                    fields.for_each(|(_, field)| remove_null(field));
                }
                let known = self.named.entry(&name).or_insert_with(|| schema.clone());
                assert!(*known == schema, "two schemas are called {name}: {known} and {schema}");
            }
        }
        let mut named: Vec<(String, Value)> = self.named.into_iter().collect();
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

/// Leaves out what says nothing to a caller (the width of a number, a default that the field's absence means anyway) and says
/// the rest as the description says it everywhere: one list of words for a choice, `{}` for anything.
fn simplify(schema: Value) -> Value {
    let Value::Object(mut schema) = schema else {
        return if schema == Value::Bool(true) { json!({}) } else { schema };
    };
    for name in ["title", "default", "$schema"] {
        schema.remove(name);
    }
    if matches!(schema.get("type").and_then(main_type), Some("integer" | "number")) {
        // The width of the type that holds it bounds no number that a caller means.
        if schema
            .remove("format")
            .is_some_and(|format| format.as_str().is_some_and(|name| name.ends_with("16")))
        {
            schema.remove("maximum");
        }
    }
    if let Some(word) = schema.remove("const") {
        schema.insert("enum".to_owned(), json!([word]));
    }
    if let Some(choices) = schema.remove("oneOf") {
        schema.insert("anyOf".to_owned(), choices);
    }
    for (name, value) in &mut schema {
        let inner = std::mem::take(value);
        *value = match (name.as_str(), inner) {
            ("properties", Value::Object(fields)) => {
                fields.into_iter().map(|(name, field)| (name, simplify(field))).collect()
            }
            ("anyOf", Value::Array(choices)) => choices.into_iter().map(simplify).collect(),
            ("items" | "additionalProperties", inner) => simplify(inner),
            (_, inner) => inner,
        };
    }
    match schema.get("anyOf").and_then(Value::as_array).and_then(|choices| one_choice(choices)) {
        Some(words) => {
            schema.remove("anyOf");
            schema.insert("type".to_owned(), json!("string"));
            schema.insert("enum".to_owned(), words);
            Value::Object(schema)
        }
        None => Value::Object(schema),
    }
}

/// Leaves out that a value may be null.
fn remove_null(schema: &mut Value) {
    if let Some(kind) = schema.get("type").and_then(main_type).map(str::to_owned) {
        schema["type"] = kind.into();
    }
    if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        words.retain(|word| !word.is_null());
    }
    let Some(choices) = schema.get_mut("anyOf").and_then(Value::as_array_mut) else { return };
    choices.retain(|choice| choice["type"] != "null");
    if let [only] = choices.as_mut_slice() {
        let Value::Object(only) = only.take() else { return };
        let Some(schema) = schema.as_object_mut() else { return };
        schema.remove("anyOf");
        for (name, value) in only {
            schema.entry(name).or_insert(value);
        }
    }
}

/// The type of a value, or of one that may also be null.
fn main_type(kinds: &Value) -> Option<&str> {
    match kinds {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        kind => kind.as_str(),
    }
}

/// The words of choices that are each a list of words, which a type with comments on its variants is.
fn one_choice(choices: &[Value]) -> Option<Value> {
    let words = choices.iter().map(|choice| {
        let text = choice.get("type").and_then(Value::as_str) == Some("string");
        choice.get("enum").and_then(Value::as_array).filter(|_| text)
    });
    let words: Option<Vec<&Vec<Value>>> = words.collect();
    words.map(|words| words.into_iter().flatten().cloned().collect())
}
