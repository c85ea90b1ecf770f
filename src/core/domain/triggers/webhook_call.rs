//! A call of a flow's webhook, as the run sees it.

use serde_json::{Map, Value, json};

/// Headers that prove who calls. They are for the service and not for the flow, whose models and records would show them.
const PROOFS: &[&str] = &[
    "authorization",
    "proxy-authorization",
    "cookie",
    "x-service-session-token",
    "x-webhook-signature",
    "x-hub-signature",
    "x-hub-signature-256",
];

/// A call of a flow's webhook.
#[derive(Debug, Clone, PartialEq)]
pub struct WebhookCall {
    pub method: String,
    /// The type of its body, without parameters and in small letters; `None` without a body.
    pub content_type: Option<String>,
    /// Names in small letters.
    pub headers: Vec<(String, String)>,
    pub query: Vec<(String, String)>,
    pub body: Value,
}

impl WebhookCall {
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    /// What references to the call find: body, headers without what proves the caller, and query. `signature` is the header
    /// in which the card expects a signature.
    #[must_use]
    pub fn into_payload(self, signature: Option<&str>) -> Value {
        let shown = |name: &str| {
            !PROOFS.contains(&name) && signature.is_none_or(|signature| !name.eq_ignore_ascii_case(signature))
        };
        let headers = self.headers.into_iter().filter(|(name, _)| shown(name));
        json!({"body": self.body, "headers": collect(headers), "query": collect(self.query)})
    }
}

/// Pairs as an object; values of one name as a list.
#[must_use]
pub fn collect(pairs: impl IntoIterator<Item = (String, String)>) -> Map<String, Value> {
    let mut all = Map::new();
    for (name, value) in pairs {
        match all.get_mut(&name) {
            None => drop(all.insert(name, value.into())),
            Some(Value::Array(values)) => values.push(value.into()),
            Some(first) => *first = Value::Array(vec![first.take(), value.into()]),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn what_proves_the_caller_is_not_shown_to_the_flow() {
        let call = WebhookCall {
            method: "POST".into(),
            content_type: None,
            headers: pairs(&[
                ("authorization", "Bearer x"),
                ("cookie", "a=b"),
                ("x-own-signature", "s"),
                ("x-service-session-token", "t"),
                ("x-event", "push"),
            ]),
            query: pairs(&[("q", "1"), ("q", "2"), ("z", "3")]),
            body: json!({"a": 1}),
        };
        assert_eq!(
            call.into_payload(Some("X-Own-Signature")),
            json!({"body": {"a": 1}, "headers": {"x-event": "push"}, "query": {"q": ["1", "2"], "z": "3"}})
        );
    }
}
