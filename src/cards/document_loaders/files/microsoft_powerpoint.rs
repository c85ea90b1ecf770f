//! Microsoft PowerPoint: a document for each slide.

use crate::documents::DocumentKind;
use crate::kit::knowledge::loading::{BASE_CLASSES, METADATA, OMIT, OUTPUTS, SPLITTER, file_loader};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Risk};

/// What a slide is called in the place of a document.
pub(in crate::document_loaders) const SLIDE: &str = "slideNumber";

pub(crate) const CARD: Card = Card {
    name: "microsoftPowerpoint",
    label: "Microsoft PowerPoint",
    version: 1.0,
    category: Category::DocumentLoaders,
    description: "The text of presentations, a document for each slide.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[Input::file("powerpointFile", "PowerPoint File", &[".pptx"]), SPLITTER, METADATA, OMIT],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        file_loader(inputs, "powerpointFile", |file| {
            Ok(file.pages(file.parts(DocumentKind::Pptx)?, Some(SLIDE)))
        })
    }),
};
