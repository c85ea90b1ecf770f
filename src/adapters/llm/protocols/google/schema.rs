//! JSON Schema, reduced to what generateContent accepts: it refuses a request for one word it does not know.

use serde_json::{Map, Value, json};

/// Words that pass as they are.
const PASSED_KEYWORDS: &[&str] = &[
    "title",
    "description",
    "nullable",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "pattern",
    "required",
];
/// Formats that are known.
const FORMATS: &[&str] = &["enum", "date-time", "float", "double", "int32", "int64"];
/// Nesting beyond this is cut.
const DEPTH_MAX: usize = 24;

/// The schema in the words the provider knows.
pub(super) fn reduce_schema(schema: &Value) -> Value {
    reduce(schema, schema, 0)
}

fn reduce(schema: &Value, root: &Value, depth: usize) -> Value {
    let Some(map) = schema.as_object().filter(|_| depth <= DEPTH_MAX) else {
        return json!({"type": "string"});
    };
    if let Some(name) = map.get("$ref").and_then(Value::as_str) {
        let target = name.strip_prefix('#').and_then(|path| root.pointer(path));
        // A schema that contains itself ends at the depth limit.
        return target.map_or_else(|| json!({"type": "string"}), |target| reduce(target, root, depth + 1));
    }
    let mut out = Map::new();
    for name in PASSED_KEYWORDS {
        if let Some(value) = map.get(*name).filter(|value| !value.is_null()) {
            out.insert((*name).to_owned(), value.clone());
        }
    }
    if let Some(format) =
        map.get("format").filter(|format| format.as_str().is_some_and(|word| FORMATS.contains(&word)))
    {
        out.insert("format".into(), format.clone());
    }
    add_type(map, &mut out);
    add_choices(map, root, depth, &mut out);
    if let Some(properties) = map.get("properties").and_then(Value::as_object) {
        let reduced: Map<String, Value> = properties
            .iter()
            .map(|(name, property)| (name.clone(), reduce(property, root, depth + 1)))
            .collect();
        if let Some(required) = out.get_mut("required").and_then(Value::as_array_mut) {
            // A required name that is not declared is refused.
            required.retain(|name| name.as_str().is_some_and(|name| reduced.contains_key(name)));
        }
        out.insert("properties".into(), reduced.into());
    } else {
        out.remove("required");
    }
    if let Some(items) = map.get("items").or_else(|| map.get("prefixItems").and_then(|list| list.get(0))) {
        out.insert("items".into(), reduce(items, root, depth + 1));
    } else if out.get("type") == Some(&"array".into()) {
        out.insert("items".into(), json!({"type": "string"}));
    }
    if !out.contains_key("type") && !out.contains_key("anyOf") {
        let guess = if out.contains_key("properties") { "object" } else { "string" };
        out.insert("type".into(), guess.into());
    }
    out.into()
}

/// One type; `null` beside it becomes `nullable`.
fn add_type(map: &Map<String, Value>, out: &mut Map<String, Value>) {
    match map.get("type") {
        Some(Value::String(one)) if one != "null" => {
            out.insert("type".into(), one.as_str().into());
        }
        Some(Value::Array(several)) => {
            let mut kinds = several.iter().filter(|kind| *kind != "null");
            if let Some(kind) = kinds.next() {
                out.insert("type".into(), kind.clone());
            }
            if several.iter().any(|kind| kind == "null") {
                out.insert("nullable".into(), true.into());
            }
        }
        _ => {}
    }
}

fn add_choices(map: &Map<String, Value>, root: &Value, depth: usize, out: &mut Map<String, Value>) {
    let fixed = map.get("const").map(|value| vec![value.clone()]);
    let listed = map.get("enum").and_then(Value::as_array).cloned().or(fixed);
    // Only texts can be enumerated.
    if let Some(values) = listed.filter(|values| !values.is_empty() && values.iter().all(Value::is_string)) {
        out.insert("type".into(), "string".into());
        out.insert("enum".into(), values.into());
    }
    let Some(choices) = map.get("anyOf").or_else(|| map.get("oneOf")).and_then(Value::as_array) else {
        if let Some(all) = map.get("allOf").and_then(Value::as_array) {
            for part in all {
                if let Value::Object(part) = reduce(part, root, depth + 1) {
                    out.extend(part);
                }
            }
        }
        return;
    };
    let is_null = |choice: &&Value| choice["type"] == "null";
    if choices.iter().any(|choice| is_null(&choice)) {
        out.insert("nullable".into(), true.into());
    }
    let mut rest: Vec<Value> = choices
        .iter()
        .filter(|choice| !is_null(choice))
        .map(|choice| reduce(choice, root, depth + 1))
        .collect();
    if rest.len() == 1
        && let Some(Value::Object(only)) = rest.pop()
    {
        out.extend(only);
    } else if !rest.is_empty() {
        out.insert("anyOf".into(), rest.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_the_provider_refuses_are_gone() {
        for (schema, expected) in [
            (
                json!({"$schema":"x","type":"object","additionalProperties":false,"properties":{"a":{"type":"string","default":"x","examples":[1]}},"required":["a","gone"]}),
                json!({"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}),
            ),
            (
                json!({"type":["integer","null"],"exclusiveMinimum":0,"minimum":1}),
                json!({"minimum":1,"type":"integer","nullable":true}),
            ),
            (json!({"const":"x"}), json!({"type":"string","enum":["x"]})),
            (json!({"type":"integer","enum":[1,2]}), json!({"type":"integer"})),
            (json!({"type":"string","format":"uri"}), json!({"type":"string"})),
            (json!({"type":"string","format":"date-time"}), json!({"format":"date-time","type":"string"})),
            (json!({"type":"array"}), json!({"type":"array","items":{"type":"string"}})),
            (json!({"anyOf":[{"type":"string"},{"type":"null"}]}), json!({"nullable":true,"type":"string"})),
            (
                json!({"oneOf":[{"type":"string"},{"type":"number"}]}),
                json!({"anyOf":[{"type":"string"},{"type":"number"}]}),
            ),
            (json!({"allOf":[{"type":"string"},{"maxLength":3}]}), json!({"type":"string","maxLength":3})),
            (json!({}), json!({"type":"string"})),
            (json!(true), json!({"type":"string"})),
        ] {
            // The order of the words does not matter.
            assert_eq!(reduce_schema(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn references_are_put_in_place_and_circles_end() {
        let schema = json!({"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}},"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}});
        let accepted = reduce_schema(&schema);
        assert_eq!(accepted["properties"]["n"]["properties"]["next"]["type"], "object");
        assert!(!accepted.to_string().contains("$ref"));
    }
}
