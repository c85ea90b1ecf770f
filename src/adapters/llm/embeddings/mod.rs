//! Models that turn texts into vectors: one file per wire format, and what is alike for all of them.

mod bedrock;
mod cohere;
mod feature_extraction;
mod google;
mod ollama;
mod openai;
#[cfg(test)]
mod tests;
mod vertex;

use super::ModelError;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::predictions::prediction::Usage;
pub use bedrock::BedrockEmbeddings;
pub use cohere::CohereEmbeddings;
pub use feature_extraction::FeatureExtraction;
pub use google::{GoogleEmbeddings, TaskType};
pub use ollama::OllamaEmbeddings;
pub use openai::{AimField, OpenAiEmbeddings};
pub use vertex::VertexEmbeddings;

/// The longest vector that is believed.
const DIMENSIONS_MAX: usize = 65_536;

/// What vectors are made for. Many models make another vector of the same words for a question than for a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    Query,
    Documents,
}

/// A model that turns texts into vectors.
pub trait EmbeddingModel: Send + Sync {
    /// How much goes into one request.
    fn batch_limits(&self) -> BatchLimits;

    /// The vectors of the texts of one request. Nobody has looked at them yet.
    ///
    /// # Errors
    /// What the provider refused, or what broke on the way.
    fn embed_batch(
        &self,
        texts: &[&str],
        aim: Aim,
        cancel: &CancelToken,
    ) -> Result<EmbeddingResponse, ModelError>;
}

/// How much goes into one request. A text that is larger alone goes alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    pub texts: usize,
    /// Bytes of all of them, because providers count the tokens of a request together.
    pub bytes: usize,
}

impl BatchLimits {
    /// As many texts as the owner says, within what the provider takes.
    #[must_use]
    pub fn with_text_count(self, texts: Option<u64>) -> Self {
        let asked = texts.and_then(|texts| usize::try_from(texts).ok()).filter(|texts| *texts > 0);
        Self { texts: asked.map_or(self.texts, |texts| texts.min(self.texts)), ..self }
    }
}

/// Vectors, in the order of their texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EmbeddingResponse {
    pub vectors: Vec<Vec<f32>>,
    /// Tokens, when reported.
    pub usage: Option<Usage>,
}

/// One vector for each text, all of one length and of finite numbers.
///
/// # Errors
/// What the provider refused or answered wrongly, or [`ModelError::Cancelled`] when `cancel` was set.
pub fn embed(
    model: &dyn EmbeddingModel,
    texts: &[&str],
    aim: Aim,
    cancel: &CancelToken,
) -> Result<EmbeddingResponse, ModelError> {
    let mut all = EmbeddingResponse::default();
    // Providers refuse an empty text; a space says as little.
    let texts: Vec<&str> = texts.iter().map(|text| if text.is_empty() { " " } else { *text }).collect();
    let mut rest = texts.as_slice();
    while !rest.is_empty() {
        match cancel.reason() {
            None => {}
            Some(CancelReason::TimedOut) => return Err(ModelError::TimedOut),
            Some(_) => return Err(ModelError::Cancelled),
        }
        let (now, later) = rest.split_at(first_batch_len(rest, model.batch_limits()));
        let more = model.embed_batch(now, aim, cancel)?;
        check_vectors(&more.vectors, now.len(), all.vectors.first().map(Vec::len))?;
        all.vectors.extend(more.vectors);
        if let Some(usage) = more.usage {
            all.usage.get_or_insert_default().add(&usage);
        }
        rest = later;
    }
    Ok(all)
}

/// How many of `texts` go into the next request: one at least.
fn first_batch_len(texts: &[&str], most: BatchLimits) -> usize {
    let mut bytes = 0;
    let fits = |text: &&&str| {
        bytes += text.len();
        bytes <= most.bytes
    };
    texts.iter().take(most.texts).take_while(fits).count().max(1)
}

/// A store that keeps a wrong vector cannot be mended, so nothing wrong gets that far.
fn check_vectors(vectors: &[Vec<f32>], texts: usize, length: Option<usize>) -> Result<(), ModelError> {
    let garbled = |what: String| Err(ModelError::Garbled(what));
    if vectors.len() != texts {
        return garbled(format!("it holds {} vectors for {texts} texts", vectors.len()));
    }
    let length = length.or_else(|| vectors.first().map(Vec::len)).unwrap_or_default();
    if length == 0 || length > DIMENSIONS_MAX {
        return garbled(format!("it holds a vector of {length} numbers"));
    }
    if vectors.iter().any(|vector| vector.len() != length) {
        return garbled("its vectors are not of one length".into());
    }
    if vectors.iter().flatten().any(|number| !number.is_finite()) {
        return garbled("it holds a number that is not finite".into());
    }
    Ok(())
}

/// Tokens read; a vector has none that are written.
fn tokens_read(tokens: Option<u64>) -> Option<Usage> {
    tokens.map(|input_tokens| Usage { input_tokens, ..Usage::default() })
}
