//! BM25 Retriever: ranked lexical search over a document store of this server (manual 9.11).

use crate::domain::error::{Error, Result};
use crate::domain::ids::DocumentStoreId;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::lexical;
use crate::kit::{
    Capability, Card, Category, Factory, Grant, Input, Knowledge, Need, Picker, Retriever, Risk, RunContext,
};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "bm25Retriever",
    label: "BM25 Retriever",
    version: 1.0,
    category: Category::Retrievers,
    description: "Finds chunks of a document store by their words. Needs no provider and no embeddings.",
    base_classes: &["BM25Retriever", "BaseRetriever"],
    risk: Risk::Safe,
    needs: &[Need::with_refusal(
        Capability::Knowledge,
        "the document store does not exist in this workspace",
    )],
    inputs: &[
        Input::pick("documentStore", "Document Store", Picker::DocumentStore)
            .help("The id of a document store of this workspace."),
        Input::whole("topK", "Top K", 1.0, 100.0).or("4").additional().help("How many chunks are returned."),
    ],
    outputs: &[],
    make: Factory::Retriever(|inputs| {
        let store = DocumentStoreId::parse(inputs.text("documentStore")?.trim())
            .ok_or_else(|| inputs.input_error("documentStore", "this must be the id of a document store"))?;
        let most = usize::try_from(inputs.whole("topK")?.unwrap_or(4)).unwrap_or(4);
        Ok(Arc::new(Bm25 { label: inputs.label.to_owned(), store, most, knowledge: inputs.need()? }))
    }),
};

struct Bm25 {
    label: String,
    store: DocumentStoreId,
    most: usize,
    knowledge: Grant<dyn Knowledge>,
}

impl Retriever for Bm25 {
    fn retrieve(&self, query: &str, turn: &RunContext<'_>) -> Result<Vec<Document>> {
        let chunks = self.knowledge.of(turn.host)?.document_store_chunks(&self.store)?;
        let chunks = chunks.ok_or_else(|| {
            Error::RunFailed(format!("{}: the document store does not exist in this workspace", self.label))
        })?;
        let scores = lexical::bm25(query, chunks.iter().map(|chunk| chunk.page_content.as_str()));
        Ok(lexical::best(&scores, self.most).into_iter().map(|index| chunks[index].clone()).collect())
    }

    fn top_k(&self) -> usize {
        self.most
    }
}
