//! Embeddings Filter Retriever: of the chunks found, those that mean something near the question.

use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::embedding::nearness;
use crate::kit::knowledge::retrieving::{BASE_RETRIEVER, QUERY, outputs};
use crate::kit::{Card, Category, Embeddings, Factory, Input, Output, Retriever, Risk, RunContext, WireType};
use std::sync::Arc;

const CLASSES: &[&str] = &["EmbeddingsFilterRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] = &outputs(CLASSES, "Embeddings Filter Retriever");

pub(crate) const CARD: Card = Card {
    name: "embeddingsFilterRetriever",
    label: "Embeddings Filter Retriever",
    version: 1.0,
    category: Category::Retrievers,
    description: "Drops found chunks that are not near enough to the question by their vectors.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        BASE_RETRIEVER,
        Input::wire("embeddings", "Embeddings", WireType::Embeddings),
        QUERY,
        Input::number("similarityThreshold", "Similarity Threshold", 0.0, 1.0)
            .starting("0.8")
            .optional()
            .help("How near a chunk must be, from 0 to 1. Empty: all of them are near enough."),
        Input::whole("k", "K", 1.0, 1_000.0)
            .or("20")
            .additional()
            .help("At most so many chunks are returned."),
    ],
    outputs: OUTPUTS,
    make: Factory::Retriever(|inputs| {
        Ok(Arc::new(EmbeddingsFilter {
            base: inputs.retriever("baseRetriever")?,
            embeddings: inputs.embeddings("embeddings")?,
            least: inputs.number("similarityThreshold")?.map(|least| least as f32),
            most: usize::try_from(inputs.whole("k")?.unwrap_or(20)).unwrap_or(20),
        }))
    }),
};

struct EmbeddingsFilter {
    base: Arc<dyn Retriever>,
    embeddings: Arc<dyn Embeddings>,
    least: Option<f32>,
    most: usize,
}

impl Retriever for EmbeddingsFilter {
    fn retrieve(&self, query: &str, turn: &RunContext<'_>) -> Result<Vec<Document>> {
        let found = self.base.retrieve(query, turn)?;
        if found.is_empty() {
            return Ok(found);
        }
        let texts: Vec<&str> = found.iter().map(|chunk| chunk.page_content.as_str()).collect();
        let near = nearness(query, &texts, self.embeddings.as_ref(), turn.host)?;
        let mut judged: Vec<(f32, Document)> = near.into_iter().zip(found).collect();
        judged.retain(|(near, _)| self.least.is_none_or(|least| *near >= least));
        judged.sort_by(|one, other| other.0.total_cmp(&one.0));
        Ok(judged.into_iter().take(self.most).map(|(_, chunk)| chunk).collect())
    }

    fn top_k(&self) -> usize {
        self.most
    }
}
