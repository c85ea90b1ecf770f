//! Custom Document Loader: documents that code makes.

use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use crate::kit::build::code::{self, Code};
use crate::kit::knowledge::loading::{BASE_CLASSES, OUTPUTS, check_size};
use crate::kit::{Capability, Card, Category, CodeRunner, Factory, Grant, Host, Input, Loader, Need, Risk};
use crate::utilities::custom_function::INPUT_VARIABLES;
use serde_json::{Map, Value};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "customDocumentLoader",
    label: "Custom Document Loader",
    version: 1.0,
    category: Category::DocumentLoaders,
    description: "Documents that JavaScript returns.",
    base_classes: BASE_CLASSES,
    // It runs code, whatever its group.
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Code)],
    inputs: &[
        INPUT_VARIABLES,
        Input::code("javascriptFunction", "Javascript Function")
            .help("Returns a list of {pageContent, metadata}, or a text."),
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        Ok(Arc::new(Custom {
            label: inputs.label.to_owned(),
            runner: inputs.need()?,
            source: inputs.text("javascriptFunction")?,
            inputs: code::parse_values(inputs.object(INPUT_VARIABLES.name)?),
        }))
    }),
};

struct Custom {
    label: String,
    runner: Grant<dyn CodeRunner>,
    source: String,
    inputs: Map<String, Value>,
}

impl Loader for Custom {
    fn load(&self, host: &dyn Host) -> Result<Vec<Document>> {
        let code = Code::new(&self.label, &self.source, self.inputs.clone());
        let result =
            self.runner.of(host)?.run_code(&code).map_err(|error| code::code_error(&self.label, &error))?;
        let documents: Option<Vec<Document>> = match result {
            Value::String(text) => Some(vec![Document { page_content: text, metadata: Map::new() }]),
            Value::Array(items) => items.into_iter().map(document).collect(),
            _ => None,
        };
        let documents = documents.ok_or_else(|| {
            Error::RunFailed(format!(
                "{}: the code must return a list of {{pageContent, metadata}}",
                self.label
            ))
        })?;
        check_size(&self.label, &documents)?;
        Ok(documents)
    }
}

fn document(value: Value) -> Option<Document> {
    let Value::Object(mut fields) = value else { return None };
    let Some(Value::String(page_content)) = fields.remove("pageContent") else { return None };
    let metadata = match fields.remove("metadata") {
        Some(Value::Object(metadata)) => metadata,
        None | Some(Value::Null) => Map::new(),
        Some(_) => return None,
    };
    Some(Document { page_content, metadata })
}
