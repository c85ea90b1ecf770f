//! Texts that are searched for secrets: any text of a canvas, a message or a file.

use crate::{fuzz, seeds};
use flowkeep::domain::secrets::{first_match, json_text, redact, redact_named};

const WORDS: &[&str] = &[
    "sk-",
    "AKIA",
    "ghp_",
    "-----BEGIN PRIVATE KEY-----",
    "eyJ",
    "://a:b@",
    "password=",
    "token: \"",
    "&#115;",
    "%73",
    "\\u0073",
    "\u{200b}",
    "\u{ff53}",
    "[secret hidden]",
    ";base64,",
    "c2stYW50LWFwaTAz",
    "Bearer ",
    "&amp;#x",
    "%25",
    "\u{ad}",
];

#[test]
fn texts_with_secrets() {
    fuzz("secrets", seeds("secrets"), WORDS, |input| {
        let found = first_match(input);
        let text = String::from_utf8_lossy(input);
        let hidden = redact(&text);
        let again = redact(&hidden.text);
        assert_eq!(again.text, hidden.text, "what was hidden once is hidden");
        let _ = json_text::parse(&text);
        (found, hidden.count, redact_named("token", &text).count)
    });
}
