//! Embeddings of Google Vertex AI.

use super::{Aim, BatchLimits, EmbeddingModel, EmbeddingResponse, tokens_read};
use crate::base::cancel::CancelToken;
use crate::llm::{Endpoint, ModelError, endpoint};
use serde::Deserialize;
use serde_json::{Value, json};

/// A model behind `:predict`.
#[derive(Debug, Clone)]
pub struct VertexEmbeddings {
    /// Where, with the account that asks; the base address ends before the root.
    pub endpoint: Endpoint,
    /// What stands before `/models` in a path: project and place.
    pub root: String,
    pub model: String,
}

impl EmbeddingModel for VertexEmbeddings {
    fn batch_limits(&self) -> BatchLimits {
        // The newer models take one text at a time; of the others the tokens of a request are counted together.
        let texts = if self.model.contains("gemini-embedding") { 1 } else { 100 };
        BatchLimits { texts, bytes: 32 * 1024 }
    }

    fn embed_batch(
        &self,
        texts: &[&str],
        _: Aim,
        cancel: &CancelToken,
    ) -> Result<EmbeddingResponse, ModelError> {
        let body =
            json!({"instances": texts.iter().map(|text| json!({"content": text})).collect::<Vec<Value>>()});
        // Nothing in a name may change which path is called.
        let name: String = form_urlencoded::byte_serialize(self.model.trim().as_bytes()).collect();
        let path = format!("{}/models/{name}:predict", self.root);
        let mut incoming = self.endpoint.post(&path, &[], &body, &self.model, cancel)?;
        let answer: VertexResponse = endpoint::read_as(&mut incoming, "it is no list of vectors")?;
        incoming.finish();
        let counts =
            answer.predictions.iter().filter_map(|one| one.embeddings.statistics.as_ref()?.token_count);
        // Written with a point by some models.
        let tokens =
            counts.filter(|count| *count >= 0.0).map(|count| count as u64).reduce(u64::saturating_add);
        let vectors = answer.predictions.into_iter().map(|one| one.embeddings.values).collect();
        Ok(EmbeddingResponse { vectors, usage: tokens_read(tokens) })
    }
}

#[derive(Deserialize)]
struct VertexResponse {
    predictions: Vec<Prediction>,
}

#[derive(Deserialize)]
struct Prediction {
    embeddings: VertexValues,
}

#[derive(Deserialize)]
struct VertexValues {
    values: Vec<f32>,
    statistics: Option<Statistics>,
}

#[derive(Deserialize)]
struct Statistics {
    token_count: Option<f64>,
}
