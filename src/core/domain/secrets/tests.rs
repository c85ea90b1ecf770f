//! What must be hidden is hidden, what must be readable stays, and no text makes a scan slow.

use super::samples::{HARMLESS, SHAPES, harmless, samples, samples_of};
use super::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

/// What may stand directly before and behind a secret.
const BEFORE: &[&str] =
    &["", " ", "\"", "=", "(", "\n", "é", "/", "-", "_", ">", "\\n", "%3D", "\\u003d", "`", "…"];
const BEHIND: &[&str] =
    &["", " ", "\"", ",", ")", "\n", "é", "<", "'", "\\n", "&x", "`", "]", "…", "²", "\u{ad}"];
/// What stands for something else, in one character or several.
const DECODED: &[&str] =
    &["…", "²", "ﬁ", "Ｋ", "\u{ad}", "%39", "&#57;", "&#8230;", "&amp;#57;", "\\u0039", "\\u2026"];

#[test]
fn every_line_of_the_table_is_hidden() {
    let mut runner = TestRunner::deterministic();
    for (line, shape) in SHAPES.iter().enumerate() {
        for _ in 0..60 {
            let sample = samples_of(line).new_tree(&mut runner).unwrap().current();
            let hidden = redact(&sample.text());
            assert!(!hidden.text.contains(&sample.secret), "{shape:?}: {}", sample.text());
            assert!(hidden.count >= 1);
            if shape.0.is_empty() {
                assert_eq!(hidden.text.matches(PLACEHOLDER).count(), 1, "{}", sample.text());
                let rest = hidden.text.replace(PLACEHOLDER, "");
                assert!(
                    rest.len() <= 2 && !rest.contains(|c: char| c.is_alphanumeric() && c != 'n'),
                    "{} left {rest:?}",
                    sample.text()
                );
            } else {
                assert!(hidden.text.starts_with(&sample.lead), "{} became {}", sample.text(), hidden.text);
                assert!(hidden.text.ends_with(&sample.tail), "{} became {}", sample.text(), hidden.text);
            }
        }
    }
}

#[test]
fn every_harmless_line_stays() {
    let mut runner = TestRunner::deterministic();
    for pattern in HARMLESS {
        for _ in 0..60 {
            let drawn = proptest::string::string_regex(pattern).unwrap().new_tree(&mut runner).unwrap();
            let text = drawn.current();
            assert_eq!(redact(&text).text, text, "{pattern}: {:?}", first_match(text.as_bytes()));
        }
    }
}

#[test]
fn the_family_is_named_and_the_rest_stays() {
    let key = format!("sk-ant-api03-{}", "aB3_".repeat(22));
    for (text, family, shown) in [
        (format!("use {key}, please"), SecretFamily::Anthropic, "use [secret hidden], please".to_owned()),
        (
            "postgres://ada:hunter2@db/x".to_owned(),
            SecretFamily::ConnectionString,
            "postgres://ada:[secret hidden]@db/x".to_owned(),
        ),
        (
            format!("ANTHROPIC_API_KEY={key}"),
            SecretFamily::Anthropic,
            "ANTHROPIC_API_KEY=[secret hidden]".to_owned(),
        ),
        (
            "https://hooks.slack.com/services/T0123456789/B0123456789/abcdefghijklmnopqrstuvwx".to_owned(),
            SecretFamily::Slack,
            "https://hooks.slack.com/services/[secret hidden]".to_owned(),
        ),
    ] {
        assert_eq!(redact(&text), Redaction { text: shown, count: 1 });
        assert_eq!(first_match(text.as_bytes()), Some(family));
    }
    assert_eq!(first_match(&[0xff, 0xfe, b' ', 0x80]), None);
}

#[test]
fn a_placeholder_somebody_typed_is_counted_and_stays() {
    let text = "key=[secret hidden] and [secret hidden]";
    assert_eq!(redact(text), Redaction { text: text.to_owned(), count: 2 });
}

#[test]
fn a_chain_of_secrets_is_hidden_in_few_scans() {
    let chain = format!("start {} end", format!("fk_{}_", "aB3_".repeat(10) + "xy").repeat(2_000));
    let hidden = redact(&chain);
    assert!(
        !hidden.text.contains("fk_") && hidden.text.starts_with("start ") && hidden.text.ends_with(" end"),
        "{}",
        hidden.text
    );
}

#[test]
fn a_name_outside_the_text_counts() {
    for (name, value) in [
        ("X-Api-Key", "ab12CD34ef56GH78"),
        ("password", "hunter2!"),
        ("dbPassword", "päss-wört1"),
        ("Authorization", "Bearer abcdefghijklmnop"),
        ("azureKey", "0123456789abcdef0123456789abcdef"),
        ("my secret one", "ab12CD34ef56GH78"),
        ("headers", "Bearer ab12CD34ef56GH78"),
    ] {
        let hidden = redact_named(name, value);
        assert!(hidden.text.ends_with(PLACEHOLDER) && hidden.count == 1, "{name}: {hidden:?}");
    }
    for (name, value) in [
        ("password", "string"),
        ("password", "{{$vars.password1}}"),
        ("model", "ab12CD34ef56GH78"),
        ("publicKey", "ab12CD34ef56GH78"),
        ("tokenizer", "gpt-4o-mini-2024-07-18"),
        ("key", "5f0c8a52-3d0e-4f6e-9f43-1d2c3b4a5968"),
        ("Authorization", "Bearer {{$vars.t}}"),
        ("auth", "Basic troubleshooting of things"),
        ("passwordHint", "mother's-name"),
        ("passwordUrl", "https://example.com/reset1"),
        ("label", "Basic troubleshooting"),
    ] {
        assert_eq!(redact_named(name, value).text, value, "{name}");
    }
}

#[test]
fn a_scan_is_linear_whatever_the_text() {
    let mut bricks: Vec<String> = shapes::SHAPES.iter().map(|shape| shape.anchor.to_owned()).collect();
    bricks.extend(context::WORDS.iter().map(|(word, _)| (*word).to_owned()));
    bricks.extend(
        [
            "key=",
            "secret_",
            "key:\n",
            "password=\"",
            "password='a",
            "-sk-",
            "-eyJ",
            "eyJaaaaaaaaaa.",
            "-eyJaaaaaaaaaa.eyJ",
            ".eyJ",
            "-----BEGIN PRIVATE KEY",
            "-----BEGIN PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY----------END ",
            "://a:",
            "a://a:b",
            "a://@",
            "curl ",
            "curl -u a:",
            "curl --user ",
            "-u a:b ",
            "&sig=",
            "aws ",
            "azure:",
            "data:image/png;base64,",
            "data:image/;base64,/9j/",
            "auth,",
            "token:'bearer ",
            "\\\\\\\"",
            "key\\",
            "pwd=;",
            ";pwd=a",
            "-us1",
            "1:",
            "a.bbbbbb.c",
            "[secret hidden]",
            "key \t",
            "key:     ",
            "ZXlK-",
            "1//-",
            "hvs.hvs-",
            "xoxb-",
            "password: \"\\\"",
        ]
        .map(str::to_owned),
    );
    for brick in bricks {
        let text = |bytes: usize| brick.repeat(bytes / brick.len());
        let (small, large) = (scan::work(text(20_000).as_bytes()), scan::work(text(80_000).as_bytes()));
        assert!(large < 80_000 * 200, "{brick:?} costs {} a byte", large / 80_000);
        assert!(large < small * 5, "{brick:?}: {small} for 20,000 bytes, {large} for 80,000");
    }
}

#[test]
fn json_is_hidden_to_the_depth_of_eight() {
    let key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let mut value = serde_json::json!({ "a": key, key: 1, format!("{key} "): 2 });
    for _ in 0..9 {
        value = serde_json::json!([value.to_string(), { "n": 1.50 }]);
    }
    assert_eq!(tree::redact_value(&mut value), 3);
    assert!(!value.to_string().contains("ghp_"));
}

#[test]
fn a_json_text_is_written_anew_only_when_something_was_hidden() {
    let spaced = "{ \"a\" : 1.0,  \"b\": \"x\" }";
    let mut value = serde_json::json!({ "body": spaced });
    assert_eq!(tree::redact_value(&mut value), 0);
    assert_eq!(value["body"], spaced);
    // Escaped, or hidden behind a second entry of the same name, it is still a key.
    for text in [
        r#"{"a":"\u0067hp_0123456789abcdefghijABCDEFGHIJ012345"}"#,
        r#"{"a":"\u0067hp_0123456789abcdefghijABCDEFGHIJ012345","a":1}"#,
        r#""\u0067hp_0123456789abcdefghijABCDEFGHIJ012345""#,
    ] {
        let mut value = serde_json::json!({ "body": text });
        tree::redact_value(&mut value);
        assert!(!value.to_string().contains("0123456789abcdefghij"), "{value}");
    }
    let mut rows =
        serde_json::json!([{ "key": "X-Secret", "value": "ab12CD34ef56GH78" }, { "pwd": "abcdef1!" }]);
    assert_eq!(tree::redact_value(&mut rows), 2);
}

/// Texts made of the pieces that the rules look for.
fn rubble() -> impl Strategy<Value = String> {
    let anchors: Vec<&str> = shapes::SHAPES
        .iter()
        .map(|shape| shape.anchor)
        .chain(context::WORDS.iter().map(|(word, _)| *word))
        .collect();
    let piece = prop_oneof![
        3 => proptest::sample::select(anchors).prop_map(str::to_owned),
        2 => proptest::sample::select(vec!["=", ":", "\"", "'", " ", "\n", ";", "@", "://", "/", ".", "-", "_", "\\", "{{", "}}", "$", ",", "a:b@"]).prop_map(str::to_owned),
        1 => Just(PLACEHOLDER.to_owned()),
        1 => proptest::sample::select(DECODED).prop_map(str::to_owned),
        2 => "[A-Za-z0-9_-]{1,70}",
        1 => "[0-9a-f]{32,48}",
        1 => samples().prop_map(|sample| sample.text()),
    ];
    proptest::collection::vec(piece, 1..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 800, ..ProptestConfig::default() })]

    #[test]
    fn no_secret_survives_wherever_it_stands(
        sample in samples(), before in proptest::sample::select(BEFORE), behind in proptest::sample::select(BEHIND),
        front in "[A-Za-z ,.]{0,40}", back in "[A-Za-z ,.]{0,40}",
    ) {
        let front = if before.is_empty() { String::new() } else { front };
        let back = if behind.is_empty() { String::new() } else { back };
        let text = format!("{front}{before}{}{behind}{back}", sample.text());
        prop_assert!(!redact(&text).text.contains(&sample.secret), "{}", text);
        let mut value = serde_json::json!({ "a": { text.clone(): [text.clone(), { "b": serde_json::json!({ "c": text.clone() }).to_string() }] } });
        tree::redact_value(&mut value);
        let written = serde_json::to_string_pretty(&value).unwrap();
        let escaped = serde_json::to_string(&sample.secret).unwrap();
        prop_assert!(!written.contains(escaped.trim_matches('"')), "{}", written);
        prop_assert_eq!(first_match(written.as_bytes()), None, "{}", written);
    }

    #[test]
    fn nothing_harmless_is_hidden(text in harmless(), front in "([A-Z][a-z]{1,9} ){0,4}", back in "( [a-z]{1,9}){0,4}") {
        let text = format!("{front}{text}{back}");
        prop_assert_eq!(&redact(&text).text, &text);
        let value = serde_json::json!({ "prompt": text, "rows": [{ "label": text }, text] });
        let mut hidden = value.clone();
        tree::redact_value(&mut hidden);
        prop_assert_eq!(hidden, value);
    }

    #[test]
    fn hiding_twice_is_hiding_once(text in rubble()) {
        let once = redact(&text);
        prop_assert_eq!(first_match(once.text.as_bytes()), None, "{} became {}", text, once.text);
        prop_assert_eq!(redact(&once.text), once);
    }

    #[test]
    fn what_was_hidden_in_json_stays_hidden_in_its_bytes(name in rubble(), text in rubble()) {
        let inner = serde_json::json!({ name.clone(): text.clone() }).to_string();
        let mut value = serde_json::json!({ "a": { name: text.clone() }, "b": [text, inner] });
        let count = tree::redact_value(&mut value);
        let written = serde_json::to_string_pretty(&value).unwrap();
        prop_assert_eq!(first_match(written.as_bytes()), None, "{}", written);
        prop_assert_eq!(count, tree::redact_value(&mut value));
    }
}
