//! Titles and details of versions, made of the sentences that tell what changed (manual 6.2).
//!
//! Everything is scanned, kept to one line and cut. No line of details is written as a trailer is, so that no label can pass
//! for a trailer of the commit.

use super::schemas::CardSchemas;
use super::secrets::input_label;
use super::sentences::change_sentences;
use super::stored::StoredCanvas;
use crate::domain::flows::version_diff::Diff;
use crate::domain::secrets::redact;
use serde_json::Value;

/// Lines of details before the rest is counted, in one line more; a commit message keeps forty.
pub(super) const DETAILS_MAX_COUNT: usize = 39;
/// Longest label in a sentence.
const LABEL_MAX_CHARS: usize = 40;
/// Longest title; what a title is about is cut, not what it ends with.
const TITLE_MAX_CHARS: usize = 120;
/// What a title of a Publish begins with; every title leaves room for it.
const PUBLISHED: &str = "Published: ";

/// Names of a node's own keys, where no input label says it better.
const KEY_LABELS: &[(&str, &str)] = &[
    ("label", "the label"),
    ("credential", "the credential"),
    ("outputs", "the output"),
    ("version", "the card version"),
    ("parentNode", "the surrounding step"),
    ("style", "the size"),
];

/// What changed about a flow.
pub struct FlowChanges<'a> {
    /// On the canvas; the flow's name is in it.
    pub diff: &'a Diff,
    /// The later canvas, which knows the labels of its inputs.
    pub canvas: &'a StoredCanvas,
    pub cards: &'a dyn CardSchemas,
    /// The flow became one of this kind.
    pub kind: Option<&'a str>,
    pub category: bool,
    /// Settings that changed, in words (`rate limit`).
    pub settings: &'a [String],
}

/// A title without its kind, and the lines below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The first sentence without its end, and how many more there are. Empty when nothing changed.
    pub summary: String,
    /// All of them, a line each.
    pub details: Vec<String>,
}

impl Description {
    /// Of a change from `earlier`, where there was something before.
    #[must_use]
    pub fn from_changes(changes: &FlowChanges<'_>, earlier: Option<&StoredCanvas>) -> Self {
        let told = change_sentences(changes, earlier);
        // Whoever changes a card makes room for it; only alone are places worth a word in a title.
        let count = told.changes.len().max(usize::from(told.moved.is_some()));
        let Some(first) = told.changes.first().or(told.moved.as_ref()) else {
            return Self { summary: String::new(), details: Vec::new() };
        };
        let tail = match count - 1 {
            0 => String::new(),
            1 => " and 1 more change".to_owned(),
            more => format!(" and {more} more changes"),
        };
        let first = first.strip_suffix('.').unwrap_or(first);
        let room = TITLE_MAX_CHARS - PUBLISHED.len() - tail.len();
        let summary = format!("{}{tail}", clean_line(first, room));
        let is_whole = count == 1 && summary == clean_line(first, usize::MAX);
        let says_all = is_whole && (told.moved.is_none() || told.changes.is_empty());
        let lines = if says_all { Vec::new() } else { told.into_lines() };
        Self { summary, details: lines.into_iter().map(guard_line).collect() }
    }

    #[must_use]
    pub fn save_title(&self) -> String {
        if self.summary.is_empty() { "Saved without changes".to_owned() } else { self.summary.clone() }
    }

    #[must_use]
    pub fn publish_title(&self) -> String {
        let summary = if self.summary.is_empty() { "no changes" } else { &self.summary };
        format!("{PUBLISHED}{summary}")
    }
}

/// The title of a new flow.
#[must_use]
pub fn create_title(name: &str) -> String {
    clean_line(&format!("Created {}", quote(name)), TITLE_MAX_CHARS)
}

/// The title of a flow's last version.
#[must_use]
pub fn delete_title(name: &str) -> String {
    clean_line(&format!("Deleted {}", quote(name)), TITLE_MAX_CHARS)
}

#[must_use]
pub fn roll_back_title(title: &str, short_sha: &str) -> String {
    version_title("Rolled back Live to: ", title, short_sha)
}

/// The title of a restore in live mode.
#[must_use]
pub fn restore_title(title: &str, short_sha: &str) -> String {
    version_title("Restored: ", title, short_sha)
}

#[must_use]
pub fn promote_title(title: &str, short_id: &str) -> String {
    version_title("Promoted from Dev: ", title, short_id)
}

fn version_title(lead: &str, title: &str, short_sha: &str) -> String {
    let end = format!(" ({short_sha})");
    let room = TITLE_MAX_CHARS - lead.len() - end.len();
    format!("{lead}{}{end}", clean_line(title, room))
}

/// A line that is written as a trailer is begins with a word of ours instead.
fn guard_line(line: String) -> String {
    let name = line.split(':').next().unwrap_or_default();
    let is_trailer = name.len() < line.len() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if is_trailer { format!("Changed: {line}") } else { line }
}

/// What people call an input of a node, or another of its keys.
pub(super) fn field_label(changes: &FlowChanges<'_>, drawn: Option<&Value>, field: &str) -> String {
    let key = KEY_LABELS.iter().find(|(key, _)| *key == field).map(|(_, label)| (*label).to_owned());
    let input = drawn.map(|drawn| input_label(drawn, field, changes.cards)).filter(|label| label != field);
    input.or(key).unwrap_or_else(|| field.to_owned())
}

pub(super) fn quote(name: &str) -> String {
    format!("“{}”", clean_label(name))
}

/// A label as it stands in a sentence: scanned before it is cut, since a part of a secret is a secret too.
pub(super) fn clean_label(text: &str) -> String {
    clean_line(text, LABEL_MAX_CHARS)
}

/// A text on one line, scanned and cut. It is scanned with what cannot be seen and without, since that can stand
/// beside a secret as well as inside one; and when it was cut, since it can then end where a secret would.
pub(super) fn clean_line(text: &str, most: usize) -> String {
    let seen: String = redact(text).text.chars().filter(|c| !is_unseen(*c)).collect();
    let words = seen.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let hidden = redact(&words.collect::<Vec<_>>().join(" ")).text;
    if hidden.chars().count() <= most {
        return hidden;
    }
    let cut: String = hidden.chars().take(most - 1).collect();
    redact(&format!("{}…", cut.trim_end())).text
}

/// Marks that turn the direction of the text around them, or take no room.
const fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// With its first letter large.
pub(super) fn capitalize(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::{Canvas, NoSchemas, secrets};
    use crate::domain::flows::version_diff::NameChange;
    use serde_json::json;

    fn stored(nodes: &Value) -> StoredCanvas {
        let canvas = json!({ "nodes": nodes, "edges": [] });
        secrets::redact(&Canvas::parse(&canvas.to_string()).unwrap(), &NoSchemas, &|_| None)
    }

    fn node(id: &str, label: &str, inputs: &Value) -> Value {
        let params = json!([{ "name": "temperature", "label": "Temperature", "type": "number" }, { "name": "modelName", "label": "Model Name", "type": "string" }]);
        json!({ "id": id, "position": { "x": inputs["x"] }, "data": { "name": "card", "label": label, "inputs": inputs, "inputParams": params } })
    }

    fn described(before: &Value, after: &Value, name: Option<&str>, settings: &[&str]) -> Description {
        let (before, after) = (stored(before), stored(after));
        let renamed = name.and_then(|name| NameChange::between("Old", name));
        let diff = Diff { renamed, ..Diff::between(&before, &after) };
        let settings: Vec<String> = settings.iter().map(|name| (*name).to_owned()).collect();
        let changes = FlowChanges {
            diff: &diff,
            canvas: &after,
            cards: &NoSchemas,
            kind: None,
            category: false,
            settings: &settings,
        };
        Description::from_changes(&changes, Some(&before))
    }

    fn several(names: &[&str]) -> Value {
        names.iter().map(|name| node(name, name, &json!({}))).collect()
    }

    #[test]
    fn a_title_is_the_first_sentence_and_how_many_more_there_are() {
        let one = |inputs: Value| json!([node("a", "OpenAI", &inputs)]);
        let summary = |before: Value, after: Value| described(&before, &after, None, &[]).summary;
        assert_eq!(
            summary(one(json!({ "temperature": 1 })), one(json!({ "temperature": 2 }))),
            "Temperature of OpenAI is now 2 instead of 1"
        );
        assert_eq!(
            summary(
                one(json!({ "temperature": 1 })),
                one(json!({ "temperature": 2, "modelName": "m", "other": 1 }))
            ),
            "Model Name of OpenAI is now “m” and 2 more changes"
        );
        assert_eq!(summary(json!([]), several(&["A"])), "A is new");
        assert_eq!(summary(several(&["A", "B"]), several(&["B", "C"])), "C is new and 1 more change");
        assert_eq!(
            described(&json!([]), &json!([]), None, &["rate limit"]).save_title(),
            "The setting rate limit changed"
        );
        assert_eq!(described(&json!([]), &json!([]), None, &[]).save_title(), "Saved without changes");
        assert_eq!(described(&json!([]), &json!([]), None, &[]).publish_title(), "Published: no changes");
    }

    #[test]
    fn places_are_told_in_a_title_only_where_nothing_else_changed() {
        let at = |x: i64, heat: i64| json!([{ "id": "a", "position": { "x": x }, "data": node("a", "OpenAI", &json!({ "temperature": heat }))["data"] }]);
        let moved = described(&at(0, 1), &at(5, 1), None, &[]);
        assert_eq!((moved.save_title(), moved.details.len()), ("One card lies elsewhere".to_owned(), 0));
        let both = described(&at(0, 1), &at(5, 2), None, &[]);
        assert_eq!(both.save_title(), "Temperature of OpenAI is now 2 instead of 1");
        assert_eq!(both.details.last().unwrap(), "One card lies elsewhere.");
    }

    #[test]
    fn details_hold_every_sentence_where_the_title_does_not() {
        let all = described(
            &several(&["A", "B"]),
            &several(&["B", "C"]),
            Some("New"),
            &["rate limit", "allowed domains"],
        );
        assert_eq!(
            all.publish_title(),
            "Published: The flow is now called “New” instead of “Old” and 4 more changes"
        );
        assert_eq!(all.details.len(), 5);
        assert_eq!(all.details.last().unwrap(), "The setting allowed domains changed.");
        let many: Vec<String> = (0..60).map(|at| format!("Card {at}")).collect();
        let many =
            described(&json!([]), &several(&many.iter().map(String::as_str).collect::<Vec<_>>()), None, &[]);
        assert_eq!(many.save_title(), "Card 0 is new and 59 more changes");
        assert_eq!(many.details.last().unwrap(), "And 21 more changes.");
    }

    #[test]
    fn a_title_is_cut_in_its_sentence_and_keeps_its_end() {
        let long = "word ".repeat(60);
        let told = described(
            &json!([node("a", "A", &json!({ "other": "x" }))]),
            &json!([node("a", &long, &json!({ "other": "y" }))]),
            None,
            &["rate limit"],
        );
        let title = told.publish_title();
        assert!(title.ends_with(" more changes") && title.chars().count() <= 120, "{title}");
    }

    #[test]
    fn the_patterns_of_the_specification_keep_their_ends() {
        assert_eq!(
            roll_back_title("Published: added A", "abcdef0"),
            "Rolled back Live to: Published: added A (abcdef0)"
        );
        assert_eq!(restore_title("x", "abcdef0"), "Restored: x (abcdef0)");
        let long = promote_title(&"word ".repeat(100), "abcdef0");
        assert!(
            long.starts_with("Promoted from Dev: word")
                && long.ends_with("… (abcdef0)")
                && long.chars().count() <= 120,
            "{long}"
        );
        assert_eq!(
            (create_title("Bot"), delete_title("Bot")),
            ("Created “Bot”".into(), "Deleted “Bot”".into())
        );
    }

    #[test]
    fn a_label_cannot_leak_break_a_line_or_pass_for_a_trailer() {
        let key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        let hostile = format!("Flow-Id: 1\n\nVersion-Kind: publish\u{202e}{key} gh\u{200b}{}", &key[2..]);
        let described = described(&json!([]), &json!([node("a", &hostile, &json!({}))]), Some(&hostile), &[]);
        for line in described.details.iter().chain([&described.summary]) {
            assert!(!line.contains("0123456789") && !line.contains(['\n', '\u{202e}']), "{line}");
        }
        assert!(described.details[1].starts_with("Changed: Flow-Id: 1 "), "{:?}", described.details);
        assert!(!restore_title(&hostile, "abcdef0").contains("0123456789"));
        // Cut in the middle it would be an ordinary word without its beginning, or a whole key with its end.
        for at in 0..60 {
            let title = restore_title(&format!("{} AIza{}", "x".repeat(at), "aB3".repeat(30)), "abcdef0");
            assert_eq!(crate::domain::secrets::first_match(title.as_bytes()), None, "{title}");
        }
    }
}
