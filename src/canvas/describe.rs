//! Titles and details of versions, made from what changed, in words a person likes to read (manual 6.2).
//!
//! Everything is scanned, kept to one line and cut. A line of details begins with a word of ours, never with a label,
//! so that no label can pass for a trailer of the commit.

use super::schemas::CardSchemas;
use super::secrets::input_label;
use super::stored::StoredCanvas;
use crate::domain::flows::version_diff::{ChangedNode, Diff};
use crate::domain::secrets::redact;
use serde_json::Value;
use std::collections::HashMap;

/// Names that are listed one by one before the rest is counted.
const NAMED_MAX_COUNT: usize = 3;
/// Settings of one card that are looked at for their labels.
const FIELDS_MAX_COUNT: usize = 64;
/// Phrases of a title before the rest is counted.
const PHRASES_MAX_COUNT: usize = 3;
/// Lines of details before the rest is counted, in one line more; a commit message keeps forty.
pub(super) const DETAILS_MAX_COUNT: usize = 39;
/// Longest label in a sentence.
const LABEL_MAX_CHARS: usize = 40;
/// Longest title; what a title is about is cut, not what it ends with.
const TITLE_MAX_CHARS: usize = 120;
/// Longest line of details.
const DETAIL_MAX_CHARS: usize = 240;

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
pub(crate) struct FlowChanges<'a> {
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
pub(crate) struct Description {
    /// What changed, in lower case: `changed Temperature of OpenAI`. Empty when nothing did.
    pub summary: String,
    /// All of it, a line each.
    pub details: Vec<String>,
}

impl Description {
    #[must_use]
    pub(crate) fn from_changes(changes: &FlowChanges<'_>) -> Self {
        let drawn = node_map(changes);
        let phrases = phrases(changes, &drawn);
        let more = phrases.len().saturating_sub(PHRASES_MAX_COUNT);
        let mut told = phrases.into_iter().take(PHRASES_MAX_COUNT).collect::<Vec<_>>().join(", ");
        if more > 0 {
            told = format!("{told} and {more} more {}", if more == 1 { "change" } else { "changes" });
        }
        Self { summary: clean_line(&told, TITLE_MAX_CHARS), details: details(changes, &drawn) }
    }

    #[must_use]
    pub(crate) fn save_title(&self) -> String {
        if self.summary.is_empty() { "Saved without changes".to_owned() } else { capitalize(&self.summary) }
    }

    #[must_use]
    pub(crate) fn publish_title(&self) -> String {
        let summary = if self.summary.is_empty() { "no changes" } else { &self.summary };
        clean_line(&format!("Published: {summary}"), TITLE_MAX_CHARS)
    }
}

/// The title of a new flow.
#[must_use]
pub(crate) fn create_title(name: &str) -> String {
    clean_line(&format!("Created {}", quote(name)), TITLE_MAX_CHARS)
}

/// The title of a flow's last version.
#[must_use]
pub(crate) fn delete_title(name: &str) -> String {
    clean_line(&format!("Deleted {}", quote(name)), TITLE_MAX_CHARS)
}

#[must_use]
pub(crate) fn roll_back_title(title: &str, short_sha: &str) -> String {
    version_title("Rolled back Live to: ", title, short_sha)
}

/// The title of a restore in live mode.
#[must_use]
pub(crate) fn restore_title(title: &str, short_sha: &str) -> String {
    version_title("Restored: ", title, short_sha)
}

#[must_use]
pub(crate) fn promote_title(title: &str, short_id: &str) -> String {
    version_title("Promoted from Dev: ", title, short_id)
}

fn version_title(lead: &str, title: &str, short_sha: &str) -> String {
    let end = format!(" ({short_sha})");
    let room = TITLE_MAX_CHARS - lead.len() - end.len();
    format!("{lead}{}{end}", clean_line(title, room))
}

fn phrases(changes: &FlowChanges<'_>, drawn: &NodeMap<'_>) -> Vec<String> {
    let diff = changes.diff;
    let mut phrases = Vec::new();
    if let Some(renamed) = &diff.renamed {
        phrases.push(format!("renamed to {}", quote(&renamed.to)));
    }
    if !diff.added.is_empty() {
        phrases.push(format!("added {}", join_names(diff.added.iter().map(|node| node.label.as_str()))));
    }
    if !diff.removed.is_empty() {
        phrases.push(format!("removed {}", join_names(diff.removed.iter().map(|node| node.label.as_str()))));
    }
    match diff.changed.as_slice() {
        [] => {}
        [one] => phrases.push(describe_changed_node(changes, drawn, one)),
        several => {
            phrases.push(format!("changed {}", join_names(several.iter().map(|node| node.label.as_str()))));
        }
    }
    if let Some(kind) = changes.kind {
        phrases.push(format!("changed the type to {}", clean_label(kind)));
    }
    if changes.category {
        phrases.push("changed category".to_owned());
    }
    if !changes.settings.is_empty() {
        phrases.push(format!("changed {}", join_names(changes.settings.iter().map(String::as_str))));
    }
    // Whoever adds a card connects and makes room for it; only alone are these worth a word.
    if phrases.is_empty() && diff.edges_changed {
        phrases.push("changed connections".to_owned());
    }
    if phrases.is_empty() && !diff.moved.is_empty() {
        phrases
            .push(format!("moved {}", join_names(moved_labels(changes, drawn).iter().map(String::as_str))));
    }
    phrases
}

fn describe_changed_node(changes: &FlowChanges<'_>, drawn: &NodeMap<'_>, node: &ChangedNode) -> String {
    let fields = field_labels(changes, drawn, node);
    format!("changed {} of {}", join_names(fields.iter().map(String::as_str)), clean_label(&node.label))
}

fn details(changes: &FlowChanges<'_>, drawn: &NodeMap<'_>) -> Vec<String> {
    let diff = changes.diff;
    let mut lines = Vec::new();
    if let Some(renamed) = &diff.renamed {
        lines.push(format!("Renamed from {} to {}", quote(&renamed.from), quote(&renamed.to)));
    }
    lines.extend(
        diff.added
            .iter()
            .map(|node| format!("Added {} ({})", clean_label(&node.label), clean_label(&node.id))),
    );
    lines.extend(
        diff.removed
            .iter()
            .map(|node| format!("Removed {} ({})", clean_label(&node.label), clean_label(&node.id))),
    );
    for node in &diff.changed {
        let fields: Vec<String> =
            field_labels(changes, drawn, node).iter().map(|field| clean_label(field)).collect();
        lines.push(format!("Changed {} of {}", fields.join(", "), clean_label(&node.label)));
    }
    if !diff.moved.is_empty() {
        lines.push(format!("Moved {}", join_names(moved_labels(changes, drawn).iter().map(String::as_str))));
    }
    if diff.edges_changed {
        lines.push("Changed connections".to_owned());
    }
    if let Some(kind) = changes.kind {
        lines.push(format!("Changed the type to {}", clean_label(kind)));
    }
    if changes.category {
        lines.push("Changed the category".to_owned());
    }
    lines.extend(changes.settings.iter().map(|setting| format!("Changed {}", clean_label(setting))));
    let more = lines.len().saturating_sub(DETAILS_MAX_COUNT);
    lines.truncate(DETAILS_MAX_COUNT);
    let mut lines: Vec<String> = lines.iter().map(|text| clean_line(text, DETAIL_MAX_CHARS)).collect();
    if more > 0 {
        lines.push(format!("And {more} more"));
    }
    // One line says no more than the title.
    if lines.len() == 1 && !lines[0].starts_with("Renamed") && more == 0 { Vec::new() } else { lines }
}

/// The nodes of a canvas by id, found once: a change may touch all of them.
type NodeMap<'c> = HashMap<&'c str, &'c Value>;

fn node_map<'c>(changes: &FlowChanges<'c>) -> NodeMap<'c> {
    changes.canvas.nodes().iter().filter_map(|node| Some((node.get("id")?.as_str()?, node))).collect()
}

/// The labels of what changed in a node, as many as are listed.
fn field_labels(changes: &FlowChanges<'_>, drawn: &NodeMap<'_>, node: &ChangedNode) -> Vec<String> {
    let drawn = drawn.get(node.id.as_str());
    let of = |field: &String| field_label(changes, drawn.copied(), field);
    node.fields.iter().take(FIELDS_MAX_COUNT).map(of).collect()
}

/// What people call an input of a node, or another of its keys.
pub(super) fn field_label(changes: &FlowChanges<'_>, drawn: Option<&Value>, field: &str) -> String {
    let key = KEY_LABELS.iter().find(|(key, _)| *key == field).map(|(_, label)| (*label).to_owned());
    let input = drawn.map(|drawn| input_label(drawn, field, changes.cards)).filter(|label| label != field);
    input.or(key).unwrap_or_else(|| field.to_owned())
}

fn moved_labels(changes: &FlowChanges<'_>, drawn: &NodeMap<'_>) -> Vec<String> {
    let of = |id: &String| {
        let label = drawn
            .get(id.as_str())
            .and_then(|node| node.pointer("/data/label")?.as_str())
            .filter(|label| !label.is_empty());
        label.unwrap_or(id).to_owned()
    };
    changes.diff.moved.iter().map(of).collect()
}

/// `A`, `A and B`, `A, B and C`, `A, B, C and 2 more`.
fn join_names<'l>(names: impl Iterator<Item = &'l str>) -> String {
    let mut names: Vec<String> = names.map(clean_label).collect();
    let more = names.len().saturating_sub(NAMED_MAX_COUNT);
    if more > 0 {
        names.truncate(NAMED_MAX_COUNT);
        names.push(format!("{more} more"));
    }
    match names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
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

fn capitalize(text: &str) -> String {
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
        Description::from_changes(&changes)
    }

    #[test]
    fn titles_say_what_changed_by_label() {
        let one = |inputs: Value| json!([node("a", "OpenAI", &inputs)]);
        let several =
            |names: &[&str]| -> Value { names.iter().map(|name| node(name, name, &json!({}))).collect() };
        let summary = |before: Value, after: Value| described(&before, &after, None, &[]).summary;
        assert_eq!(
            summary(one(json!({ "temperature": 1 })), one(json!({ "temperature": 2 }))),
            "changed Temperature of OpenAI"
        );
        assert_eq!(
            summary(
                one(json!({ "temperature": 1 })),
                one(json!({ "temperature": 2, "modelName": "m", "other": 1 }))
            ),
            "changed temperature of OpenAI".replace("temperature", "Model Name, other and Temperature")
        );
        assert_eq!(summary(json!([]), several(&["A"])), "added A");
        assert_eq!(summary(json!([]), several(&["A", "B", "C", "D", "E", "F"])), "added A, B, C and 3 more");
        assert_eq!(summary(several(&["A", "B"]), several(&["B", "C"])), "added C, removed A");
        assert_eq!(summary(one(json!({ "x": 1 })), one(json!({ "x": 2 }))), "changed x of OpenAI");
        let moved = described(
            &one(json!({})),
            &json!([{ "id": "a", "position": { "x": 5 }, "data": one(json!({}))[0]["data"] }]),
            None,
            &[],
        );
        assert_eq!(moved.save_title(), "Moved OpenAI");
        assert_eq!(
            described(&json!([]), &json!([]), None, &["rate limit"]).save_title(),
            "Changed rate limit"
        );
        assert_eq!(described(&json!([]), &json!([]), None, &[]).save_title(), "Saved without changes");
        let all = described(
            &several(&["A", "B"]),
            &several(&["B", "C"]),
            Some("New"),
            &["rate limit", "allowed domains"],
        );
        assert_eq!(all.publish_title(), "Published: renamed to “New”, added C, removed A and 1 more change");
        assert_eq!(all.details.last().unwrap(), "Changed allowed domains");
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
        let lines = described.details.iter().chain([&described.summary]);
        for line in lines {
            assert!(!line.contains("0123456789") && !line.contains(['\n', '\u{202e}']), "{line}");
            assert!(["Added ", "Renamed ", "renamed "].iter().any(|first| line.starts_with(first)), "{line}");
        }
        assert!(!restore_title(&hostile, "abcdef0").contains("0123456789"));
        // Cut in the middle it would be an ordinary word without its beginning, or a whole key with its end.
        for at in 0..60 {
            let title = restore_title(&format!("{} AIza{}", "x".repeat(at), "aB3".repeat(30)), "abcdef0");
            assert_eq!(crate::domain::secrets::first_match(title.as_bytes()), None, "{title}");
        }
    }
}
