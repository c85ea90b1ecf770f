//! What differs between two canvases, a whole sentence for each change, with the values where they are short (manual 6.6).
//!
//! Both canvases are those of history: secrets are hidden in them. What is told is scanned again all the same.

use super::describe::{
    DETAILS_MAX_COUNT, FlowChanges, capitalize, clean_label, clean_line, field_label, quote,
};
use super::rich_text::{is_rich_text, to_markdown};
use super::stored::StoredCanvas;
use crate::domain::flows::version_diff::ChangedNode;
use crate::domain::secrets::tree::count_placeholders_in;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// Longest value that a sentence repeats.
const VALUE_MAX_CHARS: usize = 60;
/// Longest sentence.
const SENTENCE_MAX_CHARS: usize = 240;
/// Shortest word worth telling of a text that changed.
const WORD_MIN_CHARS: usize = 4;
/// Words of a text that are told one by one.
const WORDS_MAX_COUNT: usize = 3;
/// Cards of a new flow that are told by their names.
const CARDS_NAMED_MAX_COUNT: usize = 6;
/// Longest text that is read word by word.
const TEXT_MAX_CHARS: usize = 20_000;

/// Categories of cards that search.
const SEARCH_CATEGORIES: [&str; 2] = ["Vector Stores", "Retrievers"];

type NodeMap<'c> = HashMap<&'c str, &'c Value>;

/// What there is to tell of a change.
pub(super) struct ChangeSentences {
    /// The most important first. Neither scanned nor cut as a whole.
    pub changes: Vec<String>,
    /// How many cards lie elsewhere.
    pub moved: Option<String>,
}

impl ChangeSentences {
    /// A line each, scanned and cut; the rest of very many is counted.
    pub(super) fn into_lines(mut self) -> Vec<String> {
        let more = self.changes.len().saturating_sub(DETAILS_MAX_COUNT);
        self.changes.truncate(DETAILS_MAX_COUNT);
        let mut lines: Vec<String> =
            self.changes.iter().map(|text| clean_line(text, SENTENCE_MAX_CHARS)).collect();
        if more > 0 {
            lines.push(format!("And {more} more {}.", if more == 1 { "change" } else { "changes" }));
        }
        lines.extend(self.moved);
        lines
    }
}

/// Tells what changed from `earlier`, the most important first; where cards lie is one sentence at the end.
#[must_use]
pub fn sentences(changes: &FlowChanges<'_>, earlier: &StoredCanvas) -> Vec<String> {
    change_sentences(changes, Some(earlier)).into_lines()
}

/// The sentences of a change from `earlier`, where there was something before.
pub(super) fn change_sentences(changes: &FlowChanges<'_>, earlier: Option<&StoredCanvas>) -> ChangeSentences {
    let (before, after) = (earlier.map(node_map).unwrap_or_default(), node_map(changes.canvas));
    let diff = changes.diff;
    let mut told = Vec::new();
    if let Some(renamed) = &diff.renamed {
        told.push(format!(
            "The flow is now called {} instead of {}.",
            quote(&renamed.to),
            quote(&renamed.from)
        ));
    }
    told.extend(diff.added.iter().map(|node| format!("{} is new.", clean_label(&node.label))));
    told.extend(diff.removed.iter().map(|node| format!("{} is gone.", clean_label(&node.label))));
    for node in &diff.changed {
        let sides = (before.get(node.id.as_str()).copied(), after.get(node.id.as_str()).copied());
        told.extend(node.fields.iter().map(|field| field_sentence(changes, node, field, sides)));
    }
    if let Some(earlier) = earlier {
        told.extend(connection_sentences((earlier, &before), (changes.canvas, &after)));
    }
    told.extend(changes.kind.map(|kind| format!("The flow became one of the kind {}.", clean_label(kind))));
    told.extend(changes.category.then(|| "The category changed.".to_owned()));
    told.extend(
        changes.settings.iter().map(|setting| format!("The setting {} changed.", clean_label(setting))),
    );
    let moved = match diff.moved.len() {
        0 => None,
        1 => Some("One card lies elsewhere.".to_owned()),
        count => Some(format!("{count} cards lie elsewhere.")),
    };
    ChangeSentences { changes: told, moved }
}

/// Tells what a flow is that was not there before: its cards, and what starts it where it says so.
#[must_use]
pub fn first_sentences(canvas: &StoredCanvas) -> Vec<String> {
    let cards: Vec<&Value> = canvas.nodes().iter().filter(|node| is_card(node)).collect();
    if cards.is_empty() {
        return Vec::new();
    }
    let label = |node: &&&Value| {
        let named = ["/data/label", "/data/name", "/id"].into_iter().find_map(|path| {
            node.pointer(path).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
        });
        clean_label(named.unwrap_or_default())
    };
    let mut names: Vec<String> = cards.iter().take(CARDS_NAMED_MAX_COUNT).map(|node| label(&node)).collect();
    match cards.len() - names.len() {
        0 => {}
        more => names.push(format!("{more} more")),
    }
    let count = cards.len();
    let told =
        format!("The flow has {count} {}: {}.", if count == 1 { "card" } else { "cards" }, listed(&names));
    let start = cards.iter().find_map(|node| start_sentence(node));
    [Some(told.as_str()), start]
        .into_iter()
        .flatten()
        .map(|text| clean_line(text, SENTENCE_MAX_CHARS))
        .collect()
}

/// Notes on the canvas are no cards.
fn is_card(node: &Value) -> bool {
    let name = node.pointer("/data/name").and_then(Value::as_str).unwrap_or_default();
    !name.is_empty() && !name.starts_with("stickyNote")
}

/// What starts an agentflow, as its Start card says.
fn start_sentence(node: &Value) -> Option<&'static str> {
    match node.pointer("/data/inputs/startInputType")?.as_str()? {
        "chatInput" => Some("It starts with a chat message."),
        "formInput" => Some("It starts with a form."),
        "scheduleInput" => Some("It starts by its schedule."),
        "webhookTrigger" => Some("It starts by calls of its webhook."),
        _ => None,
    }
}

/// Names as the end of a sentence: `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        names => names.concat(),
    }
}

fn node_map(canvas: &StoredCanvas) -> NodeMap<'_> {
    canvas.nodes().iter().filter_map(|node| Some((node.get("id")?.as_str()?, node))).collect()
}

/// What became of one input of a card, or of another key of its node.
fn field_sentence(
    changes: &FlowChanges<'_>,
    node: &ChangedNode,
    field: &str,
    (before, after): (Option<&Value>, Option<&Value>),
) -> String {
    let card = clean_label(&node.label);
    let (old, new) =
        (before.and_then(|node| value_of(node, field)), after.and_then(|node| value_of(node, field)));
    if field == "label" {
        let old = old.and_then(Value::as_str).unwrap_or_default();
        return format!("{} is now called {}.", quote(old), quote(&node.label));
    }
    if field == "credential" {
        return format!("{card} uses another credential.");
    }
    let label = capitalize(&field_label(changes, after, field));
    let subject = format!("{} of {card}", clean_label(&label));
    let hidden = |value: Option<&Value>| value.is_some_and(|value| count_placeholders_in(value) > 0);
    if before.is_none() || after.is_none() || hidden(old) || hidden(new) {
        return format!("{subject} changed.");
    }
    passage_sentence(&card, field, after, (filled(old), filled(new)))
        .unwrap_or_else(|| told_change(&subject, filled(old), filled(new)))
}

/// How many passages a search returns, which says more than the name of the input; `None` for any other input. Models have
/// one of the same name, so the kind of the card counts.
fn passage_sentence(
    card: &str,
    field: &str,
    node: Option<&Value>,
    (old, new): (Option<&Value>, Option<&Value>),
) -> Option<String> {
    let category = node?.pointer("/data/category")?.as_str()?;
    if field != "topK" || !SEARCH_CATEGORIES.contains(&category) {
        return None;
    }
    let count = |value: &Value| plain(value).parse::<u32>().ok();
    let new = count(new?)?;
    let instead = match old {
        Some(old) => format!(" instead of {}", count(old)?),
        None => String::new(),
    };
    Some(format!("{card} now returns {new} {}{instead}.", if new == 1 { "passage" } else { "passages" }))
}

fn value_of<'n>(node: &'n Value, field: &str) -> Option<&'n Value> {
    let data = node.get("data");
    let input = data.and_then(|data| data.get("inputs")).and_then(|inputs| inputs.get(field));
    input.or_else(|| data?.get(field)).or_else(|| node.get(field))
}

/// A value that says something.
fn filled(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => true,
    })
}

fn told_change(subject: &str, old: Option<&Value>, new: Option<&Value>) -> String {
    match (old, new) {
        (None, None) => format!("{subject} changed."),
        (Some(_), None) => format!("{subject} is no longer set."),
        (_, Some(Value::Bool(on))) => format!("{subject} is now {}.", if *on { "on" } else { "off" }),
        (None, Some(new)) => match short(new) {
            Some(new) => format!("{subject} is now {new}."),
            None => format!("{subject} is now set."),
        },
        (Some(old), Some(new)) => match (short(old), short(new), rows(old), rows(new)) {
            (Some(old), Some(new), ..) => format!("{subject} is now {new} instead of {old}."),
            (_, _, Some(old), Some(new)) if old != new => {
                format!(
                    "{subject} has {new} {} instead of {old}.",
                    if new == 1 { "entry" } else { "entries" }
                )
            }
            _ => told_text(subject, &plain(old), &plain(new)),
        },
    }
}

/// A value as a sentence repeats it; `None` when it is too long for that.
fn short(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(on) => Some(if *on { "on" } else { "off" }.to_owned()),
        Value::String(_) => {
            let text = plain(value);
            let is_number = text.parse::<f64>().is_ok();
            let fits = text.chars().count() <= VALUE_MAX_CHARS && !text.contains('\n');
            let data = text.starts_with(['[', '{']) && serde_json::from_str::<Value>(&text).is_ok();
            (fits && !data).then(|| if is_number { text } else { format!("“{text}”") })
        }
        _ => None,
    }
}

/// How many rows a list has, also where it is kept as text.
fn rows(value: &Value) -> Option<usize> {
    match value {
        Value::Array(list) => Some(list.len()),
        Value::String(text) => Some(serde_json::from_str::<Vec<Value>>(text).ok()?.len()),
        _ => None,
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) if is_rich_text(text) => to_markdown(text).trim().to_owned(),
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    }
}

/// What a longer text says now and said before: the words that came or went, when they are few.
fn told_text(subject: &str, old: &str, new: &str) -> String {
    let (before, after) = (words(old), words(new));
    let told = |words: Vec<&String>| -> Option<String> {
        let quoted: Vec<String> = words.iter().map(|word| format!("“{word}”")).collect();
        (1..=WORDS_MAX_COUNT).contains(&quoted.len()).then(|| listed(&quoted))
    };
    let gone: Vec<&String> = before.difference(&after).collect();
    let come: Vec<&String> = after.difference(&before).collect();
    match (gone.is_empty(), come.is_empty()) {
        (false, true) => told(gone).map(|words| format!("{subject} no longer mentions {words}.")),
        (true, false) => told(come).map(|words| format!("{subject} now mentions {words}.")),
        (false, false) => told(gone)
            .zip(told(come))
            .map(|(gone, come)| format!("{subject} mentions {come} instead of {gone}.")),
        (true, true) => None,
    }
    .unwrap_or_else(|| format!("{subject} was reworded."))
}

fn words(text: &str) -> BTreeSet<String> {
    let read: String = text.chars().take(TEXT_MAX_CHARS).collect();
    read.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= WORD_MIN_CHARS)
        .map(str::to_lowercase)
        .collect()
}

/// Connections between cards that stayed; those of a card that came or went are told with it.
fn connection_sentences(
    (earlier, before): (&StoredCanvas, &NodeMap<'_>),
    (later, after): (&StoredCanvas, &NodeMap<'_>),
) -> Vec<String> {
    let (old, new) = (connections(earlier), connections(later));
    let name = |id: &str| -> Option<String> {
        before.get(id)?;
        let label = after.get(id)?.pointer("/data/label")?.as_str()?;
        Some(clean_label(if label.is_empty() { id } else { label }))
    };
    let tell =
        |(from, to): &(String, String), verb: &str| Some(format!("{} {verb} {}.", name(from)?, name(to)?));
    let come = new.difference(&old).filter_map(|ends| tell(ends, "now leads to"));
    let gone = old.difference(&new).filter_map(|ends| tell(ends, "no longer leads to"));
    come.chain(gone).collect()
}

fn connections(canvas: &StoredCanvas) -> BTreeSet<(String, String)> {
    let end = |edge: &Value, name: &str| Some(edge.get(name)?.as_str()?.to_owned());
    canvas.edges().iter().filter_map(|edge| Some((end(edge, "source")?, end(edge, "target")?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::{Canvas, NoSchemas, secrets};
    use crate::domain::flows::version_diff::Diff;
    use serde_json::json;

    fn node(id: &str, label: &str, inputs: &Value) -> Value {
        let params = json!([
            {"name": "prompt", "label": "Prompt", "type": "string"},
            {"name": "topK", "label": "Top K", "type": "number"},
            {"name": "key", "label": "Key", "type": "password"},
        ]);
        json!({"id": id, "position": {"x": 0}, "data": {"name": "card", "label": label, "inputs": inputs, "inputParams": params}})
    }

    fn told(before: &Value, after: &Value) -> Vec<String> {
        let read = |canvas: &Value| {
            secrets::redact(&Canvas::parse(&canvas.to_string()).unwrap(), &NoSchemas, &|_| None)
        };
        let (before, after) = (read(before), read(after));
        let diff = Diff::between(&before, &after);
        let changes = FlowChanges {
            diff: &diff,
            canvas: &after,
            cards: &NoSchemas,
            kind: None,
            category: false,
            settings: &[],
        };
        sentences(&changes, &before)
    }

    /// What is told of one input that changes.
    fn input(name: &str, before: Value, after: Value) -> String {
        let canvas =
            |value: Value| json!({"nodes": [node("a", "Answer", &json!({ name: value }))], "edges": []});
        told(&canvas(before), &canvas(after)).join(" ")
    }

    #[test]
    fn a_prompt_tells_the_words_that_came_and_went() {
        let long = "You answer questions of customers in the shop, kindly and without long words";
        let with = |words: &str| json!(format!("{long}{words}"));
        assert_eq!(
            input("prompt", with(", also about refunds."), with(", also about.")),
            "Prompt of Answer no longer mentions “refunds”."
        );
        assert_eq!(
            input("prompt", with("."), with(" or refunds.")),
            "Prompt of Answer now mentions “refunds”."
        );
        assert_eq!(
            input("prompt", with(" or socks."), with(" or shoes.")),
            "Prompt of Answer mentions “shoes” instead of “socks”."
        );
        assert_eq!(input("prompt", with("."), with("!")), "Prompt of Answer was reworded.");
    }

    #[test]
    fn short_values_are_told_with_what_they_were() {
        assert_eq!(input("topK", json!(4), json!(8)), "Top K of Answer is now 8 instead of 4.");
        assert_eq!(input("topK", json!("4"), json!("8")), "Top K of Answer is now 8 instead of 4.");
        assert_eq!(
            input("prompt", json!("Hi"), json!("<p>Hello</p>")),
            "Prompt of Answer is now “Hello” instead of “Hi”."
        );
        assert_eq!(input("streaming", json!(true), json!(false)), "Streaming of Answer is now off.");
        assert_eq!(input("prompt", json!(""), json!("Hi")), "Prompt of Answer is now “Hi”.");
        assert_eq!(input("prompt", json!("Hi"), json!("")), "Prompt of Answer is no longer set.");
        assert_eq!(input("rows", json!([1]), json!([1, 2])), "Rows of Answer has 2 entries instead of 1.");
    }

    #[test]
    fn a_search_tells_how_many_passages_it_returns() {
        let told_of = |category: &str, before: Value, after: Value| {
            let canvas = |value: Value| {
                let mut search = node("a", "Search", &json!({ "topK": value }));
                search["data"]["category"] = json!(category);
                json!({"nodes": [search], "edges": []})
            };
            told(&canvas(before), &canvas(after)).join(" ")
        };
        let eight = "Search now returns 8 passages instead of 4.";
        assert_eq!(told_of("Vector Stores", json!(4), json!("8")), eight);
        assert_eq!(told_of("Retrievers", json!(""), json!(1)), "Search now returns 1 passage.");
        assert_eq!(told_of("Retrievers", json!(4), json!("")), "Top K of Search is no longer set.");
        assert_eq!(told_of("Chat Models", json!(4), json!(8)), "Top K of Search is now 8 instead of 4.");
    }

    #[test]
    fn secrets_are_never_told() {
        let secret = input("key", json!("old-secret-value"), json!("new-secret-value"));
        assert!(!secret.contains("secret-value"), "{secret}");
        let token = format!("Use {}{}", "sk-", "proj4f8Jq2mNv7Xc1Zb9Ta6Wd3Ye5Rg0Hk");
        let typed = input("prompt", json!("Use nothing"), json!(token));
        assert!(!typed.contains("proj4f8"), "{typed}");
    }

    #[test]
    fn cards_connections_and_places_have_sentences_of_their_own() {
        let plain = |id: &str| node(id, id, &json!({}));
        let edge = |from: &str, to: &str| json!({"id": format!("{from}-{to}"), "source": from, "target": to});
        let before = json!({"nodes": [plain("Search"), plain("Answer"), plain("Old")], "edges": [edge("Search", "Answer"), edge("Old", "Answer")]});
        let mut after = json!({"nodes": [plain("Search"), plain("Answer"), plain("New")], "edges": [edge("Answer", "Search"), edge("New", "Answer")]});
        after["nodes"][0]["position"]["x"] = json!(9);
        after["nodes"][1]["position"]["x"] = json!(9);
        assert_eq!(
            told(&before, &after),
            [
                "New is new.",
                "Old is gone.",
                "Answer now leads to Search.",
                "Search no longer leads to Answer.",
                "2 cards lie elsewhere."
            ]
        );
    }

    /// What is told of a flow with so many cards, a note and this Start card.
    fn told_first(count: usize, start: &Value) -> Vec<String> {
        let mut nodes: Vec<Value> =
            (0..count).map(|at| node(&format!("n{at}"), &format!("Card {at}"), &json!({}))).collect();
        if let Some(first) = nodes.first_mut() {
            first["data"]["inputs"] = start.clone();
        }
        nodes.push(json!({"id": "s", "position": {"x": 0}, "data": {"name": "stickyNote", "label": "Note"}}));
        let canvas = json!({"nodes": nodes, "edges": []}).to_string();
        first_sentences(&secrets::redact(&Canvas::parse(&canvas).unwrap(), &NoSchemas, &|_| None))
    }

    #[test]
    fn a_new_flow_is_told_by_its_cards() {
        assert_eq!(told_first(1, &json!({})), ["The flow has 1 card: Card 0."]);
        assert_eq!(told_first(3, &json!({})), ["The flow has 3 cards: Card 0, Card 1 and Card 2."]);
        assert_eq!(
            told_first(9, &json!({})),
            ["The flow has 9 cards: Card 0, Card 1, Card 2, Card 3, Card 4, Card 5 and 3 more."]
        );
        assert!(told_first(0, &json!({})).is_empty());
    }

    #[test]
    fn a_new_agentflow_is_told_by_what_starts_it() {
        let starts = |by: &str| told_first(1, &json!({"startInputType": by})).pop().unwrap_or_default();
        assert_eq!(starts("chatInput"), "It starts with a chat message.");
        assert_eq!(starts("formInput"), "It starts with a form.");
        assert_eq!(starts("scheduleInput"), "It starts by its schedule.");
        assert_eq!(starts("webhookTrigger"), "It starts by calls of its webhook.");
    }

    #[test]
    fn another_name_is_told_by_both() {
        let canvas = |label: &str| json!({"nodes": [node("a", label, &json!({}))], "edges": []});
        assert_eq!(told(&canvas("Ask"), &canvas("Answer")), ["“Ask” is now called “Answer”."]);
        assert!(told(&canvas("Ask"), &canvas("Ask")).is_empty());
    }
}
