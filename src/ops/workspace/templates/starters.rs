//! The starter flows of every service: whole canvases, written by us.

use crate::domain::workspace::template::{Starter, TemplateKind, categories};
use serde::Deserialize;
use serde_json::Value;
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

/// What one of the files says.
#[derive(Deserialize)]
struct StarterFile {
    name: String,
    description: String,
    #[serde(rename = "type")]
    kind: TemplateKind,
    badge: String,
    usecases: Vec<String>,
    canvas: Value,
}

static STARTERS: LazyLock<Vec<Starter>> =
    LazyLock::new(|| FILES.iter().filter_map(|(name, file)| read(name, file)).collect());

fn read(name: &str, file: &str) -> Option<Starter> {
    let file: StarterFile = serde_json::from_str(file).ok()?;
    let canvas = file.canvas.to_string();
    Some(Starter {
        id: format!("starter-{name}"),
        name: file.name,
        description: file.description,
        badge: file.badge,
        usecases: file.usecases,
        kind: file.kind,
        categories: categories(&canvas),
        canvas,
    })
}

#[must_use]
pub(crate) fn starters() -> &'static [Starter] {
    &STARTERS
}
