//! InMemory Embedding Cache: a text that was embedded before is not embedded again.

use super::caching_embeddings::{CachingEmbeddings, VectorStorage};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Risk, WireType};
use std::sync::Arc;

/// The card whose vectors are kept.
pub(crate) const EMBEDDINGS: Input = Input::wire("embeddings", "Embeddings", WireType::Embeddings);
pub(crate) const NAMESPACE: Input = Input::text("namespace", "Namespace")
    .additional()
    .help("Keeps vectors of different uses apart. The model's settings keep them apart anyway.");

pub(crate) const CARD: Card = Card {
    name: "inMemoryEmbeddingCache",
    label: "InMemory Embedding Cache",
    version: 1.0,
    category: Category::Cache,
    description: "Remembers the vectors of texts, for this flow and until it changes or the server restarts. A text \
                  that comes again is not sent to the provider.",
    base_classes: &["InMemoryEmbeddingCache", "Embeddings"],
    risk: Risk::Safe,
    needs: &[Need::required(Capability::Replies)],
    inputs: &[EMBEDDINGS, NAMESPACE],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        Ok(Arc::new(CachingEmbeddings {
            embeddings: inputs.embeddings(EMBEDDINGS.name)?,
            card: CARD.name,
            namespace: inputs.optional_text(NAMESPACE.name).unwrap_or_default(),
            storage: VectorStorage::HostMemory(inputs.need()?),
        }))
    }),
};
