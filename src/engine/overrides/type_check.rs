//! Whether a setting can hold the value that a request gives it: decided before anything runs (manual 7.3 r1).

use crate::cards::kit::{Input, InputKind, number_in};
use serde_json::Value;

/// What a value for this input must be, when `value` is not.
pub(super) fn type_error(input: &Input, value: &Value) -> Option<String> {
    if is_empty(value) {
        // Empty is not set: the default counts, or nothing does.
        let needed = !input.optional && input.default.is_none();
        return needed.then(|| "filled in".to_owned());
    }
    match input.kind {
        InputKind::Number { min, max, .. } => {
            let fits = number_in(value).is_some_and(|number| (min..=max).contains(&number));
            (!fits).then(|| format!("a number between {min} and {max}"))
        }
        InputKind::Switch => {
            let fits = value.is_boolean() || matches!(value.as_str(), Some("true" | "false"));
            (!fits).then(|| "true or false".to_owned())
        }
        InputKind::Choice(choices) => {
            let fits = choices.iter().any(|choice| value == choice.name);
            let names = || choices.iter().map(|choice| choice.name).collect::<Vec<_>>().join(", ");
            (!fits).then(|| format!("one of: {}", names()))
        }
        InputKind::Json => {
            let read = value.as_str().map(serde_json::from_str::<Value>);
            let fits = match read.as_ref().map_or(Ok(value), |read| read.as_ref()) {
                Ok(Value::Object(_)) => true,
                Ok(Value::Array(_)) => input.lists,
                _ => false,
            };
            let wanted = if input.lists { "JSON: an object or a list" } else { "a JSON object" };
            (!fits).then(|| wanted.to_owned())
        }
        InputKind::Rows(_) => {
            let is_object = |row: &Value| row.is_object();
            let fits = value.as_array().is_some_and(|rows| rows.iter().all(is_object));
            (!fits).then(|| "a list of objects".to_owned())
        }
        InputKind::Variants(_) if input.variant_for(value) != input => {
            type_error(input.variant_for(value), value)
        }
        _ => {
            let fits = !value.is_object() && (input.lists || !value.is_array());
            (!fits).then(|| if input.lists { "a text or a list" } else { "a text" }.to_owned())
        }
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::kit::Choice;
    use serde_json::json;

    const CHOICES: &[Choice] = &[Choice::new("stuff", "Stuff"), Choice::new("refine", "Refine")];

    fn fits(input: Input, good: &[Value], bad: &[Value]) {
        for value in good {
            assert_eq!(type_error(&input, value), None, "{} {value}", input.name);
        }
        for value in bad {
            assert!(type_error(&input, value).is_some(), "{} {value}", input.name);
        }
    }

    #[test]
    fn a_value_fits_the_declared_kind_and_its_bounds() {
        let (list, object) = (json!(["x"]), json!({"x": 1}));
        fits(
            Input::number("number", "", 0.0, 2.0).optional(),
            &[json!(0), json!(2), json!("0.5"), json!(" 1 "), json!(""), json!(null)],
            &[
                json!(-1),
                json!(2.1),
                json!("hot"),
                json!("NaN"),
                json!("inf"),
                json!(true),
                list.clone(),
                object.clone(),
            ],
        );
        fits(
            Input::switch("switch", ""),
            &[json!(true), json!(false), json!("true"), json!("false")],
            &[json!("yes"), json!(1), list.clone(), object.clone()],
        );
        fits(
            Input::choice("choice", "", CHOICES).or("stuff"),
            &[json!("stuff"), json!("refine"), json!("")],
            &[json!("Stuff"), json!("map"), json!(1), list.clone(), object.clone()],
        );
        fits(
            Input::json("json", "").optional(),
            &[object.clone(), json!("{\"x\": 1}"), json!("")],
            &[list.clone(), json!("[1]"), json!("x"), json!("{"), json!(1), json!(true)],
        );
        fits(
            Input::json("rows", "").optional().lists(),
            &[object.clone(), list.clone(), json!("[1]"), json!("{}")],
            &[json!("x"), json!("5"), json!(1)],
        );
        fits(
            Input::text("text", ""),
            &[json!("x"), json!(5), json!(true), json!("[1]"), json!("{}"), json!(" ")],
            &[json!(""), json!(null), list.clone(), object.clone()],
        );
        fits(
            Input::lines("listed", "").optional().lists(),
            &[list.clone(), json!("x"), json!("")],
            &[object],
        );
        fits(Input::model(&["a"]), &[json!("any-model")], &[list]);
    }
}
