//! The way to a part of a structured value: `a.b`, `rows[0].name`, `rows.0.name`.

use serde_json::Value;
use std::borrow::Cow;

/// Keys and places, from the whole value inwards. An empty one leads to the whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValuePath {
    steps: Vec<String>,
    /// As it was written: a key may hold dots itself.
    written: String,
}

impl ValuePath {
    /// Reads what follows a name: nothing, or steps that each begin with a dot or stand in brackets.
    #[must_use]
    pub fn parse(tail: &str) -> Option<Self> {
        let mut steps = Vec::new();
        let mut rest = tail;
        while !rest.is_empty() {
            let step;
            if let Some(inner) = rest.strip_prefix('[') {
                let (inside, after) = inner.split_once(']')?;
                (step, rest) = (unquote(inside.trim()), after);
            } else {
                let named = rest.strip_prefix('.')?;
                let end = named.find(['.', '[']).unwrap_or(named.len());
                (step, rest) = named.split_at(end);
            }
            if step.is_empty() || step.contains(['{', '}']) {
                return None;
            }
            steps.push(step.to_owned());
        }
        let written = tail.strip_prefix('.').unwrap_or(tail).to_owned();
        Some(Self { steps, written })
    }

    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.steps.is_empty()
    }

    /// The part it leads to. A text that is JSON is read where the path goes into it; a key that is written like the whole
    /// path comes before the parts it could be read as.
    #[must_use]
    pub fn find<'v>(&self, value: &'v Value) -> Option<Cow<'v, Value>> {
        if let Value::Object(map) = value
            && self.steps.len() > 1
            && let Some(exact) = map.get(&self.written)
        {
            return Some(Cow::Borrowed(exact));
        }
        follow(&self.steps, value)
    }
}

fn unquote(step: &str) -> &str {
    let quoted = |mark: char| step.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    quoted('"').or_else(|| quoted('\'')).unwrap_or(step)
}

fn follow<'v>(steps: &[String], value: &'v Value) -> Option<Cow<'v, Value>> {
    let mut value = value;
    for (at, step) in steps.iter().enumerate() {
        if let Value::String(text) = value {
            let parsed: Value = serde_json::from_str(text).ok()?;
            // A quoted text inside a text is no structure, and would be read for ever.
            let is_structure = parsed.is_object() || parsed.is_array();
            return is_structure.then(|| follow(&steps[at..], &parsed).map(Cow::into_owned))?.map(Cow::Owned);
        }
        value = step_into(value, step)?;
    }
    Some(Cow::Borrowed(value))
}

/// One step into an object by its key, or into a list by its place.
#[must_use]
pub fn step_into<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    match value {
        Value::Object(map) => map.get(key),
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    }
}

/// A value as a text holds it: structures as JSON on one line, and nothing for null.
#[must_use]
pub fn into_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn find(path: &str, value: &Value) -> Option<Value> {
        ValuePath::parse(path).unwrap().find(value).map(Cow::into_owned)
    }

    #[test]
    fn places_are_written_with_brackets_or_dots() {
        let value = json!({"rows": [{"name": "a"}, {"name": "b"}]});
        for path in [".rows[1].name", ".rows.1.name", "[\"rows\"][1]['name']", ".rows[1][name]"] {
            assert_eq!(find(path, &value), Some(json!("b")), "{path}");
        }
        assert_eq!(find("[0]", &json!([7])), Some(json!(7)));
    }

    #[test]
    fn a_path_that_leads_nowhere_finds_nothing() {
        let value = json!({"rows": [1], "text": "plain", "quoted": "\"\\\"x\\\"\""});
        for path in [".rows[1]", ".rows.x", ".other", ".rows[0].deep", ".text.a", ".quoted.a"] {
            assert_eq!(find(path, &value), None, "{path}");
        }
    }

    #[test]
    fn a_text_that_is_json_is_read_where_the_path_goes_into_it() {
        let value = json!({"content": "{\"list\": [\"{\\\"a\\\": 1}\"]}"});
        assert_eq!(find(".content.list[0].a", &value), Some(json!(1)));
        assert_eq!(find(".content", &value), Some(value["content"].clone()));
    }

    #[test]
    fn a_key_that_holds_dots_comes_before_the_parts_it_could_be_read_as() {
        let value = json!({"user.name": "exact", "user": {"name": "part", "age": 3}});
        assert_eq!(find(".user.name", &value), Some(json!("exact")));
        assert_eq!(find(".user.age", &value), Some(json!(3)));
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in ["a", ".", "..a", ".a..b", ".a[", ".a[]", ".a[0]b", ".a."] {
            assert_eq!(ValuePath::parse(text), None, "{text}");
        }
        assert!(ValuePath::parse("").unwrap().is_whole());
    }
}
