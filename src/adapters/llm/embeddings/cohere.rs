//! Cohere's embeddings, in the second version of its protocol.

use super::{Aim, BatchLimits, EmbeddingModel, EmbeddingResponse, tokens_read};
use crate::base::cancel::CancelToken;
use crate::llm::{Endpoint, ModelError, endpoint};
use serde::Deserialize;
use serde_json::json;

/// A model behind `/v2/embed`.
#[derive(Debug, Clone)]
pub struct CohereEmbeddings {
    /// Where and with which key; the base address ends before `/v2/embed`.
    pub endpoint: Endpoint,
    pub model: String,
    /// `classification` or `clustering`; without one, questions and chunks are each sent as what they are.
    pub input_type: Option<String>,
}

impl EmbeddingModel for CohereEmbeddings {
    fn batch_limits(&self) -> BatchLimits {
        BatchLimits { texts: 96, bytes: 256 * 1024 }
    }

    fn embed_batch(
        &self,
        texts: &[&str],
        aim: Aim,
        cancel: &CancelToken,
    ) -> Result<EmbeddingResponse, ModelError> {
        let bearer = self.endpoint.bearer();
        let headers: Vec<(&str, &str)> =
            bearer.iter().map(|value| ("authorization", value.as_str())).collect();
        let input_type = self.input_type.as_deref().unwrap_or(match aim {
            Aim::Query => "search_query",
            Aim::Documents => "search_document",
        });
        let body = json!({"model": self.model, "texts": texts, "input_type": input_type,
            "embedding_types": ["float"]});
        let mut incoming = self.endpoint.post("/v2/embed", &headers, &body, &self.model, cancel)?;
        let answer: CohereResponse = endpoint::read_as(&mut incoming, "it is no list of vectors")?;
        incoming.finish();
        let usage = answer.meta.and_then(|meta| meta.billed_units).and_then(|units| units.input_tokens);
        // Billed units may be written with a point.
        let usage = usage.filter(|units| *units >= 0.0).map(|units| units as u64);
        Ok(EmbeddingResponse { vectors: answer.embeddings.float, usage: tokens_read(usage) })
    }
}

#[derive(Deserialize)]
struct CohereResponse {
    embeddings: Vectors,
    meta: Option<Meta>,
}

#[derive(Deserialize)]
struct Vectors {
    float: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct Meta {
    billed_units: Option<BilledUnits>,
}

#[derive(Deserialize)]
struct BilledUnits {
    input_tokens: Option<f64>,
}
