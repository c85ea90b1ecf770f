//! What records of requests do not show.

use super::{KEY, VALUE};
use crate::domain::secrets::names::is_never_stored;
use serde_json::Value;
use url::Url;

/// What stands in the place of a secret.
pub(super) const HIDDEN: &str = "***";

/// Parts of names of headers and parameters that carry secrets.
const SECRET_PARTS: &[&str] = &["authorization", "cookie", "key", "token", "secret", "password"];

/// True for a name whose value a record does not show.
pub(super) fn is_secret(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    SECRET_PARTS.iter().any(|part| lower.contains(part)) || is_never_stored(name)
}

/// Hides the value of a row of key and value.
pub(super) fn hide_in_row(row: &mut Value) {
    let hides = row[KEY].as_str().is_some_and(is_secret);
    if let Some(value) = row.get_mut(VALUE).filter(|_| hides) {
        *value = HIDDEN.into();
    }
}

/// Hides the values of fields in a body of JSON; any other text stays as it is.
pub(super) fn hide_in_json(text: &str) -> String {
    let Ok(mut body) = serde_json::from_str(text) else { return text.to_owned() };
    if hide_in_fields(&mut body) { body.to_string() } else { text.to_owned() }
}

/// True when something was hidden.
fn hide_in_fields(value: &mut Value) -> bool {
    let mut has_hidden = false;
    match value {
        Value::Array(items) => {
            for item in items {
                has_hidden |= hide_in_fields(item);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                if is_secret(name) {
                    *value = HIDDEN.into();
                    has_hidden = true;
                } else {
                    has_hidden |= hide_in_fields(value);
                }
            }
        }
        _ => {}
    }
    has_hidden
}

/// Hides the values of parameters of an address.
pub(super) fn hide_in_url(text: &str) -> String {
    let Ok(mut url) = Url::parse(text) else { return text.to_owned() };
    let pairs: Vec<(String, String)> =
        url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
    if !pairs.iter().any(|(name, _)| is_secret(name)) {
        return text.to_owned();
    }
    let shown = |(name, value): &(String, String)| {
        let value = if is_secret(name) { HIDDEN.to_owned() } else { value.clone() };
        (name.clone(), value)
    };
    url.query_pairs_mut().clear().extend_pairs(pairs.iter().map(shown));
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_of_secrets_are_known() {
        for secret in ["Authorization", "X-Api-Key", "set-cookie", "X-Auth-Token", "client_secret"] {
            assert!(is_secret(secret), "{secret}");
        }
        for plain in ["content-type", "accept", "page", "etag"] {
            assert!(!is_secret(plain), "{plain}");
        }
    }

    #[test]
    fn a_row_keeps_its_key_and_loses_its_secret() {
        let mut rows = [json!({"key": "X-Api-Key", "value": "s"}), json!({"key": "accept", "value": "a"})];
        rows.iter_mut().for_each(hide_in_row);
        assert_eq!(
            rows,
            [json!({"key": "X-Api-Key", "value": "***"}), json!({"key": "accept", "value": "a"})]
        );
    }

    #[test]
    fn a_body_of_json_loses_the_secrets_of_its_fields_alone() {
        let body = r#"[{"city": "Rome", "login": {"api_key": "s"}}, {"password": {"old": "s"}}]"#;
        let shown = r#"[{"city":"Rome","login":{"api_key":"***"}},{"password":"***"}]"#;
        assert_eq!(hide_in_json(body), shown);
        for kept in [r#"{"city":  "Rome"}"#, "password=s", "7"] {
            assert_eq!(hide_in_json(kept), kept);
        }
    }

    #[test]
    fn an_address_loses_the_secrets_of_its_query_alone() {
        assert_eq!(hide_in_url("https://a.example/x?q=1&api_key=s"), "https://a.example/x?q=1&api_key=***");
        assert_eq!(hide_in_url("https://a.example/x?q=%7E"), "https://a.example/x?q=%7E");
    }
}
