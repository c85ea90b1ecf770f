//! The settings an owner may put on the list (manual 7.1 r2).

use super::{files, protected};
use crate::canvas::{Canvas, Node, current_card_name};
use crate::cards::kit::{Card, Input, InputKind};
use crate::cards::registry;
use crate::domain::flows::card_problems::OverridableSetting;
use crate::engine::placed::CONFIG;
use std::collections::BTreeMap;

/// One row for each setting of each card that a request could be allowed to change, and one for all settings of a card that is
/// picked in another.
#[must_use]
pub fn list_overridable(canvas: &Canvas) -> Vec<OverridableSetting> {
    let mut rows = Vec::new();
    for node in canvas.nodes().iter().filter(|node| !node.is_note()) {
        let Some(card) = registry::find(&node.name) else { continue };
        let row = |label: &str, name: &str, kind: String| OverridableSetting {
            node: node.label().to_owned(),
            node_id: node.id.clone(),
            label: label.to_owned(),
            name: name.to_owned(),
            kind,
            schema: None,
        };
        if let Some((name, endings)) = files::file_input(card) {
            let label = card.input(name).map_or(name, |input| input.label);
            let kind = if endings.is_empty() { "*".to_owned() } else { endings.join(", ") };
            rows.push(row(label, files::FILES, kind));
        }
        for input in card.inputs {
            if let Some(picked) = picked_card(node, input) {
                let schema = settings_of(picked);
                if !schema.is_empty() {
                    let (label, name) =
                        (format!("{} {CONFIG}", input.label), format!("{}{CONFIG}", input.name));
                    let kind = kind_text(InputKind::Json);
                    rows.push(OverridableSetting { schema: Some(schema), ..row(&label, &name, kind) });
                }
            } else if protected::group_of_input(card, input).is_none() {
                let schema = columns_of(card, input);
                rows.push(OverridableSetting {
                    schema,
                    ..row(input.label, input.name, kind_text(input.kind))
                });
            }
        }
    }
    rows
}

/// The card that is picked in this input.
fn picked_card(node: &Node, input: &Input) -> Option<&'static Card> {
    let InputKind::CardPick(_) = input.kind else { return None };
    let name = node.inputs.get(input.name)?.as_str()?;
    registry::find(current_card_name(name))
}

/// The settings of a picked card that its row may switch on, each with what it holds.
fn settings_of(card: &Card) -> BTreeMap<&'static str, String> {
    let free = card.inputs.iter().filter(|input| protected::group_of_input(card, input).is_none());
    free.map(|input| (input.name, kind_text(input.kind))).collect()
}

/// The columns of rows that may be sent, each with what it holds; `None` for an input that holds no rows.
fn columns_of(card: &Card, input: &Input) -> Option<BTreeMap<&'static str, String>> {
    let InputKind::Rows(columns) = input.kind else { return None };
    let free = columns.iter().filter(|column| !protected::is_protected_column(card, columns, column.name));
    Some(free.map(|column| (column.name, kind_text(column.kind))).collect())
}

/// The kind as Flowise's list writes it: the choices themselves, where there are some.
fn kind_text(kind: InputKind) -> String {
    match kind {
        InputKind::Choice(choices) => choices.iter().map(|choice| choice.name).collect::<Vec<_>>().join(", "),
        InputKind::Number { .. } => "number".to_owned(),
        InputKind::Switch => "boolean".to_owned(),
        InputKind::Json => "json".to_owned(),
        InputKind::Rows(_) => "array".to_owned(),
        _ => "string".to_owned(),
    }
}
