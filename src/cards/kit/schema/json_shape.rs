//! The form of a value that is JSON: what an editor is told of it, and what validation says of one that is otherwise.

use serde_json::{Map, Value, json};

/// The form of a value that is JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonShape {
    /// Whatever it is, and nobody reads it.
    Unread,
    /// Whatever it is.
    Any,
    /// An object, whatever its values are.
    Object,
    /// An object whose values are texts. Numbers and switches are read as such.
    Texts,
    /// As [`Self::Texts`], or rows of `key` and `value`.
    Pairs,
    /// A list of texts.
    TextList,
    /// A list of objects, which may have these fields, each a text.
    Rows(&'static [&'static str]),
}

impl JsonShape {
    /// The form as a JSON Schema; `None` where there is nothing to say.
    #[must_use]
    pub fn schema(self) -> Option<Value> {
        let texts =
            || json!({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}});
        Some(match self {
            Self::Unread | Self::Any => return None,
            Self::Object => json!({"type": "object"}),
            Self::Texts => texts(),
            Self::Pairs => json!({"anyOf": [texts(), {
                "type": "array",
                "items": {"type": "object", "properties": {"key": {"type": "string"}, "value": true}},
            }]}),
            Self::TextList => json!({"type": "array", "items": {"type": "string"}}),
            Self::Rows(fields) => {
                let field = |name: &&str| ((*name).to_owned(), json!({"type": "string"}));
                let fields: Map<String, Value> = fields.iter().map(field).collect();
                json!({"type": "array", "items": {"type": "object", "properties": fields}})
            }
        })
    }

    /// What a value has to be that is not of this form, for a sentence that begins with what it is called; `None` for one that
    /// is.
    #[must_use]
    pub fn mismatch(self, value: &Value) -> Option<String> {
        let is_text = |value: &Value| value.is_string() || value.is_number() || value.is_boolean();
        let of_texts = |value: &Value| value.as_object().is_some_and(|map| map.values().all(is_text));
        let list = |fits: &dyn Fn(&Value) -> bool| value.as_array().is_some_and(|list| list.iter().all(fits));
        let (fits, wanted) = match self {
            Self::Unread | Self::Any => (true, String::new()),
            Self::Object => (value.is_object(), "must be a JSON object".to_owned()),
            Self::Texts => (of_texts(value), TEXTS.to_owned()),
            Self::Pairs => {
                let is_pair = |row: &Value| row.get("key").is_none_or(Value::is_string) && row.is_object();
                (of_texts(value) || list(&is_pair), TEXTS.to_owned())
            }
            Self::TextList => (list(&Value::is_string), "must be a list of texts".to_owned()),
            Self::Rows(fields) => {
                let fits = |row: &Value| {
                    let is_text = |name: &&str| row.get(*name).is_none_or(Value::is_string);
                    row.is_object() && fields.iter().all(is_text)
                };
                (list(&fits), format!("must be a list of objects with the texts {}", fields.join(", ")))
            }
        };
        (!fits).then_some(wanted)
    }
}

const TEXTS: &str = "must be an object whose values are texts";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_another_form_is_told_what_it_has_to_be() {
        let told = |shape: JsonShape, value: Value| shape.mismatch(&value).unwrap_or_default();
        assert_eq!(told(JsonShape::Object, json!([])), "must be a JSON object");
        for wrong in [json!({"a": {}}), json!({"a": null}), json!([]), json!("a")] {
            assert_eq!(told(JsonShape::Texts, wrong), TEXTS);
        }
        assert_eq!(told(JsonShape::Pairs, json!([{"key": 1}])), TEXTS);
        assert_eq!(told(JsonShape::TextList, json!(["a", 1])), "must be a list of texts");
        let rows = JsonShape::Rows(&["property", "type"]);
        for wrong in [json!({}), json!(["a"]), json!([{"type": 1}])] {
            assert_eq!(told(rows, wrong), "must be a list of objects with the texts property, type");
        }
    }

    #[test]
    fn a_value_of_its_form_is_left_alone() {
        let texts = json!({"a": "b", "c": 1, "d": true});
        let pairs = json!([{"key": "a", "value": "b", "id": 7}, {}]);
        let rows = json!([{"property": "a", "actions": 1}, {}]);
        for (shape, value) in [
            (JsonShape::Any, json!(1)),
            (JsonShape::Object, json!({"a": [{}]})),
            (JsonShape::Texts, texts.clone()),
            (JsonShape::Pairs, texts),
            (JsonShape::Pairs, pairs),
            (JsonShape::TextList, json!(["a"])),
            (JsonShape::Rows(&["property", "type"]), rows),
        ] {
            assert_eq!(shape.mismatch(&value), None, "{shape:?} {value}");
        }
    }
}
