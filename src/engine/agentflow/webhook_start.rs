//! What the Start card says of calls of the flow's webhook (manual 17.1).

use super::values::{Scope, ValueSource};
use super::written_out::is_written_out;
use crate::canvas::Node;

use crate::canvas::template::{RunText, RunValue};
use crate::domain::error::{Error, Result};
use crate::domain::secrets::tree;
use crate::domain::triggers::webhook_rules::{ParamKind, ParamPlace, WebhookParam, WebhookRules};
use crate::domain::triggers::webhook_signature::{SignatureKind, WebhookAuth};
use crate::net::CallPurpose;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;

/// The header with the signature where the card names none.
const SIGNATURE_HEADER: &str = "x-webhook-signature";
/// The question of a run that is asked nothing: a conversation has no message without a text.
const NO_QUESTION: &str = " ";

/// What the Start card says of calls.
#[derive(Debug, Clone, PartialEq)]
pub struct WebhookStart {
    pub rules: WebhookRules,
    /// How calls prove who sent them, where they have to.
    pub auth: Option<WebhookAuth>,
    question: QuestionSource,
    pub answers: WebhookAnswers,
    callback: Option<CallbackSource>,
}

/// What the flow is asked.
#[derive(Debug, Clone, PartialEq)]
enum QuestionSource {
    Text(ValueSource),
    /// The body of the call, as JSON.
    Body,
    Nothing,
}

/// How a call is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookAnswers {
    Whole,
    Stream,
    /// At once that it is under way, and later to an address.
    Later,
}

/// Where an answer is sent later.
#[derive(Debug, Clone, PartialEq)]
struct CallbackSource {
    url: ValueSource,
    purpose: CallPurpose,
    secret: Option<ValueSource>,
}

/// Where an answer is sent later, and what signs it.
#[derive(Clone, PartialEq, Eq)]
pub struct CallbackTarget {
    pub url: String,
    pub purpose: CallPurpose,
    pub secret: Option<String>,
}

/// What references of the Start card stand for before the run.
pub struct CallContext<'a> {
    /// Body, headers and query of the call.
    pub call: &'a Value,
    /// Saved variables.
    pub variables: &'a HashMap<String, String>,
}

impl Scope for CallContext<'_> {
    fn text(&self, name: &RunText) -> Option<Cow<'_, str>> {
        match name {
            RunText::Variable(name) => self.variables.get(name).map(|value| Cow::Borrowed(&**value)),
            _ => None,
        }
    }

    fn value(&self, name: &RunValue) -> Option<Cow<'_, Value>> {
        (*name == RunValue::Webhook).then_some(Cow::Borrowed(self.call))
    }
}

impl WebhookStart {
    pub(in crate::engine) fn from_node(node: &Node) -> Self {
        let saved = |name: &str| node.inputs.get(name).filter(|value| !is_blank(value));
        let text = |name: &str| saved(name).and_then(Value::as_str).map(str::trim);
        let is_on = |name: &str| saved(name).is_some_and(|on| *on == true || *on == "true");
        // What was never saved is what the card begins with; what was emptied takes anything.
        let choice = |name: &str, default: &str| match node.inputs.get(name) {
            None => Some(default.to_owned()),
            Some(_) => text(name).map(str::to_owned),
        };
        let params = is_on("webhookEnableValidation").then(|| {
            let rows = |name: &str, place| rows(node.inputs.get(name), place);
            rows("webhookHeaderParams", ParamPlace::Header)
                .chain(rows("webhookBodyParams", ParamPlace::Body))
                .chain(rows("webhookQueryParams", ParamPlace::Query))
                .collect()
        });
        let answers = match text("webhookResponseMode") {
            Some("stream") => WebhookAnswers::Stream,
            Some("async") => WebhookAnswers::Later,
            _ => WebhookAnswers::Whole,
        };
        Self {
            rules: WebhookRules {
                method: choice("webhookMethod", "POST"),
                content_type: choice("webhookContentType", "application/json"),
                params: params.unwrap_or_default(),
            },
            auth: is_on("webhookEnableAuth").then(|| WebhookAuth {
                kind: match text("webhookSignatureType") {
                    Some("plain-token") => SignatureKind::PlainToken,
                    _ => SignatureKind::Hmac,
                },
                header: text("webhookSignatureHeader").unwrap_or(SIGNATURE_HEADER).to_ascii_lowercase(),
                timestamp_header: text("webhookTimestampHeader").map(str::to_ascii_lowercase),
            }),
            question: match text("webhookInputMode") {
                Some("payload") => QuestionSource::Body,
                Some("none") => QuestionSource::Nothing,
                _ => saved("webhookDefaultInput").map_or(QuestionSource::Nothing, |value| {
                    QuestionSource::Text(ValueSource::from_saved(value))
                }),
            },
            answers,
            callback: saved("callbackUrl").filter(|_| answers == WebhookAnswers::Later).map(|url| {
                let is_plain = url.as_str().is_some_and(is_written_out);
                CallbackSource {
                    url: ValueSource::from_saved(url),
                    purpose: if is_plain { CallPurpose::WrittenOut } else { CallPurpose::Assembled },
                    secret: saved("callbackSecret").map(ValueSource::from_saved),
                }
            }),
        }
    }

    /// What a call asks the flow.
    #[must_use]
    pub fn question(&self, context: &CallContext<'_>) -> String {
        let text = match &self.question {
            QuestionSource::Text(source) => into_text(source.resolve(context)),
            QuestionSource::Body => context.call.get("body").map(Value::to_string).unwrap_or_default(),
            QuestionSource::Nothing => String::new(),
        };
        if text.trim().is_empty() { NO_QUESTION.to_owned() } else { text }
    }

    /// Where the answer is sent later. Of references only saved variables count: no call says where answers go.
    ///
    /// # Errors
    /// When its secret was hidden by the history.
    pub fn callback(&self, variables: &HashMap<String, String>) -> Result<Option<CallbackTarget>> {
        let Some(source) = &self.callback else { return Ok(None) };
        let owners = CallContext { call: &Value::Null, variables };
        let secret = source.secret.as_ref().map(|secret| into_text(secret.resolve(&owners)));
        if secret.as_deref().is_some_and(tree::is_placeholder) {
            return Err(Error::RunFailed(
                "Start: Callback Secret: a secret was hidden here by the version history; enter it again"
                    .into(),
            ));
        }
        let url = into_text(source.url.resolve(&owners)).trim().to_owned();
        Ok(Some(CallbackTarget { url, purpose: source.purpose, secret }))
    }
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

fn into_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// The rows of declared parameters; one without a name says nothing.
fn rows(saved: Option<&Value>, place: ParamPlace) -> impl Iterator<Item = WebhookParam> + '_ {
    let row = move |row: &Value| {
        let text = |name: &str| row.get(name).and_then(Value::as_str).map(str::trim);
        let name = text("name").filter(|name| !name.is_empty())?.to_owned();
        let is_required = row.get("required").is_some_and(|on| *on == true || *on == "true");
        Some(WebhookParam {
            place,
            name,
            kind: ParamKind::parse(text("type").unwrap_or("string")),
            is_required,
        })
    };
    saved.and_then(Value::as_array).into_iter().flatten().filter_map(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::Canvas;
    use serde_json::json;

    fn start(inputs: Value) -> WebhookStart {
        let node = json!({"id": "s_0", "data": {"id": "s_0", "name": "startAgentflow", "label": "Start", "inputs": inputs}});
        let canvas = json!({"nodes": [node], "edges": []}).to_string();
        WebhookStart::from_node(&Canvas::parse(&canvas).unwrap().nodes()[0])
    }

    fn asked(inputs: Value) -> String {
        let variables = HashMap::from([("city".to_owned(), "Oslo".to_owned())]);
        let call = json!({"body": {"name": "Ada", "n": 1}, "headers": {}, "query": {}});
        start(inputs).question(&CallContext { call: &call, variables: &variables })
    }

    fn target(inputs: Value) -> CallbackTarget {
        let variables = HashMap::from([("host".to_owned(), "a.example".to_owned())]);
        start(inputs).callback(&variables).unwrap().unwrap()
    }

    #[test]
    fn a_text_stands_for_the_question_with_values_of_the_call_in_it() {
        let text = "{{ $webhook.body.name }} of {{ $vars.city }}: {{ question }}";
        assert_eq!(asked(json!({"webhookDefaultInput": text})), "Ada of Oslo: {{ question }}");
    }

    #[test]
    fn a_payload_is_asked_as_json_and_nothing_as_a_blank() {
        assert_eq!(asked(json!({"webhookInputMode": "payload"})), r#"{"name":"Ada","n":1}"#);
        assert_eq!(asked(json!({"webhookInputMode": "none", "webhookDefaultInput": "x"})), " ");
        assert_eq!(asked(json!({})), " ");
    }

    #[test]
    fn what_was_never_saved_is_the_default_and_what_was_emptied_takes_anything() {
        assert_eq!(start(json!({})).rules.method.as_deref(), Some("POST"));
        assert_eq!(start(json!({"webhookMethod": ""})).rules.method, None);
        assert_eq!(start(json!({"webhookMethod": "PUT"})).rules.method.as_deref(), Some("PUT"));
    }

    #[test]
    fn parameters_count_where_they_are_switched_on() {
        let params = |on: bool| {
            let rows = json!([{"name": "id", "type": "number", "required": true}, {"name": " "}]);
            start(json!({"webhookEnableValidation": on, "webhookBodyParams": rows})).rules.params.len()
        };
        assert_eq!((params(true), params(false)), (1, 0));
    }

    #[test]
    fn an_answer_goes_where_the_card_says_and_a_call_has_no_say() {
        let inputs = |url: &str| json!({"webhookResponseMode": "async", "callbackUrl": url});
        let plain = target(inputs("http://127.0.0.1:9/x"));
        assert_eq!((plain.url.as_str(), plain.purpose), ("http://127.0.0.1:9/x", CallPurpose::WrittenOut));
        let made = target(inputs("http://{{ $vars.host }}/{{ $webhook.body.x }}"));
        assert_eq!(
            (made.url.as_str(), made.purpose),
            ("http://a.example/{{ $webhook.body.x }}", CallPurpose::Assembled)
        );
    }

    #[test]
    fn only_answers_that_come_later_are_sent_to_an_address() {
        let whole = start(json!({"callbackUrl": "http://a.example/"}));
        assert!(whole.callback(&HashMap::new()).unwrap().is_none());
    }
}
