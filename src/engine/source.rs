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
    /// As [`Self::Whole`], in a text whose braces name variables.
    Prompt,
    /// Saved variables and facts of the run: nothing that a request or a model wrote becomes code (manual 11.3).
    Saved,
    /// As [`Self::Saved`], in code. Where a flow takes variables of its request in texts, they stand in code as escaped text.
    Code,
}

impl ReferenceScope {
    /// True for what its owner alone decides.
    pub(super) const fn is_owners(self) -> bool {
        matches!(self, Self::Saved | Self::Code)
    }
}

/// JSON whose strings may hold references.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum JsonSource<T = TextTemplate> {
    Plain(Value),
    Text(T),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl JsonSource {
    pub(super) fn from_value(value: &Value) -> Self {
        Self::compile(value, &|text| {
            TextTemplate::parse(text).map_or_else(|| Self::Plain(Value::from(text)), Self::Text)
        })
    }
}

impl<T> JsonSource<T> {
    /// Reads a value, with `cut` for each of its texts.
    pub(super) fn compile(value: &Value, cut: &dyn Fn(&str) -> Self) -> Self {
        match value {
            Value::String(text) => cut(text),
            Value::Array(items) => Self::List(items.iter().map(|item| Self::compile(item, cut)).collect()),
            Value::Object(map) => Self::Object(
                map.iter().map(|(key, value)| (key.clone(), Self::compile(value, cut))).collect(),
            ),
            other => Self::Plain(other.clone()),
        }
    }

    /// Builds the value, with `resolve` for each text that holds references.
    pub(super) fn build(&self, resolve: &dyn Fn(&T) -> Value) -> Value {
        match self {
            Self::Plain(value) => value.clone(),
            Self::Text(template) => resolve(template),
            Self::List(items) => Value::Array(items.iter().map(|item| item.build(resolve)).collect()),
            Self::Object(fields) => Value::Object(
                fields.iter().map(|(key, field)| (key.clone(), field.build(resolve))).collect::<Map<_, _>>(),
            ),
        }
    }

    /// Calls `found` with each text that holds references, at any depth.
    pub(super) fn for_each_text<'s>(&'s self, found: &mut dyn FnMut(&'s T)) {
        match self {
            Self::Plain(_) => {}
            Self::Text(template) => found(template),
            Self::List(items) => items.iter().for_each(|item| item.for_each_text(found)),
            Self::Object(fields) => fields.iter().for_each(|(_, field)| field.for_each_text(found)),
        }
    }
}

/// Calls `found` with the id of every node that `value` refers to, at any depth, JSON texts included.
pub(in crate::engine) fn for_each_reference(value: &Value, found: &mut dyn FnMut(&str)) {
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
