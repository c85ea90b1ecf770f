//! An embeddings card as others use it: it says in which space its vectors lie, and what it gives is checked.

use crate::domain::error::{Error, Result};
use crate::domain::knowledge::upsert::UpsertProgress;
use crate::domain::predictions::prediction::Document;
use crate::domain::workspace::credential_types::{self, FieldKind};
use crate::kit::build::component::{Embeddings, Space};
use crate::kit::build::inputs::Inputs;
use crate::kit::capabilities::host::Host;
use crate::vectors::{RowId, VectorRow};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::sync::Arc;

/// Texts that are embedded in one call of a provider (manual 14.8).
pub(crate) const EMBEDDING_TEXTS_AT_ONCE: usize = 64;

/// Settings of requests, and of how long their results are kept, that leave the vectors as they are.
const SENDING: &[&str] = &[
    "batchSize",
    "timeout",
    "maxConcurrency",
    "maxRetries",
    "keepAlive",
    "numGpu",
    "numThread",
    "baseOptions",
    "ttl",
];

/// The input that another embeddings card is wired into.
const EMBEDDINGS: &str = "embeddings";

/// A built embeddings card.
pub(in crate::kit) struct CheckedEmbeddings {
    label: String,
    settings: Vec<u8>,
    inner: Arc<dyn Embeddings>,
}

impl CheckedEmbeddings {
    pub(in crate::kit) fn new(inputs: &Inputs<'_>, made: Arc<dyn Embeddings>) -> Self {
        // Neither the version of the schema nor how requests are sent changes a vector.
        let decides = |(name, _): &(&str, Value)| !SENDING.contains(name);
        let settings: Vec<_> = inputs.settings().into_iter().skip(1).filter(decides).collect();
        let asked = (inputs.card.name, settings, plain_fields(inputs));
        Self {
            label: inputs.label.to_owned(),
            settings: serde_json::to_vec(&asked).unwrap_or_default(),
            inner: made,
        }
    }

    fn card_error(&self, what: &str) -> Error {
        Error::RunFailed(format!("{}: {what}", self.label))
    }

    fn check_vectors(&self, vectors: &[Vec<f32>]) -> Result<()> {
        let dimensions = vectors.first().map_or(0, Vec::len);
        let like_the_first = |vector: &Vec<f32>| !vector.is_empty() && vector.len() == dimensions;
        if !vectors.iter().all(like_the_first) {
            return Err(self.card_error("the provider gave vectors of different lengths"));
        }
        if vectors.iter().flatten().any(|number| !number.is_finite()) {
            return Err(self.card_error("the provider gave a vector that holds something else than numbers"));
        }
        Ok(())
    }
}

/// What a credential holds beside its secrets: with some providers it names the model. That of a cache says where vectors of
/// another card lie, and nothing of them.
fn plain_fields(inputs: &Inputs<'_>) -> Vec<(String, Value)> {
    if inputs.is_wired(EMBEDDINGS) {
        return Vec::new();
    }
    let kinds = inputs.card.credential_types().iter().filter_map(|name| credential_types::find_type(name));
    let secret: Vec<&str> = kinds
        .flat_map(|kind| kind.fields)
        .filter(|field| matches!(field.kind, FieldKind::Password))
        .map(|field| field.name)
        .collect();
    let plain = |(name, _): &(&String, &Value)| !secret.contains(&name.as_str());
    let fields = inputs.credential.iter().flatten();
    fields.filter(plain).map(|(name, value)| (name.clone(), value.clone())).collect()
}

impl Embeddings for CheckedEmbeddings {
    fn embed(&self, texts: &[&str], host: &dyn Host) -> Result<Vec<Vec<f32>>> {
        let vectors = self.inner.embed(texts, host)?;
        if vectors.len() != texts.len() {
            return Err(self.card_error("the provider gave another number of vectors than there are texts"));
        }
        self.check_vectors(&vectors)?;
        Ok(vectors)
    }

    fn embed_query(&self, text: &str, host: &dyn Host) -> Result<Vec<f32>> {
        let vector = self.inner.embed_query(text, host)?;
        self.check_vectors(std::slice::from_ref(&vector))?;
        Ok(vector)
    }

    fn space(&self) -> Space {
        let mut hash = Sha256::new();
        hash.update(self.inner.space());
        hash.update(&self.settings);
        hash.finalize().into()
    }
}

/// Embeds chunks, some at a time, into rows that carry them.
///
/// # Errors
/// What the embeddings card fails with; [`Error::Cancelled`] when the run ended.
pub(crate) fn embed_chunks(
    named: &[(RowId, &Document)],
    embeddings: &dyn Embeddings,
    host: &dyn Host,
) -> Result<Vec<VectorRow>> {
    let mut rows: Vec<VectorRow> = Vec::with_capacity(named.len());
    for some in named.chunks(EMBEDDING_TEXTS_AT_ONCE) {
        Error::check_cancelled(host.cancel())?;
        host.report_progress(UpsertProgress::embedding(rows.len(), named.len()));
        let texts: Vec<&str> = some.iter().map(|(_, chunk)| chunk.page_content.as_str()).collect();
        for ((id, chunk), vector) in some.iter().zip(embeddings.embed(&texts, host)?) {
            let text = serde_json::to_string(chunk).map_err(Error::internal)?;
            rows.push(VectorRow { id: *id, vector, text });
        }
    }
    host.report_progress(UpsertProgress::embedding(rows.len(), named.len()));
    Ok(rows)
}

/// The vector of a question.
///
/// # Errors
/// What the embeddings card fails with.
pub(crate) fn embed_query(text: &str, embeddings: &dyn Embeddings, host: &dyn Host) -> Result<Vec<f32>> {
    embeddings.embed_query(text, host)
}

/// How near each of these texts is to a question: 1 for the same direction, 0 for nothing in common.
///
/// # Errors
/// What the embeddings card fails with.
pub(crate) fn nearness(
    question: &str,
    texts: &[&str],
    embeddings: &dyn Embeddings,
    host: &dyn Host,
) -> Result<Vec<f32>> {
    let vectors = embeddings.embed(texts, host)?;
    let asked = embeddings.embed_query(question, host)?;
    Ok(vectors.iter().map(|vector| cosine(vector, &asked)).collect())
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let product: f32 = one.iter().zip(other).map(|(x, y)| x * y).sum();
    let length = |vector: &[f32]| vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    let lengths = length(one) * length(other);
    if lengths > 0.0 { product / lengths } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearness_is_the_angle_alone() {
        assert!((cosine(&[2.0, 0.0], &[5.0, 0.0]) - 1.0).abs() < 1e-6);
        assert!(cosine(&[1.0, 0.0], &[0.0, 3.0]).abs() < 1e-6);
        assert!(cosine(&[0.0, 0.0], &[0.0, 3.0]).abs() < 1e-6);
    }
}
