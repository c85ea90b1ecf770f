//! Lists for a terminal.

use super::CliError;
use serde_json::Value;
use std::fmt::Write as _;

/// A text in which nothing moves the cursor.
fn escape_controls(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        // Quotes are what sentences are written with.
        if matches!(c, '\'' | '"') { shown.push(c) } else { shown.extend(c.escape_debug()) }
    }
    shown
}

/// A value as a cell shows it. Names come from people: nothing in them may move the cursor.
pub(super) fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => escape_controls(text),
        Value::Array(list) => {
            list.iter().filter_map(Value::as_str).map(escape_controls).collect::<Vec<_>>().join(" ")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A value as `--json` prints it.
pub(super) fn json_lines(value: &Value) -> Result<String, CliError> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(CliError::other)
}

/// Columns wide enough for what they hold.
pub(super) fn table<const N: usize>(head: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut all = vec![head.map(ToOwned::to_owned)];
    all.extend(rows);
    let widths: [usize; N] =
        std::array::from_fn(|at| all.iter().map(|row| row[at].chars().count()).max().unwrap_or(0));
    let mut shown = String::new();
    for row in &all {
        let line: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        writeln!(shown, "{}", line.join("  ").trim_end()).expect("writing to a text cannot fail");
    }
    shown
}

/// A text of people, without what would move the cursor.
pub(super) fn replace_controls(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
