//! Pdf File: a document for each page, or for the whole file.

use crate::documents::DocumentKind;
use crate::kit::knowledge::loading::{BASE_CLASSES, METADATA, OMIT, OUTPUTS, SPLITTER, file_loader};
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Need, Risk};

/// How many documents a file of pages becomes.
pub(in crate::document_loaders) const USAGES: &[Choice] =
    &[Choice::new("perPage", "One document per page"), Choice::new("perFile", "One document per file")];
/// What a page is called in the place of a document.
pub(in crate::document_loaders) const PAGE: &str = "pageNumber";

pub(crate) const CARD: Card = Card {
    name: "pdfFile",
    label: "Pdf File",
    version: 2.0,
    category: Category::DocumentLoaders,
    description: "The text of PDF files, page by page or whole.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[
        Input::file("pdfFile", "Pdf File", &[".pdf"]),
        Input::choice("usage", "Usage", USAGES).or("perPage"),
        // Chooses between two readers of Flowise; there is one here.
        Input::switch("legacyBuild", "Use Legacy Build").additional(),
        SPLITTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let place = (inputs.text("usage")? != "perFile").then_some(PAGE);
        file_loader(inputs, "pdfFile", move |file| Ok(file.pages(file.parts(DocumentKind::Pdf)?, place)))
    }),
};
