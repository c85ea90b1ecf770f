//! The chapter of the manual that lists every limit: made of the constants that cite one of its sections, whose numbers and words
//! it repeats.
//! `UPDATE_GOLDEN=1` writes it anew.

use super::*;
use std::collections::HashMap;

/// The limits that several files name; the others stand in the file that names them.
const SHARED: &str = "src/core/limits.rs";
const CHAPTER: &str = "assets/manual/14-limits.md";
const NUMBER: usize = 14;
const OPENING: &str = "# 14 Limits\n\nEvery number the service holds itself to. A test makes this chapter of the constants that cite it. KiB, MiB and\n\
                       GiB are powers of 1,024. What an operator can change names its setting.\n";
/// The sections, which constants cite by number.
const SECTIONS: &[&str] = &[
    "The door",
    "The server's own threads and sockets",
    "Keys, passwords, sessions",
    "Running flows",
    "What models are shown",
    "Databases and other servers",
    "Answers of others, memories and caches",
    "Knowledge",
    "Files",
    "What operators may give code",
    "Outgoing requests",
    "Code inputs beside what can be set",
    "Documents to text",
    "Chunks",
    "People",
    "The copy at a git host",
    "Mail",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    One(u128),
    Range(u128, u128),
}

/// A number as code writes it: sums of products of figures, and of constants above.
fn evaluate(text: &str, known: &HashMap<String, Number>) -> Option<Number> {
    let one = |text: &str| -> Option<u128> {
        let factor = |text: &str| {
            let text = text.split(" as ").next().unwrap_or_default().trim();
            match known.get(text) {
                Some(Number::One(number)) => Some(*number),
                _ => text.replace('_', "").parse().ok(),
            }
        };
        let product = |text: &str| text.split('*').map(factor).product::<Option<u128>>();
        text.split('+').map(product).sum()
    };
    match text.trim().strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        Some(pair) => {
            let (from, to) = pair.split_once(',')?;
            Some(Number::Range(one(from)?, one(to)?))
        }
        None => one(text).map(Number::One),
    }
}

fn format_count(number: u128) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Units of time in names, in seconds.
const TIMES: &[(&str, u128)] = &[("SECONDS", 1), ("MINUTES", 60), ("HOURS", 3_600)];

fn time(seconds: u128) -> String {
    let units: &[(&str, u128)] = &[("days", 86_400), ("h", 3_600), ("min", 60)];
    // One day is told in hours.
    format_size(seconds, if seconds == 86_400 { &units[1..] } else { units }, "s")
}

/// The number in the largest of these units that it is a multiple of.
fn format_size(number: u128, units: &[(&str, u128)], least: &str) -> String {
    let unit = units.iter().find(|(_, size)| number >= *size && number.is_multiple_of(*size));
    unit.map_or_else(
        || format!("{} {least}", format_count(number)),
        |(unit, size)| format!("{} {unit}", format_count(number / size)),
    )
}

/// The number with its unit, which the constant's name tells.
fn format_value(name: &str, number: Number) -> String {
    let words: Vec<&str> = name.split('_').collect();
    let has = |unit: &str| words.contains(&unit);
    let one = |number: u128| {
        if has("BYTES") {
            format_size(number, &[("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)], "bytes")
        } else if has("MB") {
            format!("{} MiB", format_count(number))
        } else if has("CHARS") {
            format!("{} characters", format_count(number))
        } else if has("MS") {
            format!("{} ms", format_count(number))
        } else if let Some((_, seconds)) = TIMES.iter().find(|(unit, _)| has(unit)) {
            time(number * seconds)
        } else {
            format_count(number)
        }
    };
    match number {
        Number::One(number) => one(number),
        Number::Range(from, to) => format!("{} to {}", one(from), one(to)),
    }
}

/// What a comment says, without citations and the last full stop.
fn strip_citations(comment: &str) -> String {
    let cited = pattern!(r" \((?:(?:[SRC] \d+(?:\.\d+)?|manual \d+\.\d+(?: r\d+)?)(?:, )?)+\)");
    let told = cited.replace_all(comment, "");
    told.trim().trim_end_matches('.').replace('|', "\\|")
}

/// A constant of the chapter.
struct Limit {
    section: usize,
    name: String,
    comment: String,
    value: String,
}

/// The constants of a source that the chapter lists: those whose comment cites it, and those below a line that does.
fn limits_of(source: &str) -> Vec<Limit> {
    let constant = pattern!(r"^\s*(?:pub(?:\([a-z:]+\))? )?const ([A-Z0-9_]+): [^=]+= (.+);$");
    let cited = pattern!(r"\(manual 14\.(\d+)\)");
    let section_of = |text: &str| cited.captures(text).and_then(|hit| hit[1].parse().ok());
    let (mut comment, mut heading, mut found) = (String::new(), None, Vec::new());
    for line in source.lines() {
        if let Some(title) = line.strip_prefix("// ") {
            heading = section_of(title).or(heading);
        } else if let Some(more) = line.trim_start().strip_prefix("/// ") {
            comment = format!("{comment} {more}");
        } else if !line.trim_start().starts_with("#[") {
            let comment = std::mem::take(&mut comment);
            let Some(section) = section_of(&comment).or(heading) else { continue };
            if let Some(hit) = constant.captures(line) {
                found.push(Limit { section, name: hit[1].to_owned(), value: hit[2].to_owned(), comment });
            } else {
                assert!(!line.contains("const "), "{line} is not read");
            }
        }
    }
    found
}

/// The chapter, made of the limits of all sources.
fn chapter(limits: &[Limit]) -> String {
    let mut known = HashMap::new();
    let mut sections = vec![Vec::new(); SECTIONS.len()];
    for limit in limits {
        let Limit { name, value, comment, .. } = limit;
        let number = evaluate(value, &known).unwrap_or_else(|| panic!("{name}: {value} is no number"));
        known.insert(name.clone(), number);
        let rows = limit.section.checked_sub(1).and_then(|at| sections.get_mut(at));
        let rows = rows.unwrap_or_else(|| panic!("{name} cites section {NUMBER}.{}", limit.section));
        rows.push(format!("| {} | {} |", strip_citations(comment), format_value(name, number)));
    }
    let mut out = OPENING.to_owned();
    for (at, (title, rows)) in SECTIONS.iter().zip(sections).enumerate() {
        write!(out, "\n## {NUMBER}.{} {title}\n\n| What | Limit |\n|---|---|\n{}\n", at + 1, rows.join("\n"))
            .unwrap();
    }
    out
}

/// The sources, with the shared limits first, because others are made of them.
fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    collect(Path::new(env!("CARGO_MANIFEST_DIR")), "src", &mut sources);
    sources.retain(Source::is_rust);
    // The crate that a room is in says nothing about the order of the chapter.
    let place = |source: &Source| (source.path != SHARED, source.path_of_rooms().map(str::to_owned));
    sources.sort_by_cached_key(place);
    sources
}

#[test]
fn the_manual_lists_every_limit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let limits: Vec<Limit> = sources().iter().flat_map(|source| limits_of(&source.text)).collect();
    let made = chapter(&limits);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(root.join(CHAPTER), &made).unwrap();
    }
    let written = fs::read_to_string(root.join(CHAPTER)).unwrap_or_default();
    let differs = written.lines().zip(made.lines()).find(|(written, made)| written != made);
    assert!(
        written == made,
        "{CHAPTER} is not what the sources say (UPDATE_GOLDEN=1 writes it anew): {differs:?}"
    );
}

#[test]
fn a_shared_limit_has_two_users() {
    let mut sources = sources();
    let shared = sources.remove(0);
    collect(Path::new(env!("CARGO_MANIFEST_DIR")), "tests", &mut sources);
    let is_word = |text: &str, name: &str| {
        let other = |c: char| !(c.is_alphanumeric() || c == '_');
        text.match_indices(name).any(|(at, _)| {
            text[..at].chars().next_back().is_none_or(other)
                && text[at + name.len()..].chars().next().is_none_or(other)
        })
    };
    let lonely = limits_of(&shared.text)
        .into_iter()
        .map(|limit| limit.name)
        .find(|name| sources.iter().filter(|source| is_word(&source.code, name)).count() < 2);
    assert_eq!(lonely, None, "a limit that one file names stands in that file and cites its section");
}

#[test]
fn numbers_are_read_and_shown_with_their_units() {
    let shared = "// Whose door (manual 14.1).\n\n/// Longest name (manual 2.4).\npub const NAME_BYTES: usize = 8 * 1024;\n";
    let own = "/// No limit.\nconst X: u32 = 1;\n/// Name and a little (manual 14.1).\nconst MORE_BYTES_MAX: u64 = NAME_BYTES as u64 + 1;\n\
               /// How\n/// long (manual 14.3).\npub(super) const WAIT_SECONDS_RANGE: (u64, u64) = (90, 86_400);\n";
    let limits: Vec<Limit> = [shared, own].iter().flat_map(|source| limits_of(source)).collect();
    let made = chapter(&limits);
    assert!(made.contains(
        "\n## 14.1 The door\n\n| What | Limit |\n|---|---|\n| Longest name | 8 KiB |\n| Name and a little | 8,193 bytes |\n\n"
    ));
    assert!(made.contains("|---|---|\n| How long | 90 s to 24 h |\n"));
    assert!(!made.contains("No limit"));
}
