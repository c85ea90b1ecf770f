//! The settings an owner may put on the list (manual 7.1 r2).

use super::{files, protected};
use crate::canvas::Canvas;
use crate::cards::kit::{Input, InputKind};
use crate::cards::registry;
use crate::domain::flows::card_problems::OverridableSetting;

/// One row for each setting of each card that a request could be allowed to change.
#[must_use]
pub fn list_overridable(canvas: &Canvas) -> Vec<OverridableSetting> {
    let mut rows = Vec::new();
    for node in canvas.nodes().iter().filter(|node| !node.is_note()) {
        let Some(card) = registry::find(&node.name) else { continue };
        if let Some((name, endings)) = files::file_input(card) {
            let label = card.input(name).map_or(name, |input| input.label);
            rows.push(OverridableSetting {
                node: node.label().to_owned(),
                node_id: node.id.clone(),
                label,
                name: files::FILES,
                kind: if endings.is_empty() { "*".to_owned() } else { endings.join(", ") },
            });
        }
        for input in card.inputs.iter().filter(|input| protected::group_of_input(card, input).is_none()) {
            rows.push(OverridableSetting {
                node: node.label().to_owned(),
                node_id: node.id.clone(),
                label: input.label,
                name: input.name,
                kind: kind_text(input),
            });
        }
    }
    rows
}

/// The kind as Flowise's list writes it: the choices themselves, where there are some.
fn kind_text(input: &Input) -> String {
    match input.kind {
        InputKind::Choice(choices) => choices.iter().map(|choice| choice.name).collect::<Vec<_>>().join(", "),
        InputKind::Number { .. } => "number".to_owned(),
        InputKind::Switch => "boolean".to_owned(),
        InputKind::Json => "json".to_owned(),
        _ => "string".to_owned(),
    }
}
