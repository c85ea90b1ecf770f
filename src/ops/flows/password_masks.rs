//! Passwords typed into cards: who may not change a flow reads its canvas with marks in their place, and whoever sends the
//! marks back leaves the passwords as they are.

use super::access::{self, FlowAction};
use crate::canvas::current_card_name;
use crate::canvas::secrets::{is_secret_field, picked_card};
use crate::cards::kit::Input;
use crate::cards::registry;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::secrets::names::is_reference;
use crate::domain::workspace::credential::MASK;
use crate::store::Tx;
use crate::store::tables::{CANVASES, DRAFT_CANVASES};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The canvas of a flow of this kind as the caller may read it.
#[must_use]
pub(crate) fn mask_for(caller: &Caller, kind: FlowKind, canvas: String) -> String {
    if access::check_permission(caller, kind, FlowAction::Update).is_ok() { canvas } else { mask(canvas) }
}

/// The canvas with marks in place of its passwords.
#[must_use]
pub(crate) fn mask(canvas: String) -> String {
    let Ok(mut whole) = serde_json::from_str::<Value>(&canvas) else { return canvas };
    let mut changed = false;
    each_password(&mut whole, |_, _, inputs, name| {
        if let Some(value) = inputs.get_mut(name).filter(|value| is_password(value)) {
            *value = MASK.into();
            changed = true;
        }
    });
    if changed { whole.to_string() } else { canvas }
}

/// A canvas on its way in, with the passwords of the flow where marks stand; a mark for which there is none goes.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn restore(tx: &impl Tx, flow: &Flow, sent: String) -> Result<String> {
    if !may_hold_marks(&sent) {
        return Ok(sent);
    }
    let mine =
        [DRAFT_CANVASES.get(tx, &flow.workspace, &flow.id)?, CANVASES.get(tx, &flow.workspace, &flow.id)?];
    Ok(restore_from(&mine.into_iter().flatten().collect::<Vec<_>>(), sent))
}

/// As [`restore`], from these canvases, the first of which goes before the others.
#[must_use]
pub(crate) fn restore_from(mine: &[String], sent: String) -> String {
    if !may_hold_marks(&sent) {
        return sent;
    }
    let Ok(mut whole) = serde_json::from_str::<Value>(&sent) else { return sent };
    let mut known: HashMap<(String, String, String), Value> = HashMap::new();
    for canvas in mine.iter().rev() {
        let Ok(mut canvas) = serde_json::from_str::<Value>(canvas) else { continue };
        each_password(&mut canvas, |node, card, inputs, name| {
            if let Some(value) = inputs.get(name) {
                known.insert((node.to_owned(), card.to_owned(), name.to_owned()), value.clone());
            }
        });
    }
    let mut changed = false;
    each_password(&mut whole, |node, card, inputs, name| {
        if inputs.get(name).is_none_or(|value| value != MASK) {
            return;
        }
        changed = true;
        match known.get(&(node.to_owned(), card.to_owned(), name.to_owned())) {
            Some(value) => drop(inputs.insert(name.to_owned(), value.clone())),
            None => drop(inputs.shift_remove(name)),
        }
    });
    if changed { whole.to_string() } else { sent }
}

/// False for JSON that holds no mark, as it is or with its characters written as escapes.
fn may_hold_marks(sent: &str) -> bool {
    sent.contains(MASK) || sent.contains("\\u2022")
}

/// True for what a person typed in: nothing, a reference and a mark give nothing away.
fn is_password(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty() && !is_reference(text),
        _ => true,
    }
}

/// What is told of a password: its node, the place of its card there, the inputs that it is among, and its name.
type Visit<'v> = dyn FnMut(&str, &str, &mut Map<String, Value>, &str) + 'v;

/// Visits every input that is a password: by the card, or by what the flow was saved with. Those of cards that are picked
/// inside of others, and of rows, too.
fn each_password(canvas: &mut Value, mut visit: impl FnMut(&str, &str, &mut Map<String, Value>, &str)) {
    for node in canvas.get_mut("nodes").and_then(Value::as_array_mut).into_iter().flatten() {
        let id = node.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let Some(data) = node.get_mut("data").and_then(Value::as_object_mut) else { continue };
        let card = data.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let params = data.get("inputParams").and_then(Value::as_array).into_iter().flatten();
        let passwords = params.filter(|param| param["type"] == "password");
        let saved: Vec<String> =
            passwords.filter_map(|param| param["name"].as_str().map(str::to_owned)).collect();
        let Some(inputs) = data.get_mut("inputs").and_then(Value::as_object_mut) else { continue };
        visit_inputs((&id, &card), (inputs_of(&card), &saved), inputs, &mut visit);
    }
}

fn inputs_of(card: &str) -> &'static [Input] {
    registry::find(current_card_name(card)).map_or(&[], |card| card.inputs)
}

fn visit_inputs(
    (node, place): (&str, &str),
    (declared, saved): (&[Input], &[String]),
    inputs: &mut Map<String, Value>,
    visit: &mut Visit<'_>,
) {
    for name in password_names(declared, saved, inputs) {
        visit(node, place, inputs, &name);
    }
    let picked: Vec<Option<String>> = inputs.keys().map(|name| picked_card(inputs, name)).collect();
    for ((name, value), card) in inputs.iter_mut().zip(picked) {
        match (value, card) {
            (Value::Object(config), Some(card)) => {
                let place = format!("{place}/{name}/{card}");
                visit_inputs((node, &place), (inputs_of(&card), &[]), config, visit);
            }
            (Value::Array(rows), _) => {
                let input = declared.iter().find(|input| input.name == name.as_str());
                let fields = input.map_or(&[][..], Input::row_fields);
                for (at, row) in rows.iter_mut().enumerate() {
                    let Some(row) = row.as_object_mut() else { continue };
                    visit_inputs((node, &format!("{place}/{name}/{at}")), (fields, &[]), row, visit);
                }
            }
            _ => {}
        }
    }
}

/// The inputs that are passwords. What is not declared is one by its name, as it is for history.
fn password_names(declared: &[Input], saved: &[String], inputs: &Map<String, Value>) -> Vec<String> {
    let secret = declared.iter().filter(|input| input.is_secret()).map(|input| input.name.to_owned());
    let mut names: Vec<String> = secret.chain(saved.iter().cloned()).collect();
    let is_declared = |name: &str| declared.iter().any(|input| input.name == name);
    let by_name = inputs.keys().filter(|name| is_secret_field(name) && !is_declared(name));
    let by_name: Vec<String> = by_name.filter(|name| !names.contains(name)).cloned().collect();
    names.extend(by_name);
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn canvas(values: &Value) -> String {
        let params = json!([{"name": "pin", "type": "password"}, {"name": "plain", "type": "string"}]);
        let data = json!({"name": "someCard", "inputParams": params, "inputs": values});
        json!({"nodes": [{"id": "a", "data": data}], "edges": []}).to_string()
    }

    #[test]
    fn passwords_are_marked_and_nothing_else() {
        let shown = mask(canvas(&json!({"pin": "1234", "plain": "text", "openAIApiKey": "sk-1"})));
        assert_eq!(shown, canvas(&json!({"pin": MASK, "plain": "text", "openAIApiKey": MASK})));
        for open in [json!({"pin": ""}), json!({"pin": "{{$vars.pin}}"}), json!({"plain": "x"}), json!({})] {
            assert_eq!(mask(canvas(&open)), canvas(&open));
        }
        assert_eq!(mask("nonsense".to_owned()), "nonsense");
    }

    #[test]
    fn marks_that_come_back_stand_for_what_is_there() {
        let mine = canvas(&json!({"pin": "1234", "plain": "text"}));
        let sent = canvas(&json!({"pin": MASK, "plain": "other"}));
        assert_eq!(
            restore_from(std::slice::from_ref(&mine), sent.clone()),
            canvas(&json!({"pin": "1234", "plain": "other"}))
        );
        assert_eq!(restore_from(&[], sent.clone()), canvas(&json!({"plain": "other"})));
        assert_eq!(
            restore_from(std::slice::from_ref(&mine), sent.replace("someCard", "another")),
            canvas(&json!({"plain": "other"})).replace("someCard", "another")
        );
        let newer = canvas(&json!({"pin": "5678"}));
        assert!(restore_from(&[newer, mine.clone()], sent).contains("5678"));
        let plain = canvas(&json!({"pin": "9", "plain": MASK}));
        assert_eq!(restore_from(&[mine], plain.clone()), plain);
    }

    #[test]
    fn a_mark_that_is_written_with_escapes_is_a_mark() {
        let mine = canvas(&json!({"pin": "1"}));
        let sent = canvas(&json!({"pin": MASK})).replace('\u{2022}', "\\u2022");
        assert!(!sent.contains(MASK));
        assert_eq!(restore_from(std::slice::from_ref(&mine), sent), mine);
    }

    /// A step in which one model is picked and two tools in rows, of cards that nobody knows.
    fn steps(passwords: [&str; 3], plain: &str) -> String {
        let [model, first, second] = passwords.map(|password| json!({ "openAIApiKey": password }));
        let inputs = json!({
            "llmModel": "someModel", "llmModelConfig": model, "note": plain,
            "agentTools": [
                {"agentSelectedTool": "someTool", "agentSelectedToolConfig": first},
                {"agentSelectedTool": "otherTool", "agentSelectedToolConfig": second},
            ],
        });
        json!({"nodes": [{"id": "a", "data": {"name": "agentAgentflow", "inputs": inputs}}], "edges": []})
            .to_string()
    }

    #[test]
    fn passwords_of_picked_cards_go_the_same_way_and_back_each_to_its_place() {
        let mine = steps(["p-1", "p-2", "p-3"], "text");
        assert_eq!(mask(mine.clone()), steps([MASK; 3], "text"));
        let sent = steps([MASK, "p-4", MASK], "other");
        let restored = restore_from(std::slice::from_ref(&mine), sent.clone());
        assert_eq!(restored, steps(["p-1", "p-4", "p-3"], "other"));
        let other_card = sent.replace("otherTool", "thirdTool");
        let restored = restore_from(&[mine], other_card);
        assert!(restored.contains("p-1") && !restored.contains("p-3"), "{restored}");
        assert!(!restored.contains(MASK), "{restored}");
    }
}
