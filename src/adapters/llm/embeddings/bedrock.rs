//! Embeddings behind AWS Bedrock, each in the words of its maker.

use super::{Aim, BatchLimits, EmbeddingModel, EmbeddingResponse, tokens_read};
use crate::aws::encode_component;
use crate::base::cancel::CancelToken;
use crate::llm::{Endpoint, ModelError, endpoint};
use serde::Deserialize;
use serde_json::{Value, json};

/// Texts that go into one request where a model takes several.
const TEXTS_AT_ONCE: usize = 96;

/// A model behind `/model/…/invoke`.
#[derive(Debug, Clone)]
pub struct BedrockEmbeddings {
    /// Where, with the key that signs; the base address ends before `/model`.
    pub endpoint: Endpoint,
    pub model: String,
    /// `classification` or `clustering`, for Cohere's models; without one, questions and chunks are each sent as what they
    /// are.
    pub input_type: Option<String>,
    /// How much goes into one request.
    pub batch: BatchLimits,
}

impl BedrockEmbeddings {
    /// A model with the provider's defaults.
    #[must_use]
    pub fn new(endpoint: Endpoint, model: &str) -> Self {
        let model = model.trim().to_owned();
        let texts = if is_cohere(&model) { TEXTS_AT_ONCE } else { 1 };
        Self { endpoint, model, input_type: None, batch: BatchLimits { texts, bytes: 128 * 1024 } }
    }

    fn body(&self, texts: &[&str], aim: Aim) -> Value {
        if !is_cohere(&self.model) {
            return json!({"inputText": texts.first().copied().unwrap_or_default()});
        }
        let aimed = match aim {
            Aim::Query => "search_query",
            Aim::Documents => "search_document",
        };
        json!({"texts": texts, "input_type": self.input_type.as_deref().unwrap_or(aimed), "truncate": "END"})
    }
}

/// True for the models of Cohere, also behind a profile of a region.
fn is_cohere(model: &str) -> bool {
    model.contains("cohere.")
}

impl EmbeddingModel for BedrockEmbeddings {
    fn batch_limits(&self) -> BatchLimits {
        self.batch
    }

    fn embed_batch(
        &self,
        texts: &[&str],
        aim: Aim,
        cancel: &CancelToken,
    ) -> Result<EmbeddingResponse, ModelError> {
        let path = format!("/model/{}/invoke", encode_component(&self.model));
        let headers = [("accept", "application/json")];
        let mut incoming =
            self.endpoint.post(&path, &headers, &self.body(texts, aim), &self.model, cancel)?;
        let counted = incoming.header("x-amzn-bedrock-input-token-count").and_then(|text| text.parse().ok());
        let answer: BedrockResponse = endpoint::read_as(&mut incoming, "it is no list of vectors")?;
        incoming.finish();
        let usage = tokens_read(answer.input_text_token_count.or(counted));
        let vectors = match answer.embeddings {
            Some(vectors) => vectors,
            None => answer.embedding.into_iter().collect(),
        };
        Ok(EmbeddingResponse { vectors, usage })
    }
}

/// Amazon's models give one vector, Cohere's a list.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BedrockResponse {
    embedding: Option<Vec<f32>>,
    embeddings: Option<Vec<Vec<f32>>>,
    input_text_token_count: Option<u64>,
}
