//! Values that came back from a file over those that are here, where the file may hold less than what is here.

use crate::domain::secrets::json_text::{self, DEPTH_MAX_LEVELS};
use crate::domain::secrets::tree;
use serde_json::{Map, Value};

/// Puts back into `sent` what a file never holds: `stored` is `real` as a file shows it. A text with a placeholder keeps
/// the value it has here, and what `stored` lacks and `sent` does not name comes along. What is not here stays as sent.
pub fn merge_redacted(sent: &mut Value, stored: &Value, real: &Value) {
    merge(sent, stored, real, DEPTH_MAX_LEVELS);
}

fn merge(sent: &mut Value, stored: &Value, real: &Value, levels: usize) {
    if sent == stored {
        sent.clone_from(real);
        return;
    }
    match (sent, stored, real) {
        (Value::Object(sent), Value::Object(stored), Value::Object(real)) => {
            merge_map(sent, stored, real, levels);
        }
        (Value::Array(sent), Value::Array(stored), Value::Array(real)) if stored.len() == real.len() => {
            merge_rows(sent, stored, real);
        }
        (Value::String(sent), Value::String(stored), Value::String(real)) => {
            merge_text(sent, stored, real, levels);
        }
        _ => {}
    }
}

fn merge_map(
    sent: &mut Map<String, Value>,
    stored: &Map<String, Value>,
    real: &Map<String, Value>,
    levels: usize,
) {
    for (name, real) in real {
        match (sent.get_mut(name), stored.get(name)) {
            (None, None) => drop(sent.insert(name.clone(), real.clone())),
            (Some(sent), Some(stored)) => merge(sent, stored, real, levels),
            (Some(sent), None) if tree::count_placeholders_in(sent) > 0 => sent.clone_from(real),
            (Some(_), None) | (None, Some(_)) => {}
        }
    }
}

/// A row that reads otherwise is another row: its secret is not this one's. Where a row stands does not matter.
fn merge_rows(sent: &mut [Value], stored: &[Value], real: &[Value]) {
    let mut taken = vec![false; stored.len()];
    for row in sent {
        let same = (0..stored.len()).find(|at| !taken[*at] && stored[*at] == *row);
        if let Some(at) = same {
            taken[at] = true;
            row.clone_from(&real[at]);
        }
    }
}

fn merge_text(sent: &mut String, stored: &str, real: &str, levels: usize) {
    let read = |text: &str| if levels > 0 { json_text::parse(text) } else { None };
    if let (Some(inner), Some(stored), Some(real)) = (read(sent), read(stored), read(real)) {
        let mut merged = inner.value.clone();
        merge(&mut merged, &stored.value, &real.value, levels - 1);
        if merged != inner.value {
            *sent = merged.to_string();
        }
    } else if tree::count_placeholders_in(&Value::from(sent.as_str())) > 0 {
        real.clone_into(sent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_file_never_holds_stays_and_what_it_changes_changes() {
        let real = json!({
            "openAIWhisper": {"credentialId": "own", "language": "en", "status": true},
            "headers": [{"key": "A", "value": "secret-a"}, {"key": "B", "value": "secret-b"}],
            "prompt": "Use sk-1.", "inner": "{\"p\":\"sk-2\",\"q\":1}", "gone": 1,
        });
        let stored = json!({
            "openAIWhisper": {"language": "en", "status": true},
            "headers": [{"key": "A", "value": "[secret hidden]"}, {"key": "B", "value": "[secret hidden]"}],
            "prompt": "Use [secret hidden].", "inner": "{\"p\":\"[secret hidden]\",\"q\":1}", "gone": 1,
        });
        let mut sent = json!({
            "openAIWhisper": {"language": "de", "status": true},
            "headers": [{"key": "B", "value": "[secret hidden]"}, {"key": "C", "value": "c"}],
            "prompt": "Now use [secret hidden].", "inner": "{\"p\":\"[secret hidden]\",\"q\":2}", "fresh": 2,
        });
        merge_redacted(&mut sent, &stored, &real);
        assert_eq!(
            sent,
            json!({
                "openAIWhisper": {"credentialId": "own", "language": "de", "status": true},
                "headers": [{"key": "B", "value": "secret-b"}, {"key": "C", "value": "c"}],
                "prompt": "Use sk-1.", "inner": "{\"p\":\"sk-2\",\"q\":2}", "fresh": 2,
            })
        );
        let mut same = stored.clone();
        merge_redacted(&mut same, &stored, &real);
        assert_eq!(same, real);
    }
}
