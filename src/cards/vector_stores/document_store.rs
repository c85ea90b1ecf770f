//! Document Store (Vector): the vectors of a document store of this server, made and kept as the store is set.

use crate::domain::error::Error;
use crate::domain::ids::DocumentStoreId;
use crate::kit::{Capability, Card, Category, Factory, Input, Knowledge, Need, Output, Picker, Risk};

pub(crate) const CARD: Card = Card {
    name: "documentStoreVS",
    label: "Document Store (Vector)",
    version: 1.0,
    category: Category::VectorStores,
    description: "Finds chunks of a document store by what they mean, with the embeddings chosen in the store.",
    base_classes: &["DocumentStoreVS"],
    risk: Risk::Safe,
    needs: &[Need::with_refusal(
        Capability::Knowledge,
        "the document store does not exist in this workspace, or no embeddings were chosen in it",
    )],
    inputs: &[Input::pick("selectedStore", "Select Store", Picker::DocumentStore)
        .help("A document store of this workspace whose chunks were embedded.")],
    outputs: OUTPUTS,
    make: Factory::VectorStore(|inputs| {
        let id = DocumentStoreId::parse(inputs.text("selectedStore")?.trim())
            .ok_or_else(|| inputs.input_error("selectedStore", "this must be the id of a document store"))?;
        let label = inputs.label.to_owned();
        let missing = || {
            Error::RunFailed(format!(
                "{label}: the document store does not exist in this workspace, or no embeddings were chosen in it"
            ))
        };
        inputs.need::<dyn Knowledge>()?.of(inputs.host)?.store_vectors(&id)?.ok_or_else(missing)
    }),
};

const OUTPUTS: &[Output] = &[
    Output { name: "retriever", label: "Retriever", base_classes: &["BaseRetriever"], predicts: false },
    Output { name: "vectorStore", label: "Vector Store", base_classes: &["VectorStore"], predicts: false },
];
