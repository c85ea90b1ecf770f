//! Whether an answer is JSON.

use serde_json::Value;

/// The JSON of an answer, also where it stands in a fence of Markdown. A lone number or text is no JSON that anybody meant.
#[must_use]
pub fn parse_json(answer: &str) -> Option<Value> {
    let text = answer.trim();
    let fenced = text.strip_prefix("```").and_then(|rest| {
        let (_, body) = rest.split_once('\n')?;
        body.trim_end().strip_suffix("```")
    });
    let value: Value = serde_json::from_str(fenced.unwrap_or(text)).ok()?;
    (value.is_object() || value.is_array()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_an_object_or_a_list() {
        assert!(parse_json(" {\"a\": 1} ").is_some() && parse_json("```json\n[1]\n```").is_some());
        assert!(parse_json("42").is_none() && parse_json("Yes {}").is_none());
    }
}
