//! What the cards of rerankers share: the retriever over a provider's model, and its inputs.

use crate::domain::error::Result;
use crate::domain::predictions::prediction::Document;
use crate::kit::build::component::{Retriever, RunContext};
use crate::kit::models::model_span::ModelSpan;
use crate::kit::{Input, Inputs};
use crate::llm::Reranker;
use std::sync::Arc;

/// Pieces of one chunk that are judged by themselves.
pub(crate) const MAX_CHUNKS: Input = Input::whole("maxChunksPerDoc", "Max Chunks Per Doc", 1.0, 10_000.0)
    .additional()
    .help("In how many parts a long chunk may be judged.");

/// A retriever whose chunks a provider's model puts in order.
struct RerankRetriever {
    label: String,
    span: ModelSpan,
    base: Arc<dyn Retriever>,
    model: Reranker,
    most: usize,
}

/// The component of a card over a provider's model, which returns `most` chunks.
///
/// # Errors
/// When no retriever is wired.
pub(crate) fn rerank_retriever(
    inputs: &Inputs<'_>,
    mut model: Reranker,
    most: Option<u64>,
) -> Result<Arc<dyn Retriever>> {
    let base = inputs.retriever("baseRetriever")?;
    if inputs.declares(MAX_CHUNKS.name)
        && let Some(chunks) = inputs.whole(MAX_CHUNKS.name)?
    {
        model.extra.insert("max_chunks_per_doc".into(), chunks.into());
    }
    let most = most.map_or(base.top_k(), |most| usize::try_from(most).unwrap_or(usize::MAX));
    let calls = ModelSpan::of_model(inputs, "rerank", &model.model);
    Ok(Arc::new(RerankRetriever { label: inputs.label.to_owned(), span: calls, base, model, most }))
}

impl Retriever for RerankRetriever {
    fn retrieve(&self, query: &str, turn: &RunContext<'_>) -> Result<Vec<Document>> {
        let found = self.base.retrieve(query, turn)?;
        let texts: Vec<&str> = found.iter().map(|chunk| chunk.page_content.as_str()).collect();
        let rank = || self.model.rank(query, &texts, self.most, turn.host.cancel());
        let ranked = self.span.call(rank, |_| None);
        let ranked = ranked.map_err(|fault| fault.at(&self.label))?;
        let with_score = ranked.into_iter().filter_map(|ranked| {
            let mut chunk = found.get(ranked.index)?.clone();
            chunk.metadata.insert("relevance_score".to_owned(), ranked.score.into());
            Some(chunk)
        });
        Ok(with_score.collect())
    }

    fn top_k(&self) -> usize {
        self.most
    }
}
