//! OpenAI's embeddings, and every provider that speaks the same protocol with a word or two of its own.

use super::{Aim, BatchLimits, EmbeddingModel, EmbeddingResponse, tokens_read};
use crate::base::cancel::CancelToken;
use crate::llm::{Endpoint, KeyStyle, ModelError, endpoint};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A model behind the embeddings protocol.
#[derive(Debug, Clone)]
pub struct OpenAiEmbeddings {
    /// Where and with which key; the base address ends before `path`.
    pub endpoint: Endpoint,
    /// `/embeddings`, or nothing when the base address is the whole one.
    pub path: &'static str,
    pub key_style: KeyStyle,
    /// The model's name; empty where the address names it.
    pub model: String,
    /// How a question is marked apart from chunks, where the provider wants to know.
    pub aim: Option<AimField>,
    /// Further fields of the body: dimensions, encoding.
    pub extra: Map<String, Value>,
    /// How much goes into one request.
    pub batch: BatchLimits,
}

/// A field of the body that marks a question apart from chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AimField {
    pub name: &'static str,
    pub query: &'static str,
    pub documents: &'static str,
}

impl OpenAiEmbeddings {
    /// What one request may hold: within the provider's count of texts and of tokens, and of answers that stay small.
    pub const BATCH: BatchLimits = BatchLimits { texts: 512, bytes: 512 * 1024 };

    /// A model with the provider's defaults.
    #[must_use]
    pub fn new(endpoint: Endpoint, model: &str) -> Self {
        Self {
            endpoint,
            path: "/embeddings",
            key_style: KeyStyle::Bearer,
            model: model.to_owned(),
            aim: None,
            extra: Map::new(),
            batch: Self::BATCH,
        }
    }

    fn body(&self, texts: &[&str], aim: Aim) -> Value {
        let mut body = Map::new();
        if !self.model.is_empty() {
            body.insert("model".into(), self.model.as_str().into());
        }
        body.insert("input".into(), texts.to_vec().into());
        if let Some(field) = self.aim {
            let value = match aim {
                Aim::Query => field.query,
                Aim::Documents => field.documents,
            };
            body.insert(field.name.to_owned(), value.into());
        }
        body.extend(self.extra.clone());
        body.into()
    }
}

impl EmbeddingModel for OpenAiEmbeddings {
    fn batch_limits(&self) -> BatchLimits {
        self.batch
    }

    fn embed_batch(
        &self,
        texts: &[&str],
        aim: Aim,
        cancel: &CancelToken,
    ) -> Result<EmbeddingResponse, ModelError> {
        let header = self.key_style.header(&self.endpoint);
        let headers: Vec<(&str, &str)> = header.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = self.body(texts, aim);
        let mut incoming = self.endpoint.post(self.path, &headers, &body, &self.model, cancel)?;
        let answer: OpenAiResponse = endpoint::read_as(&mut incoming, "it is no list of vectors")?;
        incoming.finish();
        if let Some(error) = answer.error {
            return Err(self.endpoint.error_interpreter(&self.model).interpret_event(&error));
        }
        let mut entries = answer.data.unwrap_or_default();
        // Nothing promises that they come in the order of the texts; their numbers do.
        entries.sort_by_key(|entry| entry.index);
        let vectors = entries.into_iter().map(|entry| entry.embedding.numbers());
        let usage = answer.usage.and_then(|usage| usage.prompt_tokens.or(usage.total_tokens));
        Ok(EmbeddingResponse { vectors: vectors.collect::<Result<_, _>>()?, usage: tokens_read(usage) })
    }
}

#[derive(Deserialize)]
struct OpenAiResponse {
    data: Option<Vec<EmbeddingEntry>>,
    usage: Option<EmbeddingUsage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct EmbeddingEntry {
    #[serde(default)]
    index: u64,
    embedding: Vector,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Vector {
    Numbers(Vec<f32>),
    /// Little-endian numbers of four bytes in base64.
    Packed(String),
}

#[derive(Deserialize)]
struct EmbeddingUsage {
    prompt_tokens: Option<u64>,
    total_tokens: Option<u64>,
}

impl Vector {
    fn numbers(self) -> Result<Vec<f32>, ModelError> {
        let text = match self {
            Self::Numbers(numbers) => return Ok(numbers),
            Self::Packed(text) => text,
        };
        let bytes = STANDARD.decode(text).ok().filter(|bytes| bytes.len() % 4 == 0);
        let bytes = bytes.ok_or_else(|| ModelError::Garbled("a vector in it is not base64".into()))?;
        let (numbers, _) = bytes.as_chunks::<4>();
        Ok(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }
}
