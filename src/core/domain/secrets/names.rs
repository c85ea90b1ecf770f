//! Names whose values history never keeps (manual 6.8), compared folded: case, blanks, `-` and `_` do not count.

use super::{PLACEHOLDER, values};
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization as _;

const NAMES: &[&str] = &[
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "passphrase",
    "connectionstring",
    "authorization",
    "cookie",
    "encrypteddata",
];

const ENDS: &[&str] = &["secret", "password", "passwd", "pwd", "token"];

const HEADERS: &[&str] =
    &["authorization", "proxyauthorization", "cookie", "xapikey", "apikey", "xauthtoken"];

/// Keys under which a canvas keeps the id of a credential.
const CREDENTIAL_IDS: &[&str] = &["FLOWISE_CREDENTIAL_ID", "credential", "credentialId"];

/// Characters that show nothing and can stand inside a name all the same, as first and last of each range.
const INVISIBLE: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// A name as people see it: letters in their plain form (NFKC), without what shows nothing.
#[must_use]
pub fn visible_form(name: &str) -> Cow<'_, str> {
    if name.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        return name.into();
    }
    let shows =
        |c: &char| !c.is_control() && !INVISIBLE.iter().any(|(first, last)| (*first..=*last).contains(c));
    // What stands between two letters may keep them from becoming one, so it goes first.
    name.chars().filter(shows).collect::<String>().nfkc().filter(shows).collect::<String>().into()
}

/// A name with what does not count left out.
#[must_use]
pub fn fold_name(name: &str) -> String {
    visible_form(name)
        .chars()
        .filter(|c| !matches!(c, ' ' | '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// True when history never keeps a value of this name.
#[must_use]
pub fn is_never_stored(name: &str) -> bool {
    // Most names are longer or shorter than all of these, but folding them is cheap beside reading them.
    let name = fold_name(name);
    NAMES.contains(&name.as_str())
        || HEADERS.contains(&name.as_str())
        || ENDS.iter().any(|end| name.ends_with(end))
}

/// Words that say what a value is, as schemas and forms do, and are none.
const SCHEMA_WORDS: &[&str] = &[
    "string", "str", "text", "number", "integer", "int", "float", "boolean", "bool", "object", "array",
    "list", "null", "none", "any", "date", "true", "false", "required", "optional", "password", "token",
    "secret", "key", "basic", "bearer", "header", "query",
];

/// True when `text` is references and nothing else: `{{$vars.token}}`, `{{a.data.instance}}`.
#[must_use]
pub fn is_reference(text: &str) -> bool {
    let mut rest = text.trim();
    while let Some(inner) = rest.strip_prefix("{{") {
        let Some((_, behind)) = inner.split_once("}}") else { return false };
        rest = behind.trim_start();
    }
    rest.is_empty()
}

/// True for a value that gives nothing away under any name: none, a reference, a variable, a word of a schema.
#[must_use]
pub(crate) fn is_harmless_value(text: &str) -> bool {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    if SCHEMA_WORDS.contains(&lower.as_str()) {
        return true;
    }
    let scheme = ["bearer ", "basic ", "token "].into_iter().find(|scheme| lower.starts_with(scheme));
    let value = text[scheme.map_or(0, str::len)..].trim();
    is_reference(value) || value == PLACEHOLDER || values::is_stand_in(value.as_bytes())
}

/// True when the value of this name is the id of a credential.
#[must_use]
pub(crate) fn is_credential_id(name: &str) -> bool {
    CREDENTIAL_IDS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_folded() {
        for name in
            ["apiKey", "API-KEY", "x-api-key", "Proxy-Authorization", "db_password", "bot token", "COOKIE"]
        {
            assert!(is_never_stored(name), "{name}");
        }
        for name in
            ["model", "maxTokens", "tokens", "passwordHint", "sessionId", "memoryKey", "secretary", "key"]
        {
            assert!(!is_never_stored(name), "{name}");
        }
        for value in
            ["string", "", "{{$vars.t}}", "Bearer {{$vars.t}}", "$TOKEN", "<your token>", "[secret hidden]"]
        {
            assert!(is_harmless_value(value), "{value}");
        }
        for value in ["hunter2", "Bearer hunter2", "{{a}}b", "{{a", "0000"] {
            assert!(!is_harmless_value(value), "{value}");
        }
        assert!(is_credential_id("FLOWISE_CREDENTIAL_ID") && !is_credential_id("Credential"));
    }

    #[test]
    fn names_are_compared_as_people_see_them() {
        for name in [
            "api\u{200b}Key",
            "\u{feff}apiKey",
            "api\u{ad}Key\u{2060}",
            "ａｐｉＫｅｙ",
            "𝐚𝐩𝐢𝐊𝐞𝐲",
            "api\u{a0}key",
            "pass\u{0}word",
            "to\u{e0061}ken",
        ] {
            assert!(is_never_stored(name), "{name:?}");
        }
        assert_eq!(visible_form("Straße 1"), "Straße 1");
        assert_eq!(visible_form("e\u{301}"), "é");
    }
}
