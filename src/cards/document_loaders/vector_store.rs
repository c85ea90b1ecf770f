//! VectorStore To Document: chunks of a vector store as documents, for cards that take documents or text.

use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{BASE_CLASSES, OUTPUTS};
use crate::kit::knowledge::retrieving::VECTOR_STORE;
use crate::kit::{
    Card, Category, Factory, Host, Input, Loader, Risk, RunContext, ScoredChunk, VectorQuery, VectorStore,
};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "vectorStoreToDocument",
    label: "VectorStore To Document",
    version: 2.0,
    category: Category::DocumentLoaders,
    description: "The chunks of a vector store that are nearest to a query, as documents.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        VECTOR_STORE,
        Input::text("query", "Query").optional().variables().help("What is looked for. Empty: the question."),
        Input::number("minScore", "Minimum Score (%)", 0.0, 100.0)
            .optional()
            .help("Leaves out chunks that are less near than that. Empty: leaves out none."),
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        Ok(Arc::new(SearchLoader {
            label: inputs.label.to_owned(),
            store: inputs.vector_store(VECTOR_STORE.name)?,
            query: inputs.optional_text("query"),
            least: inputs.number("minScore")?.map(|percent| percent as f32 / 100.0),
        }))
    }),
};

struct SearchLoader {
    label: String,
    store: Arc<dyn VectorStore>,
    query: Option<String>,
    least: Option<f32>,
}

impl Loader for SearchLoader {
    fn load(&self, host: &dyn Host) -> Result<Vec<Document>> {
        let text = self.query.as_deref().unwrap_or_else(|| host.question());
        if text.trim().is_empty() {
            let what = "there is no question here; fill in the query";
            return Err(Error::RunFailed(format!("{}: {what}", self.label)));
        }
        let turn = RunContext { question: text, documents: "", uploads: &[], history: &[], host };
        let found =
            self.store.nearest(&VectorQuery { text, most: self.store.top_k(), filter: None }, &turn)?;
        let is_near = |found: &ScoredChunk| self.least.is_none_or(|least| found.score >= least);
        Ok(found.into_iter().filter(is_near).map(|found| found.chunk).collect())
    }
}
