//! Json Lines File: a document for each line.

use super::pointers;
use crate::documents::DocumentKind;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{
    BASE_CLASSES, FileContent, METADATA, OMIT, OUTPUTS, SPLITTER, file_source, loader_with,
};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Risk};
use serde_json::Value;

pub(crate) const CARD: Card = Card {
    name: "jsonlinesFile",
    label: "Json Lines File",
    version: 3.0,
    category: Category::DocumentLoaders,
    description: "The lines of JSON Lines files, a document for each.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[
        Input::file("jsonlinesFile", "Jsonlines File", &[".jsonl"]),
        Input::text("pointerName", "Pointer Extraction").help("Where the text of a line is: /text."),
        SPLITTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let pointer = pointers::pointer(&inputs.text("pointerName")?);
        let (pointing, plain) = pointers::split_metadata(inputs.object(METADATA.name)?);
        let source = file_source(inputs, "jsonlinesFile", move |file| by_line(file, &pointer, &pointing))?;
        loader_with(inputs, plain, source)
    }),
};

/// A document for each line that has something at this place.
pub(in crate::document_loaders) fn by_line(
    file: &FileContent<'_>,
    pointer: &str,
    pointing: &[(String, String)],
) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    for (at, line) in file.text(DocumentKind::Text)?.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |_| file.file_error(&format!("line {} is not valid JSON", at + 1));
        let value: Value = serde_json::from_str(line).map_err(wrong)?;
        if let Some(text) = value.pointer(pointer) {
            let mut document = file.document(pointers::to_text(text));
            document.metadata.insert("line".into(), (at + 1).into());
            document.metadata.extend(pointers::resolve(pointing, &value));
            documents.push(document);
        }
    }
    Ok(documents)
}
