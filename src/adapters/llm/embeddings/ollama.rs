//! Ollama's own protocol for embeddings.

use super::{Aim, BatchLimits, EmbeddingModel, EmbeddingResponse, tokens_read};
use crate::base::cancel::CancelToken;
use crate::llm::{Endpoint, ModelError, endpoint};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A model behind `/api/embed`.
#[derive(Debug, Clone)]
pub struct OllamaEmbeddings {
    /// Where; a key is sent as a bearer when there is one.
    pub endpoint: Endpoint,
    pub model: String,
    /// How the server runs it, by its own names: `num_gpu`, `num_thread`, `use_mmap`.
    pub options: Map<String, Value>,
}

impl EmbeddingModel for OllamaEmbeddings {
    fn batch_limits(&self) -> BatchLimits {
        // A machine of one's own may be slow: small requests show a wait that is too long early.
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
        let mut body = json!({"model": self.model, "input": texts});
        if !self.options.is_empty() {
            body["options"] = Value::Object(self.options.clone());
        }
        let mut incoming = self.endpoint.post("/api/embed", &headers, &body, &self.model, cancel)?;
        let answer: OllamaResponse = endpoint::read_as(&mut incoming, "it is no list of vectors")?;
        incoming.finish();
        if let Some(error) = answer.error {
            return Err(self.endpoint.error_interpreter(&self.model).interpret_event(&error));
        }
        Ok(EmbeddingResponse {
            vectors: answer.embeddings.unwrap_or_default(),
            usage: tokens_read(answer.prompt_eval_count),
        })
    }
}

#[derive(Deserialize)]
struct OllamaResponse {
    embeddings: Option<Vec<Vec<f32>>>,
    prompt_eval_count: Option<u64>,
    error: Option<Value>,
}
