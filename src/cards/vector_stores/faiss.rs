//! Faiss: passages and vectors kept by this server under a name.
//!
//! In the family the path is a folder of the server, which whoever edits a flow chooses freely. Here it is a name within
//! the workspace, and the vectors lie in the server's database: nothing can lead outside, a crash leaves no half-written
//! index, and a backup holds it.

use crate::cards::kit::shelf::{self, DOCUMENT, EMBEDDINGS, Filling, TOP_K_INPUT};
use crate::cards::kit::stored::Stored;
use crate::cards::kit::uploaded::{self, FILE_UPLOAD};
use crate::cards::kit::{
    Card, Category, Connects, Host, Input, Inputs, Make, Output, Query, RecordManager, Risk, Scored, Turn,
    Upserted, VectorStore,
};
use crate::domain::error::Result;
use crate::domain::ids::CollectionId;
use std::sync::Arc;

/// The card.
pub const CARD: Card = Card {
    name: "faiss",
    label: "Faiss",
    version: 1.0,
    category: Category::VectorStores,
    description: "Keeps passages and their vectors on this server under a name. Filling it again takes the place of \
                  what was there; with a record manager only what changed is stored.",
    base_classes: &["Faiss", "VectorStoreRetriever", "BaseRetriever"],
    risk: Risk::Safe,
    inputs: &[
        DOCUMENT,
        EMBEDDINGS,
        Input::wire("recordManager", "Record Manager", Connects::RecordManager)
            .optional()
            .filling()
            .help("Remembers which passages are stored, so that only what changed is stored again."),
        Input::text("basePath", "Base Path to load").help(
            "A name for what is stored, the same for all flows of the workspace that use it. It names no folder: this \
             server keeps the vectors in its own database.",
        ),
        FILE_UPLOAD,
        TOP_K_INPUT,
    ],
    outputs: OUTPUTS,
    make: Make::VectorStore(|inputs| store(inputs, CARD.name, &inputs.text("basePath")?)),
};

/// A store of this kind of card, kept by this server under the name that stands for a path.
///
/// # Errors
/// When the path is no name, or nothing makes vectors.
pub(in crate::cards) fn store(inputs: &Inputs<'_>, kind: &str, path: &str) -> Result<Arc<dyn VectorStore>> {
    let name = path.trim().trim_matches('/');
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX || name.chars().any(char::is_control) {
        return Err(inputs.wrong("basePath", "this must be a name of 1 to 200 characters"));
    }
    let filling = Filling::of(inputs)?;
    let stored = Stored {
        label: inputs.label.to_owned(),
        id: CollectionId::named(kind, name),
        name: name.to_owned(),
        embeddings: filling.embeddings.clone(),
        uploads: uploaded::is_on(inputs),
    };
    let records = inputs.maybe_records("recordManager")?;
    Ok(Arc::new(Faiss { filling, stored, records, most: shelf::top_k(inputs)? }))
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
    filling: Filling,
    stored: Stored,
    records: Option<Arc<dyn RecordManager>>,
    most: usize,
}

impl VectorStore for Faiss {
    fn upsert(&self, host: &dyn Host) -> Result<Upserted> {
        let documents = self.filling.documents(host)?;
        match host.conversation() {
            Some(conversation) => self.stored.keep(documents, &conversation, host),
            None => self.stored.fill(documents, self.records.as_deref(), host),
        }
    }

    fn nearest(&self, query: &Query<'_>, turn: &Turn<'_>) -> Result<Vec<Scored>> {
        self.stored.nearest(query, turn.host)
    }

    fn top_k(&self) -> usize {
        self.most
    }
}
