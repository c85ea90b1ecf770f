//! How a request's value meets the one the flow was saved with (manual 7.3).

use crate::cards::kit::InputKind;
use crate::engine::source::{InputSource, JsonSource};
use serde_json::{Map, Value};

impl InputSource {
    /// This source with a request's value over it: objects merge, lists of plain items are united, anything else takes
    /// the place of what was there. A request's text is never searched for references.
    pub(in crate::engine) fn with_override(saved: Option<&Self>, kind: InputKind, value: &Value) -> Self {
        let merged = match value {
            Value::Object(sent) => saved.and_then(|saved| merge_object(saved, kind, sent)),
            Value::Array(sent) => saved.and_then(|saved| union_list(saved, sent)),
            _ => None,
        };
        merged.unwrap_or_else(|| Self::Plain(value.clone()))
    }
}

fn merge_object(saved: &InputSource, kind: InputKind, sent: &Map<String, Value>) -> Option<InputSource> {
    match saved {
        InputSource::Json { json: JsonSource::Object(fields), reach } => {
            let mut fields = fields.clone();
            for (name, value) in sent {
                let value = JsonSource::Plain(value.clone());
                match fields.iter_mut().find(|(known, _)| known == name) {
                    Some((_, field)) => *field = value,
                    None => fields.push((name.clone(), value)),
                }
            }
            Some(InputSource::Json { json: JsonSource::Object(fields), reach: *reach })
        }
        InputSource::Plain(Value::Object(saved)) => Some(InputSource::Plain(overlay(saved.clone(), sent))),
        InputSource::Plain(Value::String(text)) if matches!(kind, InputKind::Json) => {
            Some(InputSource::Plain(overlay(serde_json::from_str(text).ok()?, sent)))
        }
        _ => None,
    }
}

fn overlay(mut saved: Map<String, Value>, sent: &Map<String, Value>) -> Value {
    for (name, value) in sent {
        saved.insert(name.clone(), value.clone());
    }
    Value::Object(saved)
}

fn union_list(saved: &InputSource, sent: &[Value]) -> Option<InputSource> {
    let InputSource::Plain(Value::Array(saved)) = saved else { return None };
    let is_plain = |item: &Value| !item.is_object() && !item.is_array();
    if !saved.iter().chain(sent).all(is_plain) {
        return None;
    }
    let mut all = saved.clone();
    for item in sent {
        if !all.contains(item) {
            all.push(item.clone());
        }
    }
    Some(InputSource::Plain(Value::Array(all)))
}
