//! Uploaded files: a version names them, and they stay on the server that they were uploaded to.

use super::Change;
use crate::app::App;
use crate::canvas::files::parse_stored_names;
use crate::cards::kit::InputKind;
use crate::domain::error::Result;
use crate::domain::promotion::warning::{Finding, Warning};
use crate::engine::placed::for_each_card;
use crate::ops::flows::files::first_missing;

/// Inputs that name a file which the flow does not have here, each once: its card would fail to read it.
///
/// # Errors
/// When a file cannot be looked for.
pub(super) fn missing(app: &App, change: &Change<'_>) -> Result<Vec<Warning>> {
    let mut named = Vec::new();
    for_each_card(change.canvas, &mut |placed| {
        placed.for_each_setting(&mut |setting| {
            let is_file = matches!(setting.input.kind, InputKind::File(_));
            let text = setting.value.as_str().filter(|_| is_file);
            if let Some(names) = text.and_then(|text| parse_stored_names(text.trim())) {
                let (node, card) = (placed.id.to_owned(), placed.node.label().to_owned());
                named.push((node, card, setting.input, names));
            }
        });
    });
    let mut found = Vec::new();
    for (node, card, input, names) in named {
        if let Some(file) = first_missing(app, &change.flow.workspace, &change.flow.id, &names)? {
            found.push(Warning {
                finding: Finding::FileMissing { card, input: input.label.to_owned(), file },
                node: Some(node),
                input: Some(input.name.to_owned()),
            });
        }
    }
    Ok(found)
}
