//! JSON Path Extractor: takes one value out of JSON.

use crate::kit::{CallError, Card, Category, Factory, Input, Risk, RunContext, Tool};
use crate::llm::ToolSpec;
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "jsonPathExtractor",
    label: "JSON Path Extractor",
    version: 1.0,
    category: Category::Tools,
    description: "Takes the value at a path out of JSON.",
    base_classes: &["JSONPathExtractor", "StructuredTool", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::text("path", "JSON Path").help("For example data.items[0].name or data[\"first name\"]."),
        Input::switch("returnNullOnError", "Return Null on Error").or("false").additional(),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let text = inputs.text("path")?;
        let path = steps(&text).ok_or_else(|| inputs.input_error("path", "this path cannot be read"))?;
        Ok(vec![Arc::new(JsonPath { text, path, null_on_error: inputs.switch("returnNullOnError") })])
    }),
};

struct JsonPath {
    text: String,
    path: Vec<String>,
    null_on_error: bool,
}

impl Tool for JsonPath {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "json_path_extractor".to_owned(),
            description: format!("Returns the value at {} of a JSON document.", self.text),
            schema: json!({
                "type": "object",
                // No type: models give the document as such as often as they give its text.
                "properties": {"json": {"description": "The JSON document, or its text."}},
                "required": ["json"],
            }),
        }
    }

    fn call(&self, arguments: &Value, _turn: &RunContext<'_>) -> Result<String, CallError> {
        match extract(&arguments["json"], &self.path) {
            Ok(text) => Ok(text),
            Err(_) if self.null_on_error => Ok("null".to_owned()),
            Err(why) => Err(why.into()),
        }
    }
}

fn extract(document: &Value, path: &[String]) -> Result<String, String> {
    let parsed = match document {
        Value::String(text) => {
            serde_json::from_str(text).map_err(|_| "The argument 'json' is not valid JSON.")?
        }
        other => other.clone(),
    };
    let found = path.iter().try_fold(&parsed, |value, step| match value {
        Value::Object(map) => map.get(step),
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    });
    match found {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(value) => Ok(value.to_string()),
        None => Err("There is nothing at this path.".to_owned()),
    }
}

/// The steps of `a.b[0]["c d"]`, with or without `$` in front; `None` when it is no path.
fn steps(path: &str) -> Option<Vec<String>> {
    let mut rest = path.trim();
    rest = rest.strip_prefix('$').unwrap_or(rest);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let quoted = ['"', '\''].into_iter().find(|&quote| inner.starts_with(quote));
            let (step, after) = match quoted {
                Some(quote) => inner[1..].split_once(&format!("{quote}]"))?,
                None => inner.split_once(']')?,
            };
            steps.push(step.to_owned());
            rest = after;
            continue;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        if end == 0 {
            return None;
        }
        steps.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_dots_and_brackets() {
        let document = json!({"a": {"b": [{"c d": "x"}, 7]}, "": 1});
        for (path, value) in
            [("a.b[0]['c d']", "x"), ("$.a.b[1]", "7"), ("a.b.1", "7"), ("$[\"a\"].b[0]", r#"{"c d":"x"}"#)]
        {
            let path = steps(path).unwrap();
            assert_eq!(extract(&document, &path).as_deref(), Ok(value));
            assert_eq!(extract(&Value::from(document.to_string()), &path).as_deref(), Ok(value));
        }
        assert!(extract(&document, &steps("a.x").unwrap()).unwrap_err().contains("nothing"));
        assert!(extract(&json!("{"), &[]).unwrap_err().contains("not valid"));
        for bad in ["a..b", "a[0", "a['b]", "."] {
            assert_eq!(steps(bad), None, "{bad}");
        }
    }
}
