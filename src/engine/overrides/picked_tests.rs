//! The row of all settings of a card that is picked in another: it switches on what its schema names of them, or all where it
//! has none, and nothing that never changes.

use super::tests::{edit_listing, listing, standing};
use super::{CardPlace, OverrideRefusal, check_override, protected};
use crate::cards::kit::{Card, WireType};
use crate::cards::registry;
use crate::domain::flows::settings::FlowSettings;
use serde_json::{Value, json};

const ROW: &str = "llmModelConfig";

/// A row of the settings of the model that the step with this label picks, with this schema.
fn row_with(schema: &Value) -> FlowSettings {
    let mut settings = listing("Writer", &[ROW], &[]);
    edit_listing(&mut settings, |lists| lists["nodes"]["Writer"][0]["schema"] = schema.clone());
    settings
}

fn picked(card: &'static Card) -> CardPlace<'static> {
    standing("Writer", registry::find("llmAgentflow").unwrap()).picked("llmModel", card)
}

fn decide(settings: &FlowSettings, place: &CardPlace<'_>, name: &str) -> Result<(), OverrideRefusal> {
    let input = place.card.input(name).unwrap();
    check_override(&settings.api_config.overrides, place, input, &json!("x"))
}

#[test]
fn a_row_reaches_what_its_schema_names_in_either_form() {
    let place = picked(registry::find("chatOpenAI").unwrap());
    for (schema, expected) in [
        (json!({"temperature": "number"}), [true, false]),
        (json!([{"name": "temperature", "type": "number"}]), [true, false]),
        (json!({"temperature": "number", "modelName": "string"}), [true, true]),
        (Value::Null, [true, true]),
        (json!({}), [false, false]),
        (json!([1, {}]), [false, false]),
        (json!("temperature"), [false, false]),
    ] {
        let settings = row_with(&schema);
        let allowed = ["temperature", "modelName"].map(|name| decide(&settings, &place, name).is_ok());
        assert_eq!(allowed, expected, "{schema}");
    }
}

#[test]
fn a_row_of_one_pick_reaches_no_card_beside_it() {
    let (settings, model) = (row_with(&Value::Null), registry::find("chatOpenAI").unwrap());
    for place in [standing("Writer", model), standing("Writer", model).picked("agentModel", model)] {
        assert_eq!(decide(&settings, &place, "temperature"), Err(OverrideRefusal::NotListed));
    }
}

#[test]
fn two_rows_of_one_name_count_both() {
    let mut settings = row_with(&json!({"temperature": "number"}));
    edit_listing(&mut settings, |lists| {
        let rows = lists["nodes"]["Writer"].as_array_mut().unwrap();
        rows.push(json!({"name": ROW, "enabled": true, "schema": {"modelName": "string"}}));
        rows.push(json!({"name": ROW, "enabled": false}));
    });
    let place = picked(registry::find("chatOpenAI").unwrap());
    let allowed = ["temperature", "modelName", "topP"].map(|name| decide(&settings, &place, name).is_ok());
    assert_eq!(allowed, [true, true, false]);
}

#[test]
fn no_row_of_a_picked_card_lets_go_of_what_never_changes() {
    let kinds = [WireType::ChatModel, WireType::Tool];
    for card in kinds.into_iter().flat_map(registry::cards_of_kind) {
        let names = card.inputs.iter().map(|input| (input.name.to_owned(), json!("string")));
        for schema in [Value::Object(names.collect()), Value::Null] {
            let (settings, place) = (row_with(&schema), picked(card));
            for input in card.inputs {
                let is_protected = protected::group_of_input(card, input).is_some();
                let decided = check_override(&settings.api_config.overrides, &place, input, &json!("x"));
                let is_refused = decided.is_err();
                assert_eq!(is_refused, is_protected, "{} of {} by {schema}", input.name, card.name);
            }
        }
    }
}
