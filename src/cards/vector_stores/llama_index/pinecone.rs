//! Pinecone for engines.

use super::{EMBEDDINGS, MODEL, StoreWithModel};
use crate::kit::models::openai_compatible::BASE_PATH;
use crate::kit::stores::remote::outputs;
use crate::kit::stores::store_inputs::{DOCUMENT, TOP_K_INPUT};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Output, Risk};
use crate::vector_stores::pinecone::store;

const CLASSES: &[&str] = &["Pinecone", "VectorIndexRetriever"];
const OUTPUTS: &[Output] = &outputs(
    CLASSES,
    &["Pinecone", "VectorStoreIndex"],
    ["Pinecone Retriever", "Pinecone Vector Store Index"],
);

pub(crate) const CARD: Card = Card {
    name: "pineconeLlamaIndex",
    label: "Pinecone",
    version: 1.0,
    category: Category::VectorStores,
    description: "Stores chunks in an index of Pinecone and finds them there, for engines. The index must exist.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::Knowledge)],
    inputs: &[
        Input::credential(&["pineconeApi"]),
        DOCUMENT,
        MODEL,
        EMBEDDINGS,
        Input::text("pineconeIndex", "Pinecone Index"),
        Input::text("pineconeNamespace", "Pinecone Namespace").additional(),
        Input::json("pineconeMetadataFilter", "Pinecone Metadata Filter")
            .additional()
            .variables()
            .help("Only chunks that fit are found; in the words of Pinecone."),
        TOP_K_INPUT,
        BASE_PATH,
    ],
    outputs: OUTPUTS,
    make: Factory::VectorStore(|inputs| StoreWithModel::from_inputs(inputs, store(inputs)?)),
};
