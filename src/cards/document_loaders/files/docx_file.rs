//! Docx File: the raw text of a text of a word processor.

use crate::documents::DocumentKind;
use crate::kit::knowledge::loading::{BASE_CLASSES, METADATA, OMIT, OUTPUTS, SPLITTER, file_loader};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Risk};

pub(crate) const CARD: Card = Card {
    name: "docxFile",
    label: "Docx File",
    version: 2.0,
    category: Category::DocumentLoaders,
    description: "The text of Word documents.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[Input::file("docxFile", "Docx File", &[".docx"]), SPLITTER, METADATA, OMIT],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        file_loader(inputs, "docxFile", |file| Ok(vec![file.document(file.text(DocumentKind::Docx)?)]))
    }),
};
