//! Mails as Gmail takes and gives them: one text by the book of mails (RFC 5322, RFC 2045, RFC 2047) in base64.

use crate::kit::web::actions::CallArguments;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::Value;

/// Characters of base64 in a line of a mail.
const LINE_CHARS: usize = 76;
/// Bytes of a text in one word of a header, so that the word keeps within its 75 characters.
const WORD_BYTES: usize = 42;
/// Levels of parts in parts that are read.
const LEVELS_MAX: usize = 16;

/// A mail of these arguments.
pub(super) fn compose(given: &CallArguments) -> String {
    let mut mail = String::new();
    for (header, argument) in [("To", "to"), ("Cc", "cc"), ("Bcc", "bcc")] {
        if let Some(addresses) = given.text(argument) {
            mail.push_str(&format!("{header}: {}\r\n", encode_addresses(addresses)));
        }
    }
    if let Some(subject) = given.text("subject") {
        mail.push_str(&format!("Subject: {}\r\n", word(subject)));
    }
    let body = given.text_or_empty("body");
    let kind = if is_html(body) { "html" } else { "plain" };
    mail.push_str("MIME-Version: 1.0\r\n");
    mail.push_str(&format!("Content-Type: text/{kind}; charset=utf-8\r\n"));
    mail.push_str("Content-Transfer-Encoding: base64\r\n\r\n");
    let encoded = STANDARD.encode(body);
    let lines: Vec<&str> =
        encoded.as_bytes().chunks(LINE_CHARS).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    mail.push_str(&lines.join("\r\n"));
    URL_SAFE_NO_PAD.encode(mail)
}

/// True for a text that a person would not want to see as it is written.
fn is_html(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    let tags = [
        "<p>",
        "<p ",
        "<br",
        "<div",
        "<html",
        "<!doctype",
        "<table",
        "<ul",
        "<ol",
        "<h1",
        "<h2",
        "<a href",
        "<b>",
    ];
    text.contains('>') && tags.iter().any(|tag| text.contains(tag))
}

/// Addresses with names that mails can carry.
fn encode_addresses(addresses: &str) -> String {
    let one = |address: &str| match address.trim().split_once('<') {
        Some((name, rest)) if !name.is_ascii() => format!("{} <{rest}", word(name.trim().trim_matches('"'))),
        _ => address.trim().to_owned(),
    };
    addresses.split(',').map(one).collect::<Vec<_>>().join(", ")
}

/// A text in a header: as it is, or as words that say how it is written.
fn word(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut pieces = vec![String::new()];
    for letter in text.chars() {
        if pieces.last().is_some_and(|piece| piece.len() + letter.len_utf8() > WORD_BYTES) {
            pieces.push(String::new());
        }
        pieces.last_mut().expect("there is a piece").push(letter);
    }
    let words: Vec<String> =
        pieces.iter().map(|piece| format!("=?UTF-8?B?{}?=", STANDARD.encode(piece))).collect();
    words.join("\r\n ")
}

/// An answer with its texts in clear, and without what is no text: a model would read both as noise.
pub(super) fn readable(answer: &Value) -> String {
    let mut shown = answer.clone();
    open(&mut shown, LEVELS_MAX);
    shown.to_string()
}

fn open(value: &mut Value, levels: usize) {
    if levels == 0 {
        return;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| open(item, levels - 1)),
        Value::Object(fields) => {
            let kind = fields.get("mimeType").and_then(Value::as_str).unwrap_or_default();
            let is_text = kind.starts_with("text/");
            if let Some(Value::Object(body)) = fields.get_mut("body")
                && let Some(Value::String(data)) = body.get("data")
            {
                let bytes =
                    URL_SAFE_NO_PAD.decode(data.trim_end_matches('=')).or_else(|_| URL_SAFE.decode(data));
                let text =
                    bytes.ok().filter(|_| is_text).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                match text {
                    Some(text) => drop(body.insert("data".to_owned(), text.into())),
                    None => drop(body.remove("data")),
                }
            }
            fields.values_mut().for_each(|field| open(field, levels - 1));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_header_keeps_within_its_lines() {
        let subject = "Grüße aus dem Süden, wo es schön ist und die Bäume blühen";
        for line in word(subject).split("\r\n ") {
            assert!(line.len() <= 75 && line.is_ascii(), "{line}");
        }
        assert_eq!(word("Hello"), "Hello");
        assert_eq!(encode_addresses("ada@x.org,  Jo <jo@x.org>"), "ada@x.org, Jo <jo@x.org>");
        assert_eq!(encode_addresses("\"José\" <j@x.org>"), "=?UTF-8?B?Sm9zw6k=?= <j@x.org>");
        assert!(is_html("<p>Hi</p>") && !is_html("1 < 2 > 0") && !is_html("Hi"));
    }

    #[test]
    fn texts_of_a_mail_are_read() {
        let part = |kind: &str, text: &str| json!({"mimeType": kind, "body": {"size": 1, "data": URL_SAFE.encode(text)}});
        let mail = json!({"id": "m", "payload": {"mimeType": "multipart/mixed", "body": {"size": 0},
            "parts": [part("text/plain", "Hi ü?"), part("image/png", "noise")]}});
        let shown: Value = serde_json::from_str(&readable(&mail)).unwrap();
        assert_eq!(shown["payload"]["parts"][0]["body"]["data"], "Hi ü?");
        assert_eq!(shown["payload"]["parts"][1]["body"], json!({"size": 1}));
    }
}
