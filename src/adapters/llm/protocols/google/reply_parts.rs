//! The parts of a reply as Google wrote them. They go back with the results of calls, all of them and in their order: a
//! model finds its thoughts again by the signatures on its parts, and its own tools by the code and the calls among them.

use serde_json::Value;

/// Parts of one reply that are kept.
const PARTS_MAX: usize = 1024;

#[derive(Default)]
pub(super) struct ReplyParts {
    all: Vec<Value>,
    /// There were more than are kept: without all of them the rest is of no use.
    is_cut: bool,
}

impl ReplyParts {
    /// Takes the parts of a chunk.
    pub(super) fn take(&mut self, parts: &Value) {
        for part in parts.as_array().into_iter().flatten() {
            if self.continues(part) {
                continue;
            }
            if self.all.len() < PARTS_MAX {
                self.all.push(part.clone());
            } else {
                self.is_cut = true;
            }
        }
    }

    /// Appends a fragment to the text before it. Parts with a signature stay as they are, which is what the signature is
    /// about.
    fn continues(&mut self, part: &Value) -> bool {
        let Some(before) = self.all.last_mut() else { return false };
        if !is_bare_text(before) || !is_bare_text(part) || before["thought"] != part["thought"] {
            return false;
        }
        let (Value::String(all), Some(text)) = (&mut before["text"], part["text"].as_str()) else {
            return false;
        };
        all.push_str(text);
        true
    }

    /// What goes back: nothing where a part is missing, and no text without a word, which the provider takes from nobody.
    pub(super) fn into_parts(self) -> Vec<Value> {
        let parts = if self.is_cut { Vec::new() } else { self.all };
        parts.into_iter().filter(|part| !is_bare_text(part) || part["text"] != "").collect()
    }
}

/// A text, or a thought, and nothing else.
fn is_bare_text(part: &Value) -> bool {
    let mut names = part.as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    part["text"].is_string() && names.all(|name| matches!(name, "text" | "thought"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fragments_of_a_text_are_joined_and_signed_parts_stay_apart() {
        let mut parts = ReplyParts::default();
        for chunk in [
            json!([{"text": "h", "thought": true}]),
            json!([{"text": "m", "thought": true}, {"text": "I "}]),
            json!([{"text": "add."}, {"executableCode": {"code": "1"}}, {"text": ""}]),
            json!([{"text": "", "thoughtSignature": "s"}, {"text": "x"}]),
        ] {
            parts.take(&chunk);
        }
        let expected = json!([
            {"text": "hm", "thought": true}, {"text": "I add."}, {"executableCode": {"code": "1"}},
            {"text": "", "thoughtSignature": "s"}, {"text": "x"},
        ]);
        assert_eq!(Value::from(parts.into_parts()), expected);
    }
}
