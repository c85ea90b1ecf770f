//! Words of the house: what a thing is called everywhere, how types are named, and how full a folder may be.

use super::*;
use std::collections::BTreeMap;

/// Most Rust files of a folder of `src/`, not counting those of the folders below it.
const FOLDER_MAX: usize = 20;

/// A word that is not said, and what is said in its place.
const WORDS: &[(&str, &str)] = &[
    (
        r"(?i)\b(?:of|by|as|that|which) the family\b[^ ]?(?: (?:[a-z]+s|as|with|can)\b|[.;,\x22])",
        "Flowise is called Flowise",
    ),
    (r"(?i)\bthe family'?s\b", "Flowise is called Flowise"),
    (r"(?i)\b(?:black|white)-?list(?:s|ed)?\b", "a list says what it allows or denies"),
    (r"(?i)\bsanity[- ]check", "a check says what it checks"),
];

/// Participles that do not end in -ed.
const PARTICIPLES: &[&str] = &[
    "Begun", "Broken", "Brought", "Built", "Chosen", "Done", "Drawn", "Found", "Given", "Gone", "Heard",
    "Held", "Hidden", "Kept", "Known", "Made", "Meant", "Met", "Paid", "Said", "Seen", "Sent", "Shown",
    "Taken", "Told", "Written",
];
/// They end in -ed and are nouns, names of cards, or the name of a status of HTTP.
const NOUNS: &[&str] = &["Feed", "Need", "Seed", "Speed", "Embed", "Scripted", "Structured", "Unauthorized"];

/// Words that the house does not use, and types that are named by a participle.
pub fn words(source: &Source) -> Vec<String> {
    if source.path == "tests/tidy/words.rs" || source.path == "tests/tidy.rs" {
        return Vec::new();
    }
    let mut broken = Vec::new();
    static PATTERNS: LazyLock<Vec<(Regex, &str)>> =
        LazyLock::new(|| WORDS.iter().map(|(word, instead)| (Regex::new(word).unwrap(), *instead)).collect());
    for (pattern, instead) in PATTERNS.iter() {
        for (at, line) in source.text.lines().enumerate() {
            if let Some(found) = pattern.find(line) {
                broken.push(format!("{}:{}: `{}`: {instead}", source.path, at + 1, found.as_str().trim()));
            }
        }
    }
    broken.extend(participles(source));
    broken
}

fn participles(source: &Source) -> Vec<String> {
    if source.room().is_none() || !source.is_rust() {
        return Vec::new();
    }
    let definition = pattern!(r"\b(?:struct|enum|trait|type)\s+([A-Z][a-z]+)\b(?:\s*[<({;=]|\s*$)");
    let found = definition.captures_iter(&source.code).filter_map(|hit| hit.get(1));
    let named = found.filter(|name| {
        let name = name.as_str();
        PARTICIPLES.contains(&name) || (name.ends_with("ed") && !NOUNS.contains(&name))
    });
    named
        .map(|name| {
            let rule = format!("`{}` is a participle: a type is named by a noun", name.as_str());
            source.at(name.start(), &rule)
        })
        .collect()
}

/// Folders of `src/` that hold too many files beside one another.
pub fn halls(sources: &[Source]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.path.starts_with("src/") && source.is_rust()) {
        let (folder, _) = source.path.rsplit_once('/').unwrap();
        *counts.entry(folder).or_default() += 1;
    }
    let full = counts.into_iter().filter(|(_, count)| *count > FOLDER_MAX);
    full.map(|(folder, count)| {
        format!("{folder}:1: {count} files beside one another are more than {FOLDER_MAX}: give some a folder")
    })
    .collect()
}

#[test]
fn words_types_and_halls_are_judged() {
    let broken = |path: &str, text: &str| words(&Source::new(path, text)).len();
    assert_eq!(broken("src/a.rs", "//! As the family's editors do.\n// a white-list\n"), 2);
    assert_eq!(
        broken("src/a.rs", "//! The family of the first secret, which tells the family it is of.\n"),
        0
    );
    assert_eq!(broken("src/a.rs", "struct Written {\n}\nenum Shared<T> {}\ntype Kept = u8;\n"), 3);
    assert_eq!(broken("src/a.rs", "struct Feed;\nstruct WrittenRow;\nlet x = Kept;\n// struct Done {\n"), 0);
    let hall = |count: usize| {
        (0..count).map(|at| Source::new(&format!("src/core/net/a{at}.rs"), "")).collect::<Vec<_>>()
    };
    assert_eq!((halls(&hall(20)).len(), halls(&hall(21)).len()), (0, 1));
}
