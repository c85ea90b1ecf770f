//! Schemas of strict tools: what the provider demands of them, and which can be made so.

use serde_json::{Map, Value, json};

/// Nesting beyond this is not looked at, and so not strict.
const DEPTH_MAX: usize = 32;
/// Words that strict tools may use. One that the provider does not know makes it refuse all tools of a request.
const KNOWN: &[&str] = &[
    "$schema",
    "$defs",
    "$ref",
    "type",
    "title",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "anyOf",
    "enum",
    "const",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
];

/// The schema as strict tools have it: every object closed, every property required, those that were optional allowed to
/// be null. `None` when it has a place where anything may stand, or a word strict tools do not know.
pub(in crate::llm::protocols) fn strict(schema: &Value) -> Option<Value> {
    let mut schema = schema.clone();
    if let Value::Object(map) = &mut schema {
        // A tool without arguments.
        map.entry("properties").or_insert_with(|| json!({}));
    }
    is_closed(&schema, 0).then(|| {
        tighten(&mut schema);
        schema
    })
}

/// True when nothing in it is left open.
fn is_closed(schema: &Value, depth: usize) -> bool {
    let Value::Object(map) = schema else { return false };
    if depth > DEPTH_MAX || !map.keys().all(|word| KNOWN.contains(&word.as_str())) {
        return false;
    }
    let each = |list: &Value| match list {
        Value::Array(list) => list.iter().all(|one| is_closed(one, depth + 1)),
        Value::Object(named) => named.values().all(|one| is_closed(one, depth + 1)),
        _ => false,
    };
    let says_what = ["type", "anyOf", "enum", "const", "$ref"].iter().any(|word| map.contains_key(*word));
    let is_open = match map.get("additionalProperties") {
        None => false,
        Some(more) => *more != false,
    };
    (says_what || map.contains_key("properties"))
        && !is_open
        && (!has_type(map, "object") || map.contains_key("properties"))
        && (!has_type(map, "array") || map.get("items").is_some_and(|items| is_closed(items, depth + 1)))
        && ["properties", "anyOf", "$defs"].iter().all(|word| map.get(*word).is_none_or(each))
}

fn has_type(schema: &Map<String, Value>, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|known| known == kind),
        Some(known) => known == kind,
        None => false,
    }
}

/// Of a schema that is [`is_closed`].
fn tighten(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    if map.contains_key("properties") {
        let required: Vec<Value> = map.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut names = Vec::new();
        for (name, property) in map["properties"].as_object_mut().into_iter().flatten() {
            let name: Value = name.as_str().into();
            if !required.contains(&name) {
                allow_null(property);
            }
            names.push(name);
        }
        map.insert("required".into(), names.into());
        map.insert("additionalProperties".into(), false.into());
    }
    for inner in ["items", "anyOf", "$defs", "properties"] {
        match map.get_mut(inner) {
            Some(Value::Array(list)) => list.iter_mut().for_each(tighten),
            Some(Value::Object(named)) if inner != "items" => named.values_mut().for_each(tighten),
            Some(one) => tighten(one),
            None => {}
        }
    }
}

/// Lets null stand for an argument that may be left out.
fn allow_null(property: &mut Value) {
    let Value::Object(map) = property else { return };
    let is_plain = !map.contains_key("anyOf") && !map.contains_key("$ref") && !map.contains_key("const");
    if is_plain && let Some(kind) = map.get_mut("type") {
        let mut kinds = match kind.take() {
            Value::Array(kinds) => kinds,
            one => vec![one],
        };
        if !kinds.iter().any(|kind| kind == "null") {
            kinds.push("null".into());
        }
        *kind = kinds.into();
    }
    if is_plain {
        if let Some(Value::Array(values)) = map.get_mut("enum")
            && !values.contains(&Value::Null)
        {
            values.push(Value::Null);
        }
        return;
    }
    if let Some(Value::Array(choices)) = map.get_mut("anyOf") {
        if !choices.iter().any(|choice| choice["type"] == "null") {
            choices.push(json!({"type": "null"}));
        }
        return;
    }
    *property = json!({"anyOf": [property.take(), {"type": "null"}]});
}

#[cfg(test)]
mod tests {
    use super::*;

    fn property(schema: Value) -> Option<Value> {
        let tool = json!({"type": "object", "properties": {"a": schema}});
        strict(&tool).map(|tool| tool["properties"]["a"].clone())
    }

    #[test]
    fn whatever_may_be_left_out_may_be_null() {
        for (given, sent) in [
            (json!({"type": "string"}), json!({"type": ["string", "null"]})),
            (json!({"type": ["string", "number"]}), json!({"type": ["string", "number", "null"]})),
            (
                json!({"type": "string", "enum": ["x"]}),
                json!({"type": ["string", "null"], "enum": ["x", null]}),
            ),
            (json!({"enum": ["x"]}), json!({"enum": ["x", null]})),
            (
                json!({"anyOf": [{"type": "string"}, {"type": "number"}]}),
                json!({"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}]}),
            ),
            (json!({"$ref": "#/$defs/x"}), json!({"anyOf": [{"$ref": "#/$defs/x"}, {"type": "null"}]})),
        ] {
            assert_eq!(property(given.clone()), Some(sent), "{given}");
        }
    }

    #[test]
    fn a_schema_with_an_open_place_is_not_strict() {
        for open in [
            json!({}),
            json!({"description": "anything"}),
            json!({"type": "object"}),
            json!({"type": "object", "additionalProperties": true, "properties": {"b": {"type": "string"}}}),
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": "array"}),
            json!({"type": "array", "items": {}}),
            json!({"type": "array", "items": {"type": "object"}}),
            json!({"anyOf": [{"type": "object"}, {"type": "string"}]}),
            json!({"oneOf": [{"type": "string"}]}),
            json!({"type": "string", "format": "uri"}),
            json!({"type": "string", "default": "x"}),
            json!(true),
        ] {
            assert_eq!(property(open.clone()), None, "{open}");
        }
        let mut deep = json!({"type": "string"});
        for _ in 0..=DEPTH_MAX {
            deep = json!({"type": "array", "items": deep});
        }
        assert_eq!(property(deep), None);
        assert_eq!(strict(&json!({"type": "object", "additionalProperties": true})), None);
    }

    #[test]
    fn a_tool_without_arguments_is_strict() {
        let closed =
            json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
        assert_eq!(strict(&json!({"type": "object"})), Some(closed.clone()));
        assert_eq!(strict(&json!({"type": "object", "properties": {}})), Some(closed));
    }
}
