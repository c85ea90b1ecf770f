//! Expected texts in files. `UPDATE_GOLDEN=1` writes them anew; what differs in every run is replaced first.

use regex::Regex;
use std::path::PathBuf;
use std::sync::LazyLock;

/// What differs in every run, and what is written in its place. Compiled once: a regex costs more than most texts take to search.
static KINDS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<id>"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<date>"),
        (r"fk_[A-Za-z0-9_-]{43}", "<key>"),
        (r"fk_••••[A-Za-z0-9_-]{4}", "<hidden key>"),
        (r"/invite\?token=[A-Za-z0-9_-]{43}", "/invite?token=<token>"),
        (r#""token": "[A-Za-z0-9_-]{43}""#, r#""token": "<token>""#),
        (r#""sessionToken":\s*"[A-Za-z0-9_-]{43}""#, r#""sessionToken":"<token>""#),
    ]
    .map(|(pattern, kind)| (Regex::new(pattern).unwrap(), kind))
    .into()
});

/// Replaces ids, tokens and dates by their kind.
pub fn normalize(text: &str) -> String {
    KINDS.iter().fold(text.to_owned(), |text, (pattern, kind)| pattern.replace_all(&text, *kind).into_owned())
}

/// Compares `text`, normalised, with the file `golden/<name>`.
#[track_caller]
pub fn check(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/api/golden").join(name);
    let text = normalize(text);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let differing = text.lines().zip(expected.lines()).enumerate().find(|(_, (is, was))| is != was);
    if let Some((line, (is, was))) = differing {
        panic!("{name}:{}: is\n{is}\nand was\n{was}\n(UPDATE_GOLDEN=1 accepts the change)", line + 1);
    }
    assert_eq!(text.lines().count(), expected.lines().count(), "{name} has another number of lines");
}
