//! A model's arguments for a tool, checked against the tool's schema.

use serde_json::{Map, Value};

/// Nesting beyond this is taken as it is.
const DEPTH_MAX: usize = 32;

/// The arguments as the tool is to see them: required names are there, simple types fit, and what a model says it
/// leaves out is left out.
///
/// # Errors
/// A sentence the model can act on.
pub(crate) fn check_arguments(schema: &Value, arguments: &Value) -> Result<Value, String> {
    if !arguments.is_object() {
        return Err("The arguments must be a JSON object.".to_owned());
    }
    let arguments = without_absent(schema, arguments, 0);
    for name in required_names(schema) {
        if arguments.get(name).is_none() {
            return Err(format!("The argument '{name}' is missing."));
        }
    }
    for (name, value) in arguments.as_object().into_iter().flatten() {
        let property = &schema["properties"][name.as_str()];
        let Some(wanted) = property["type"].as_str().filter(|_| !(value.is_null() && takes_null(property)))
        else {
            continue;
        };
        let fits = match wanted {
            "string" => value.is_string(),
            "number" => value.is_number(),
            "integer" => value.is_i64() || value.is_u64(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => true,
        };
        if !fits {
            return Err(format!("The argument '{name}' must be of type {wanted}."));
        }
    }
    Ok(arguments)
}

fn required_names(schema: &Value) -> impl Iterator<Item = &str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Without those that are null though their schema knows no null: so models write that an optional argument is left
/// out, and strict tools leave them no other way.
fn without_absent(schema: &Value, value: &Value, depth: usize) -> Value {
    match value {
        Value::Object(given) if depth < DEPTH_MAX => {
            let is_absent = |name: &str, value: &Value| {
                let property = schema["properties"].get(name);
                value.is_null()
                    && property.is_some_and(|property| !takes_null(property))
                    && !required_names(schema).any(|required| required == name)
            };
            let kept = given.iter().filter(|(name, value)| !is_absent(name, value));
            let inner = |(name, value): (&String, &Value)| {
                (name.clone(), without_absent(&schema["properties"][name.as_str()], value, depth + 1))
            };
            Value::Object(kept.map(inner).collect::<Map<_, _>>())
        }
        Value::Array(items) if depth < DEPTH_MAX => {
            items.iter().map(|item| without_absent(&schema["items"], item, depth + 1)).collect()
        }
        other => other.clone(),
    }
}

/// True when null is a value that this schema lets through.
fn takes_null(schema: &Value) -> bool {
    let is_null = |kind: &Value| kind == "null";
    let choices = ["anyOf", "oneOf"].into_iter().filter_map(|name| schema[name].as_array());
    if schema["nullable"] == true || choices.flatten().any(takes_null) {
        return true;
    }
    match (&schema["type"], &schema["enum"]) {
        (Value::Array(kinds), _) => kinds.iter().any(is_null),
        (Value::String(kind), _) => kind == "null",
        (_, Value::Array(values)) => values.iter().any(Value::is_null),
        // A schema that says nothing lets all through.
        _ => ["anyOf", "oneOf", "const", "$ref"].into_iter().all(|name| schema.get(name).is_none()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_checked_against_the_schema() {
        let schema =
            json!({"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]});
        assert!(check_arguments(&schema, &json!({"input": "1+1"})).is_ok());
        assert!(check_arguments(&schema, &json!({})).unwrap_err().contains("'input' is missing"));
        assert!(check_arguments(&schema, &json!({"input": 7})).unwrap_err().contains("type string"));
        assert!(check_arguments(&schema, &json!({"input": null})).unwrap_err().contains("type string"));
        assert!(check_arguments(&schema, &json!("1+1")).is_err());
    }

    #[test]
    fn null_for_an_optional_argument_leaves_it_out_unless_null_is_a_value_of_it() {
        let optional = |property: Value| {
            let schema = json!({"type": "object", "properties": {"a": property}});
            check_arguments(&schema, &json!({"a": null})).unwrap()
        };
        for left_out in [
            json!({"type": "string"}),
            json!({"type": "integer"}),
            json!({"type": "object"}),
            json!({"enum": ["x"]}),
            json!({"anyOf": [{"type": "string"}, {"type": "number"}]}),
        ] {
            assert_eq!(optional(left_out.clone()), json!({}), "{left_out}");
        }
        for kept in [
            json!({}),
            json!({"type": ["string", "null"]}),
            json!({"type": "string", "nullable": true}),
            json!({"enum": ["x", null]}),
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ] {
            assert_eq!(optional(kept.clone()), json!({"a": null}), "{kept}");
        }
        let unknown = check_arguments(&json!({"type": "object"}), &json!({"a": null}));
        assert_eq!(unknown, Ok(json!({"a": null})));
    }

    #[test]
    fn null_is_left_out_at_any_depth() {
        let row = json!({"type": "object", "properties": {"b": {"type": "string"}, "c": {"type": "string"}}, "required": ["c"]});
        let schema =
            json!({"type": "object", "properties": {"rows": {"type": "array", "items": row}, "one": row}});
        let given = json!({"rows": [{"b": null, "c": "x"}], "one": {"b": null, "c": null}});
        let seen = json!({"rows": [{"c": "x"}], "one": {"c": null}});
        assert_eq!(check_arguments(&schema, &given), Ok(seen));
    }
}
