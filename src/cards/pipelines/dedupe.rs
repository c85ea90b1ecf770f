//! Dedupe: of documents that say the same, the first passes.

use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::transform::{DOCUMENTS, PASSES_DOCUMENTS};
use crate::kit::{Card, Category, Choice, DedupeScope, Factory, Input, Risk, Transform, TransformContext};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

const SCOPE: &str = "scope";
const KEY: &str = "metadataKey";

pub(crate) const CARD: Card = Card {
    name: "etlDedupe",
    label: "Dedupe",
    version: 1.0,
    category: Category::Pipelines,
    description: "Lets the first of documents pass that say the same.",
    base_classes: PASSES_DOCUMENTS,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        DOCUMENTS,
        Input::choice(
            SCOPE,
            "Scope",
            &[Choice::new("run", "Within a run"), Choice::new("flow", "Within all runs of the pipeline")],
        )
        .or("run"),
        Input::text(KEY, "Metadata Key").optional().help(
            "Documents with the same value of it are the same. Empty: documents with the same text are.",
        ),
    ],
    outputs: &[],
    make: Factory::Transform(|inputs| {
        let scope = if inputs.text(SCOPE)? == "flow" { DedupeScope::Flow } else { DedupeScope::Run };
        Ok(Arc::new(Dedupe { scope, key: inputs.optional_text(KEY) }))
    }),
};

struct Dedupe {
    scope: DedupeScope,
    key: Option<String>,
}

impl Transform for Dedupe {
    fn apply(&self, document: Document, run: &TransformContext<'_>) -> Result<Vec<Document>> {
        let mut hash = Sha256::new();
        match &self.key {
            Some(key) => match document.metadata.get(key.trim()) {
                Some(value) => hash.update(value.to_string()),
                // What has no such value is like nothing else.
                None => return Ok(vec![document]),
            },
            None => hash.update(&document.page_content),
        }
        let mut digest = [0; 16];
        digest.copy_from_slice(&hash.finalize()[..16]);
        let is_first = run.seen.remember(run.node, self.scope, &digest)?;
        Ok(if is_first { vec![document] } else { Vec::new() })
    }
}
