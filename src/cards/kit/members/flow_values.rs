//! What `$flow.…`, `$vars.…` and `$<node>` in tables and conditions stand for.

use super::TurnView;
use crate::kit::build::component::RunContext;
use serde_json::{Map, Value};

/// What such a reference can reach.
pub(crate) struct FlowValues<'a> {
    pub(crate) view: &'a TurnView<'a>,
    pub(crate) turn: &'a RunContext<'a>,
    /// What the member made; null where nothing is made yet.
    pub(crate) output: Value,
}

impl FlowValues<'_> {
    /// The entries of `$flow` that code sees beside the facts of the run.
    pub(crate) fn for_code(&self) -> Map<String, Value> {
        let entries = [("state", self.view.state.to_json()), ("output", self.output.clone())];
        entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The value that a text stands for: what it refers to where it is a reference and nothing else, or itself.
    pub(crate) fn read(&self, text: &str) -> Value {
        self.find(text.trim()).unwrap_or_else(|| Value::from(text))
    }

    /// As [`Self::read`], for a value that may be a text.
    pub(crate) fn read_value(&self, value: &Value) -> Value {
        value.as_str().map_or_else(|| value.clone(), |text| self.read(text))
    }

    /// What a reference stands for; null where it leads nowhere, and `None` for what is no reference.
    pub(crate) fn find(&self, reference: &str) -> Option<Value> {
        if let Some(name) = reference.strip_prefix("$vars.") {
            return Some((self.view.variables)(name).map_or(Value::Null, Value::from));
        }
        if let Some(path) = reference.strip_prefix("$flow.") {
            let (first, rest) = split_first(path);
            let root = match first {
                "output" => self.output.clone(),
                "state" => self.view.state.to_json(),
                "input" => self.turn.question.into(),
                fact => self.turn.host.fact(fact).map_or(Value::Null, Value::from),
            };
            return Some(follow(&root, rest).unwrap_or_default());
        }
        let node = reference.strip_prefix('$').filter(|node| is_node_id(node))?;
        self.view.state.newest_of(node).map(Value::from)
    }
}

fn is_node_id(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn split_first(path: &str) -> (&str, &str) {
    path.split_at(path.find(['.', '[']).unwrap_or(path.len()))
}

/// The part of a value at a path such as `.messages[-1].content`. Lists and texts have a `length`, and a number below zero
/// counts a list from its end.
fn follow(value: &Value, path: &str) -> Option<Value> {
    if path.is_empty() {
        return Some(value.clone());
    }
    let (step, rest) = match path.strip_prefix('[') {
        Some(inner) => {
            inner.split_once(']').map(|(step, rest)| (step.trim_matches(['"', '\'', ' ']), rest))?
        }
        None => split_first(path.strip_prefix('.')?),
    };
    if let Value::String(text) = value
        && let Ok(parsed @ (Value::Array(_) | Value::Object(_))) = serde_json::from_str::<Value>(text)
    {
        return follow(&parsed, path);
    }
    match value {
        Value::Object(fields) => follow(fields.get(step)?, rest),
        Value::Array(items) if step == "length" => follow(&items.len().into(), rest),
        Value::Array(items) => {
            let at: i64 = step.parse().ok()?;
            let at = if at < 0 { items.len().checked_sub(at.unsigned_abs() as usize)? } else { at as usize };
            follow(items.get(at)?, rest)
        }
        Value::String(text) if step == "length" => follow(&text.chars().count().into(), rest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_count_from_the_end_and_know_lengths() {
        let value = json!({"messages": [{"content": "a"}, {"content": "bc"}], "text": "{\"x\": [1]}"});
        for (path, found) in [
            (".messages[-1].content", Some(json!("bc"))),
            (".messages[0].content", Some(json!("a"))),
            (".messages.length", Some(json!(2))),
            (".messages[1].content.length", Some(json!(2))),
            (".text.x[0]", Some(json!(1))),
            (".messages[-3]", None),
            (".other", None),
            (".messages[x]", None),
        ] {
            assert_eq!(follow(&value, path), found, "{path}");
        }
    }
}
