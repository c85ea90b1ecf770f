//! SimpleStore: chunks and vectors kept by this server under a name, for engines.

use super::{EMBEDDINGS, MODEL, StoreWithModel};
use crate::kit::stores::remote::outputs;
use crate::kit::stores::store_inputs::{DOCUMENT, TOP_K_INPUT};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Output, Risk};
use crate::vector_stores::faiss::store;

const NAME: &str = "simpleStoreLlamaIndex";
const CLASSES: &[&str] = &["SimpleVectorStore", "VectorIndexRetriever"];
const OUTPUTS: &[Output] = &outputs(
    CLASSES,
    &["SimpleVectorStore", "VectorStoreIndex"],
    ["SimpleStore Retriever", "SimpleStore Vector Store Index"],
);
/// What is stored without a name is the workspace's, as it is the whole server's in Flowise.
const UNNAMED: &str = "llamaindex";

pub(crate) const CARD: Card = Card {
    name: NAME,
    label: "SimpleStore",
    version: 1.0,
    category: Category::VectorStores,
    description: "Keeps chunks and their vectors on this server under a name, for engines. Filling it again takes the \
                  place of what was there.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[Need::required(Capability::Knowledge)],
    inputs: &[
        DOCUMENT,
        MODEL,
        EMBEDDINGS,
        Input::text("basePath", "Base Path to store").optional().help(
            "A name for what is stored, the same for all flows of the workspace that use it. It names no folder: this \
             server keeps the vectors in its own database.",
        ),
        TOP_K_INPUT,
    ],
    outputs: OUTPUTS,
    make: Factory::VectorStore(|inputs| {
        let path = inputs.optional_text("basePath").unwrap_or_else(|| UNNAMED.to_owned());
        StoreWithModel::from_inputs(inputs, store(inputs, NAME, &path)?)
    }),
};
