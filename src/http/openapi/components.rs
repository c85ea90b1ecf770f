//! Types and parameters as JSON Schema 2020-12; types with a name are gathered aside.

use super::body_type::TypeSchema;
use super::spec::ParamKind;
use schemars::SchemaGenerator;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// The schemas that were met and have a name.
pub(super) struct Components {
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
            forms: HashSet::new(),
            read: settings.clone().for_deserialize().into_generator(),
            written: settings.for_serialize().into_generator(),
        }
    }
}

impl Components {
    /// The schema of a body that the service reads or writes.
    pub(super) fn body(&mut self, schema: TypeSchema, contract: Contract) -> Value {
        let generator = if contract.is_serialize() { &mut self.written } else { &mut self.read };
        simplify((schema.make)(generator).to_value())
    }

    /// The schema of a form that the service reads. What a form has not is left out of it: nothing in it is null.
    pub(super) fn form(&mut self, schema: TypeSchema) -> Value {
        let schema = self.body(schema, Contract::Deserialize);
        let name = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next());
        self.forms.extend(name.map(str::to_owned));
        schema
    }

    /// All of them, by name.
    ///
    /// # Panics
    /// When one name stands for two schemas.
    pub(super) fn finish(mut self) -> Value {
        let mut named: Map<String, Value> = Map::new();
        for generator in [&mut self.read, &mut self.written] {
            for (name, schema) in generator.take_definitions(true) {
                let mut schema = simplify(schema);
                if self.forms.contains(&name) {
                    let fields = schema["properties"].as_object_mut().into_iter().flatten();
                    fields.for_each(|(_, field)| remove_null(field));
                }
                let known = named.entry(&name).or_insert_with(|| schema.clone());
                assert!(*known == schema, "two schemas are called {name}: {known} and {schema}");
            }
        }
        let mut sorted: Vec<(String, Value)> = named.into_iter().collect();
        sorted.sort_by(|(one, _), (other, _)| one.cmp(other));
        Value::Object(sorted.into_iter().collect())
    }
}

/// The schema of a parameter.
pub(super) fn param_schema(kind: ParamKind) -> Value {
    match kind {
        ParamKind::Text => json!({"type": "string"}),
        ParamKind::Format(format) => json!({"type": "string", "format": format}),
        ParamKind::Pattern(pattern) => json!({"type": "string", "pattern": pattern}),
        ParamKind::Bounded(min, max) => json!({"type": "string", "minLength": min, "maxLength": max}),
        ParamKind::Whole(least) => json!({"type": "integer", "minimum": least}),
        ParamKind::Words(words) => json!({"type": "string", "enum": words}),
        ParamKind::List(items) => json!({"type": "array", "items": param_schema(*items)}),
    }
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
