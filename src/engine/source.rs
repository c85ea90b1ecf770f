//! Where the value of an input comes from, decided once when the canvas is compiled.

use crate::canvas::template::TextTemplate;
use crate::cards::kit::Input;
use serde_json::{Map, Value};

/// The origin of an input's value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum InputSource {
    /// The stored value, as it is.
    Plain(Value),
    Text {
        /// The text, cut at its references.
        template: TextTemplate,
        reach: ReferenceScope,
    },
    /// JSON with references in its strings.
    Json { json: JsonSource, reach: ReferenceScope },
    /// Other cards, by their place in the plan's steps.
    Components(Vec<usize>),
}

impl InputSource {
    /// As this input wants it: without the fields that are written empty, where these count as left out.
    pub(super) fn for_input(self, input: &Input) -> Self {
        if input.drops_blanks { self.without_blanks() } else { self }
    }

    fn without_blanks(self) -> Self {
        let says_nothing = |value: &Value| value.is_null() || value == "";
        match self {
            Self::Json { json: JsonSource::Object(mut fields), reach } => {
                fields.retain(|(_, field)| !matches!(field, JsonSource::Plain(value) if says_nothing(value)));
                Self::Json { json: JsonSource::Object(fields), reach }
            }
            Self::Plain(Value::Object(mut fields)) => {
                fields.retain(|_, value| !says_nothing(value));
                Self::Plain(fields.into())
            }
            Self::Plain(Value::String(text)) => match serde_json::from_str(&text) {
                Ok(object @ Value::Object(_)) => Self::Plain(object).without_blanks(),
                _ => Self::Plain(text.into()),
            },
            other => other,
        }
    }
}

/// Which references in a text count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferenceScope {
    /// All, inside the text too.
    Inside,
    /// Saved variables and facts of the run inside the text; another card's result as the whole value.
    Whole,
    /// Saved variables and facts of the run: nothing that a request or a model wrote becomes code (manual 11.3).
    Saved,
}

/// JSON whose strings may hold references.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum JsonSource {
    Plain(Value),
    Text(TextTemplate),
    List(Vec<JsonSource>),
    Object(Vec<(String, JsonSource)>),
}

impl JsonSource {
    pub(super) fn from_value(value: &Value) -> Self {
        match value {
            Value::String(text) => {
                TextTemplate::parse(text).map_or_else(|| Self::Plain(value.clone()), Self::Text)
            }
            Value::Array(items) => Self::List(items.iter().map(Self::from_value).collect()),
            Value::Object(map) => {
                Self::Object(map.iter().map(|(key, value)| (key.clone(), Self::from_value(value))).collect())
            }
            other => Self::Plain(other.clone()),
        }
    }

    /// Builds the value, with `resolve` for each text that holds references.
    pub(super) fn build(&self, resolve: &dyn Fn(&TextTemplate) -> Value) -> Value {
        match self {
            Self::Plain(value) => value.clone(),
            Self::Text(template) => resolve(template),
            Self::List(items) => Value::Array(items.iter().map(|item| item.build(resolve)).collect()),
            Self::Object(fields) => Value::Object(
                fields.iter().map(|(key, field)| (key.clone(), field.build(resolve))).collect::<Map<_, _>>(),
            ),
        }
    }
}

/// Calls `found` with the id of every node that `value` refers to, at any depth, JSON texts included.
pub(super) fn for_each_reference(value: &Value, found: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => {
            if let Some(template) = TextTemplate::parse(text) {
                template.node_ids().for_each(found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| for_each_reference(item, found)),
        Value::Object(map) => map.values().for_each(|item| for_each_reference(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
