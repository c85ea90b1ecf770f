//! What is wrong with a value, as its input declares it.

use crate::cards::kit::schema::input::parse_names;
use crate::cards::kit::{Input, InputKind, JsonShape, number_in};
use crate::domain::secrets::PLACEHOLDER;
use serde_json::Value;
use std::borrow::Cow;

/// What is wrong with the value of an input, if anything.
pub(super) fn issue(input: &Input, value: Option<&Value>) -> Option<String> {
    match (input.kind, value?) {
        (_, Value::Null) => None,
        // History puts it in place of a secret; whoever brings a version back enters the secret again.
        (_, value) if value.to_string().contains(PLACEHOLDER) => {
            Some(format!("{} holds a hidden secret: enter it again.", input.label))
        }
        // What a reference stands for is known when the flow runs.
        (_, Value::String(text)) if text.trim().is_empty() || text.contains("{{") => None,
        (InputKind::Number { min, max, .. }, value) => match number_in(value) {
            None => Some(format!("{} must be a number.", input.label)),
            Some(number) if !(min..=max).contains(&number) => {
                Some(format!("{} must be between {min} and {max}.", input.label))
            }
            Some(_) => None,
        },
        (InputKind::Choices(choices), value) => {
            let names = parse_names(value).unwrap_or_default();
            let unknown = names.iter().find(|name| choices.iter().all(|choice| choice.name != *name));
            match unknown {
                None if names.is_empty() => Some(format!("{} needs at least one choice.", input.label)),
                None => None,
                Some(unknown) => Some(no_choice(input, unknown)),
            }
        }
        (InputKind::Choice(choices), value) => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let is_known = choices.iter().any(|choice| choice.name == text);
            (!is_known).then(|| no_choice(input, &text))
        }
        (InputKind::CardPick(_), value) => {
            (!value.is_string()).then(|| format!("{} must name a card.", input.label))
        }
        (InputKind::Rows(fields), value) => rows_issue(input, fields, value),
        (InputKind::Json | InputKind::Headers, value) => json_issue(input, value),
        _ => None,
    }
}

/// A value that may stand there as the text of its JSON; `None` for a text that is none.
fn read_json(value: &Value) -> Option<Cow<'_, Value>> {
    match value {
        Value::String(text) => serde_json::from_str(text).ok().map(Cow::Owned),
        value => Some(Cow::Borrowed(value)),
    }
}

/// What is wrong with JSON.
fn json_issue(input: &Input, value: &Value) -> Option<String> {
    let shape = input.json_shape();
    if shape == JsonShape::Unread {
        return None;
    }
    let wrong = match read_json(value) {
        Some(read) => shape.mismatch(&read)?,
        None => "must be JSON".to_owned(),
    };
    Some(format!("{} {wrong}.", input.label))
}

/// What is wrong with a table. Fields that depend on others are judged when they run.
fn rows_issue(input: &Input, fields: &[Input], value: &Value) -> Option<String> {
    let read = read_json(value);
    let Some(rows) = read.as_deref().and_then(Value::as_array) else {
        return Some(format!("{} must be a list of rows.", input.label));
    };
    let always = |field: &&Input| field.shown_if.is_none() && field.shown_for.is_none();
    rows.iter().enumerate().find_map(|(at, row)| {
        let wrong = match row {
            Value::Object(row) => {
                fields.iter().filter(always).find_map(|field| issue(field, row.get(field.name)))?
            }
            _ => "it must be an object.".to_owned(),
        };
        Some(format!("{}, row {}: {wrong}", input.label, at + 1))
    })
}

/// What is said of a text that is none of the choices.
pub(super) fn no_choice(input: &Input, text: &str) -> String {
    const SHOWN_MAX_CHARS: usize = 60;
    let shown: String = text.escape_debug().take(SHOWN_MAX_CHARS).collect();
    format!("{} has the value '{shown}', which is none of its choices.", input.label)
}
