//! Gemini's embeddings.

use super::{Aim, BatchLimits, EmbeddingModel, EmbeddingResponse};
use crate::base::cancel::CancelToken;
use crate::llm::{Endpoint, ModelError, ProviderKey, endpoint};
use serde::Deserialize;
use serde_json::{Value, json};

/// A model behind `:batchEmbedContents`.
#[derive(Debug, Clone)]
pub struct GoogleEmbeddings {
    /// Where and with which key; the base address ends before `/v1beta`.
    pub endpoint: Endpoint,
    /// The model's name, with or without `models/`.
    pub model: String,
    pub task: TaskType,
}

/// What the request says the vectors are for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskType {
    Unspecified,
    /// A question and chunks, each as what they are.
    Retrieval,
    /// This task for all of them.
    Fixed(String),
}

impl GoogleEmbeddings {
    fn task(&self, aim: Aim) -> Option<&str> {
        match (&self.task, aim) {
            (TaskType::Unspecified, _) => None,
            (TaskType::Retrieval, Aim::Query) => Some("RETRIEVAL_QUERY"),
            (TaskType::Retrieval, Aim::Documents) => Some("RETRIEVAL_DOCUMENT"),
            (TaskType::Fixed(task), _) => Some(task),
        }
    }
}

impl EmbeddingModel for GoogleEmbeddings {
    fn batch_limits(&self) -> BatchLimits {
        BatchLimits { texts: 100, bytes: 256 * 1024 }
    }

    fn embed_batch(
        &self,
        texts: &[&str],
        aim: Aim,
        cancel: &CancelToken,
    ) -> Result<EmbeddingResponse, ModelError> {
        let key = self.endpoint.key.iter().map(|key| ("x-goog-api-key", ProviderKey::expose(key)));
        let headers: Vec<(&str, &str)> = key.collect();
        let name = self.model.trim().trim_start_matches("models/");
        let request = |text: &&str| {
            let mut request =
                json!({"model": format!("models/{name}"), "content": {"parts": [{"text": text}]}});
            if let Some(task) = self.task(aim) {
                request["taskType"] = task.into();
            }
            request
        };
        let body = json!({"requests": texts.iter().map(request).collect::<Vec<Value>>()});
        // Nothing in a name may change which path is called.
        let name: String = form_urlencoded::byte_serialize(name.as_bytes()).collect();
        let path = format!("/v1beta/models/{name}:batchEmbedContents");
        let mut incoming = self.endpoint.post(&path, &headers, &body, &self.model, cancel)?;
        let answer: GoogleResponse = endpoint::read_as(&mut incoming, "it is no list of vectors")?;
        incoming.finish();
        let vectors = answer.embeddings.into_iter().map(|embedding| embedding.values).collect();
        Ok(EmbeddingResponse { vectors, usage: None })
    }
}

#[derive(Deserialize)]
struct GoogleResponse {
    #[serde(default)]
    embeddings: Vec<GoogleValues>,
}

#[derive(Deserialize)]
struct GoogleValues {
    #[serde(default)]
    values: Vec<f32>,
}
