//! Metadata: what is known of documents is set, renamed and dropped.

use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::transform::{DOCUMENTS, PASSES_DOCUMENTS, fill};
use crate::kit::{Card, Category, Factory, Input, Inputs, Risk, Transform, TransformContext};
use std::sync::Arc;

const RENAME: &str = "rename";
const SET: &str = "set";
const DROP: &str = "drop";

pub(crate) const CARD: Card = Card {
    name: "etlMetadata",
    label: "Metadata",
    version: 1.0,
    category: Category::Pipelines,
    description: "Renames, sets and drops metadata of documents, in this order.",
    base_classes: PASSES_DOCUMENTS,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        DOCUMENTS,
        Input::rows(RENAME, "Rename", &[Input::text("from", "From"), Input::text("to", "To")]).optional(),
        Input::rows(SET, "Set", &[Input::text("key", "Key"), Input::text("value", "Value").optional()])
            .optional()
            .help("A value may use {{ metadata.name }} and {{ content }}."),
        Input::text(DROP, "Drop").optional().help("Keys to leave out, with commas between them."),
    ],
    outputs: &[],
    make: Factory::Transform(|inputs| {
        Ok(Arc::new(Metadata {
            rename: pairs(inputs, RENAME, ["from", "to"]),
            set: pairs(inputs, SET, ["key", "value"]),
            drop: inputs.comma_list(DROP),
        }))
    }),
};

/// The rows that name a key.
fn pairs(inputs: &Inputs<'_>, name: &str, [key, value]: [&str; 2]) -> Vec<(String, String)> {
    let pair = |row: Inputs<'_>| {
        let key = row.optional_text(key)?.trim().to_owned();
        Some((key, row.optional_text(value).unwrap_or_default())).filter(|(key, _)| !key.is_empty())
    };
    inputs.rows(name).into_iter().filter_map(pair).collect()
}

struct Metadata {
    rename: Vec<(String, String)>,
    set: Vec<(String, String)>,
    drop: Vec<String>,
}

impl Transform for Metadata {
    fn apply(&self, mut document: Document, _: &TransformContext<'_>) -> Result<Vec<Document>> {
        for (from, to) in self.rename.iter().filter(|(_, to)| !to.trim().is_empty()) {
            if let Some(value) = document.metadata.shift_remove(from) {
                document.metadata.insert(to.trim().to_owned(), value);
            }
        }
        for (key, value) in &self.set {
            let value = fill(value, &document);
            document.metadata.insert(key.clone(), value);
        }
        document.metadata.retain(|key, _| !self.drop.contains(key));
        Ok(vec![document])
    }
}
