//! Faiss: chunks and vectors kept by this server under a name.
//!
//! In Flowise the path is a folder of the server, which whoever edits a flow chooses freely. Here it is a name within
//! the workspace, and the vectors lie in the server's database: nothing can lead outside, a crash leaves no half-written
//! index, and a backup holds it.

use crate::domain::error::Result;
use crate::domain::ids::CollectionId;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::conversation_scope::{self, FILE_UPLOAD};
use crate::kit::knowledge::transform::MODE_OF_STORE;
use crate::kit::stores::collection_store::CollectionStore;
use crate::kit::stores::known_rows::KnownRows;
use crate::kit::stores::store_inputs::{self, DOCUMENT, EMBEDDINGS, StoreInputs, TOP_K_INPUT};
use crate::kit::{
    Capability, Card, Category, Factory, Host, Input, Inputs, Need, Output, RecordManager, Risk, RunContext,
    ScoredChunk, UpsertReport, VectorQuery, VectorStore, WireType,
};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "faiss",
    label: "Faiss",
    version: 1.0,
    category: Category::VectorStores,
    description: "Keeps chunks and their vectors on this server under a name. Filling it again takes the place of \
                  what was there; with a record manager only what changed is stored.",
    base_classes: &["Faiss", "VectorStoreRetriever", "BaseRetriever"],
    risk: Risk::Safe,
    needs: &[Need::required(Capability::Knowledge)],
    inputs: &[
        DOCUMENT,
        EMBEDDINGS,
        Input::wire("recordManager", "Record Manager", WireType::RecordManager)
            .optional()
            .upsert_only()
            .help("Remembers which chunks are stored, so that only what changed is stored again."),
        Input::text("basePath", "Base Path to load").help(
            "A name for what is stored, the same for all flows of the workspace that use it. It names no folder: this \
             server keeps the vectors in its own database.",
        ),
        FILE_UPLOAD,
        TOP_K_INPUT,
        MODE_OF_STORE,
    ],
    outputs: OUTPUTS,
    make: Factory::VectorStore(|inputs| store(inputs, CARD.name, &inputs.text("basePath")?)),
};

/// A store of this kind of card, kept by this server under the name that stands for a path.
///
/// # Errors
/// When the path is no name, or nothing makes vectors.
pub(crate) fn store(inputs: &Inputs<'_>, kind: &str, path: &str) -> Result<Arc<dyn VectorStore>> {
    let name = path.trim().trim_matches('/');
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX || name.chars().any(char::is_control) {
        return Err(inputs.input_error("basePath", "this must be a name of 1 to 200 characters"));
    }
    let filling = StoreInputs::from_inputs(inputs)?;
    let stored = CollectionStore {
        label: inputs.label.to_owned(),
        id: CollectionId::from_name(kind, name),
        name: name.to_owned(),
        embeddings: filling.embeddings.clone(),
        uploads: conversation_scope::is_on(inputs),
        knowledge: inputs.need()?,
        known: KnownRows::default(),
    };
    let records = inputs.optional_records("recordManager")?;
    Ok(Arc::new(Faiss { inputs: filling, collection: stored, records, most: store_inputs::top_k(inputs)? }))
}

const NAME_CHARS_MAX: usize = 200;

const OUTPUTS: &[Output] = &[
    Output {
        name: "retriever",
        label: "Faiss Retriever",
        base_classes: &["Faiss", "VectorStoreRetriever", "BaseRetriever"],
        predicts: false,
    },
    Output {
        name: "vectorStore",
        label: "Faiss Vector Store",
        base_classes: &["Faiss", "VectorStore"],
        predicts: false,
    },
];

struct Faiss {
    inputs: StoreInputs,
    collection: CollectionStore,
    records: Option<Arc<dyn RecordManager>>,
    most: usize,
}

impl VectorStore for Faiss {
    fn upsert(&self, host: &dyn Host) -> Result<UpsertReport> {
        match host.conversation() {
            Some(conversation) => {
                self.collection.add_for_conversation(self.inputs.documents(host)?, &conversation, host)
            }
            None => self.collection.upsert(self.inputs.chunks(host)?, self.records.as_deref(), host),
        }
    }

    fn nearest(&self, query: &VectorQuery<'_>, turn: &RunContext<'_>) -> Result<Vec<ScoredChunk>> {
        self.collection.nearest(query, turn.host)
    }

    fn append(&self, documents: &[Document], empties: bool, host: &dyn Host) -> Result<usize> {
        self.collection.append(documents, empties, self.records.as_deref(), host)
    }

    fn top_k(&self) -> usize {
        self.most
    }
}
