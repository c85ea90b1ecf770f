//! What a canvas that comes from elsewhere carries and no canvas holds: what stands beside the drawing, credentials of
//! another server, sealed with a key that is not here, and keys typed into inputs that their cards have no more.

use super::Canvas;
use super::former_names::current_card_name;
use super::parse::{self, CanvasError};
use super::schemas::CardSchemas;
use super::secrets::{is_secret_field, picked_card};
use super::stored::{VIEWPORT, list_mut};
use crate::domain::secrets::names;
use serde_json::{Map, Value};

/// Everything that a canvas consists of.
const CANVAS_KEYS: &[&str] = &["nodes", "edges", VIEWPORT];
/// Keys under which other servers export their sealed credentials.
const SEALED_CREDENTIAL_KEYS: &[&str] = &["credentialRecord", "credentialRecords"];
/// What a sealed credential holds.
const SEALED_DATA_KEY: &str = "encryptedData";
/// Parts of a node that are no records, whatever they hold.
const NODE_PARTS: &[&str] = &["data", "inputs"];
/// Names that a sentence lists before it counts.
const LISTED_MAX: usize = 12;
/// Characters of a name that a sentence repeats.
const NAME_MAX_CHARS: usize = 60;

/// What did not come along.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForeignContent {
    /// Keys that stood beside the drawing.
    pub canvas_keys: Vec<String>,
    /// How many places held sealed credentials.
    pub sealed_credentials: usize,
    /// Keys typed into cards: the card as its owner calls it, and the input.
    pub typed_keys: Vec<(String, String)>,
}

impl ForeignContent {
    /// True when everything came along.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.canvas_keys.is_empty() && self.sealed_credentials == 0 && self.typed_keys.is_empty()
    }

    /// What a person should know of it, a sentence each. Values are never among it.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let mut told = Vec::new();
        if !self.canvas_keys.is_empty() {
            told.push(format!(
                "What stood beside the drawing was left out: {}.",
                join_names(&self.canvas_keys)
            ));
        }
        if self.sealed_credentials > 0 {
            told.push(
                "Credentials of another server, sealed with a key that is not here, were left out: choose credentials of this one."
                    .to_owned(),
            );
        }
        if !self.typed_keys.is_empty() {
            let named =
                |(card, input): &(String, String)| format!("{} ({})", clean_name(card), clean_name(input));
            let typed: Vec<String> = self.typed_keys.iter().map(named).collect();
            told.push(format!(
                "Keys typed into cards were left out, because these cards take a credential: {}.",
                join_names(&typed)
            ));
        }
        told
    }
}

fn join_names(names: &[String]) -> String {
    let mut told: Vec<String> = names.iter().take(LISTED_MAX).map(|name| clean_name(name)).collect();
    if names.len() > LISTED_MAX {
        told.push(format!("{} more", names.len() - LISTED_MAX));
    }
    told.join(", ")
}

/// A name of a file without what could pass for more than a name.
fn clean_name(name: &str) -> String {
    crate::domain::secrets::redact(name)
        .text
        .chars()
        .filter(|c| !c.is_control())
        .take(NAME_MAX_CHARS)
        .collect()
}

impl Canvas {
    /// The canvas without what is no part of one, and what that was. A canvas that holds nothing of the kind is as it was.
    ///
    /// # Errors
    /// Never for a canvas that was parsed; it is read again after something was taken out.
    pub fn without_foreign(self, cards: &dyn CardSchemas) -> Result<(Self, ForeignContent), CanvasError> {
        let Self { nodes, edges, positions: places, mut raw } = self;
        let left_out = remove_foreign(&mut raw, cards);
        if left_out.is_empty() {
            return Ok((Self { nodes, edges, positions: places, raw }, left_out));
        }
        Ok((parse::from_raw(raw)?, left_out))
    }
}

/// Takes out of a canvas, as JSON, what is no part of one.
fn remove_foreign(raw: &mut Map<String, Value>, cards: &dyn CardSchemas) -> ForeignContent {
    let mut left_out = ForeignContent::default();
    for name in foreign_keys(raw) {
        raw.shift_remove(&name);
        if SEALED_CREDENTIAL_KEYS.contains(&name.as_str()) {
            left_out.sealed_credentials += 1;
        } else {
            left_out.canvas_keys.push(name);
        }
    }
    left_out.sealed_credentials += remove_sealed_credentials(raw);
    for node in list_mut(raw, "nodes") {
        if let Some(data) = node.get_mut("data").and_then(Value::as_object_mut) {
            remove_stray_keys(data, cards, &mut left_out.typed_keys);
        }
    }
    left_out
}

/// The keys of a canvas that are no part of one.
pub(super) fn foreign_keys(raw: &Map<String, Value>) -> Vec<String> {
    raw.keys().filter(|name| !CANVAS_KEYS.contains(&name.as_str())).cloned().collect()
}

/// Takes sealed credentials out of nodes and edges: how many places held some.
pub(super) fn remove_sealed_credentials(raw: &mut Map<String, Value>) -> usize {
    ["nodes", "edges"]
        .into_iter()
        .flat_map(|list| list_mut(raw, list).iter_mut().map(remove_records).collect::<Vec<_>>())
        .sum()
}

fn remove_records(value: &mut Value) -> usize {
    let mut found = 0;
    match value {
        Value::Object(map) => {
            map.retain(|name, value| {
                let is_part = NODE_PARTS.contains(&name.as_str()) && value.is_object();
                let goes = SEALED_CREDENTIAL_KEYS.contains(&name.as_str())
                    || (name == SEALED_DATA_KEY && is_sealed_text(value))
                    || (!is_part && is_sealed_credential(value));
                found += usize::from(goes);
                !goes
            });
            found += map.values_mut().map(remove_records).sum::<usize>();
        }
        Value::Array(list) => {
            let before = list.len();
            list.retain(|value| !is_sealed_credential(value));
            found += before - list.len() + list.iter_mut().map(remove_records).sum::<usize>();
        }
        _ => {}
    }
    found
}

fn is_sealed_credential(value: &Value) -> bool {
    value.get(SEALED_DATA_KEY).is_some_and(is_sealed_text)
}

/// A reference or a word of a schema under that name is what its owner drew.
fn is_sealed_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !names::is_harmless_value(text))
}

/// Takes keys out of the inputs of one card that it has no more: what they opened is opened by a credential now. Of a
/// card that nobody knows here nothing is taken, for it may have the input.
fn remove_stray_keys(
    data: &mut Map<String, Value>,
    cards: &dyn CardSchemas,
    found: &mut Vec<(String, String)>,
) {
    let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = text("name");
    let card = current_card_name(&name);
    let label = [text("label"), name.clone()].into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    if let Some(inputs) = data.get_mut("inputs").and_then(Value::as_object_mut) {
        remove_keys_of_card(inputs, (card, &label), cards, found);
    }
}

/// As [`remove_stray_keys`], of the inputs of a card that stands on a canvas or is picked inside of another.
fn remove_keys_of_card(
    inputs: &mut Map<String, Value>,
    (card, label): (&str, &str),
    cards: &dyn CardSchemas,
    found: &mut Vec<(String, String)>,
) {
    if !cards.has_card(card) {
        return;
    }
    inputs.retain(|name, value| {
        let is_typed = value.as_str().is_some_and(|text| !names::is_harmless_value(text));
        let goes = is_typed && is_secret_field(name) && cards.input(card, name).is_none();
        if goes {
            found.push((label.to_owned(), name.clone()));
        }
        !goes
    });
    remove_keys_of_picked(inputs, label, cards, found);
}

/// As [`remove_stray_keys`], of the cards that are picked in these inputs and in their rows.
fn remove_keys_of_picked(
    inputs: &mut Map<String, Value>,
    label: &str,
    cards: &dyn CardSchemas,
    found: &mut Vec<(String, String)>,
) {
    let picked: Vec<Option<String>> = inputs.keys().map(|name| picked_card(inputs, name)).collect();
    for (value, card) in inputs.values_mut().zip(picked) {
        match (value, card) {
            (Value::Object(config), Some(card)) => {
                remove_keys_of_card(config, (current_card_name(&card), label), cards, found);
            }
            (Value::Array(rows), _) => {
                for row in rows.iter_mut().filter_map(Value::as_object_mut) {
                    remove_keys_of_picked(row, label, cards, found);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::schemas::InputSchema;
    use proptest::prelude::*;
    use serde_json::json;

    /// Knows one card, which has an input that is named as a field of a credential.
    struct One;

    impl CardSchemas for One {
        fn has_card(&self, card: &str) -> bool {
            card == "known"
        }

        fn input(&self, _: &str, input: &str) -> Option<InputSchema<'_>> {
            let kind = crate::canvas::InputSensitivity::Secret;
            (input == "password").then_some(InputSchema { label: "Password", kind })
        }

        fn credential_types(&self, _: &str) -> &[&str] {
            &[]
        }
    }

    fn cleaned(canvas: &Value) -> (Value, ForeignContent) {
        let canvas = Canvas::parse(&canvas.to_string()).unwrap();
        let (canvas, left_out) = canvas.without_foreign(&One).unwrap();
        (Value::Object(canvas.raw().clone()), left_out)
    }

    #[test]
    fn what_stands_beside_a_drawing_is_left_out_and_named() {
        let drawing = json!({"nodes": [{"id": "a", "later": 1, "data": {"odd": [2]}}], "edges": [], "viewport": {"zoom": 1}});
        assert_eq!(cleaned(&drawing), (drawing.clone(), ForeignContent::default()));
        let mut more = drawing.clone();
        more["usecases"] = json!(["x"]);
        more["frame\nwork"] = json!(["y"]);
        more["credentialRecords"] = json!([{"encryptedData": "U2FsdGVk"}]);
        let (kept, left_out) = cleaned(&more);
        assert_eq!(kept, drawing);
        let told = left_out.sentences();
        assert_eq!(told[0], "What stood beside the drawing was left out: usecases, framework.");
        assert!(told[1].starts_with("Credentials of another server"), "{told:?}");
    }

    #[test]
    fn sealed_records_go_and_what_is_around_them_stays() {
        let sealed = json!({"id": "1", "credentialName": "openAIApi", "encryptedData": "U2FsdGVkX1+abc"});
        let (kept, left_out) = cleaned(&json!({
            "nodes": [{"id": "a", "data": {"name": "x", "credentialRecord": sealed, "credential": "1",
                "inputs": {"list": [sealed, 1], "deep": {"one": sealed, "two": 2}, "body": {"encryptedData": "{{question}}"}}}},
                {"id": "b", "data": {"name": "y", "encryptedData": "U2FsdGVkX1+abc", "inputs": {"encryptedData": "U2FsdGVkX1+abc", "z": 1}}}],
            "edges": [{"source": "a", "data": {"record": sealed}}],
        }));
        assert_eq!(
            kept,
            json!({
                "nodes": [{"id": "a", "data": {"name": "x", "credential": "1",
                    "inputs": {"list": [1], "deep": {"two": 2}, "body": {"encryptedData": "{{question}}"}}}},
                    {"id": "b", "data": {"name": "y", "inputs": {"z": 1}}}],
                "edges": [{"source": "a", "data": {}}],
            })
        );
        assert_eq!(left_out.sealed_credentials, 6);
    }

    #[test]
    fn a_key_in_an_input_that_its_card_has_no_more_goes() {
        let inputs = json!({"openAIApiKey": "sk-typed", "password": "own", "modelName": "m"});
        let node = |name: &str, inputs: &Value| json!({"nodes": [{"id": "a", "data": {"name": name, "label": "Mine", "inputs": inputs}}], "edges": []});
        let (kept, left_out) = cleaned(&node("known", &inputs));
        assert_eq!(kept["nodes"][0]["data"]["inputs"], json!({"password": "own", "modelName": "m"}));
        assert!(left_out.sentences()[0].ends_with(": Mine (openAIApiKey)."), "{left_out:?}");
        for kept in [
            node("unknown", &inputs),
            node("known", &json!({"openAIApiKey": "{{$vars.key}}"})),
            node("known", &json!({"openAIApiKey": ""})),
        ] {
            assert_eq!(cleaned(&kept), (kept.clone(), ForeignContent::default()));
        }
    }

    #[test]
    fn a_key_typed_into_a_card_that_is_picked_inside_of_another_goes_too() {
        let config = json!({"openAIApiKey": "sk-typed", "password": "own", "modelName": "m"});
        let kept_config = json!({"password": "own", "modelName": "m"});
        let drawing = |config: &Value| {
            let inputs = json!({
                "model": "known", "modelConfig": config,
                "tools": [{"tool": "known", "toolConfig": config}],
                "other": "unknown", "otherConfig": {"openAIApiKey": "sk-typed"},
            });
            let data = json!({"name": "known", "label": "Mine", "inputs": inputs});
            json!({"nodes": [{"id": "a", "data": data}], "edges": []})
        };
        let (kept, left_out) = cleaned(&drawing(&config));
        assert_eq!(kept, drawing(&kept_config));
        let typed = ("Mine".to_owned(), "openAIApiKey".to_owned());
        assert_eq!(left_out.typed_keys, [typed.clone(), typed]);
    }

    proptest! {
        #[test]
        fn nothing_is_left_to_take_out_a_second_time(text in "\\PC{0,12}", name in "[a-zA-Z]{1,8}", depth in 0_usize..5) {
            let mut value = json!({"id": text.clone(), "encryptedData": "U2FsdGVkX1+abc"});
            for _ in 0..depth {
                value = json!({ name.clone(): [value, {"stays": 1}] });
            }
            let canvas = json!({"nodes": [{"id": "a", "data": {"name": "known", "inputs": {name.clone(): value.clone()}}}], "edges": [value.clone()], name: value});
            let (kept, _) = cleaned(&canvas);
            prop_assert!(!kept["nodes"].to_string().contains("encryptedData"), "{}", kept);
            prop_assert_eq!(cleaned(&kept), (kept.clone(), ForeignContent::default()));
        }
    }
}
