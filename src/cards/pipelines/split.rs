//! Split: documents become chunks.

use crate::cards::kit::knowledge::loading;
use crate::cards::kit::knowledge::transform::{DOCUMENTS, PASSES_DOCUMENTS};
use crate::cards::kit::{
    Card, Category, Factory, Input, Risk, Splitter, Transform, TransformContext, WireType,
};
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use std::sync::Arc;

const SPLITTER: Input =
    Input::wire("textSplitter", "Text Splitter", WireType::TextSplitter).help("How they are cut.");

pub(crate) const CARD: Card = Card {
    name: "etlSplit",
    label: "Split",
    version: 1.0,
    category: Category::Pipelines,
    description: "Cuts documents into chunks, each with the metadata of its document.",
    base_classes: PASSES_DOCUMENTS,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[DOCUMENTS, SPLITTER],
    outputs: &[],
    make: Factory::Transform(|inputs| {
        let splitter = inputs
            .optional_splitter(SPLITTER.name)?
            .ok_or_else(|| inputs.input_error(SPLITTER.name, "connect a text splitter"))?;
        Ok(Arc::new(Split { label: inputs.label.to_owned(), splitter }))
    }),
};

struct Split {
    label: String,
    splitter: Arc<dyn Splitter>,
}

impl Transform for Split {
    fn apply(&self, document: Document, run: &TransformContext<'_>) -> Result<Vec<Document>> {
        let cut = loading::split(self.splitter.as_ref(), vec![document], run.host)?;
        cut.ok_or_else(|| Error::RunFailed(format!("{}: the document makes too many chunks", self.label)))
    }
}
