//! Results: from the JSON text the engine wrote to the value a card gets.

use super::error::ScriptError;
use serde_json::Value;

/// Deepest nesting of a result (manual 14.12).
const CODE_RESULT_DEPTH_MAX: usize = 64;

/// The value of a result. Text that is itself a JSON list or object becomes that (reference: code and outbound HTTP).
pub(super) fn parse_result(text: &str) -> Result<Value, ScriptError> {
    let too_deep = ScriptError::ResultTooDeep(CODE_RESULT_DEPTH_MAX);
    // The engine writes well-formed JSON, so that depth is the only thing the parser can refuse.
    let value: Value = serde_json::from_str(text).map_err(|_| too_deep.clone())?;
    let value = match value {
        Value::String(text) => parse_structured(text),
        other => other,
    };
    if depth(&value) > CODE_RESULT_DEPTH_MAX { Err(too_deep) } else { Ok(value) }
}

fn parse_structured(text: String) -> Value {
    if !text.trim_start().starts_with(['{', '[']) {
        return Value::String(text);
    }
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// Lists and objects within one another; the parser has bounded it already.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Replaces halves of characters that JavaScript allows in its texts, and JSON for others does not. The engine writes
/// every such half, and nothing else above the control characters, as an escape.
pub(super) fn replace_lone_surrogates(json: String) -> String {
    if !json.contains("\\ud") {
        return json;
    }
    let mut whole = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        whole.push_str(before);
        let half = escape
            .as_bytes()
            .get(1..4)
            .is_some_and(|next| next.starts_with(b"ud") && matches!(next[2], b'8'..=b'9' | b'a'..=b'f'));
        // Escapes are plain ASCII: two characters, or six.
        let length = if half { 6 } else { 2 };
        whole.push_str(if half { "\u{fffd}" } else { escape.get(..length).unwrap_or(escape) });
        rest = escape.get(length..).unwrap_or_default();
    }
    whole.push_str(rest);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_that_is_a_list_or_an_object_becomes_one() {
        assert_eq!(parse_result(r#""{\"a\":1}""#).unwrap(), json!({"a": 1}));
        assert_eq!(parse_result(r#"" [1]""#).unwrap(), json!([1]));
        assert_eq!(parse_result(r#""12""#).unwrap(), json!("12"));
        assert_eq!(parse_result(r#""{a}""#).unwrap(), json!("{a}"));
    }

    #[test]
    fn a_result_may_be_nested_only_so_deep() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse_result(&nested(64)).is_ok());
        assert_eq!(parse_result(&nested(65)), Err(ScriptError::ResultTooDeep(64)));
        assert_eq!(parse_result(&nested(5000)), Err(ScriptError::ResultTooDeep(64)));
    }

    #[test]
    fn halves_of_characters_are_replaced_and_texts_that_look_like_them_stay() {
        let whole = |json: &str| replace_lone_surrogates(json.to_owned());
        assert_eq!(whole(r#""a\ud800b\udfff""#), "\"a\u{fffd}b\u{fffd}\"");
        assert_eq!(whole(r#""\\ud800 \n \u0001""#), r#""\\ud800 \n \u0001""#);
        assert_eq!(whole(r#""\\\ud83d""#), "\"\\\\\u{fffd}\"");
    }
}
