//! Redis Embeddings Cache: a text that was embedded before is not embedded again, as long as a Redis server remembers it.

use super::caching_embeddings::{CachingEmbeddings, VectorStorage};
use super::embedding::{EMBEDDINGS, NAMESPACE};
use crate::kit::stores::redis::{CREDENTIAL, RedisStore};
use crate::kit::{Card, Category, Factory, Input, Risk};
use std::sync::Arc;
use std::time::Duration;

pub(crate) const CARD: Card = Card {
    name: "redisEmbeddingsCache",
    label: "Redis Embeddings Cache",
    version: 1.0,
    category: Category::Cache,
    description: "Remembers the vectors of texts on a Redis server, for everybody who keeps vectors there. A text that \
                  comes again is not sent to the provider. While the server is away texts are embedded again, and the \
                  log says why.",
    base_classes: &["RedisEmbeddingsCache", "Embeddings"],
    risk: Risk::Risky,
    needs: &[],
    inputs: &[
        CREDENTIAL,
        EMBEDDINGS,
        Input::whole("ttl", "Time to Live (seconds)", 0.0, 1e10)
            .or("3600")
            .additional()
            .help("Seconds after which a vector is forgotten; 0 keeps it."),
        NAMESPACE,
    ],
    outputs: &[],
    make: Factory::Embeddings(|inputs| {
        let time = inputs.whole("ttl")?.filter(|time| *time > 0).map(Duration::from_secs);
        let namespace = inputs.optional_text(NAMESPACE.name).unwrap_or_default();
        // In plain sight, so that the owner of the server can tell uses apart.
        let prefix = match namespace.as_str() {
            "" => PREFIX.to_owned(),
            name => format!("{PREFIX}{name}:"),
        };
        Ok(Arc::new(CachingEmbeddings {
            embeddings: inputs.embeddings(EMBEDDINGS.name)?,
            card: CARD.name,
            namespace,
            storage: VectorStorage::Redis(Box::new(RedisStore::from_inputs(inputs, prefix, time)?)),
        }))
    }),
};

const PREFIX: &str = "flowkeep:vector:";
