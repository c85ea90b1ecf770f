//! Vector stores as Flowise's cards that go with engines declare them: the model that answers is wired into the store.

pub(crate) mod pinecone;
pub(crate) mod simple_store;

use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::{
    Host, Input, Inputs, Model, RunContext, ScoredChunk, UpsertReport, VectorQuery, VectorStore, WireType,
};
use std::sync::Arc;

/// The model of the engine that asks the store.
const MODEL: Input = Input::wire("model", "Chat Model", WireType::EngineModel)
    .optional()
    .help("Answers from what is found, for a Query Engine.");
/// The card that makes the vectors.
const EMBEDDINGS: Input = Input::wire("embeddings", "Embeddings", WireType::EngineEmbeddings);

/// A store, and the model that answers from what is found there.
struct StoreWithModel {
    store: Arc<dyn VectorStore>,
    model: Option<Arc<Model>>,
}

impl StoreWithModel {
    fn from_inputs(inputs: &Inputs<'_>, store: Arc<dyn VectorStore>) -> Result<Arc<dyn VectorStore>> {
        let model = if inputs.is_wired(MODEL.name) { Some(inputs.model(MODEL.name)?) } else { None };
        Ok(Arc::new(Self { store, model }))
    }
}

impl VectorStore for StoreWithModel {
    fn upsert(&self, host: &dyn Host) -> Result<UpsertReport> {
        self.store.upsert(host)
    }

    fn nearest(&self, query: &VectorQuery<'_>, turn: &RunContext<'_>) -> Result<Vec<ScoredChunk>> {
        self.store.nearest(query, turn)
    }

    fn append(&self, documents: &[Document], empties: bool, host: &dyn Host) -> Result<usize> {
        self.store.append(documents, empties, host)
    }

    fn top_k(&self) -> usize {
        self.store.top_k()
    }

    fn model(&self) -> Option<Arc<Model>> {
        self.model.clone()
    }
}
