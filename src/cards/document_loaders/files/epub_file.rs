//! Epub File: a document for each chapter, or for the whole book.

use crate::documents::DocumentKind;
use crate::kit::knowledge::loading::{BASE_CLASSES, METADATA, OMIT, OUTPUTS, SPLITTER, file_loader};
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Need, Risk};

const USAGES: &[Choice] =
    &[Choice::new("perChapter", "One document per chapter"), Choice::new("perFile", "One document per file")];
/// What a chapter is called in the place of a document.
pub(in crate::document_loaders) const CHAPTER: &str = "chapterNumber";

pub(crate) const CARD: Card = Card {
    name: "epubFile",
    label: "Epub File",
    version: 1.0,
    category: Category::DocumentLoaders,
    description: "The text of EPUB books, chapter by chapter or whole.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[
        Input::file("epubFile", "Epub File", &[".epub"]),
        Input::choice("usage", "Usage", USAGES).or("perChapter"),
        SPLITTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let place = (inputs.text("usage")? != "perFile").then_some(CHAPTER);
        file_loader(inputs, "epubFile", move |file| Ok(file.pages(file.parts(DocumentKind::Epub)?, place)))
    }),
};
