//! How a request's value meets the one the flow was saved with (manual 7.3).

use crate::cards::kit::InputKind;
use crate::engine::source::{JsonSource, Source};
use serde_json::{Map, Value};

impl Source {
    /// This source with a request's value over it: objects merge, lists of plain items are united, anything else takes
    /// the place of what was there. A request's text is never searched for references.
    pub(in crate::engine) fn overridden(saved: Option<&Self>, kind: InputKind, value: &Value) -> Self {
        let merged = match value {
            Value::Object(sent) => saved.and_then(|saved| merged(saved, kind, sent)),
            Value::Array(sent) => saved.and_then(|saved| united(saved, sent)),
            _ => None,
        };
        merged.unwrap_or_else(|| Self::Plain(value.clone()))
    }
}

fn merged(saved: &Source, kind: InputKind, sent: &Map<String, Value>) -> Option<Source> {
    match saved {
        Source::Json { json: JsonSource::Object(fields), reach } => {
            let mut fields = fields.clone();
            for (name, value) in sent {
                let value = JsonSource::Plain(value.clone());
                match fields.iter_mut().find(|(known, _)| known == name) {
                    Some((_, field)) => *field = value,
                    None => fields.push((name.clone(), value)),
                }
            }
            Some(Source::Json { json: JsonSource::Object(fields), reach: *reach })
        }
        Source::Plain(Value::Object(saved)) => Some(Source::Plain(over(saved.clone(), sent))),
        Source::Plain(Value::String(text)) if matches!(kind, InputKind::Json) => {
            Some(Source::Plain(over(serde_json::from_str(text).ok()?, sent)))
        }
        _ => None,
    }
}

fn over(mut saved: Map<String, Value>, sent: &Map<String, Value>) -> Value {
    for (name, value) in sent {
        saved.insert(name.clone(), value.clone());
    }
    Value::Object(saved)
}

fn united(saved: &Source, sent: &[Value]) -> Option<Source> {
    let Source::Plain(Value::Array(saved)) = saved else { return None };
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
    Some(Source::Plain(Value::Array(all)))
}
