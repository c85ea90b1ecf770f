//! Messages as they are written, and how the service calls itself. What goes over the wire is tested from outside (`tests/api/mail/`).

use super::*;
use crate::domain::service::mail::Letter;
use crate::domain::service::mail::address::{MailAddress, MailSender};
use jiff::Timestamp;

fn composed(letter: &Letter) -> String {
    let from = MailSender::parse("Flows <flows@example.org>").unwrap();
    let bytes = compose(letter, &from, "abc", Timestamp::from_second(1_700_000_000).unwrap());
    assert!(bytes.is_ascii());
    String::from_utf8(bytes).unwrap()
}

fn letter(name: &str, subject: &str, text: &str) -> Letter {
    let to = MailAddress::parse("bob@example.org").unwrap();
    Letter { to, name: Some(name.to_owned()), subject: subject.to_owned(), text: text.to_owned() }
}

#[test]
fn a_message_has_the_headers_of_one() {
    let text = composed(&letter("Bob", "Hello", "Grüße\nund mehr\n"));
    let head = text.split("\r\n\r\n").next().unwrap();
    for line in [
        "From: \"Flows\" <flows@example.org>",
        "To: \"Bob\" <bob@example.org>",
        "Subject: Hello",
        "Message-ID: <abc@example.org>",
        "Date: Tue, 14 Nov 2023 22:13:20 +0000",
        "Auto-Submitted: auto-generated",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=\"utf-8\"",
    ] {
        let bare = line.replace('"', "");
        assert!(
            head.lines().any(|found| found.replace('"', "").eq_ignore_ascii_case(&bare)),
            "{line}\n{head}"
        );
    }
}

#[test]
fn nothing_of_a_name_or_a_subject_becomes_a_header() {
    for evil in [
        "Bob\r\nBcc: eve@example.org",
        "Bob\nBcc: eve@example.org",
        "Bob\rBcc: eve@example.org",
        "Bob\u{2028}Bcc: eve@example.org",
        "Bob\" <eve@example.org>, \"",
        "Bob\\",
        "=?utf-8?q?Bob=0D=0ABcc=3A_eve@example.org?=",
        "größe\r\n\r\nBcc: eve@example.org",
    ] {
        let text = composed(&letter(evil, evil, "text"));
        let head = text.split("\r\n\r\n").next().unwrap();
        assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "{text:?}");
        assert!(head.lines().all(|line| !line.to_ascii_lowercase().starts_with("bcc")), "{head}");
        assert_eq!(head.matches("\nTo: ").count() + usize::from(head.starts_with("To: ")), 1, "{head}");
        assert!(text.ends_with("text\r\n") || text.ends_with("text"), "{text:?}");
    }
}

#[test]
fn no_line_is_longer_than_mail_allows() {
    let text = composed(&letter(&"ü".repeat(120), &"wörter ".repeat(40), &"x".repeat(5_000)));
    assert!(text.split("\r\n").all(|line| line.len() <= 998), "{text}");
}

#[test]
fn the_service_calls_itself_by_its_host() {
    for (origin, expected) in [
        ("https://flows.example.org", "flows.example.org"),
        ("http://localhost:3000", "localhost"),
        ("http://10.0.0.1:3000", "[10.0.0.1]"),
        ("http://[::1]:3000", "[IPv6:::1]"),
    ] {
        assert_eq!(client_name(origin), expected);
    }
}
