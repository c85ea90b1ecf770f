//! Document Store: the documents of a pipeline become chunks of a document store of the workspace.

use crate::domain::ids::DocumentStoreId;
use crate::domain::pipelines::target::PipelineTarget;
use crate::kit::knowledge::transform::{DOCUMENT_STORE, DOCUMENTS, MODE_INPUT, STORE, TAKES_DOCUMENTS};
use crate::kit::{Card, Category, Factory, Input, Picker, Risk};

pub(crate) const CARD: Card = Card {
    name: DOCUMENT_STORE,
    label: "Document Store (Pipeline)",
    version: 1.0,
    category: Category::Pipelines,
    description: "Puts documents into a document store of this workspace as chunks of a loader of its own. Where embeddings \
                  are chosen in the store, its vectors are made when the run is finished.",
    base_classes: TAKES_DOCUMENTS,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        DOCUMENTS,
        Input::pick(STORE, "Select Store", Picker::DocumentStore).help("A document store of this workspace."),
        MODE_INPUT,
    ],
    outputs: &[],
    make: Factory::Target(|inputs| {
        let id = DocumentStoreId::parse(inputs.text(STORE)?.trim());
        id.map(PipelineTarget::Store)
            .ok_or_else(|| inputs.input_error(STORE, "this must be the id of a document store"))
    }),
};
