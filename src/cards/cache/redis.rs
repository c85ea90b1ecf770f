//! Redis Cache: a model that is asked the same thing again answers from a Redis server.

use crate::kit::stores::redis::{CREDENTIAL, RedisStore};
use crate::kit::{Cache, Card, Category, Factory, Host, Input, ReplyKey, Risk};
use crate::llm::Completion;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const CARD: Card = Card {
    name: "redisCache",
    label: "Redis Cache",
    version: 1.0,
    category: Category::Cache,
    description: "Remembers what the model replied on a Redis server, for everybody who keeps replies there. The same \
                  messages to the same model settings are then answered without asking the provider. While the server \
                  is away the model answers, and the log says why.",
    base_classes: &["RedisCache", "BaseCache"],
    risk: Risk::Risky,
    needs: &[],
    inputs: &[
        CREDENTIAL,
        Input::whole("ttl", "Time to Live (ms)", 0.0, 1e13)
            .additional()
            .help("Milliseconds after which a reply is forgotten. Empty: it stays."),
    ],
    outputs: &[],
    make: Factory::Cache(|inputs| {
        let time = inputs.whole("ttl")?.filter(|time| *time > 0).map(Duration::from_millis);
        Ok(Arc::new(Redis(RedisStore::from_inputs(inputs, PREFIX.to_owned(), time)?)))
    }),
};

/// What the keys of replies begin with, on every server.
pub(super) const PREFIX: &str = "flowkeep:reply:";

/// Replies on a Redis server, or behind what stands before one.
pub(super) struct Redis(pub(super) RedisStore);

impl Cache for Redis {
    fn find(&self, key: &ReplyKey, host: &dyn Host) -> Option<Completion> {
        let bytes = self.0.find(&[*key], host.cancel()).pop()??;
        serde_json::from_slice(&bytes).ok()
    }

    fn store(&self, key: &ReplyKey, reply: &Completion, host: &dyn Host) {
        if let Ok(bytes) = serde_json::to_vec(reply) {
            self.0.store(&[(*key, bytes)], host.cancel());
        }
    }
}
