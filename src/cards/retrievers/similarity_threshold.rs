//! Similarity Score Threshold Retriever: only chunks that are near enough.

use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::retrieving::{QUERY, VECTOR_STORE, outputs};
use crate::kit::{
    Card, Category, Factory, Input, Output, Retriever, Risk, RunContext, VectorQuery, VectorStore,
};
use std::sync::Arc;

const CLASSES: &[&str] = &["SimilarityThresholdRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] = &outputs(CLASSES, "Similarity Threshold Retriever");

pub(crate) const CARD: Card = Card {
    name: "similarityThresholdRetriever",
    label: "Similarity Score Threshold Retriever",
    version: 2.0,
    category: Category::Retrievers,
    description: "Returns the chunks of a vector store that are near enough to what is looked for.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        VECTOR_STORE,
        QUERY,
        Input::number("minSimilarityScore", "Minimum Similarity Score (%)", 0.0, 100.0).or("80"),
        Input::whole("maxK", "Max K", 1.0, 1_000.0)
            .or("20")
            .additional()
            .help("At most so many chunks are returned."),
        Input::whole("kIncrement", "K Increment", 1.0, 1_000.0)
            .or("2")
            .additional()
            .help("Kept for canvases drawn elsewhere: one search finds all chunks that are near enough."),
    ],
    outputs: OUTPUTS,
    make: Factory::Retriever(|inputs| {
        Ok(Arc::new(SimilarityThreshold {
            store: inputs.vector_store("vectorStore")?,
            least: inputs.number("minSimilarityScore")?.unwrap_or(80.0) as f32 / 100.0,
            most: usize::try_from(inputs.whole("maxK")?.unwrap_or(20)).unwrap_or(20),
        }))
    }),
};

struct SimilarityThreshold {
    store: Arc<dyn VectorStore>,
    least: f32,
    most: usize,
}

impl Retriever for SimilarityThreshold {
    fn retrieve(&self, query: &str, turn: &RunContext<'_>) -> Result<Vec<Document>> {
        let found = self.store.nearest(&VectorQuery { text: query, most: self.most, filter: None }, turn)?;
        let near = found.into_iter().filter(|found| found.score >= self.least);
        Ok(near.take(self.most).map(|found| found.chunk).collect())
    }

    fn top_k(&self) -> usize {
        self.most
    }
}
