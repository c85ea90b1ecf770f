//! Filter: documents for which conditions hold pass, the others are left out.

use crate::agentflow::condition;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::transform::{DOCUMENTS, PASSES_DOCUMENTS, fill};
use crate::kit::steps::conditions::choose_branch;
use crate::kit::{Card, Category, Choice, Factory, Input, Risk, Transform, TransformContext};
use serde_json::Value;
use std::sync::Arc;

const JOIN: &str = "join";

pub(crate) const CARD: Card = Card {
    name: "etlFilter",
    label: "Filter",
    version: 1.0,
    category: Category::Pipelines,
    description: "Lets documents pass for which conditions hold.",
    base_classes: PASSES_DOCUMENTS,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        DOCUMENTS,
        Input::rows(condition::CONDITIONS, "Conditions", condition::FIELDS)
            .help("A value may use {{ metadata.name }} and {{ content }}."),
        Input::choice(
            JOIN,
            "Join",
            &[Choice::new("and", "All must hold"), Choice::new("or", "One is enough")],
        )
        .or("and"),
    ],
    outputs: &[],
    make: Factory::Transform(|inputs| {
        let rows = inputs.rows_json(condition::CONDITIONS);
        if rows.is_empty() {
            return Err(inputs.input_error(condition::CONDITIONS, "give one at least"));
        }
        Ok(Arc::new(Filter { label: inputs.label.to_owned(), rows, needs_all: inputs.text(JOIN)? != "or" }))
    }),
};

struct Filter {
    label: String,
    rows: Vec<Value>,
    needs_all: bool,
}

impl Filter {
    fn holds(&self, row: &Value, document: &Document) -> Result<bool> {
        let mut row = row.clone();
        for operand in ["value1", "value2"] {
            let Some(value) = row.get_mut(operand) else { continue };
            if let Some(text) = value.as_str() {
                *value = fill(text, document);
            }
        }
        Ok(choose_branch(&self.label, &[row])?.taken == 0)
    }
}

impl Transform for Filter {
    fn apply(&self, document: Document, _: &TransformContext<'_>) -> Result<Vec<Document>> {
        for row in &self.rows {
            let holds = self.holds(row, &document)?;
            // The first that decides is the last that is judged.
            if holds != self.needs_all {
                return Ok(if holds { vec![document] } else { Vec::new() });
            }
        }
        Ok(if self.needs_all { vec![document] } else { Vec::new() })
    }
}
