//! JSON Schemas as owners write them, as far as they describe values: read into the schema that answers are checked with.

use super::output_schema::{DEPTH_MAX, SchemaField, ValueSchema};
use serde_json::{Map, Value};

/// Reads the schema of an object: a whole JSON Schema of one, or its properties alone, each with its type.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_object(text: &str) -> Result<ValueSchema, String> {
    let written: Value =
        serde_json::from_str(text).map_err(|fault| format!("the schema is not valid JSON: {fault}"))?;
    let Value::Object(map) = &written else { return Err("the schema must be a JSON object".to_owned()) };
    if map.get("type").is_some_and(|kind| kind == "object") && map.get("properties").is_some() {
        return read(&written, 0);
    }
    object(map, None, 0)
}

fn read(schema: &Value, depth: usize) -> Result<ValueSchema, String> {
    if depth > DEPTH_MAX {
        return Err("the schema is nested too deeply".to_owned());
    }
    if let Some(values) = schema["enum"].as_array() {
        return Ok(ValueSchema::OneOf(values.clone()));
    }
    match schema["type"].as_str() {
        Some("string") => Ok(ValueSchema::Text),
        Some("number") => Ok(ValueSchema::Number),
        Some("integer") => Ok(ValueSchema::Whole),
        Some("boolean") => Ok(ValueSchema::Switch),
        Some("array") => match schema.get("items") {
            Some(items) => Ok(ValueSchema::List(Box::new(read(items, depth + 1)?))),
            None => Ok(ValueSchema::List(Box::new(ValueSchema::Anything))),
        },
        Some("object") => match schema["properties"].as_object() {
            Some(properties) => object(properties, schema["required"].as_array(), depth + 1),
            None => Ok(ValueSchema::Named(Box::new(ValueSchema::Anything))),
        },
        Some(other) => Err(format!("the schema has a type '{other}', which is none")),
        None => Ok(ValueSchema::Anything),
    }
}

/// Without a list of what is required, all is, but for what says of itself that it is not.
fn object(
    properties: &Map<String, Value>,
    required: Option<&Vec<Value>>,
    depth: usize,
) -> Result<ValueSchema, String> {
    if properties.is_empty() {
        return Err("the schema lists no property".to_owned());
    }
    let field = |(name, schema): (&String, &Value)| {
        let optional = match required {
            Some(required) => !required.iter().any(|needed| needed == name.as_str()),
            None => schema["required"] == false || schema["optional"] == true,
        };
        Ok(SchemaField {
            name: name.clone(),
            shape: read(schema, depth + 1)?,
            description: schema["description"].as_str().unwrap_or_default().to_owned(),
            optional,
        })
    };
    properties.iter().map(field).collect::<Result<_, String>>().map(ValueSchema::Object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_schema_may_be_its_properties_alone() {
        let whole = r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#;
        let alone = r#"{"n": {"type": "integer"}}"#;
        assert_eq!(parse_object(whole), parse_object(alone));
    }

    #[test]
    fn lists_objects_and_fixed_values_are_read() {
        let text =
            r#"{"a": {"type": "array", "items": {"type": "object", "properties": {"b": {"enum": ["x"]}}}}}"#;
        let schema = parse_object(text).unwrap();
        assert_eq!(schema.fit(&json!({"a": [{"b": "x"}]}), "it"), Ok(json!({"a": [{"b": "x"}]})));
        assert!(schema.fit(&json!({"a": [{"b": "y"}]}), "it").is_err());
    }

    #[test]
    fn a_property_may_say_that_it_can_be_missing() {
        let schema = parse_object(r#"{"a": {"type": "string", "required": false}}"#).unwrap();
        assert_eq!(schema.fit(&json!({}), "it"), Ok(json!({})));
    }

    #[test]
    fn what_is_no_schema_is_said() {
        for (text, why) in [
            ("{", "not valid JSON"),
            ("[]", "must be a JSON object"),
            ("{}", "lists no property"),
            (r#"{"a": {"type": "date"}}"#, "type 'date'"),
        ] {
            let told = parse_object(text).unwrap_err();
            assert!(told.contains(why), "{told}");
        }
    }
}
