//! The starter flows of every service: whole canvases, written by us.

use serde_json::{Value, json};
use std::sync::LazyLock;

/// The files, in the order in which a page shows them.
pub(super) const FILES: [(&str, &str); 8] = [
    ("welcome", include_str!("../../../../assets/starters/welcome.json")),
    ("handbook", include_str!("../../../../assets/starters/handbook.json")),
    ("assistant", include_str!("../../../../assets/starters/assistant.json")),
    ("tools", include_str!("../../../../assets/starters/tools.json")),
    ("documents", include_str!("../../../../assets/starters/documents.json")),
    ("rewrite", include_str!("../../../../assets/starters/rewrite.json")),
    ("sorting", include_str!("../../../../assets/starters/sorting.json")),
    ("local", include_str!("../../../../assets/starters/local.json")),
];

static ROWS: LazyLock<Vec<Value>> =
    LazyLock::new(|| FILES.iter().filter_map(|(name, file)| row(name, file)).collect());

fn row(name: &str, file: &str) -> Option<Value> {
    let file: Value = serde_json::from_str(file).ok()?;
    let canvas = file["canvas"].to_string();
    Some(json!({
        "id": format!("starter-{name}"), "templateName": file["name"], "description": file["description"],
        "type": file["type"], "badge": file["badge"], "usecases": file["usecases"], "framework": [],
        "categories": categories(&canvas), "flowData": canvas,
    }))
}

/// All of them, as the page reads templates.
#[must_use]
pub fn starters() -> &'static [Value] {
    &ROWS
}

/// The categories of the cards of a canvas.
pub(super) fn categories(canvas: &str) -> Vec<String> {
    super::categories_of(canvas).into_iter().collect()
}
