//! Split: documents become chunks.

use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::transform::{DOCUMENTS, PASSES_DOCUMENTS, SPLIT, SPLITTER_PICK, SPLITTER_WIRE};
use crate::kit::{Card, Category, Factory, Input, Risk, Splitter, Transform, TransformContext, WireType};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: SPLIT,
    label: "Split",
    version: 1.0,
    category: Category::Pipelines,
    description: "Cuts documents into chunks, each with the metadata of its document.",
    base_classes: PASSES_DOCUMENTS,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        DOCUMENTS,
        Input::card(SPLITTER_PICK, "Splitter", WireType::TextSplitter)
            .unless(&[SPLITTER_WIRE])
            .help("How they are cut."),
        Input::wire(SPLITTER_WIRE, "Text Splitter", WireType::TextSplitter)
            .optional()
            .additional()
            .help("A splitter beside the card, for several cards that cut alike. One that is picked counts before it."),
    ],
    outputs: &[],
    make: Factory::Transform(|inputs| {
        let splitter = inputs
            .optional_splitter(SPLITTER_WIRE)?
            .ok_or_else(|| inputs.input_error(SPLITTER_PICK, "choose a text splitter"))?;
        Ok(Arc::new(Split { label: inputs.label.to_owned(), splitter }))
    }),
};

struct Split {
    label: String,
    splitter: Arc<dyn Splitter>,
}

impl Transform for Split {
    fn apply(&self, document: Document, run: &TransformContext<'_>) -> Result<Vec<Document>> {
        let cut = self.splitter.split_documents(vec![document], run.host)?;
        cut.ok_or_else(|| Error::RunFailed(format!("{}: the document makes too many chunks", self.label)))
    }
}
