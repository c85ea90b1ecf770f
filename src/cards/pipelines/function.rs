//! Function: code of the owner makes of a document what it wants.

use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use crate::kit::build::code::{Code, code_error};
use crate::kit::knowledge::transform::{DOCUMENTS, PASSES_DOCUMENTS};
use crate::kit::{
    Capability, Card, Category, CodeRunner, Factory, Grant, Input, Need, Risk, Transform, TransformContext,
};
use serde_json::{Map, Value};
use std::sync::Arc;

const SOURCE: &str = "javascriptFunction";

pub(crate) const CARD: Card = Card {
    name: "etlFunction",
    label: "Function",
    version: 1.0,
    category: Category::Pipelines,
    description: "Runs JavaScript for each document; what it returns goes on in place of the document.",
    base_classes: PASSES_DOCUMENTS,
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Code)],
    inputs: &[
        DOCUMENTS,
        Input::code(SOURCE, "JavaScript Function").help(
            "The body of an async function. It reads $pageContent and $metadata, and returns a text, an object with \
             pageContent and metadata, a list of those, or nothing to leave the document out.",
        ),
    ],
    outputs: &[],
    make: Factory::Transform(|inputs| {
        Ok(Arc::new(Function {
            label: inputs.label.to_owned(),
            source: inputs.text(SOURCE)?,
            code: inputs.need()?,
        }))
    }),
};

struct Function {
    label: String,
    source: String,
    code: Grant<dyn CodeRunner>,
}

impl Transform for Function {
    fn apply(&self, document: Document, run: &TransformContext<'_>) -> Result<Vec<Document>> {
        let seen = [
            ("pageContent".to_owned(), Value::from(document.page_content)),
            ("metadata".to_owned(), Value::Object(document.metadata.clone())),
        ];
        let code = Code::new(&self.label, &self.source, Map::from_iter(seen));
        let result = self.code.of(run.host)?.run_code(&code);
        let result = result.map_err(|fault| code_error(&self.label, &fault))?;
        let made = match result {
            Value::Null => Vec::new(),
            Value::Array(items) => items,
            one => vec![one],
        };
        made.into_iter().map(|made| self.document(made, &document.metadata)).collect()
    }
}

impl Function {
    /// A document as code wrote it; what it says nothing of stays.
    fn document(&self, made: Value, metadata: &Map<String, Value>) -> Result<Document> {
        let wrong = || {
            let what = "it must return a text, an object with pageContent, a list of those, or nothing";
            Error::RunFailed(format!("{}: {what}", self.label))
        };
        match made {
            Value::String(page_content) => Ok(Document { page_content, metadata: metadata.clone() }),
            Value::Object(mut fields) => {
                let Some(Value::String(page_content)) = fields.remove("pageContent") else {
                    return Err(wrong());
                };
                let metadata = match fields.remove("metadata") {
                    None | Some(Value::Null) => metadata.clone(),
                    Some(Value::Object(own)) => own,
                    Some(_) => return Err(wrong()),
                };
                Ok(Document { page_content, metadata })
            }
            _ => Err(wrong()),
        }
    }
}
