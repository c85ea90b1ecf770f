//! The arguments of one call: what the owner settled and what the model gave, read as the action declares them.

use super::{ActionArgument, ActionArgumentKind, ActionBody, ServiceAction};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

/// What a path segment holds as it is.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'@');

/// The arguments of a call, each of the kind that was declared.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallArguments(Map<String, Value>);

impl CallArguments {
    /// Reads them. What is given empty is left out.
    ///
    /// # Errors
    /// Which argument does not fit.
    pub(super) fn parse(action: &ServiceAction, all: &Map<String, Value>) -> Result<Self, String> {
        let mut given = Map::new();
        for argument in action.arguments {
            if let Some(value) = all.get(argument.name).and_then(|value| read(argument, value).transpose()) {
                given.insert(argument.name.to_owned(), value?);
            } else if let Some(default) = argument.default {
                given.insert(argument.name.to_owned(), default.into());
            } else if argument.required {
                return Err(format!("The argument '{}' is empty.", argument.name));
            }
        }
        Ok(Self(given))
    }

    #[must_use]
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// A text, or nothing.
    #[must_use]
    pub(crate) fn text_or_empty(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    #[must_use]
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The parts of a text that is divided by commas.
    #[must_use]
    pub(crate) fn parts(&self, name: &str) -> Vec<&str> {
        self.text_or_empty(name).split(',').map(str::trim).filter(|part| !part.is_empty()).collect()
    }

    /// An object of those of these arguments that are given, under these names.
    #[must_use]
    pub(crate) fn object(&self, names: &[(&str, &str)]) -> Map<String, Value> {
        let field =
            |(name, as_name): &(&str, &str)| Some(((*as_name).to_owned(), self.0.get(*name)?.clone()));
        names.iter().filter_map(field).collect()
    }

    /// The path of a request, with arguments in it.
    pub(super) fn path(&self, action: &ServiceAction) -> Result<String, String> {
        let mut path = action.path.to_owned();
        for argument in action.arguments.iter().filter(|argument| action.is_in_path(argument.name)) {
            let text = self.0.get(argument.name).map(text_of).unwrap_or_default();
            if ["", ".", ".."].contains(&text.as_str()) {
                return Err(format!("The argument '{}' cannot be '{text}'.", argument.name));
            }
            path = path.replace(&format!("{{{}}}", argument.name), &escape_segment(&text));
        }
        Ok(path)
    }

    /// The query of a request.
    pub(super) fn query(&self, action: &ServiceAction) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        for argument in action.arguments {
            let (Some(name), Some(value)) = (argument.query, self.0.get(argument.name)) else { continue };
            match value {
                Value::Array(items) => pairs.extend(items.iter().map(|item| (name, text_of(item)))),
                value => pairs.push((name, text_of(value))),
            }
        }
        pairs
    }

    /// The body of a request.
    pub(super) fn body(&self, action: &ServiceAction) -> Result<Option<Value>, String> {
        match action.body {
            ActionBody::Nothing => Ok(None),
            ActionBody::Custom(make) => make(self).map(Some),
            ActionBody::Fields => {
                let stands_here = |argument: &&ActionArgument| {
                    argument.query.is_none() && !action.is_in_path(argument.name)
                };
                let fields = action.arguments.iter().filter(stands_here);
                let field = |argument: &ActionArgument| {
                    Some((argument.name.to_owned(), self.0.get(argument.name)?.clone()))
                };
                Ok(Some(Value::Object(fields.filter_map(field).collect())))
            }
        }
    }
}

/// A text as one segment of a path.
#[must_use]
pub(crate) fn escape_segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A value as its argument declares it, whether a model gave it or an owner typed it; `None` when it is empty.
fn read(argument: &ActionArgument, value: &Value) -> Result<Option<Value>, String> {
    let wrong = |what: &str| Err(format!("The argument '{}' must be {what}.", argument.name));
    let text = match value {
        Value::Null => return Ok(None),
        Value::String(text) => text.trim(),
        _ => "",
    };
    if value.is_string() && text.is_empty() {
        return Ok(None);
    }
    Ok(Some(match (argument.kind, value) {
        (ActionArgumentKind::Text, Value::String(_) | Value::Number(_) | Value::Bool(_)) => {
            text_of(value).into()
        }
        (ActionArgumentKind::Text, Value::Array(_) | Value::Object(_)) => value.to_string().into(),
        (ActionArgumentKind::Line, Value::String(_)) if text.chars().any(char::is_control) => {
            return wrong("one line without control characters");
        }
        (ActionArgumentKind::Line, Value::String(_)) => text.into(),
        (ActionArgumentKind::Line, Value::Number(number)) => number.to_string().into(),
        (ActionArgumentKind::Whole { min, max }, _) => {
            let number = value.as_i64().or_else(|| text.parse().ok());
            match number.or_else(|| whole(value)).filter(|number| (min..=max).contains(number)) {
                Some(number) => number.into(),
                None => return wrong(&format!("a whole number from {min} to {max}")),
            }
        }
        (ActionArgumentKind::Flag, Value::Bool(_)) => value.clone(),
        (ActionArgumentKind::Flag, Value::String(_)) if text == "true" || text == "false" => {
            (text == "true").into()
        }
        (ActionArgumentKind::Lines, Value::Array(items)) if items.iter().all(is_line) => value.clone(),
        (ActionArgumentKind::Lines, Value::String(_)) => {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            parts.map(Value::from).collect()
        }
        (ActionArgumentKind::Words(words), Value::String(_)) if words.contains(&text) => text.into(),
        (ActionArgumentKind::Words(words), _) => return wrong(&format!("one of: {}", words.join(", "))),
        (ActionArgumentKind::Flag, _) => return wrong("true or false"),
        (ActionArgumentKind::Line, _) => return wrong("a text"),
        (ActionArgumentKind::Lines, _) => return wrong("a list of texts"),
        (ActionArgumentKind::Text, Value::Null) => return Ok(None),
    }))
}

/// A number that is whole, however it is written.
fn whole(value: &Value) -> Option<i64> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e15)?;
    Some(number as i64)
}

fn is_line(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.chars().any(char::is_control))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ACTION: ServiceAction =
        ServiceAction::post("doIt", "Does it.", "/things/{id}:do").sends_fields().takes(&[
            ActionArgument::line("id", "Which.").required(),
            ActionArgument::whole("many", 1, 10, "How many.").as_query("n"),
            ActionArgument::lines("tags", "Which tags.").in_query(),
            ActionArgument::flag("deep", "Deeply."),
            ActionArgument::word("how", &["fast", "slow"], "How."),
            ActionArgument::text("text", "What."),
        ]);

    fn given(all: Value) -> Result<CallArguments, String> {
        CallArguments::parse(&ACTION, all.as_object().unwrap())
    }

    #[test]
    fn arguments_stand_where_they_belong() {
        let given =
            given(json!({"id": "a/../b?c", "many": "3", "tags": "x, y", "deep": "true", "text": 7})).unwrap();
        assert_eq!(given.path(&ACTION).unwrap(), "/things/a%2F..%2Fb%3Fc:do");
        let query = [("n", "3"), ("tags", "x"), ("tags", "y")].map(|(name, text)| (name, text.to_owned()));
        assert_eq!(given.query(&ACTION), query);
        assert_eq!(given.body(&ACTION).unwrap(), Some(json!({"deep": true, "text": "7"})));
        assert_eq!(ACTION.tool_name(), "do_it");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (bad, named) in [
            (json!({}), "'id' is empty"),
            (json!({"id": " "}), "'id' is empty"),
            (json!({"id": "a\r\nb"}), "'id' must be one line"),
            (json!({"id": "a", "many": 11}), "'many' must be a whole number from 1 to 10"),
            (json!({"id": "a", "many": 1e300}), "'many' must be"),
            (json!({"id": "a", "many": 1.5}), "'many' must be"),
            (json!({"id": "a", "deep": "maybe"}), "'deep' must be true or false"),
            (json!({"id": "a", "how": "odd"}), "'how' must be one of: fast, slow"),
            (json!({"id": "a", "tags": [7]}), "'tags' must be a list"),
        ] {
            let told = given(bad.clone()).unwrap_err();
            assert!(told.contains(named), "{bad}: {told}");
        }
        for stays in ["..", "."] {
            assert!(given(json!({ "id": stays })).unwrap().path(&ACTION).is_err(), "{stays}");
        }
    }
}
