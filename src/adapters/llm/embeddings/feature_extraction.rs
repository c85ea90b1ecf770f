//! The feature extraction task of Hugging Face: a list of texts becomes a list of vectors.

use super::{Aim, BatchLimits, EmbeddingModel, EmbeddingResponse};
use crate::base::cancel::CancelToken;
use crate::llm::{Endpoint, ModelError, endpoint};
use serde::Deserialize;
use serde_json::{Value, json};

/// A model behind the feature extraction task.
#[derive(Debug, Clone)]
pub struct FeatureExtraction {
    /// Where and with which key; the base address is the whole address.
    pub endpoint: Endpoint,
    /// The model's name, for messages.
    pub model: String,
}

impl EmbeddingModel for FeatureExtraction {
    fn batch_limits(&self) -> BatchLimits {
        BatchLimits { texts: 64, bytes: 256 * 1024 }
    }

    fn embed_batch(
        &self,
        texts: &[&str],
        _: Aim,
        cancel: &CancelToken,
    ) -> Result<EmbeddingResponse, ModelError> {
        let bearer = self.endpoint.bearer();
        let headers: Vec<(&str, &str)> =
            bearer.iter().map(|value| ("authorization", value.as_str())).collect();
        let body = json!({"inputs": texts});
        let mut incoming = self.endpoint.post("", &headers, &body, &self.model, cancel)?;
        let answer = endpoint::read_as(&mut incoming, "it is no list of vectors")?;
        incoming.finish();
        match answer {
            FeatureResponse::Vectors(vectors) => Ok(EmbeddingResponse { vectors, usage: None }),
            FeatureResponse::PerWord(_) => Err(ModelError::Settings(
                "this model makes a vector of every word; choose one that makes vectors of sentences".into(),
            )),
            FeatureResponse::Failed { error } => {
                Err(self.endpoint.error_interpreter(&self.model).interpret_event(&error))
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum FeatureResponse {
    Vectors(Vec<Vec<f32>>),
    PerWord(#[expect(dead_code, reason = "only its form is asked for")] Vec<Vec<Vec<f32>>>),
    Failed { error: Value },
}
