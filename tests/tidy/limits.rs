//! The chapter of the manual that lists every limit: made of `src/limits.rs`, whose numbers and words it repeats.
//! `UPDATE_GOLDEN=1` writes it anew.

use super::*;
use std::collections::HashMap;

const SOURCE: &str = "src/limits.rs";
const CHAPTER: &str = "assets/manual/14-limits.md";
const NUMBER: usize = 14;
const OPENING: &str = "# 14 Limits\n\nEvery number the service holds itself to, in the order of `src/limits.rs`, from which a test \
                       makes this chapter. KiB, MiB\nand GiB are powers of 1,024. What an operator can change names its setting.\n";
/// Sections whose numbers nothing uses that runs.
const SILENT: &[&str] = &["Checks"];

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

/// The chapter, made of the source.
fn chapter(source: &str) -> String {
    let constant = pattern!(r"^pub const ([A-Z0-9_]+): [^=]+= (.+);$");
    let mut known = HashMap::new();
    let (mut comment, mut rows, mut section) = (String::new(), Vec::new(), String::new());
    let mut sections: Vec<(String, Vec<String>)> = Vec::new();
    let mut close = |title: &str, rows: &mut Vec<String>| {
        let rows = std::mem::take(rows);
        if !rows.is_empty() && !SILENT.contains(&title) {
            sections.push((title.to_owned(), rows));
        }
    };
    for line in source.lines() {
        if let Some(title) = line.strip_prefix("// ") {
            close(&section, &mut rows);
            section =
                strip_citations(title).split(':').next().unwrap_or_default().trim_end_matches('.').to_owned();
        } else if let Some(more) = line.strip_prefix("/// ") {
            comment = format!("{comment} {more}");
        } else if let Some(hit) = constant.captures(line) {
            let number = evaluate(&hit[2], &known).unwrap_or_else(|| panic!("{line} is no number"));
            known.insert(hit[1].to_owned(), number);
            rows.push(format!(
                "| {} | {} |",
                strip_citations(&std::mem::take(&mut comment)),
                format_value(&hit[1], number)
            ));
        } else {
            assert!(!line.starts_with("pub const"), "{line} is not read");
        }
    }
    close(&section, &mut rows);
    let mut out = OPENING.to_owned();
    for (at, (title, rows)) in sections.iter().enumerate() {
        write!(out, "\n## {NUMBER}.{} {title}\n\n| What | Limit |\n|---|---|\n{}\n", at + 1, rows.join("\n"))
            .unwrap();
    }
    out
}

#[test]
fn the_manual_lists_every_limit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let made = chapter(&fs::read_to_string(root.join(SOURCE)).unwrap());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(root.join(CHAPTER), &made).unwrap();
    }
    let written = fs::read_to_string(root.join(CHAPTER)).unwrap_or_default();
    let differs = written.lines().zip(made.lines()).find(|(written, made)| written != made);
    assert!(
        written == made,
        "{CHAPTER} is not what {SOURCE} says (UPDATE_GOLDEN=1 writes it anew): {differs:?}"
    );
}

#[test]
fn numbers_are_read_and_shown_with_their_units() {
    let source = "// The door (R 2): what it takes.\n\n/// Longest name (R 2, C 3).\npub const NAME_BYTES: usize = 8 * 1024;\n\
                  /// Name and a little.\npub const MORE_BYTES_MAX: u64 = NAME_BYTES as u64 + 1;\n\n// Checks (S 8).\n\n/// x.\n\
                  pub const X: u32 = 1;\n\n// Waits.\n\n/// How\n/// long.\npub const WAIT_SECONDS_RANGE: (u64, u64) = (90, 86_400);\n";
    assert_eq!(
        chapter(source).strip_prefix(OPENING).unwrap(),
        "\n## 14.1 The door\n\n| What | Limit |\n|---|---|\n| Longest name | 8 KiB |\n| Name and a little | 8,193 bytes |\n\
         \n## 14.2 Waits\n\n| What | Limit |\n|---|---|\n| How long | 90 s to 24 h |\n"
    );
}
