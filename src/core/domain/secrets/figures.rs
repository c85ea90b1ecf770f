//! How many secrets a scan misses and how much it hides for nothing, on drawn and on real texts. The bounds are kept by a
//! test; `cargo test --lib secrets::figures -- --nocapture` prints the figures, which `tests/bench/README.md` holds.
#![allow(clippy::print_stdout, reason = "the figures are this program's output")]

use super::samples::{HARMLESS, SHAPES, harmless, samples_of};
use super::{redact, redact_named};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use std::fs;
use std::path::Path;

const DRAWN_COUNT: usize = 40;

/// A way to write a text so that it reads otherwise than it is meant.
type Spelling = (&'static str, fn(&str) -> String);

fn each(text: &str, spell: impl Fn(char) -> String) -> String {
    text.chars().map(spell).collect()
}

const SPELLINGS: &[Spelling] = &[
    ("as it is", str::to_owned),
    ("JSON, every character escaped", |text| each(text, |c| format!("\\u{:04x}", u32::from(c)))),
    ("JSON, some characters escaped", |text| {
        each(text, |c| if c == '-' || c == '_' { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() })
    }),
    ("HTML, numbers", |text| each(text, |c| format!("&#{};", u32::from(c)))),
    ("HTML, names", |text| text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")),
    ("percent", |text| {
        each(
            text,
            |c| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("%{:02X}", u32::from(c)) },
        )
    }),
    ("percent, twice", |text| {
        each(
            text,
            |c| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("%25{:02X}", u32::from(c)) },
        )
    }),
    ("zero-width characters", |text| each(text, |c| format!("{c}\u{200b}"))),
    ("soft hyphens", |text| each(text, |c| format!("\u{ad}{c}"))),
    ("full-width letters", |text| {
        each(text, |c| {
            if c.is_ascii_graphic() {
                char::from_u32(u32::from(c) + 0xfee0).map_or_else(String::new, String::from)
            } else {
                c.to_string()
            }
        })
    }),
    ("base64", |text| STANDARD.encode(text)),
    ("base64 of addresses", |text| URL_SAFE_NO_PAD.encode(text)),
];

#[test]
fn misses_of_every_spelling_stay_within_their_bounds() {
    let mut runner = TestRunner::deterministic();
    for (name, spell) in SPELLINGS {
        let (mut all, mut missed) = (0, Vec::new());
        for (line, shape) in SHAPES.iter().enumerate() {
            for _ in 0..DRAWN_COUNT / 4 {
                let sample = samples_of(line).new_tree(&mut runner).unwrap().current();
                let spelled = format!("see {} there", spell(&sample.text()));
                all += 1;
                let hidden = redact(&spelled).text;
                if hidden == spelled || hidden.contains(&spell(&sample.secret)) {
                    missed.push(shape.1);
                }
            }
        }
        println!("| {name} | {all} | {} |", missed.len());
        missed.dedup();
        assert!(missed.len() * 50 <= SHAPES.len(), "{name}: {missed:?}");
    }
}

#[test]
fn named_values_without_digits_are_hidden_and_names_are_not() {
    let mut runner = TestRunner::deterministic();
    let drawn = proptest::string::string_regex("[A-Za-z]{8,24}").unwrap();
    let (mut all, mut missed) = (0, 0);
    while all < 400 {
        let value = drawn.new_tree(&mut runner).unwrap().current();
        let mixed =
            value.bytes().any(|b| b.is_ascii_uppercase()) && value.bytes().any(|b| b.is_ascii_lowercase());
        if !mixed {
            continue;
        }
        all += 1;
        let name = ["client_secret", "password", "token", "apiKey"][all % 4];
        missed += usize::from(redact(&format!("\"{name}\": \"{value}\"")).text.contains(&value));
    }
    println!("| random letters under a name | {all} | {missed} |");
    assert!(missed * 20 <= all, "{missed} of {all}");
    for (name, value) in [
        ("token", "nextPageToken"),
        ("client_secret", "client_secret_post"),
        ("secret", "mySecretName"),
        ("apiKey", "YOUR_API_KEY"),
        ("accessToken", "response.data.accessToken"),
        ("token", "gpt-4o-mini"),
        ("secret", "configService"),
        ("password", "newPassword"),
        ("token", "text/event-stream"),
        ("privateKey", "SERVICE_PRIVATE_KEY"),
        ("token", "<|endoftext|>"),
        ("secretKey", "string"),
    ] {
        let text = format!("\"{name}\": \"{value}\"");
        assert_eq!(redact(&text).text, text);
        assert_eq!(redact_named(name, value).text, value, "{name}");
    }
    for (name, value) in [
        ("client_secret", "xKqWvTzRbLpM"),
        ("token", "abcd!efgh"),
        ("password", "CorrectHorse"),
        ("webhookSecret", "Zq7-Tk2_Wx"),
        ("db_password", "tr0ub4dor"),
        ("apiKey", "aB3dE5gH"),
    ] {
        assert!(!redact(&format!("{name} = '{value}'")).text.contains(value), "{name} {value}");
        assert!(!redact_named(name, value).text.contains(value), "{name} {value}");
    }
}

/// The project's folder, two folders above that of this crate.
const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Files of the project below a folder, with this ending.
fn files(folder: &str, ending: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(PROJECT).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let shown = path.to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if shown.ends_with(ending)
                && let Ok(text) = fs::read_to_string(&path)
            {
                found.push((shown, text));
            }
        }
    }
    found
}

/// Texts in which nothing is secret: samples of secrets stand in tests only.
fn real() -> Vec<(&'static str, Vec<(String, String)>)> {
    let code = |(path, text): (String, String)| {
        let is_test = path.contains("test") || path.contains("/secrets/") || path.contains("/demo");
        (!is_test).then(|| {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            (path, code)
        })
    };
    let rust: Vec<_> = files("src", ".rs").into_iter().filter_map(code).collect();
    let script: Vec<_> =
        files("src", ".js").into_iter().chain(files("assets/ui/src", ".ts")).filter_map(code).collect();
    let canvases = files("assets/starters", ".json");
    let prose = files(".github", ".md").into_iter().chain(
        ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"].iter().filter_map(|name| {
            let text = fs::read_to_string(Path::new(PROJECT).join(name)).ok()?;
            Some(((*name).to_owned(), text))
        }),
    );
    vec![("Rust", rust), ("scripts", script), ("canvases", canvases), ("prose", prose.collect())]
}

#[test]
fn hardly_anything_is_hidden_for_nothing() {
    let mut runner = TestRunner::deterministic();
    for (name, spell) in SPELLINGS {
        let count = HARMLESS.len() * DRAWN_COUNT / 4;
        let alarms: Vec<String> = (0..count)
            .map(|_| spell(&harmless().new_tree(&mut runner).unwrap().current()))
            .filter(|text| redact(text).text != *text)
            .collect();
        println!("| harmless, {name} | {count} | {} |", alarms.len());
        assert!(alarms.len() * 100 <= count, "{name}: {:?}", &alarms[..alarms.len().min(5)]);
    }
    for (kind, texts) in real() {
        let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
        let mut alarms = Vec::new();
        for (path, text) in &texts {
            for line in text.lines() {
                let shown = redact(line).text;
                if shown != *line {
                    alarms.push(format!("{path}: {line} became {shown}"));
                }
            }
        }
        println!("| {kind} | {} KiB | {} lines |", bytes / 1024, alarms.len());
        assert!(alarms.len() * 100 * 1024 <= bytes, "{kind}: {alarms:#?}");
    }
}
