//! What a call of a webhook must look like (manual 17.1).

use super::webhook_call::WebhookCall;
use crate::domain::error::{Error, Result};
use serde_json::{Map, Value};

/// What the Start card says of calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookRules {
    /// `None` takes any.
    pub method: Option<String>,
    /// Of a body, where there is one; `None` takes any.
    pub content_type: Option<String>,
    pub params: Vec<WebhookParam>,
}

/// Something that a call brings along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookParam {
    pub place: ParamPlace,
    pub name: String,
    pub kind: ParamKind,
    pub is_required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamPlace {
    Header,
    Body,
    Query,
}

/// What a value is. Headers and queries are always text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    One(ValueKind),
    List(ValueKind),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    Text,
    Number,
    Switch,
    Object,
}

impl ValueKind {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::Text,
            "number" => Self::Number,
            "boolean" => Self::Switch,
            "object" => Self::Object,
            _ => return None,
        })
    }

    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Number => value.is_number(),
            Self::Switch => value.is_boolean(),
            Self::Object => value.is_object(),
        }
    }

    const fn one(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Number => "a number",
            Self::Switch => "true or false",
            Self::Object => "an object",
        }
    }

    const fn several(self) -> &'static str {
        match self {
            Self::Text => "a list of texts",
            Self::Number => "a list of numbers",
            Self::Switch => "a list of true and false",
            Self::Object => "a list of objects",
        }
    }
}

impl ParamKind {
    /// As a Start card names it: `string`, `array[number]` and the like. What it does not know is a text.
    #[must_use]
    pub fn parse(name: &str) -> Self {
        let list = name.strip_prefix("array[").and_then(|rest| rest.strip_suffix(']'));
        match list.and_then(ValueKind::parse) {
            Some(kind) => Self::List(kind),
            None => Self::One(ValueKind::parse(name).unwrap_or(ValueKind::Text)),
        }
    }

    fn fits(self, value: &Value) -> bool {
        match (self, value) {
            (Self::One(kind), value) => kind.fits(value),
            (Self::List(kind), Value::Array(values)) => values.iter().all(|value| kind.fits(value)),
            (Self::List(_), _) => false,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::One(kind) => kind.one(),
            Self::List(kind) => kind.several(),
        }
    }
}

impl WebhookParam {
    fn words(&self) -> String {
        let place = match self.place {
            ParamPlace::Header => "the header",
            ParamPlace::Body => "the body field",
            ParamPlace::Query => "the query parameter",
        };
        format!("{place} '{}'", self.name.escape_debug())
    }

    /// What this call brings along for it.
    fn value(&self, call: &WebhookCall) -> Option<Value> {
        match self.place {
            ParamPlace::Header => call.header(&self.name).map(Value::from),
            ParamPlace::Query => {
                let sent = call.query.iter().find(|(name, _)| *name == self.name);
                sent.map(|(_, value)| Value::from(value.as_str()))
            }
            ParamPlace::Body => call.body.get(&self.name).filter(|value| !value.is_null()).cloned(),
        }
    }

    /// What is wrong with it in this call.
    fn problem(&self, call: &WebhookCall) -> Option<String> {
        let Some(value) = self.value(call) else {
            return self.is_required.then(|| format!("{} is missing", self.words()));
        };
        if self.place != ParamPlace::Body || self.kind.fits(&value) {
            return None;
        }
        Some(format!("{} must be {}", self.words(), self.kind.words()))
    }
}

impl WebhookRules {
    /// Judges the method and the type of the body.
    ///
    /// # Errors
    /// 405 and 415.
    pub fn check_head(&self, method: &str, content_type: Option<&str>) -> Result<()> {
        if let Some(wanted) = self.method.as_deref().filter(|wanted| *wanted != method) {
            return Err(Error::MethodRefused { allow: wanted.to_owned() });
        }
        match (&self.content_type, content_type) {
            (Some(wanted), Some(sent)) if wanted != sent => {
                Err(Error::MediaType(format!("This webhook takes a body of the type {wanted} only.")))
            }
            _ => Ok(()),
        }
    }

    /// Judges what the call brings along.
    ///
    /// # Errors
    /// 400 with everything that is missing or of another type.
    pub fn check_params(&self, call: &WebhookCall) -> Result<()> {
        let problems: Vec<String> = self.params.iter().filter_map(|param| param.problem(call)).collect();
        if problems.is_empty() {
            return Ok(());
        }
        Err(Error::Invalid(format!("The call does not fit this webhook: {}.", problems.join(", "))))
    }

    /// What the call brings along of that which is declared, by its name.
    #[must_use]
    pub fn values(&self, call: &WebhookCall) -> Map<String, Value> {
        let sent = |param: &WebhookParam| Some((param.name.clone(), param.value(call)?));
        self.params.iter().filter_map(sent).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(body: Value) -> WebhookCall {
        WebhookCall {
            method: "POST".into(),
            content_type: Some("application/json".into()),
            headers: vec![("x-event".into(), "push".into())],
            query: vec![("q".into(), "1".into())],
            body,
        }
    }

    fn param(place: ParamPlace, name: &str, kind: &str, is_required: bool) -> WebhookParam {
        WebhookParam { place, name: name.to_owned(), kind: ParamKind::parse(kind), is_required }
    }

    fn told(params: Vec<WebhookParam>, body: Value) -> String {
        let rules = WebhookRules { params, ..WebhookRules::default() };
        rules.check_params(&call(body)).map_or_else(|fault| fault.to_string(), |()| String::new())
    }

    #[test]
    fn everything_that_is_wrong_is_named_at_once() {
        let params = vec![
            param(ParamPlace::Header, "X-Event", "string", true),
            param(ParamPlace::Header, "X-Other", "string", true),
            param(ParamPlace::Query, "page", "string", true),
            param(ParamPlace::Body, "id", "number", true),
            param(ParamPlace::Body, "tags", "array[string]", false),
        ];
        assert_eq!(
            told(params, json!({"tags": ["a", 1]})),
            "The call does not fit this webhook: the header 'X-Other' is missing, the query parameter 'page' is missing, \
             the body field 'id' is missing, the body field 'tags' must be a list of texts."
        );
    }

    #[test]
    fn each_type_fits_its_values_and_no_others() {
        let values = [json!("a"), json!(1.5), json!(true), json!({"a": 1})];
        for (at, kind) in ["string", "number", "boolean", "object"].into_iter().enumerate() {
            for (place, value) in values.iter().enumerate() {
                let fits = |kind: &str, value: Value| {
                    told(vec![param(ParamPlace::Body, "v", kind, true)], json!({ "v": value })).is_empty()
                };
                assert_eq!(fits(kind, value.clone()), at == place, "{kind} {value}");
                assert_eq!(fits(&format!("array[{kind}]"), json!([value])), at == place, "[{kind}] {value}");
                assert!(!fits(&format!("array[{kind}]"), value.clone()));
            }
        }
    }

    #[test]
    fn what_is_not_required_may_be_missing_or_null() {
        let params = || vec![param(ParamPlace::Body, "a", "number", false)];
        assert_eq!(told(params(), json!({})), "");
        assert_eq!(told(params(), json!({"a": null})), "");
    }
}
