//! Microsoft Word: the text of a text of a word processor, by its sections.

use crate::documents::{DocumentKind, DocumentPart};
use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{
    BASE_CLASSES, FileContent, METADATA, OMIT, OUTPUTS, SPLITTER, file_loader,
};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Risk};

/// People leave two empty lines, and programs a mark, where something new begins.
const SECTION_ENDS: &[&str] = &["\u{c}", "\n\n\n"];

pub(crate) const CARD: Card = Card {
    name: "microsoftWord",
    label: "Microsoft Word",
    version: 1.0,
    category: Category::DocumentLoaders,
    description: "The text of Word documents, a document for each section.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[Input::file("docxFile", "Word File", &[".docx"]), SPLITTER, METADATA, OMIT],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| file_loader(inputs, "docxFile", by_section)),
};

/// A document for each section of a file.
pub(in crate::document_loaders) fn by_section(file: &FileContent<'_>) -> Result<Vec<Document>> {
    let text = file.text(DocumentKind::Docx)?;
    let mut sections = vec![text.as_str()];
    for end in SECTION_ENDS {
        sections = sections.into_iter().flat_map(|section| section.split(end)).collect();
    }
    let sections = sections.into_iter().map(str::trim).filter(|section| !section.is_empty());
    let parts = sections.map(|section| DocumentPart { title: None, text: section.to_owned() }).collect();
    Ok(file.pages(parts, Some("section")))
}
