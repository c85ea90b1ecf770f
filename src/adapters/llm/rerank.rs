//! Models that order chunks by how much they bear on a question. Their providers differ in a word or two.

use super::{Endpoint, KeyStyle, ModelError, endpoint};
use crate::base::cancel::CancelToken;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

const CHUNKS_MAX: usize = 1_000;

/// A model behind a rerank address.
#[derive(Debug, Clone)]
pub struct Reranker {
    /// Where and with which key; the base address ends before `path`.
    pub endpoint: Endpoint,
    pub path: &'static str,
    pub key_style: KeyStyle,
    pub model: String,
    /// What the provider calls the number of chunks it returns: `top_n` or `top_k`.
    pub most_field: &'static str,
    pub extra: Map<String, Value>,
}

/// A chunk's place in what was sent, and how much it bears on the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChunkRank {
    pub index: usize,
    /// From 0 to 1.
    pub score: f64,
}

impl Reranker {
    /// The `most` best chunks, best first. Further than the first thousand chunks are not looked at.
    ///
    /// # Errors
    /// What the provider refused or answered wrongly.
    pub fn rank(
        &self,
        query: &str,
        chunks: &[&str],
        most: usize,
        cancel: &CancelToken,
    ) -> Result<Vec<ChunkRank>, ModelError> {
        let chunks = &chunks[..chunks.len().min(CHUNKS_MAX)];
        let most = most.min(chunks.len());
        if most == 0 {
            return Ok(Vec::new());
        }
        let header = self.key_style.header(&self.endpoint);
        let headers: Vec<(&str, &str)> = header.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut body = json!({"model": self.model, "query": query, "documents": chunks});
        body[self.most_field] = most.into();
        for (name, value) in &self.extra {
            body[name] = value.clone();
        }
        let mut incoming = self.endpoint.post(self.path, &headers, &body, &self.model, cancel)?;
        let answer: RerankResponse = endpoint::read_as(&mut incoming, "it is no order of chunks")?;
        incoming.finish();
        let mut ranked = Vec::new();
        let mut seen = HashSet::new();
        for entry in answer.results {
            if entry.index >= chunks.len() || !seen.insert(entry.index) {
                return Err(ModelError::Garbled("it names a chunk that was not sent, or one twice".into()));
            }
            ranked.push(ChunkRank { index: entry.index, score: entry.relevance_score });
        }
        ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
        ranked.truncate(most);
        Ok(ranked)
    }
}

#[derive(Deserialize)]
struct RerankResponse {
    #[serde(alias = "data")]
    results: Vec<RerankEntry>,
}

#[derive(Deserialize)]
struct RerankEntry {
    index: usize,
    relevance_score: f64,
}
