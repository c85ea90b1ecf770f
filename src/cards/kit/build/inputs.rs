//! The inputs of one card in one run: resolved, typed, and complaining by card and input name.

use super::component::Component;
use super::prompt::BraceText;
use crate::domain::error::{Error, Result};
use crate::kit::capabilities::host::Host;
use crate::kit::schema::card::Card;
use crate::kit::schema::input::{Input, InputKind, parse_names};
use crate::net::CallPurpose;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The value of an input after references were resolved.
#[derive(Clone, Debug)]
pub enum InputValue {
    Value(Value),
    /// An address whose scheme, host and port stand in the card as plain text.
    WrittenOut(Value),
    /// What another card of the run made: text in it is never taken for the owner's (manual 12.6).
    Computed(Value),
    /// The components wired in, in order.
    Components(Vec<WiredComponent>),
    /// The rows of a list, each with the values of its fields.
    Rows(Vec<InputValues>),
}

/// Values by the names of their inputs.
pub type InputValues = HashMap<&'static str, InputValue>;

/// A component that stands in an input.
#[derive(Clone, Debug)]
pub struct WiredComponent {
    /// What the owner calls the card it comes from.
    pub label: String,
    /// The card, where it was picked inside of another and is not wired.
    pub picked: Option<PickedCard>,
    pub component: Component,
}

/// A card that was picked inside of another, where it has no label of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickedCard {
    pub name: &'static str,
    pub label: &'static str,
}

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowPlace {
    /// The label of its list.
    pub list: &'static str,
    /// Its number, from 1.
    pub number: usize,
}

/// What a card's factory reads.
pub struct Inputs<'a> {
    pub card: &'static Card,
    /// What the values belong to: the inputs of the card, or the fields of one of its rows.
    pub fields: &'static [Input],
    /// Which row they are of, where they are one.
    pub row: Option<RowPlace>,
    /// The label the owner gave this node.
    pub label: &'a str,
    /// The id of the node; `None` for a card that stands on no canvas by itself.
    pub node: Option<&'a str>,
    pub host: &'a dyn Host,
    pub values: InputValues,
    /// The fields of the selected credential.
    pub credential: Option<Map<String, Value>>,
    /// The id of the selected credential.
    pub credential_id: Option<&'a str>,
}

impl Inputs<'_> {
    /// An error that names the card and the input.
    #[must_use]
    pub fn input_error(&self, input: &str, what: &str) -> Error {
        let shown = self.declared(input).map_or(input, |declared| declared.label);
        let row =
            self.row.map_or_else(String::new, |RowPlace { list, number }| format!("{list}, row {number}: "));
        Error::RunFailed(format!("{}: {row}{shown}: {what}", self.label))
    }

    /// True when the card has an input of this name, for factories that several cards share.
    #[must_use]
    pub fn declares(&self, name: &str) -> bool {
        self.declared(name).is_some()
    }

    /// True for an input that may be left out, for factories that several cards share.
    #[must_use]
    pub(crate) fn is_optional(&self, name: &str) -> bool {
        self.declared(name).is_some_and(|input| input.optional)
    }

    fn declared(&self, name: &str) -> Option<&'static Input> {
        self.fields.iter().find(|input| input.name == name)
    }

    fn value(&self, name: &str) -> Option<&Value> {
        debug_assert!(self.declares(name), "{} has no input {name}", self.card.name);
        match self.values.get(name) {
            Some(InputValue::Value(value) | InputValue::WrittenOut(value) | InputValue::Computed(value)) => {
                match value {
                    Value::Null => None,
                    Value::String(text) if text.is_empty() => None,
                    value => Some(value),
                }
            }
            Some(InputValue::Components(_) | InputValue::Rows(_)) | None => None,
        }
    }

    /// What a call of the address in this input may reach (manual 12.5 r3).
    #[must_use]
    pub(crate) fn call_purpose(&self, name: &str) -> CallPurpose {
        match self.values.get(name) {
            Some(InputValue::WrittenOut(_)) => CallPurpose::WrittenOut,
            _ => CallPurpose::Assembled,
        }
    }

    fn default(&self, name: &str) -> Option<&'static str> {
        self.declared(name).and_then(|input| input.default)
    }

    /// A text that must be there.
    ///
    /// # Errors
    /// When it is empty and has no default.
    pub fn text(&self, name: &str) -> Result<String> {
        self.optional_text(name).ok_or_else(|| self.input_error(name, "fill this in"))
    }

    /// A text, or the default, or nothing. Numbers and switches read as text.
    #[must_use]
    pub fn optional_text(&self, name: &str) -> Option<String> {
        match self.value(name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => Some(other.to_string()),
            None => self.default(name).map(str::to_owned),
        }
    }

    /// The text of `custom`, which takes the place of that of `name` unless it is blank.
    ///
    /// # Errors
    /// When both have none.
    pub(crate) fn custom_or_text(&self, custom: &str, name: &str) -> Result<String> {
        match self.optional_text(custom).filter(|text| !text.trim().is_empty()) {
            Some(text) => Ok(text),
            None => self.text(name),
        }
    }

    /// A number, written as a number or as text; empty is the default, else nothing (manual 9.2 r3).
    ///
    /// # Errors
    /// When it is no number or outside of its declared range.
    pub fn number(&self, name: &str) -> Result<Option<f64>> {
        let number = match self.value(name) {
            None => match self.default(name) {
                Some(text) => text.parse().ok(),
                None => return Ok(None),
            },
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(value) => number_in(value),
        };
        let number: f64 = number
            .filter(|n: &f64| n.is_finite())
            .ok_or_else(|| self.input_error(name, "this must be a number"))?;
        if let Some(InputKind::Number { min, max, .. }) = self.declared(name).map(|input| input.kind)
            && !(min..=max).contains(&number)
        {
            return Err(self.input_error(name, &format!("this must be between {min} and {max}")));
        }
        Ok(Some(number))
    }

    /// A whole number of zero or more.
    ///
    /// # Errors
    /// As [`Self::number`].
    pub fn whole(&self, name: &str) -> Result<Option<u64>> {
        // The range of every `Input::whole` lies within what the cast keeps.
        Ok(self.number(name)?.map(|number| number.max(0.0) as u64))
    }

    /// A switch; templates also hold `""` for off and `"true"` for on.
    #[must_use]
    pub fn switch(&self, name: &str) -> bool {
        match self.value(name) {
            Some(Value::Bool(on)) => *on,
            Some(Value::String(text)) => text == "true",
            Some(_) => false,
            None => self.default(name) == Some("true"),
        }
    }

    /// A prompt with `{variables}`; what another card made stands in it as it is, braces and all.
    #[must_use]
    pub(crate) fn optional_brace_text(&self, name: &str) -> Option<BraceText> {
        let text = self.optional_text(name)?;
        Some(match self.values.get(name) {
            Some(InputValue::Computed(_)) => BraceText::literal(text),
            _ => BraceText::parse(&text),
        })
    }

    /// As [`Self::optional_brace_text`], for one that must be there.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub(crate) fn brace_text(&self, name: &str) -> Result<BraceText> {
        let text = self.text(name)?;
        Ok(self.optional_brace_text(name).unwrap_or_else(|| BraceText::parse(&text)))
    }

    /// The owner's words to a model, of which Flowise makes a template: doubled braces are single ones, and what looks
    /// like a variable stays, for it has no value.
    #[must_use]
    pub fn instructions(&self, name: &str) -> String {
        self.optional_brace_text(name).unwrap_or_default().fill(&[])
    }

    /// JSON, as such or as text; `None` when empty.
    ///
    /// # Errors
    /// When the text is not JSON.
    pub fn json(&self, name: &str) -> Result<Option<Value>> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Some(Value::String(text)) => serde_json::from_str(text)
                .map(Some)
                .map_err(|_| self.input_error(name, "this is not valid JSON")),
            Some(value) => Ok(Some(value.clone())),
        }
    }

    /// The rows of a table with all that they hold, blank fields too; none where it is empty.
    ///
    /// # Errors
    /// When it is no table.
    pub fn grid(&self, name: &str) -> Result<Vec<Map<String, Value>>> {
        let field = |(name, value): (&&str, &InputValue)| match value {
            InputValue::Value(value) | InputValue::WrittenOut(value) | InputValue::Computed(value) => {
                Some(((*name).to_owned(), value.clone()))
            }
            InputValue::Components(_) | InputValue::Rows(_) => None,
        };
        match self.values.get(name) {
            Some(InputValue::Rows(rows)) => {
                Ok(rows.iter().map(|row| row.iter().filter_map(field).collect()).collect())
            }
            _ if self.value(name).is_none() => Ok(Vec::new()),
            _ => Err(self.input_error(name, "this must be a list of rows")),
        }
    }

    /// JSON that must be an object.
    ///
    /// # Errors
    /// When it is something else.
    pub fn object(&self, name: &str) -> Result<Map<String, Value>> {
        match self.json(name)? {
            None => Ok(Map::new()),
            Some(Value::Object(map)) => Ok(map),
            Some(_) => Err(self.input_error(name, "this must be a JSON object")),
        }
    }

    /// A comma list, trimmed, without empty entries.
    #[must_use]
    pub(crate) fn comma_list(&self, name: &str) -> Vec<String> {
        let text = self.optional_text(name).unwrap_or_default();
        text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
    }

    /// The names that are chosen of a list, each once.
    ///
    /// # Errors
    /// When none is.
    pub fn choices(&self, name: &str) -> Result<Vec<String>> {
        let names = parse_names(&Value::from(self.optional_text(name))).unwrap_or_default();
        if names.is_empty() { Err(self.input_error(name, "choose at least one")) } else { Ok(names) }
    }

    /// A base address without its trailing slash.
    #[must_use]
    pub fn address(&self, name: &str) -> Option<String> {
        self.optional_text(name)
            .map(|text| text.trim().trim_end_matches('/').to_owned())
            .filter(|text| !text.is_empty())
    }

    /// A field of the selected credential that must be there.
    ///
    /// # Errors
    /// When no credential is selected or it lacks the field.
    pub fn secret(&self, field: &str) -> Result<String> {
        self.optional_secret(field)
            .ok_or_else(|| self.input_error("credential", "select a credential with an API key"))
    }

    /// A field of the selected credential.
    #[must_use]
    pub(crate) fn optional_secret(&self, field: &str) -> Option<String> {
        let value = self.credential.as_ref()?.get(field)?.as_str()?.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }

    /// The card and everything set on it, references resolved; no secret, no credential, nothing that is wired.
    pub(in crate::kit) fn settings(&self) -> Vec<(&'static str, Value)> {
        let mut settings = vec![(self.card.name, Value::from(self.card.version))];
        settings.extend(self.plain_values());
        settings
    }

    /// Everything that is set, references resolved; no secret, no credential, no other card.
    #[must_use]
    pub(crate) fn plain_values(&self) -> Vec<(&'static str, Value)> {
        let mut settings = Vec::new();
        for input in self.fields {
            if matches!(
                input.kind,
                InputKind::Secret
                    | InputKind::Credential(_)
                    | InputKind::Wire(_)
                    | InputKind::Wires(_)
                    | InputKind::CardPick(_)
            ) {
                continue;
            }
            settings.extend(self.value(input.name).map(|value| (input.name, value.clone())));
        }
        settings
    }

    /// The rows of a list, each as inputs of their own: what is wrong in one is said with its number and the label of its
    /// field.
    #[must_use]
    pub fn rows(&self, name: &str) -> Vec<Inputs<'_>> {
        let declared = self.declared(name);
        let fields = declared.map(Input::row_fields).unwrap_or_default();
        let list = declared.map(|list| list.label).unwrap_or_default();
        let rows = match self.values.get(name) {
            Some(InputValue::Rows(rows)) => rows.as_slice(),
            _ => &[],
        };
        let row = |(at, values): (usize, &InputValues)| Inputs {
            card: self.card,
            fields,
            row: Some(RowPlace { list, number: at + 1 }),
            label: self.label,
            node: self.node,
            host: self.host,
            values: values.clone(),
            credential: None,
            credential_id: None,
        };
        rows.iter().enumerate().map(row).collect()
    }

    /// The rows of a list as JSON, with the fields that are filled in.
    #[must_use]
    pub(crate) fn rows_json(&self, name: &str) -> Vec<Value> {
        let row = |row: Inputs<'_>| {
            let field = |field: &'static Input| {
                let value = match row.values.get(field.name)? {
                    InputValue::Rows(_) => row.rows_json(field.name).into(),
                    _ => row.any(field.name)?.clone(),
                };
                Some((field.name.to_owned(), value))
            };
            Value::Object(row.fields.iter().filter_map(field).collect())
        };
        self.rows(name).into_iter().map(row).collect()
    }

    /// A setting as it was resolved, whatever it is; `None` where it is empty.
    #[must_use]
    pub fn any(&self, name: &str) -> Option<&Value> {
        self.value(name)
    }
}

impl InputValue {
    /// A value of this input as JSON has it: a list is rows where the input holds rows.
    #[must_use]
    pub fn from_json(input: &'static Input, value: Value) -> Self {
        let fields = input.row_fields();
        match value {
            Value::Array(rows) if !fields.is_empty() => {
                Self::Rows(rows.into_iter().map(row_of(fields)).collect())
            }
            value => Self::Value(value),
        }
    }
}

/// Reads a row with these fields; what is no object has none of them.
fn row_of(fields: &'static [Input]) -> impl Fn(Value) -> InputValues {
    move |row| {
        let mut row = match row {
            Value::Object(row) => row,
            _ => Map::new(),
        };
        let field =
            |field: &'static Input| Some((field.name, InputValue::from_json(field, row.remove(field.name)?)));
        fields.iter().filter_map(field).collect()
    }
}

/// The number that a value is, as a number or as text.
#[must_use]
pub fn number_in(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}
